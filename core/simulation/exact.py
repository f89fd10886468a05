"""Exact squared errors, and the units that people think in: margins, labels that a method or Uniform needs.

R̂ is unbiased, so its mean squared error is its variance, which has a closed form (docs/method.md, 5.1). Functions that
take `core.stratification.Moments` answer many settings on one pool without a pass over its items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.optimum import uniform_needed
from ..allocation.ways import METHODS, method_allocations, method_moments, stratum_consistency
from ..errors import DesignError
from ..stratification.moments import Moments, moments


@dataclass(frozen=True, slots=True)
class Savings:
    """Labels saved against Uniform at equal mean squared error.

    Parameters
    ----------
    needed : int
        Labels the method needs for the error that Uniform reaches with a budget M.
    saved : int
        M − needed, negative if the method is worse.
    fraction : float
        saved / M.
    """

    needed: int
    saved: int
    fraction: float

    def __repr__(self) -> str:
        return f"Savings: {self.needed:,} of {self.needed + self.saved:,} labels needed, {self.fraction:.1%} saved"


def exact_mse(losses: ArrayLike, strata: ArrayLike, allocation: ArrayLike) -> float:
    """Mean squared error of the stratified estimate, Σ_h (N_h/N)² (1 − m_h/N_h) S_h²/m_h.

    Parameters
    ----------
    losses : (N,) float
        Finite losses of all items.
    strata : (N,) int
        Strata of the items, 0 … H−1.
    allocation : (H,) int
        Labels m_h, 1 ≤ m_h ≤ N_h.

    Raises
    ------
    DesignError
        An unknown loss, an empty stratum, or an allocation outside its bounds.

    Notes
    -----
    Cochran 1977, theorem 5.3; docs/method.md, 5.1.
    """
    population = moments(losses, strata)
    return float(stratified_mse(population, checked_allocation(allocation, population.sizes)[None, :])[0])


def uniform_mse(losses: ArrayLike, budget: int) -> float:
    """Mean squared error of the mean of items drawn without replacement, (1 − M/N) S²/M.

    Parameters
    ----------
    losses : (N,) float
        Finite losses of all items.
    budget : int
        1 ≤ M ≤ N.
    """
    loss = np.asarray(losses)
    return exact_mse(loss, np.zeros(loss.size, dtype=np.int64), [budget])


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
    losses : (N,) float
        Finite losses of all items.
    strata : (N,) int
        Strata of the items, 0 … H−1.
    consistency : (N,) or (H,) float
        Self-consistency of the items, or its stratum means p_h.
    budgets : (B,) int
        H ≤ M ≤ N.
    offset : float
        δ ≥ 0 of proxy-Neyman.
    methods : sequence of str
        Among `core.allocation.METHODS`.

    Returns
    -------
    DataFrame
        Tidy: method, budget, mse, relative_mse (a ratio, 1 is Uniform; NaN if Uniform's error is 0, that is at
        M = N or for constant losses). Methods and budgets in the order given.

    Raises
    ------
    DesignError
        A budget below H or above N, an unknown loss, an unknown method.
    """
    population = moments(losses, strata)
    return curve(population, stratum_consistency(consistency, strata, population.sizes.size), budgets, offset, methods)


def label_savings(
    losses: ArrayLike, strata: ArrayLike, consistency: ArrayLike, budget: int, offset: float = 0.75
) -> Savings:
    """Labels proxy-Neyman needs for the error that Uniform reaches with ``budget`` labels, never fewer than H.

    Parameters
    ----------
    losses, strata, consistency, offset
        As in `relative_mse_curve`.
    budget : int
        1 ≤ M ≤ N.

    Notes
    -----
    The paper, table of budget savings; docs/method.md, 3.
    """
    population = moments(losses, strata)
    p = stratum_consistency(consistency, strata, population.sizes.size)
    goal = stratified_mse(population.pooled(), method_allocations(population, p, "uniform", [budget]))[0]
    needed = labels_for(population, p, "proxy-neyman", float(goal), offset)
    return Savings(needed, int(budget) - needed, (int(budget) - needed) / int(budget))


def stratified_mse(population: Moments, allocations: NDArray[np.int64]) -> NDArray[np.float64]:
    """`exact_mse` of several allocations (A, H) from the strata's moments, (A,)."""
    share = population.sizes / population.n_items
    return np.asarray((share**2 * population.variances * (1.0 / allocations - 1.0 / population.sizes)).sum(axis=1))


def curve(
    population: Moments,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float = 0.75,
    methods: Sequence[str] = METHODS,
) -> pd.DataFrame:
    """`relative_mse_curve` from the strata's moments and p_h, (H,)."""
    uniform = stratified_mse(population.pooled(), method_allocations(population, consistency, "uniform", budgets))
    budget = np.asarray(budgets).astype(np.int64)
    errors = [
        stratified_mse(
            method_moments(population, method), method_allocations(population, consistency, method, budget, offset)
        )
        for method in methods
    ]
    mse = np.concatenate([np.empty(0), *errors])
    return tidy(methods, budget, mse=mse, relative_mse=ratio(mse, np.tile(uniform, len(methods))))


def tidy(methods: Sequence[str], budgets: NDArray[np.int64], **columns: NDArray[np.float64] | int) -> pd.DataFrame:
    """Tabulate columns of each method at each budget, of the first method first."""
    names = np.repeat(np.asarray(methods, dtype=object), budgets.size)
    return pd.DataFrame({"method": names, "budget": np.tile(budgets, len(methods)), **columns})


def labels_for(population: Moments, consistency: ArrayLike, method: str, mse: float, offset: float = 0.75) -> int:
    """Fewest labels with which a method's exact mean squared error is at most ``mse``.

    Allocations of growing budgets are nested, so the error never rises with the budget and bisection finds the fewest.

    Parameters
    ----------
    population : Moments
        Of the losses in the strata.
    consistency : (H,) float
        p_h.
    method : str
        One of `core.allocation.METHODS`.
    mse : float
        At least 0.
    offset : float
        δ of proxy-Neyman.
    """
    strata = method_moments(population, method)
    if method == "uniform":
        # (1/M − 1/N) S² = mse, solved for M.
        variance = float(strata.variances[0])
        return uniform_needed(mse, variance, population.n_items) if variance > 0 else 1
    low, high = population.sizes.size, population.n_items
    # One part in 10¹² forgives rounding: at equal designs the two sides are the same number computed along two paths.
    goal = mse * (1 + 1e-12)
    while low < high:
        budgets = np.unique(np.linspace(low, high, 18)[:-1].astype(np.int64))
        errors = stratified_mse(strata, method_allocations(population, consistency, method, budgets, offset))
        enough = np.flatnonzero(errors <= goal)
        first = int(enough[0]) if enough.size else budgets.size
        high = int(budgets[first]) if first < budgets.size else high
        low = int(budgets[first - 1]) + 1 if first else high
    return high


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elementwise ratio; NaN if the denominator is 0."""
    return np.asarray(np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0))


def checked_allocation(allocation: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Allocation as whole numbers, (H,); DesignError if it does not fit the sizes."""
    labels = np.asarray(allocation, dtype=np.float64)
    if labels.shape != sizes.shape or not np.all(np.isfinite(labels) & (labels == np.floor(labels))):
        raise DesignError(f"The allocation must give a whole number of labels for each of the {sizes.size} strata.")
    outside = (labels < 1) | (labels > sizes)
    if np.any(outside):
        h = int(np.argmax(outside))
        raise DesignError(f"Stratum {h} needs between 1 and {sizes[h]} labels, its items. Found {labels[h]:.0f}.")
    return labels.astype(np.int64)


def in_units(errors: pd.DataFrame, n_items: int, confidence: float = 0.95) -> pd.DataFrame:
    """Add to mean squared errors their margins and their worth in labels.

    Parameters
    ----------
    errors : DataFrame
        Columns budget, mse, relative_mse (a ratio, NaN if Uniform's error is 0); for simulated errors also
        standard_error and relative_standard_error.
    n_items : int
        N, at least every budget.
    confidence : float
        Of the margin, in (0, 1).

    Returns
    -------
    DataFrame
        The same rows with margin (z √mse, in the unit of the losses), label_share (M as a share of the labels that
        Uniform needs for the same error; below 1 labels are saved) and uniform_labels (these labels, not rounded); for
        simulated errors also margin_error and label_share_error, their standard errors.

    Notes
    -----
    Uniform's error (1/M − 1/N) S² is solved for M: with r, the error relative to Uniform's, the share is
    r + (1 − r) M/N. The margin takes the estimate as normally distributed; the interval that labels give is wider if
    they are few, uneven or nearly all right. docs/method.md, 5.1.
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    budget, relative, mse = (errors[name].to_numpy(np.float64) for name in ("budget", "relative_mse", "mse"))
    labelled, root = budget / n_items, np.sqrt(np.maximum(mse, 0.0))
    share = relative + (1.0 - relative) * labelled
    columns = {"margin": z * root, "label_share": share, "uniform_labels": budget / share}
    if "standard_error" in errors:
        error, relative_error = (errors[name].to_numpy() for name in ("standard_error", "relative_standard_error"))
        columns["margin_error"] = z * error / (2.0 * np.where(root > 0, root, np.nan))
        columns["label_share_error"] = relative_error * (1.0 - labelled)
    return errors.assign(**columns)


def beside(exact: pd.DataFrame, simulated: pd.DataFrame | None) -> pd.DataFrame:
    """Tabulate exact and simulated errors side by side; what was not simulated stays empty.

    Parameters
    ----------
    exact : DataFrame
        Columns method, budget, mse, relative_mse.
    simulated : DataFrame or None
        The same and relative_standard_error; None if nothing was simulated.

    Returns
    -------
    DataFrame
        The exact rows; with simulated ones simulated_mse, simulated_relative_mse and relative_standard_error too.
    """
    rows = exact[["method", "budget", "mse", "relative_mse"]]
    if simulated is None:
        return rows
    columns = ["method", "budget", "mse", "relative_mse", "relative_standard_error"]
    named = {name: f"simulated_{name}" for name in ("mse", "relative_mse")}
    return rows.merge(simulated[columns].rename(columns=named), on=["method", "budget"], how="left")
