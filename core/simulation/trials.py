"""Monte-Carlo trials of a stratified design, and curves made of them.

The number of ones among m items drawn without replacement from N with K ones is hypergeometric, so a trial of a binary
pool costs one random number for each stratum (docs/method.md, 5.2). The numbers come by inversion: a trial's uniform
number for a stratum depends only on (seed, stream, budget, stratum), so estimates move smoothly when a parameter does;
each method has a separate stream, so that the methods' errors are independent. Many strata of few labels are drawn
together, several times as fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.ways import METHODS, method_allocations, method_moments, stratum_consistency
from ..errors import DesignError
from ..stratification.moments import Moments, checked_groups, moments
from .exact import checked_allocation, ratio, stratified_mse, tidy

# Beyond so many standard deviations from the mean a hypergeometric tail is below 2⁻⁵³, the resolution of a uniform
# number.
_TAIL = 12.0
_CHUNK = 4_000_000
# Numbers of longer simulations and of finer strata are redrawn each time: a thousand sets of these are 60 MB.
_CACHED_TRIALS, _CACHED_STRATA = 5_000, 10
# Labels of a stratum up to which many strata are drawn together, and how many of them at once: these stay in the cache.
_FEW_LABELS, _BLOCK = 8, 50


def monte_carlo(
    losses: ArrayLike,
    strata: ArrayLike,
    allocation: ArrayLike,
    trials: int = 3000,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> NDArray[np.float64]:
    """Estimates of independent draws of the design, (trials,).

    For 0/1 losses the number wrong in each stratum's sample is drawn (hypergeometric); for other losses items are.

    Parameters
    ----------
    losses : (N,) float
        Finite losses of all items.
    strata : (N,) int
        Strata of the items, 0 … H−1.
    allocation : (H,) int
        Labels m_h, 1 ≤ m_h ≤ N_h.
    trials : int
        T ≥ 1.
    seed : int
        At least 0; equal arguments give equal estimates.
    progress : callable, optional
        Called with the share done, if items are drawn.
    """
    population = moments(losses, strata)
    labels = checked_allocation(allocation, population.sizes)
    _check_trials(trials, seed, least=1)
    if population.binary:
        return binary_trials(population.sizes, population.ones, labels, trials, seed)
    return np.asarray(drawn_trials(split(losses, strata), labels[None, :], trials, seed, progress)[0])


def monte_carlo_curve(
    losses: ArrayLike,
    strata: ArrayLike,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float = 0.75,
    methods: Sequence[str] = METHODS,
    trials: int = 3000,
    seed: int = 0,
) -> pd.DataFrame:
    """Mean squared error of each method at each budget by simulation, with its standard error.

    Parameters
    ----------
    losses, strata, consistency, budgets, offset, methods
        As in `core.simulation.relative_mse_curve`.
    trials : int
        T ≥ 2.
    seed : int
        At least 0.

    Returns
    -------
    DataFrame
        Tidy: method, budget, mse, standard_error, relative_mse, relative_standard_error, trials. The ratio is to
        Uniform's exact error, so the error bars are those of the simulated numerator alone; NaN if that error is 0.
    """
    population = moments(losses, strata)
    p = stratum_consistency(consistency, strata, population.sizes.size)
    by_stratum = None if population.binary else split(losses, strata)
    return simulated_curve(population, p, budgets, offset, methods, trials, seed, by_stratum)


def simulated_curve(
    population: Moments,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float,
    methods: Sequence[str],
    trials: int,
    seed: int,
    losses_by_stratum: Sequence[NDArray[np.float64]] | None = None,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """`monte_carlo_curve` from the strata's moments.

    Parameters
    ----------
    population : Moments
        Of the losses in the strata.
    consistency : (H,) float
        p_h.
    budgets, offset, methods, trials, seed
        As in `monte_carlo_curve`.
    losses_by_stratum : H arrays of float, optional
        Of `split`; needed if losses are not 0/1.
    progress : callable, optional
        Called with the share done.
    """
    _check_trials(trials, seed)
    if not population.binary and losses_by_stratum is None:
        raise ValueError("losses that are not 0/1 are drawn item by item: pass losses_by_stratum")
    uniform = stratified_mse(population.pooled(), method_allocations(population, consistency, "uniform", budgets))
    budget = np.asarray(budgets).astype(np.int64)
    labels = {m: method_allocations(population, consistency, m, budget, offset) for m in methods}
    if losses_by_stratum is None or population.binary:
        estimates = _binary_estimates(population, labels, trials, seed, progress)
    else:
        estimates = _drawn_estimates(losses_by_stratum, labels, trials, seed, progress)
    drawn = np.concatenate([np.empty((0, trials)), *(estimates[m] for m in methods)])
    squared = (drawn - population.mean) ** 2
    mse, error = squared.mean(axis=1), squared.std(axis=1, ddof=1) / math.sqrt(trials)
    uniform_of_row = np.tile(uniform, len(methods))
    relative, relative_error = ratio(mse, uniform_of_row), ratio(error, uniform_of_row)
    of_ratio = {"relative_mse": relative, "relative_standard_error": relative_error}
    return tidy(methods, budget, mse=mse, standard_error=error, **of_ratio, trials=trials)


def split(losses: ArrayLike, strata: ArrayLike) -> list[NDArray[np.float64]]:
    """Losses of each stratum, a list of H arrays."""
    loss, stratum = np.asarray(losses, dtype=np.float64), checked_groups(strata)
    return np.split(loss[np.argsort(stratum, kind="stable")], np.cumsum(np.bincount(stratum))[:-1])


def binary_trials(
    sizes: NDArray[np.int64],
    ones: NDArray[np.int64],
    allocation: NDArray[np.int64],
    trials: int,
    seed: int,
    stream: int = 0,
) -> NDArray[np.float64]:
    """Estimates (trials,) of the mean of a 0/1 population from stratified samples without replacement.

    Parameters
    ----------
    sizes, ones, allocation : (H,) int
        Items N_h, ones among them, and labels m_h.
    trials : int
        T.
    seed, stream : int
        At least 0; each stream is independent.
    """
    budget = int(allocation.sum())
    if sizes.size > _CACHED_STRATA and allocation.max() <= _FEW_LABELS:
        rng = np.random.default_rng([seed, stream, budget])
        return np.asarray(_fine_totals(sizes, ones, allocation, trials, rng) / sizes.sum())
    cached = trials <= _CACHED_TRIALS and sizes.size <= _CACHED_STRATA
    uniforms = _uniforms if cached else _uniforms.__wrapped__
    estimates = np.zeros(trials)
    for stratum, (size, one, labels) in enumerate(zip(sizes.tolist(), ones.tolist(), allocation.tolist(), strict=True)):
        draws = _hypergeometric(size, one, labels, *uniforms(trials, seed, stream, budget, stratum))
        estimates += draws * (size / labels)
    return np.asarray(estimates / sizes.sum())


def prepare(budgets: Sequence[int], streams: int, strata: int, trials: int, seed: int) -> None:
    """Draw ahead the random numbers of these budgets, for ``streams`` streams and up to ``strata`` strata."""
    if trials <= _CACHED_TRIALS:
        for budget in budgets:
            for stream in range(streams):
                for stratum in range(strata if stream else 1):
                    _uniforms(trials, seed, stream, budget, stratum)


def drawn_trials(
    losses_by_stratum: Sequence[NDArray[np.float64]],
    allocations: NDArray[np.int64],
    trials: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> NDArray[np.float64]:
    """Estimates (A, trials) for several allocations of any losses, by drawing items.

    One random permutation for each trial and stratum serves every allocation: a stratum's sample of m items is the head
    of its permutation.

    Parameters
    ----------
    losses_by_stratum : H arrays of float
        Of `split`.
    allocations : (A, H) int
        Labels m_h.
    trials, seed : int
        T ≥ 1, and at least 0.
    progress : callable, optional
        Called with the share done.
    """
    n_items = sum(losses.size for losses in losses_by_stratum)
    estimates = np.zeros((allocations.shape[0], trials))
    if not allocations.size:
        return estimates
    done = 0
    for stratum, losses in enumerate(losses_by_stratum):
        rng = np.random.default_rng([seed, stratum])
        labels = allocations[:, stratum]
        step = max(1, _CHUNK // losses.size)
        for start in range(0, trials, step):
            stop = min(start + step, trials)
            shuffled = rng.permuted(np.broadcast_to(losses, (stop - start, losses.size)), axis=1)
            totals = np.cumsum(shuffled[:, : int(labels.max(initial=0))], axis=1)[:, labels - 1]
            estimates[:, start:stop] += (totals * (losses.size / labels)).T
            done += losses.size * (stop - start)
            if progress is not None:
                progress(done / (n_items * trials))
    return estimates / n_items


def _binary_estimates(
    population: Moments,
    labels: dict[str, NDArray[np.int64]],
    trials: int,
    seed: int,
    progress: Callable[[float], None] | None,
) -> dict[str, NDArray[np.float64]]:
    estimates = {}
    for done, (method, allocations) in enumerate(labels.items(), start=1):
        strata, stream = method_moments(population, method), METHODS.index(method)
        drawn = [binary_trials(strata.sizes, strata.ones, row, trials, seed, stream) for row in allocations]
        estimates[method] = np.array(drawn).reshape(-1, trials)
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
    passes = [
        (parts, names)
        for parts, names in (
            ([np.concatenate(losses_by_stratum)], [m for m in labels if m == "uniform"]),
            (losses_by_stratum, [m for m in labels if m != "uniform"]),
        )
        if names
    ]
    estimates: dict[str, NDArray[np.float64]] = {}
    for done, (parts, names) in enumerate(passes):

        def report(share: float, before: int = done) -> None:
            if progress is not None:
                progress((before + share) / len(passes))

        drawn = drawn_trials(parts, np.concatenate([labels[m] for m in names]), trials, seed, report)
        estimates |= dict(zip(names, np.split(drawn, len(names)), strict=True))
    return estimates


def _check_trials(trials: int, seed: int, least: int = 2) -> None:
    if trials < least:
        raise DesignError(f"The number of trials is {trials}: it must be at least {least}.")
    if seed < 0:
        raise DesignError(f"The seed is {seed}: it must be a whole number of at least 0.")


def _hypergeometric(
    size: int, ones: int, draws: int, ordered: NDArray[np.float64], rank: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Hypergeometric numbers by inversion of uniforms given as their sorted values and the rank of each trial."""
    low, high = max(0, draws - (size - ones)), min(draws, ones)
    mean = draws * ones / size
    sd = np.sqrt(mean * (1 - ones / size) * (size - draws) / max(size - 1, 1))
    low, high = max(low, int(mean - _TAIL * sd) - 12), min(high, int(mean + _TAIL * sd) + 12)
    if low == high:
        return np.full(rank.size, float(low))
    x = np.arange(low, high, dtype=np.float64)
    steps = np.log((ones - x) * (draws - x) / ((x + 1) * (size - ones - draws + x + 1)))
    log_mass = np.concatenate([[0.0], np.cumsum(steps)])
    cumulative = np.cumsum(np.exp(log_mass - log_mass.max()))
    ends = np.searchsorted(ordered, cumulative[:-1] / cumulative[-1])
    bounds = np.empty(ends.size + 2, dtype=np.int64)
    bounds[0], bounds[1:-1], bounds[-1] = 0, ends, ordered.size
    counts = bounds[1:] - bounds[:-1]
    return np.repeat(np.arange(low, high + 1, dtype=np.float64), counts)[rank]


def _fine_totals(
    sizes: NDArray[np.int64],
    ones: NDArray[np.int64],
    allocation: NDArray[np.int64],
    trials: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Totals Σ_h N_h x_h/m_h, (trials,), each x_h by inversion of one uniform number."""
    totals = np.zeros(trials)
    for start in range(0, sizes.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        below = _at_most(sizes[block], ones[block], allocation[block]).astype(np.float32)
        uniform = rng.random((below.shape[0], trials), dtype=np.float32)
        scale = sizes[block] / allocation[block]
        for limit in below.T:
            totals += scale @ (uniform >= limit[:, None])
    return totals


def _at_most(sizes: NDArray[np.int64], ones: NDArray[np.int64], allocation: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chances that at most x ones are drawn, x = 0 … max m_h − 1, (H, max m_h): the items are drawn one by one."""
    most = int(allocation.max())
    number = np.arange(most + 1)
    mass = np.zeros((sizes.size, most + 1))
    mass[:, 0] = 1.0
    for drawn in range(most):
        one = np.clip((ones[:, None] - number) / np.maximum(sizes - drawn, 1)[:, None], 0.0, 1.0)
        after = mass * (1.0 - one)
        after[:, 1:] += (mass * one)[:, :-1]
        mass = np.where((allocation > drawn)[:, None], after, mass)
    return np.asarray(np.cumsum(mass, axis=1)[:, :-1])


@lru_cache(maxsize=1024)
def _uniforms(
    trials: int, seed: int, stream: int, budget: int, stratum: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Uniform numbers of one stratum: sorted, and the rank of each trial's number."""
    rng = np.random.default_rng([seed, stream, budget, stratum])
    # Order statistics of uniforms are partial sums of exponentials over their total, and ranks are independent of them:
    # the same law as sorting, at a third of the time.
    sums = np.cumsum(rng.standard_exponential(trials + 1))
    ordered = sums[:-1] / sums[-1]
    rank = rng.permutation(trials).astype(np.int32)
    ordered.flags.writeable = rank.flags.writeable = False
    return ordered, rank
