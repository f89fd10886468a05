"""Estimates for each group of the pool (subject, language, source …) from the one stratified sample.

The groups' sizes in the strata are known from the pool. Where every stratum that holds items of a group also holds at
least two labels of it, the group's labels are a stratified sample of the group itself, and the known sizes N_gh weight
it ("stratified within the group"; Särndal et al. 1992, 10.3, conditional on the numbers of labels). Otherwise the
estimate is the ratio Σ w ℓ / Σ w over the group's labels ("ratio"; docs/method.md, 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.estimation.contrasts import ratio
from core.estimation.intervals import WILSON, Interval
from core.estimation.mean import Estimate, sample

_COLUMNS = (
    "group",
    "items",
    "labels",
    "value",
    "standard_error",
    "low",
    "high",
    "joint_low",
    "joint_high",
    "estimator",
    "method",
)
WITHIN, RATIO, NONE = "stratified within the group", "ratio", "no labels"


def domains(
    losses: ArrayLike,
    positions: ArrayLike,
    strata: ArrayLike,
    groups: Sequence[object],
    interval: Interval = WILSON,
) -> pd.DataFrame:
    """One row for each group of the pool, the largest first.

    Parameters
    ----------
    losses : (M,) float
        Losses of the labelled items, in [0, 1] if ``interval.bounded``.
    positions : (M,) int
        Their places in the pool.
    strata : (N,) int
        Stratum of every item.
    groups : (N,)
        Group of every item; None or NaN means no group.
    interval : Interval
        Of each group on its own.

    Returns
    -------
    DataFrame
        group, items, labels, value, standard_error, low, high, joint_low, joint_high, estimator (`WITHIN`, `RATIO`,
        `NONE`), method. A group without labels has NaN and [0, 1], or ±inf if not bounded; so has, but for its value, a
        group whose labels then give no variance. The confidence level holds for each interval separately: of twenty,
        one misses on average. The joint limits hold for all groups with labels at once (Bonferroni).

    Raises
    ------
    DesignError
        Lengths that differ, a position outside the pool or twice, or as `core.estimation.stratified`.
    """
    loss, place = np.asarray(losses, dtype=np.float64), np.asarray(positions, dtype=np.int64)
    stratum = np.asarray(strata, dtype=np.int64)
    _check(loss, place, stratum, groups, interval.bounded)
    # Groups are known by how they are written: 1 and "1" are one.
    code, names = pd.factorize(pd.Series(list(groups), dtype=object).map(str, na_action="ignore"))
    labelled = max(np.unique(code[place][code[place] >= 0]).size, 1)
    joint_interval = replace(interval, confidence=1 - (1 - interval.confidence) / labelled)
    rows = []
    for number in np.argsort(-np.bincount(code[code >= 0], minlength=len(names)), kind="stable").tolist():
        member = code == number
        estimate, estimator = _group(loss, place, stratum, member, interval)
        joint, _ = _group(loss, place, stratum, member, joint_interval)
        rows.append(
            {
                "group": str(names[number]),
                "items": int(member.sum()),
                "labels": estimate.n_labels,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "low": estimate.low,
                "high": estimate.high,
                "joint_low": joint.low,
                "joint_high": joint.high,
                "estimator": estimator,
                "method": estimate.method,
            }
        )
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _group(
    loss: NDArray[np.float64],
    place: NDArray[np.int64],
    stratum: NDArray[np.int64],
    member: NDArray[np.bool_],
    interval: Interval,
) -> tuple[Estimate, str]:
    """Estimate of one group and how it was made."""
    labelled = member[place]
    if not labelled.any():
        low, high = (0.0, 1.0) if interval.bounded else (-math.inf, math.inf)
        return Estimate(math.nan, math.nan, low, high, 0, "no interval: no item of the group is labelled"), NONE
    whole = np.bincount(stratum)
    sizes = np.bincount(stratum[member], minlength=whole.size)
    counts = np.bincount(stratum[place[labelled]], minlength=whole.size)
    if np.all((counts >= 2) | (counts == sizes)):
        occupied = sizes > 0
        dense = np.cumsum(occupied) - 1
        inside = sample(loss[labelled], dense[stratum[place[labelled]]], sizes[occupied], interval.bounded)
        return inside.estimate(interval), WITHIN
    weight = labelled.astype(np.float64)
    return ratio(loss * weight, weight, stratum[place], whole, interval), RATIO


def _check(
    loss: NDArray[np.float64],
    place: NDArray[np.int64],
    stratum: NDArray[np.int64],
    groups: Sequence[object],
    bounded: bool,
) -> None:
    if loss.shape != place.shape:
        raise DesignError(f"There are {loss.size} losses and {place.size} positions: give both for each labelled item.")
    if not np.isfinite(loss).all():
        raise DesignError("Some losses are unknown: leave out items without a label.")
    if bounded and np.any((loss < 0) | (loss > 1)):
        raise DesignError("Some losses lie outside 0 … 1: use Interval(bounded=False) for such losses.")
    if stratum.size and stratum.min() < 0:
        raise DesignError("Strata of the items must be at least 0.")
    if len(groups) != stratum.size:
        raise DesignError(f"There are {len(groups)} groups for {stratum.size} items: give the group of every item.")
    if place.size and (place.min() < 0 or place.max() >= stratum.size):
        raise DesignError(f"Positions of labelled items must be between 0 and {stratum.size - 1}.")
    if np.unique(place).size != place.size:
        raise DesignError("An item has two labels: settle them first.")
