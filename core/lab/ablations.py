"""Ablations: exact error of every cell, its simulation on request, and the map of H × δ at one budget.

Source: the paper's tables of allocation, stratifier, number of strata and offset; docs/method.md, 4 and 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.ways import RECOMMENDED, method_allocations
from ..design.scheme import INFEASIBLE, PAPER, Scheme
from ..simulation.exact import ratio, stratified_mse
from ..simulation.trials import binary_trials, drawn_trials, simulated_curve, split
from ..stratification.moments import Moments
from ..stratification.profiles import Outcome, Stratification
from .settings import TRIALS, Variant

MEAN = "mean"
# Columns that stand beside the compared ones, and are never best or worst.
BESIDE = (INFEASIBLE, RECOMMENDED.name)


def exact(outcome: Outcome, variants: Sequence[Variant], budgets: Sequence[int]) -> pd.DataFrame:
    """Exact relative error of each variant at each budget.

    Parameters
    ----------
    outcome : Outcome
        The target's known losses.
    variants : sequence of Variant
        Columns of the table.
    budgets : (B,) int
        From 1 to N.

    Returns
    -------
    DataFrame
        Tidy: variant, label, budget, strata (H that resulted), mse, relative_mse (a ratio, 1 = Uniform). NaN if the
        budget is below the variant's number of strata, or Uniform's error is 0.
    """
    budget = np.asarray(budgets, dtype=np.int64)
    uniform = stratified_mse(outcome.moments.pooled(), budget[:, None])
    tables = []
    for variant in variants:
        strata, moments = stratified(outcome, variant.scheme)
        method, offset = variant.scheme.allocation, variant.scheme.offset
        mse, possible = np.full(budget.size, np.nan), budget >= strata.n_strata
        labels = method_allocations(moments, strata.consistency, method, budget[possible], offset)
        mse[possible] = stratified_mse(moments, labels)
        cells = {"variant": variant.key, "label": variant.label, "budget": budget, "strata": strata.n_strata}
        tables.append(pd.DataFrame(cells | {"mse": mse, "relative_mse": ratio(mse, uniform)}))
    return pd.concat(tables, ignore_index=True)


def with_recommended(table: pd.DataFrame, recommended: pd.DataFrame) -> pd.DataFrame:
    """The table of `exact` with the recommended design as the last column.

    Parameters
    ----------
    table : DataFrame
        Of `exact`.
    recommended : DataFrame
        Columns budget, mse, relative_mse; a budget that the design does not allow has no row.
    """
    column = {"variant": RECOMMENDED.name, "label": RECOMMENDED.title}
    return pd.concat([table, recommended[["budget", "mse", "relative_mse"]].assign(**column)], ignore_index=True)


def simulated(
    outcome: Outcome,
    variants: Sequence[Variant],
    budgets: Sequence[int],
    trials: int = TRIALS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Monte-Carlo values of `exact`, as ratios to Uniform's exact error.

    Parameters
    ----------
    outcome, variants
        As in `exact`.
    budgets : (B,) int
        Those below a variant's number of strata are left out for it.
    trials : int
        T ≥ 2.
    seed : int
        Of the draws.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: variant, budget, simulated, simulated_error (its standard error), trials.
    """
    rows = []
    for done, variant in enumerate(variants):
        scheme = variant.scheme
        strata, moments = stratified(outcome, scheme)
        possible = np.array([m for m in budgets if m >= strata.n_strata], dtype=np.int64)
        parts = None if moments.binary else split(outcome.losses, outcome.profile.stratum(strata))
        share = share_of(progress, done, len(variants))
        cells = simulated_curve(
            moments, strata.consistency, possible, scheme.offset, [scheme.allocation], trials, seed, parts, share
        )
        rows.append(cells.assign(variant=variant.key))
    table = pd.concat(rows, ignore_index=True).rename(
        columns={"relative_mse": "simulated", "relative_standard_error": "simulated_error"}
    )
    return table[["variant", "budget", "simulated", "simulated_error", "trials"]]


def monte_carlo_error(relative_mse: ArrayLike, trials: int = TRIALS) -> NDArray[np.float64]:
    """Standard error that a simulation of T trials has for a relative error, rel·√(2/T).

    The estimate is close to normal, so its squared error has the variance 2·MSE². Uniform's error is taken as exact.

    Parameters
    ----------
    relative_mse : array_like
        Relative errors, as ratios.
    trials : int
        T.
    """
    return np.asarray(relative_mse, dtype=np.float64) * math.sqrt(2.0 / trials)


def marked(table: pd.DataFrame, trials: int = TRIALS) -> pd.DataFrame:
    """The table with a mean row, the best and the worst of each row, and the differences that would be noise.

    The infeasible oracle and the recommended design stand beside the compared columns and are never best or worst; a
    mean is over the budgets at which every variant has a value.

    Parameters
    ----------
    table : DataFrame
        Columns variant, label, budget, relative_mse, as of `exact` or of the published tables.
    trials : int
        T of the simulations that could show a difference.

    Returns
    -------
    DataFrame
        Tidy: variant, label, scope ("budget" or "mean"), row (the budget as text, or "mean"), relative_mse, error (the
        standard error of a simulation), mark ("best", "worst", ""), noise (True if the difference to the row's best
        is smaller than the combined standard error √(error² + error_best²) of two independent simulations).
    """
    labels = table.drop_duplicates("variant").set_index("variant")["label"]
    wide = table.pivot(index="budget", columns="variant", values="relative_mse")[list(labels.index)]
    value = wide.to_numpy(dtype=np.float64)
    error = monte_carlo_error(value, trials)
    complete = ~np.isnan(value).any(axis=1)
    count = int(complete.sum())
    mean = value[complete].mean(axis=0) if count else np.full(labels.size, np.nan)
    value = np.vstack([value, mean])
    error = np.vstack([error, np.sqrt((error[complete] ** 2).sum(axis=0)) / max(count, 1)])
    marks = [_marks(value[row], error[row], ~labels.index.isin(BESIDE)) for row in range(len(value))]
    names = [*map(str, wide.index), MEAN]
    return pd.DataFrame(
        {
            "variant": np.tile(labels.index.to_numpy(), len(names)),
            "label": np.tile(labels.to_numpy(), len(names)),
            "scope": np.repeat(["budget"] * len(wide) + [MEAN], labels.size),
            "row": np.repeat(names, labels.size),
            "relative_mse": value.ravel(),
            "error": error.ravel(),
            "mark": np.concatenate([mark for mark, _ in marks]),
            "noise": np.concatenate([noise for _, noise in marks]),
        }
    )


def band(marks: pd.DataFrame) -> pd.DataFrame:
    """For each budget of `marked`: the best feasible value, and the largest that a simulation could not tell from it.

    Parameters
    ----------
    marks : DataFrame
        Of `marked`.

    Returns
    -------
    DataFrame
        Columns budget, best, largest, where largest − best = √(e(largest)² + e(best)²); without rows that have no best.
    """
    rows = marks[(marks["row"] != MEAN) & (marks["mark"] == "best")]
    best = rows["relative_mse"].to_numpy(dtype=np.float64)
    rest = 1.0 - 2.0 / TRIALS
    largest = best * (1.0 + math.sqrt(1.0 - rest**2)) / rest
    return pd.DataFrame({"budget": rows["row"].astype(np.int64).to_numpy(), "best": best, "largest": largest})


def joined(table: pd.DataFrame, marks: pd.DataFrame, drawn: pd.DataFrame | None = None) -> pd.DataFrame:
    """The tidy frame of `exact` with the marks and, if there is one, the simulation of each cell, for export."""
    cells = marks[marks["row"] != MEAN].assign(budget=lambda rows: rows["row"].astype(np.int64))
    whole = table.merge(cells[["variant", "budget", "error", "mark", "noise"]], on=["variant", "budget"], how="left")
    return whole if drawn is None else whole.merge(drawn, on=["variant", "budget"], how="left")


def stratified(outcome: Outcome, scheme: Scheme) -> tuple[Stratification, Moments]:
    """The strata of a scheme, and the moments of the losses in them."""
    strata = outcome.profile.stratify(scheme.n_strata, scheme.stratifier, scheme.floor)
    return strata, outcome.moments_in(strata)


def _marks(
    value: NDArray[np.float64], error: NDArray[np.float64], feasible: NDArray[np.bool_]
) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
    """Best and worst of one row among the feasible, and which others are nearer to the best than noise."""
    mark, noise = np.full(value.size, "", dtype=object), np.zeros(value.size, dtype=bool)
    known = np.flatnonzero(feasible & ~np.isnan(value))
    if known.size < 2 or np.ptp(value[known]) == 0:
        return mark, noise
    best, worst = known[np.argmin(value[known])], known[np.argmax(value[known])]
    mark[best], mark[worst] = "best", "worst"
    noise = within_noise(value, error, int(best))
    noise[best] = False
    return mark, noise


def within_noise(value: NDArray[np.float64], error: NDArray[np.float64], best: int) -> NDArray[np.bool_]:
    """Where a value is nearer to the best than the combined standard error of two independent simulations."""
    return np.asarray(np.abs(value - value[best]) < np.hypot(error, error[best]))


def share_of(progress: Callable[[float], None] | None, done: int, parts: int) -> Callable[[float], None] | None:
    """Progress of one of several equal parts, after ``done`` others."""
    return None if progress is None else lambda share: progress((done + share) / parts)


# The map of H × δ at one budget: exact in every cell, and simulated on request.

STRATA = tuple(range(2, 11))
OFFSETS = tuple(0.25 * step for step in range(21))


def map_exact(
    outcome: Outcome,
    budget: int,
    scheme: Scheme = PAPER,
    strata: Sequence[int] = STRATA,
    offsets: Sequence[float] = OFFSETS,
) -> pd.DataFrame:
    """Exact relative error for each H and δ at one budget.

    Parameters
    ----------
    outcome : Outcome
        The target's known losses.
    budget : int
        M, from 1 to N.
    scheme : Scheme
        Stratifier and allocation.
    strata : sequence of int
        The H of the map.
    offsets : sequence of float
        The δ of the map.

    Returns
    -------
    DataFrame
        Tidy: n_strata (requested), strata (resulted), offset, relative_mse (NaN if the budget is below the number of
        strata), noise (as in `core.lab.ablations.marked`, against the best cell of the map).
    """
    uniform = float(stratified_mse(outcome.moments.pooled(), np.array([[budget]]))[0])
    tables = []
    for n_strata in strata:
        cut, moments = stratified(outcome, replace(scheme, n_strata=n_strata))
        relative = np.full(len(offsets), np.nan)
        if budget >= cut.n_strata and uniform > 0:
            relative = stratified_mse(moments, _labels(moments, cut, scheme.allocation, budget, offsets)) / uniform
        cells = {"n_strata": n_strata, "strata": cut.n_strata, "offset": offsets, "relative_mse": relative}
        tables.append(pd.DataFrame(cells))
    table = pd.concat(tables, ignore_index=True)
    values = table["relative_mse"].to_numpy()
    if np.isnan(values).all():
        return table.assign(noise=False)
    return table.assign(noise=within_noise(values, monte_carlo_error(values), int(np.nanargmin(values))))


def map_simulated(
    outcome: Outcome,
    budget: int,
    scheme: Scheme = PAPER,
    strata: Sequence[int] = STRATA,
    offsets: Sequence[float] = OFFSETS,
    trials: int = TRIALS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Monte-Carlo values of `exact`.

    Parameters
    ----------
    outcome, budget, scheme, strata, offsets
        As in `exact`.
    trials : int
        T ≥ 2.
    seed : int
        Of the draws.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy, one row a cell: n_strata, offset, simulated, simulated_error, trials.
    """
    uniform = float(stratified_mse(outcome.moments.pooled(), np.array([[budget]]))[0])
    rows = []
    for done, n_strata in enumerate(strata):
        cut, moments = stratified(outcome, replace(scheme, n_strata=n_strata))
        value, error = np.full(len(offsets), np.nan), np.full(len(offsets), np.nan)
        if budget >= cut.n_strata and uniform > 0:
            labels = _labels(moments, cut, scheme.allocation, budget, offsets)
            labels, member = np.unique(labels, axis=0, return_inverse=True)
            if moments.binary:
                drawn = np.array([binary_trials(moments.sizes, moments.ones, row, trials, seed) for row in labels])
            else:
                parts = split(outcome.losses, outcome.profile.stratum(cut))
                drawn = drawn_trials(parts, labels, trials, seed, share_of(progress, done, len(strata)))
            squared = (drawn - moments.mean) ** 2
            value = (squared.mean(axis=1) / uniform)[member.ravel()]
            error = (squared.std(axis=1, ddof=1) / math.sqrt(trials) / uniform)[member.ravel()]
        cells = {"n_strata": n_strata, "offset": offsets, "simulated": value, "simulated_error": error}
        rows.append(pd.DataFrame(cells | {"trials": trials}))
        if progress is not None:
            progress((done + 1) / len(strata))
    return pd.concat(rows, ignore_index=True)


def _labels(
    moments: Moments, cut: Stratification, method: str, budget: int, offsets: Sequence[float]
) -> NDArray[np.int64]:
    """Labels of each stratum for each offset, (D, H)."""
    return np.array([method_allocations(moments, cut.consistency, method, [budget], offset)[0] for offset in offsets])
