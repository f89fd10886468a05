"""The map of H × δ at one budget: exact in every cell, and simulated on request."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.methods import method_allocations
from ..design.scheme import PAPER, Scheme
from ..simulation.exact import stratified_mse
from ..simulation.trials import binary_trials, drawn_trials, split
from ..stratification.moments import Moments
from ..stratification.profiles import Outcome, Stratification
from .ablations import monte_carlo_error, share_of, stratified, within_noise
from .settings import TRIALS

STRATA = tuple(range(2, 11))
OFFSETS = tuple(0.25 * step for step in range(21))


def exact(
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


def simulated(
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
