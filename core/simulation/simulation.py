"""What a design gains, from losses and strata: exact squared error, its Monte-Carlo check, curves, and label savings.

"Exact" means the closed form of the variance (METHOD 5.1); only functions with "monte_carlo" in their name use random
numbers. The same from moments, for many settings on one pool: `core.simulation.exact` and `core.simulation.simulated`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.allocation.methods import METHODS, method_allocations, stratum_consistency
from core.errors import DesignError
from core.simulation.exact import curve, labels_for, stratified_mse
from core.simulation.simulated import check_trials, simulated_curve, split
from core.simulation.trials import binary_trials, drawn_trials
from core.stratification.moments import moments


@dataclass(frozen=True, slots=True)
class Savings:
    """Labels saved against Uniform at equal mean squared error.

    ``needed``: labels the method needs for the error that Uniform reaches with the budget M asked about; ``saved`` =
    M − needed (negative where the method is worse); ``fraction`` = saved / M.
    """

    needed: int
    saved: int
    fraction: float


def exact_mse(losses: ArrayLike, strata: ArrayLike, allocation: ArrayLike) -> float:
    """Mean squared error of the stratified estimate, Σ_h (N_h/N)² (1 − m_h/N_h) S_h²/m_h.

    Parameters
    ----------
    losses : (N,) float, finite. strata : (N,) int, 0 … H−1. allocation : (H,) int, 1 ≤ m_h ≤ N_h.

    Raises
    ------
    DesignError : an unknown loss, an empty stratum, or an allocation outside its bounds.

    Source: METHOD 5.1 (Cochran 1977, theorem 5.3).
    """
    found = moments(losses, strata)
    return float(stratified_mse(found, _checked_allocation(allocation, found.sizes)[None, :])[0])


def uniform_mse(losses: ArrayLike, budget: int) -> float:
    """Mean squared error of the mean of ``budget`` items drawn without replacement, (1 − M/N) S²/M.

    Parameters
    ----------
    losses : (N,) float, finite. budget : 1 ≤ M ≤ N.
    """
    loss = np.asarray(losses)
    found = moments(loss, np.zeros(loss.size, dtype=np.int64))
    return float(stratified_mse(found, _checked_allocation([budget], found.sizes)[None, :])[0])


def relative_mse_curve(
    losses: ArrayLike,
    strata: ArrayLike,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float = 0.75,
    methods: Sequence[str] = METHODS,
) -> pd.DataFrame:
    """Exact mean squared error of each method at each budget, and its ratio to Uniform's.

    Parameters
    ----------
    losses : (N,) float, finite. strata : (N,) int, 0 … H−1.
    consistency : (N,) self-consistency of the items, or (H,) its stratum means p_h.
    budgets : (B,) int, H ≤ M ≤ N. offset : δ of proxy-Neyman.

    Returns
    -------
    Tidy frame: method, budget, mse, relative_mse (a ratio, 1 = Uniform; NaN where Uniform's error is 0, that is at M
    = N or for constant losses), methods in the order given, budgets as given.

    Raises
    ------
    DesignError : a budget below H or above N, an unknown loss, an unknown method.
    """
    found = moments(losses, strata)
    return curve(found, stratum_consistency(consistency, strata, found.sizes.size), budgets, offset, methods)


def monte_carlo(
    losses: ArrayLike, strata: ArrayLike, allocation: ArrayLike, trials: int = 3000, seed: int = 0
) -> NDArray[np.float64]:
    """Estimates of ``trials`` independent draws of the design, (trials,).

    For 0/1 losses the number wrong in each stratum's sample is drawn (hypergeometric); for other losses items are
    drawn.

    Parameters
    ----------
    losses : (N,) float, finite. strata : (N,) int, 0 … H−1. allocation : (H,) int, 1 ≤ m_h ≤ N_h.
    trials : T ≥ 1. seed : ≥ 0; equal arguments give equal estimates.
    """
    found = moments(losses, strata)
    labels = _checked_allocation(allocation, found.sizes)
    check_trials(trials, seed, least=1)
    if found.binary:
        return binary_trials(found.sizes, found.ones, labels, trials, seed)
    return np.asarray(drawn_trials(split(losses, strata), labels[None, :], trials, seed)[0])


def monte_carlo_curve(
    losses: ArrayLike,
    strata: ArrayLike,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float = 0.75,
    methods: Sequence[str] = METHODS,
    trials: int = 3000,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Simulated mean squared error of each method at each budget, with its standard error.

    Returns
    -------
    Tidy frame: method, budget, mse, standard_error, relative_mse, relative_standard_error, trials. The ratio is to
    Uniform's exact error, so the error bars are those of the simulated numerator alone; NaN as in `relative_mse_curve`.
    """
    found = moments(losses, strata)
    p = stratum_consistency(consistency, strata, found.sizes.size)
    by_stratum = None if found.binary else split(losses, strata)
    return simulated_curve(found, p, budgets, offset, methods, trials, seed, by_stratum, progress)


def label_savings(
    losses: ArrayLike, strata: ArrayLike, consistency: ArrayLike, budget: int, offset: float = 0.75
) -> Savings:
    """Labels proxy-Neyman needs for the error that Uniform reaches with ``budget`` labels, from the exact curves.

    Parameters as in `relative_mse_curve`; 1 ≤ budget ≤ N. Never fewer labels than there are strata.

    Source: METHOD 3 (label savings); paper, table of budget savings.
    """
    found = moments(losses, strata)
    p = stratum_consistency(consistency, strata, found.sizes.size)
    target = stratified_mse(found.pooled(), method_allocations(found, p, "uniform", [budget]))[0]
    needed = labels_for(found, p, "proxy-neyman", float(target), offset)
    return Savings(needed, int(budget) - needed, (int(budget) - needed) / int(budget))


def _checked_allocation(allocation: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    given = np.asarray(allocation, dtype=np.float64)
    if given.shape != sizes.shape or not np.all(np.isfinite(given) & (given == np.floor(given))):
        raise DesignError(f"The allocation must give a whole number of labels for each of the {sizes.size} strata.")
    outside = (given < 1) | (given > sizes)
    if np.any(outside):
        h = int(np.argmax(outside))
        raise DesignError(f"Stratum {h} is given {given[h]:.0f} labels: it must be between 1 and its {sizes[h]} items.")
    return given.astype(np.int64)
