"""Estimates for each group of the pool (subject, language, source …) from the one stratified sample.

The groups' sizes in the strata are known from the pool. Where every stratum of a group that holds items of it also
holds at least two labels of it, the group's labels are a stratified sample of the group itself, and the known sizes
N_gh weight it ("stratified within the group"; Särndal et al. 1992, 10.3, conditional on the labels' numbers). Otherwise
the group's share of the sampled weight stands in for the unknown part ("ratio": Σ w ℓ / Σ w over the group's labels).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.estimation.contrasts import ratio
from core.estimation.mean import Estimate, stratified

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
    confidence: float = 0.95,
    interval: str = "wilson",
    bounded: bool = True,
    sturdy: bool | None = None,
) -> pd.DataFrame:
    """One row for each group of the pool, the largest first.

    Parameters
    ----------
    losses : (M,) float of the labelled items, in [0, 1] if ``bounded``. positions : (M,) int, their places in the pool.
    strata : (N,) int, the stratum of every item. groups : (N,) the group of every item; None or NaN = in no group.
    confidence, interval, bounded, sturdy : as in `core.estimation.stratified`; a ratio's limits are never widened.

    Returns
    -------
    Frame: group, items, labels, value, standard_error, low, high, joint_low, joint_high, estimator (`WITHIN`, `RATIO`,
    `NONE`), method. A group without labels has NaN and [0, 1], or ±inf if not ``bounded``; so has, but for its value, a
    group whose labels show no spread then. Each interval holds on its own: of twenty, one misses on average. The joint
    limits hold for all groups with labels at once (Bonferroni).

    Raises
    ------
    DesignError : lengths differ, a position lies outside the pool or comes twice, or as `core.estimation.stratified`.
    """
    loss, place = np.asarray(losses, dtype=np.float64), np.asarray(positions, dtype=np.int64)
    stratum = np.asarray(strata, dtype=np.int64)
    _check(loss, place, stratum, groups, bounded)
    # Groups are known by how they are written: 1 and "1" are one.
    code, names = pd.factorize(pd.Series(list(groups), dtype=object).map(str, na_action="ignore"))
    together = 1 - (1 - confidence) / max(np.unique(code[place][code[place] >= 0]).size, 1)
    rows = []
    for number in np.argsort(-np.bincount(code[code >= 0], minlength=len(names)), kind="stable").tolist():
        inside = code == number
        found, estimator = _group(loss, place, stratum, inside, confidence, interval, bounded, sturdy)
        joint, _ = _group(loss, place, stratum, inside, together, interval, bounded, sturdy)
        rows.append(
            {
                "group": str(names[number]),
                "items": int(inside.sum()),
                "labels": found.n_labels,
                "value": found.value,
                "standard_error": found.standard_error,
                "low": found.low,
                "high": found.high,
                "joint_low": joint.low,
                "joint_high": joint.high,
                "estimator": estimator,
                "method": found.method,
            }
        )
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _group(
    loss: NDArray[np.float64],
    place: NDArray[np.int64],
    stratum: NDArray[np.int64],
    inside: NDArray[np.bool_],
    confidence: float,
    interval: str,
    bounded: bool,
    sturdy: bool | None,
) -> tuple[Estimate, str]:
    """The estimate of one group and how it was made."""
    chosen = inside[place]
    if not chosen.any():
        low, high = (0.0, 1.0) if bounded else (-math.inf, math.inf)
        return Estimate(math.nan, math.nan, low, high, 0, "no interval: no item of the group is labelled"), NONE
    whole = np.bincount(stratum)
    sizes = np.bincount(stratum[inside], minlength=whole.size)
    counts = np.bincount(stratum[place[chosen]], minlength=whole.size)
    held = sizes > 0
    if np.all((counts >= 2) | (counts == sizes)):
        dense = np.cumsum(held) - 1
        own = dense[stratum[place[chosen]]]
        return stratified(loss[chosen], own, sizes[held], confidence, bounded, interval, sturdy=sturdy), WITHIN
    member = chosen.astype(np.float64)
    return ratio(loss * member, member, stratum[place], whole, confidence, interval, bounded), RATIO


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
        raise DesignError("Some losses are unknown: leave items without a label out.")
    if bounded and np.any((loss < 0) | (loss > 1)):
        raise DesignError("Some losses lie outside 0 … 1: estimate their groups without bounds.")
    if stratum.size and stratum.min() < 0:
        raise DesignError("Strata of the items must be 0 or above.")
    if len(groups) != stratum.size:
        raise DesignError(f"There are {len(groups)} groups for {stratum.size} items: give the group of every item.")
    if place.size and (place.min() < 0 or place.max() >= stratum.size):
        raise DesignError(f"Positions of labelled items must be between 0 and {stratum.size - 1}.")
    if np.unique(place).size != place.size:
        raise DesignError("An item is labelled twice: settle its label first.")
