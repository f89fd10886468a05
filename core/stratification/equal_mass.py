"""Fine strata of equal risk mass: items sorted along a signal and cut so that each stratum is equally uncertain.

The mass of an item is s_i = √(q_i(1 − q_i)) + floor with its predicted risk q_i (or the self-consistency), a stand-in
for the standard deviation of its loss. With equal mass, equal numbers of labels are the Neyman allocation, and two
labels in each of H = ⌊M/2⌋ strata leave an unbiased variance.

Source: docs/designs.md, fine strata; Dalenius & Hodges 1959 for equal cumulated roots; Neyman 1934.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stratification.cuts import Levels

# A stratum with fewer items could not take two labels.
LEAST_ITEMS = 2
# Beyond this, further fine strata gain nothing.
MOST_STRATA = 500
# Items that a stratum should have where more than a third of them is labelled: in smaller ones, whole numbers of
# labels cannot follow that share.
_MANY_ITEMS = 25
# As many as the paper's design has, also in a small pool.
_FEW_STRATA = 5
# Slices of the signal, in units of √H, inside which items are sorted by group first.
_SLICES = 1.5


def fine_strata(labels: int, n_items: int) -> int:
    """How many fine strata a number of labels has: two labels each, fewer strata where over a third is labelled.

    Parameters
    ----------
    labels : int
        At least 1.
    n_items : int
        Items from which they are drawn, at least 1.
    """
    items = LEAST_ITEMS if 3 * labels <= n_items else _MANY_ITEMS
    least = min(_FEW_STRATA, labels // LEAST_ITEMS, n_items // LEAST_ITEMS)
    return max(1, least, min(labels // LEAST_ITEMS, n_items // items, MOST_STRATA))


def order(distinct: Levels, group: ArrayLike | None, n_strata: int) -> NDArray[np.int64]:
    """Positions of the items along the signal, items of a group side by side where their signals are near.

    The signal is cut into about 1.5 √H slices of equal size. Inside a slice, items are sorted by group, groups by their
    mean signal in the pool, then by the signal and by their place in the pool: fine strata are then alike in both.

    Parameters
    ----------
    distinct : Levels
        Of the signal of N items.
    group : (N,) int or None
        Group of each item, 0 … G−1; None where the pool has none.
    n_strata : int
        H ≥ 1.

    Returns
    -------
    (N,) int
    """
    key = distinct.member.astype(np.int64)
    if group is not None:
        slices = max(1, round(_SLICES * math.sqrt(n_strata)))
        middle = (np.cumsum(distinct.counts) - distinct.counts / 2) / key.size
        rank = _ranks_of_groups(np.asarray(group), distinct)
        n_levels, n_groups = distinct.values.size, int(rank.max()) + 1
        key += n_levels * (rank + n_groups * np.floor(middle * slices).astype(np.int64)[distinct.member])
    # NumPy sorts numbers of two bytes five times as fast.
    return np.argsort(key.astype(np.uint16) if key.max(initial=0) < 1 << 16 else key, kind="stable")


def masses(risk: ArrayLike, floor: float) -> NDArray[np.float64]:
    """Mass √(q(1 − q)) + floor of each item, (N,).

    Parameters
    ----------
    risk : (N,) float
        Calibrated probability q that the target fails the item, or the self-consistency, in [0, 1]; NaN counts as 1/2.
    floor : float
        At least 0; what a certain item weighs.
    """
    given = np.asarray(risk, dtype=np.float64)
    # NumPy's own nan_to_num looks for infinities as well, which takes four times as long.
    q = np.clip(np.where(np.isnan(given), 0.5, given), 0.0, 1.0)
    return np.sqrt(q * (1.0 - q)) + floor


def cut(mass: ArrayLike, n_strata: int) -> NDArray[np.int64]:
    """Stratum of each item of a sorted pool, so that the strata have equal mass as nearly as whole items allow.

    Parameters
    ----------
    mass : (N,) float
        At least 0, in the order of the items; all 0 count as equal.
    n_strata : int
        H ≥ 1; fewer result where strata would have less than two items each.

    Returns
    -------
    (N,) int
        Ascending, 0 … H′−1, at least two items in each stratum where the pool has two.
    """
    weight = np.asarray(mass, dtype=np.float64)
    summed = np.cumsum(weight if weight.any() else np.ones(weight.size))
    n_items = summed.size
    n_cuts = max(1, min(n_strata, n_items // LEAST_ITEMS)) - 1
    ideal = summed[-1] * np.arange(1, n_cuts + 1) / (n_cuts + 1)
    first = np.searchsorted(summed, ideal)
    # Of the two cuts beside the ideal, the nearer one.
    before = np.where(first > 0, summed[np.maximum(first - 1, 0)], 0.0)
    first = first + (summed[np.minimum(first, n_items - 1)] - ideal < ideal - before)
    # Two items at least on either side of every cut: a pass up and a pass down.
    steps = LEAST_ITEMS * np.arange(1, n_cuts + 1)
    first = np.maximum.accumulate(np.maximum(first, steps) - steps) + steps
    room = n_items - LEAST_ITEMS * np.arange(n_cuts, 0, -1)
    first = np.minimum(first, room)
    strata = np.zeros(n_items, dtype=np.int64)
    strata[first] = 1
    return np.cumsum(strata)


def _ranks_of_groups(group: NDArray[np.int64], distinct: Levels) -> NDArray[np.int64]:
    """Rank of each item's group among the groups, ordered by their mean signal, (N,)."""
    values = np.nan_to_num(
        distinct.values, nan=float(np.max(distinct.values, initial=0.0, where=~np.isnan(distinct.values)))
    )
    sizes = np.maximum(np.bincount(group), 1)
    means = np.bincount(group, weights=values[distinct.member]) / sizes
    rank = np.empty(sizes.size, dtype=np.int64)
    rank[np.argsort(means, kind="stable")] = np.arange(sizes.size)
    return np.asarray(rank[group])
