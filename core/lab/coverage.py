"""Coverage and width of intervals over repeated draws from a pool with known losses.

For losses of 0 and 1 a draw is one hypergeometric number for each stratum; for others items are drawn.
Source: docs/method.md, 5.7; the check that the default interval keeps its promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.ways import RECOMMENDED, method_allocations, method_moments
from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..estimation.intervals import DEFAULT, Interval
from ..prospect.prospect import Prospect
from ..simulation.replications import Samples
from ..stratification.moments import moments
from ..stratification.profiles import Outcome
from ..words import INTERVAL_METHODS
from .ablations import stratified

TRIALS = 4000
INTERVALS = tuple(Interval(name) for name in INTERVAL_METHODS)
_CHUNK = 4_000_000


def coverage(
    outcome: Outcome,
    budgets: Sequence[int],
    scheme: Scheme = PAPER,
    intervals: Sequence[Interval] = INTERVALS,
    trials: int = TRIALS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Coverage and mean width of each interval at each budget.

    Parameters
    ----------
    outcome : Outcome
        The target's known losses, in [0, 1].
    budgets : (B,) int
        M, from H to N.
    scheme : Scheme
        Stratifier, H, δ and allocation.
    intervals : sequence of Interval
        For bounded losses, widened if an estimate's are.
    trials : int
        T ≥ 2 draws a budget, shared by all intervals.
    seed : int
        Of the draws.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: interval, label, budget, coverage, coverage_error (standard error of the simulation), missed_low (share of
        draws whose interval lies below the truth), missed_high, width (mean), width_error, trials, confidence, truth,
        widened (whether the limits are).

    Raises
    ------
    DesignError
        A loss lies outside [0, 1], there are fewer than 2 trials, or a budget is below H or above N.
    """
    if trials < 2:
        raise DesignError(f"The number of trials must be at least 2. Found {trials}.")
    if np.any((outcome.losses < 0) | (outcome.losses > 1)):
        raise DesignError("Some losses lie outside 0 to 1. These intervals are for losses between 0 and 1.")
    strata, inside = stratified(outcome, scheme)
    whole = method_moments(inside, scheme.allocation)
    member = outcome.profile.stratum(strata)
    if scheme.uniform:
        member = np.zeros_like(member)
    rows: list[dict[str, float | str]] = []
    for done, budget in enumerate(budgets, start=1):
        counts = method_allocations(inside, strata.consistency, scheme.allocation, [budget], scheme.offset)[0]
        samples = (
            binary_samples(whole.sizes, whole.ones, counts, trials, seed)
            if whole.binary
            else _drawn(outcome.losses, member, whole.sizes, counts, trials, seed)
        )
        rows += _rows(samples, whole.mean, intervals)
        if progress is not None:
            progress(done / len(budgets))
    return pd.DataFrame(rows)


def recommended(
    prospect: Prospect, outcome: Outcome, budgets: Sequence[int], trials: int = TRIALS, seed: int = 0
) -> pd.DataFrame:
    """Coverage of the default interval of the recommended design; columns as of `coverage`, interval "recommended".

    Parameters
    ----------
    prospect : Prospect
        Of the target.
    outcome : Outcome
        The target's known losses, in [0, 1].
    budgets : (B,) int
        M; those that the design does not allow are left out.
    trials, seed
        As in `coverage`.
    """
    here = prospect.asking(replace(prospect.question, scheme=None, gate=False))
    rows: list[dict[str, float | str]] = []
    for budget in budgets:
        if budget < here.least:
            continue
        at = here.at(budget)
        counts, member = at.labels, at.stratum
        whole = moments(outcome.losses, member)
        samples = (
            binary_samples(whole.sizes, whole.ones, counts, trials, seed)
            if whole.binary
            else _drawn(outcome.losses, member, whole.sizes, counts, trials, seed)
        )
        rows += _rows(samples, whole.mean, [DEFAULT])
    # What differs comes first, and it fits into a column.
    label = f"{RECOMMENDED.plainly}: {INTERVAL_METHODS[DEFAULT.name].partition(',')[0]}"
    name = {"interval": RECOMMENDED.name, "label": label}
    return pd.DataFrame(rows).assign(**name)


def _rows(samples: Samples, truth: float, intervals: Sequence[Interval]) -> list[dict[str, float | str]]:
    """One row for each interval on the same draws."""
    trials = len(samples.means)
    rows: list[dict[str, float | str]] = []
    for interval in intervals:
        limits = samples.estimates(interval)
        low, high = limits["low"].to_numpy(), limits["high"].to_numpy()
        # An estimate that equals the truth up to rounding is covered even by an interval without width.
        below, above = high < truth - 1e-12, low > truth + 1e-12
        width = high - low
        covered = 1.0 - float(np.mean(below | above))
        rows.append(
            {
                "interval": interval.name,
                "label": INTERVAL_METHODS[interval.name],
                "budget": int(samples.counts.sum()),
                "coverage": covered,
                "coverage_error": math.sqrt(covered * (1 - covered) / trials),
                "missed_low": float(below.mean()),
                "missed_high": float(above.mean()),
                "width": float(width.mean()),
                "width_error": float(width.std(ddof=1)) / math.sqrt(trials),
                "trials": trials,
                "confidence": interval.confidence,
                "truth": truth,
            }
        )
    return rows


def binary_samples(
    sizes: NDArray[np.int64], ones: NDArray[np.int64], counts: NDArray[np.int64], trials: int, seed: int
) -> Samples:
    """Samples of losses of 0 and 1: the numbers of ones in the strata are hypergeometric.

    Parameters
    ----------
    sizes, ones, counts : (H,) int
        Items of each stratum, how many of them have the loss 1, and labels.
    trials, seed
        As in `coverage`.
    """
    rng = np.random.default_rng([seed, int(counts.sum())])
    drawn = rng.hypergeometric(ones, sizes - ones, counts, size=(trials, sizes.size))
    return Samples(counts, sizes, drawn / counts, drawn * (counts - drawn) / counts)


def _drawn(
    losses: ArrayLike,
    member: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    trials: int,
    seed: int,
) -> Samples:
    """Samples of any losses: the first m_h of a random order of each stratum, in blocks that fit into memory."""
    loss = np.asarray(losses, dtype=np.float64)
    means, squares = np.zeros((trials, counts.size)), np.zeros((trials, counts.size))
    losses = np.full((trials, counts.size, int(counts.max())), np.nan)
    for stratum, labels in enumerate(counts.tolist()):
        rng = np.random.default_rng([seed, int(counts.sum()), stratum])
        inside = loss[member == stratum]
        step = max(1, _CHUNK // inside.size)
        for start in range(0, trials, step):
            stop = min(start + step, trials)
            drawn = rng.permuted(np.broadcast_to(inside, (stop - start, inside.size)), axis=1)[:, :labels]
            losses[start:stop, stratum, :labels] = drawn
            shifts = drawn - drawn[:, :1]
            offsets = shifts.mean(axis=1)
            means[start:stop, stratum] = drawn[:, 0] + offsets
            squares[start:stop, stratum] = ((shifts - offsets[:, None]) ** 2).sum(axis=1)
    return Samples(counts, sizes, means, squares, losses)
