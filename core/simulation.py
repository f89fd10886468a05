"""What a design gains: exact mean squared error, its Monte-Carlo check, curves over budgets, and label savings.

R̂ is unbiased, so its mean squared error is its variance, which has a closed form (METHOD 5.1). "Exact" below means
that form; only functions with "monte_carlo" in their name use random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.methods import METHODS, method_allocations, method_moments, stratum_consistency
from core.moments import Moments, checked_groups, moments
from core.trials import binary_trials, drawn_trials


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


def stratified_mse(found: Moments, allocations: NDArray[np.int64]) -> NDArray[np.float64]:
    """`exact_mse` of several allocations (A, H) from the strata's moments: (A,)."""
    share = found.sizes / found.n_items
    return np.asarray((share**2 * found.variances * (1.0 / allocations - 1.0 / found.sizes)).sum(axis=1))


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


def curve(
    found: Moments,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float = 0.75,
    methods: Sequence[str] = METHODS,
) -> pd.DataFrame:
    """`relative_mse_curve` from the strata's moments and p_h (H,)."""
    uniform = stratified_mse(found.pooled(), method_allocations(found, consistency, "uniform", budgets))
    budget = np.asarray(budgets).astype(np.int64)
    errors = [
        stratified_mse(method_moments(found, method), method_allocations(found, consistency, method, budget, offset))
        for method in methods
    ]
    return pd.DataFrame(
        {
            "method": np.repeat(np.asarray(methods, dtype=object), budget.size),
            "budget": np.tile(budget, len(methods)),
            "mse": np.concatenate(errors) if errors else np.empty(0),
            "relative_mse": np.concatenate([_ratio(e, uniform) for e in errors]) if errors else np.empty(0),
        }
    )


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
    _check_trials(trials, seed, least=1)
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


def simulated_curve(
    found: Moments,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float,
    methods: Sequence[str],
    trials: int,
    seed: int,
    losses_by_stratum: Sequence[NDArray[np.float64]] | None = None,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """`monte_carlo_curve` from the strata's moments; losses that are not 0/1 are needed one by one, (H) arrays."""
    _check_trials(trials, seed)
    if not found.binary and losses_by_stratum is None:
        raise ValueError("losses that are not 0/1 are drawn item by item: pass losses_by_stratum")
    uniform = stratified_mse(found.pooled(), method_allocations(found, consistency, "uniform", budgets))
    budget = np.asarray(budgets).astype(np.int64)
    labels = {m: method_allocations(found, consistency, m, budget, offset) for m in methods}
    if losses_by_stratum is None or found.binary:
        estimates = _binary_estimates(found, labels, trials, seed, progress)
    else:
        estimates = _drawn_estimates(losses_by_stratum, labels, trials, seed, progress)
    rows = [_summary(m, budget, estimates[m], found.mean, uniform, trials) for m in methods]
    nothing = _summary("", budget[:0], np.empty((0, trials)), found.mean, uniform[:0], trials)
    return pd.concat(rows or [nothing], ignore_index=True)


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


def labels_for(found: Moments, consistency: ArrayLike, method: str, mse: float, offset: float = 0.75) -> int:
    """Fewest labels with which a method's exact mean squared error is at most ``mse`` (≥ 0).

    Allocations of growing budgets are nested, so the error never rises with the budget and bisection finds it.
    """
    smallest = 1 if method == "uniform" else found.sizes.size
    strata = method_moments(found, method)
    low, high = smallest, found.n_items
    # One part in 10¹² forgives rounding: at equal designs the two sides are the same number computed along two paths.
    goal = mse * (1 + 1e-12)
    while low < high:
        tried = np.unique(np.linspace(low, high, 18)[:-1].astype(np.int64))
        errors = stratified_mse(strata, method_allocations(found, consistency, method, tried, offset))
        good = np.flatnonzero(errors <= goal)
        first = int(good[0]) if good.size else tried.size
        high = int(tried[first]) if first < tried.size else high
        low = int(tried[first - 1]) + 1 if first else high
    return high


def budget_grid(n_strata: int, n_items: int, points: int = 40) -> NDArray[np.int64]:
    """Budgets from H to N in about equal steps of their logarithm, distinct whole numbers, both ends included."""
    steps = np.geomspace(max(n_strata, 1), max(n_items, 1), points)
    return np.unique(np.rint(steps).astype(np.int64))


def budget_options(n_strata: int, n_items: int) -> list[int]:
    """Round budgets from H to N for a slider, in about equal steps of their logarithm, both ends included."""
    steps = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8)
    round_numbers = {int(s * 10**p) for p in range(12) for s in steps if s * 10**p == int(s * 10**p)}
    low, high = min(n_strata, n_items), n_items
    return sorted({low, high} | {b for b in round_numbers if low < b < high})


def split(losses: ArrayLike, strata: ArrayLike) -> list[NDArray[np.float64]]:
    """Losses of each stratum, a list of H arrays."""
    loss, stratum = np.asarray(losses, dtype=np.float64), checked_groups(strata)
    return np.split(loss[np.argsort(stratum, kind="stable")], np.cumsum(np.bincount(stratum))[:-1])


def _binary_estimates(
    found: Moments,
    labels: dict[str, NDArray[np.int64]],
    trials: int,
    seed: int,
    progress: Callable[[float], None] | None,
) -> dict[str, NDArray[np.float64]]:
    estimates = {}
    for done, (method, allocations) in enumerate(labels.items(), start=1):
        strata = method_moments(found, method)
        estimates[method] = np.array(
            [binary_trials(strata.sizes, strata.ones, row, trials, seed) for row in allocations]
        ).reshape(-1, trials)
        if progress is not None:
            progress(done / len(labels))
    return estimates


def _drawn_estimates(
    losses_by_stratum: Sequence[NDArray[np.float64]],
    labels: dict[str, NDArray[np.int64]],
    trials: int,
    seed: int,
    progress: Callable[[float], None] | None,
) -> dict[str, NDArray[np.float64]]:
    """Two passes over the items at most: the whole pool for Uniform, its strata for all other methods together."""
    whole = [np.concatenate(losses_by_stratum)]
    passes = [
        (parts, names)
        for parts, names in (
            (whole, [m for m in labels if m == "uniform"]),
            (losses_by_stratum, [m for m in labels if m != "uniform"]),
        )
        if names
    ]
    estimates: dict[str, NDArray[np.float64]] = {}
    for done, (parts, names) in enumerate(passes):
        share = partial(_report, progress, done, len(passes))
        drawn = drawn_trials(parts, np.concatenate([labels[m] for m in names]), trials, seed, share)
        estimates |= dict(zip(names, np.split(drawn, len(names)), strict=True))
    return estimates


def _report(progress: Callable[[float], None] | None, done: int, parts: int, share: float) -> None:
    if progress is not None:
        progress((done + share) / parts)


def _summary(
    method: str,
    budget: NDArray[np.int64],
    estimates: NDArray[np.float64],
    truth: float,
    uniform: NDArray[np.float64],
    trials: int,
) -> pd.DataFrame:
    squared = (estimates - truth) ** 2
    mse = squared.mean(axis=1)
    error = squared.std(axis=1, ddof=1) / math.sqrt(trials)
    return pd.DataFrame(
        {
            "method": method,
            "budget": budget,
            "mse": mse,
            "standard_error": error,
            "relative_mse": _ratio(mse, uniform),
            "relative_standard_error": _ratio(error, uniform),
            "trials": trials,
        }
    )


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0))


def _check_trials(trials: int, seed: int, least: int = 2) -> None:
    if trials < least:
        reason = "a standard error needs" if least == 2 else "it must be"
        raise DesignError(f"The number of Monte-Carlo trials is {trials}: {reason} at least {least}.")
    if seed < 0:
        raise DesignError(f"The seed is {seed}: it must be a whole number of at least 0.")


def _checked_allocation(allocation: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    given = np.asarray(allocation, dtype=np.float64)
    if given.shape != sizes.shape or not np.all(np.isfinite(given) & (given == np.floor(given))):
        raise DesignError(f"The allocation must give a whole number of labels for each of the {sizes.size} strata.")
    outside = (given < 1) | (given > sizes)
    if np.any(outside):
        h = int(np.argmax(outside))
        raise DesignError(f"Stratum {h} is given {given[h]:.0f} labels: it must be between 1 and its {sizes[h]} items.")
    return given.astype(np.int64)
