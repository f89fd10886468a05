"""Simulated squared error of every method from the strata's moments, with its standard error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.allocation.methods import METHODS, method_allocations, method_moments
from core.errors import DesignError
from core.simulation.exact import ratio, stratified_mse
from core.simulation.trials import binary_trials, drawn_trials
from core.stratification.moments import Moments, checked_groups


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
    check_trials(trials, seed)
    if not found.binary and losses_by_stratum is None:
        raise ValueError("losses that are not 0/1 are drawn item by item: pass losses_by_stratum")
    uniform = stratified_mse(found.pooled(), method_allocations(found, consistency, "uniform", budgets))
    budget = np.asarray(budgets).astype(np.int64)
    labels = {m: method_allocations(found, consistency, m, budget, offset) for m in methods}
    if losses_by_stratum is None or found.binary:
        estimates = _binary_estimates(found, labels, trials, seed, progress)
    else:
        estimates = _drawn_estimates(losses_by_stratum, labels, trials, seed, progress)
    drawn = np.concatenate([np.empty((0, trials)), *(estimates[m] for m in methods)])
    squared = (drawn - found.mean) ** 2
    mse, error = squared.mean(axis=1), squared.std(axis=1, ddof=1) / math.sqrt(trials)
    beside = np.tile(uniform, len(methods))
    return pd.DataFrame(
        {
            "method": np.repeat(np.asarray(methods, dtype=object), budget.size),
            "budget": np.tile(budget, len(methods)),
            "mse": mse,
            "standard_error": error,
            "relative_mse": ratio(mse, beside),
            "relative_standard_error": ratio(error, beside),
            "trials": trials,
        }
    )


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
            [binary_trials(strata.sizes, strata.ones, row, trials, seed, METHODS.index(method)) for row in allocations]
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


def check_trials(trials: int, seed: int, least: int = 2) -> None:
    if trials < least:
        reason = "a standard error needs" if least == 2 else "it must be"
        raise DesignError(f"The number of Monte-Carlo trials is {trials}: {reason} at least {least}.")
    if seed < 0:
        raise DesignError(f"The seed is {seed}: it must be a whole number of at least 0.")
