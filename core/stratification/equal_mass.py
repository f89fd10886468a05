"""Fine strata of equal risk mass: items sorted along a signal and cut so that each stratum is equally uncertain.

The mass of an item is s_i = √(q_i(1 − q_i)) + floor with its predicted risk q_i (or the self-consistency), a stand-in
for the standard deviation of its loss. With equal mass, equal numbers of labels are the Neyman allocation, and two
labels in each of H = ⌊M/2⌋ strata leave an unbiased variance.

Source: docs/designs.md, fine strata; Dalenius & Hodges 1959 for equal cumulated roots; Neyman 1934.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..pool.class_counts import blocks, per_item, tally
from .cuts import Levels

# A stratum with fewer items could not take two labels.
LEAST_ITEMS = 2
# Beyond this, further fine strata gain nothing.
MOST_STRATA = 500
# Items that a stratum should have if more than a third of them is labelled: in smaller ones, whole numbers of
# labels cannot follow that share.
_MANY_ITEMS = 25
# As many as the paper's design has, also in a small pool.
_FEW_STRATA = 5
# Slices of the signal, in units of √H, inside which items are sorted by group first.
_SLICES = 1.5
# Bands of items of like weight, each with an equal share of all weight, in which strata are cut.
_BANDS = 8


def fine_strata(labels: int, n_items: int) -> int:
    """Return the number of fine strata for a number of labels: two labels each, fewer if over a third is labelled.

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
    """Positions of the items along the signal, items of a group side by side if their signals are near.

    The signal is cut into about 1.5 √H slices of equal size. Inside a slice, items are sorted by group, groups by their
    mean signal in the pool, then by the signal and by their place in the pool: fine strata are then alike in both.

    Parameters
    ----------
    distinct : Levels
        Of the signal of N items.
    group : (N,) int or None
        Group of each item, 0 … G−1; None if the pool has none.
    n_strata : int
        H ≥ 1.

    Returns
    -------
    (N,) int
    """
    n_levels, n_groups = distinct.values.size, 1
    of_level = np.arange(n_levels)
    if group is not None:
        slices, group = max(1, round(_SLICES * math.sqrt(n_strata))), np.asarray(group)
        middle = (np.cumsum(distinct.counts) - distinct.counts / 2) / distinct.member.size
        rank = _ranks_of_groups(group, distinct)
        n_groups = rank.size
        of_level += n_levels * n_groups * np.floor(middle * slices).astype(np.int64)
    # NumPy sorts numbers of two bytes five times as fast.
    kind = np.dtype("uint16" if n_levels * n_groups + of_level.max(initial=0) < 1 << 16 else "int64")
    key = of_level.astype(kind)[distinct.member]
    if group is not None:
        key += (n_levels * rank).astype(kind)[group]
    return np.argsort(key, kind="stable")


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
        H ≥ 1; fewer result if strata would have less than two items each.

    Returns
    -------
    (N,) int
        Ascending, 0 … H′−1, at least two items in each stratum if the pool has two.
    """
    weight = np.asarray(mass, dtype=np.float64)
    summed = np.cumsum(weight if weight.any() else np.ones(weight.size))
    n_items = summed.size
    n_cuts = max(1, min(n_strata, n_items // LEAST_ITEMS)) - 1
    ideal = summed[-1] * np.arange(1, n_cuts + 1) / (n_cuts + 1)
    first = np.searchsorted(summed, ideal)
    # Of the two cuts beside the ideal, the nearer one.
    before = np.where(first > 0, summed[np.maximum(first - 1, 0)], 0.0)
    first = _apart(first + (summed[np.minimum(first, n_items - 1)] - ideal < ideal - before), n_items)
    strata = np.zeros(n_items, dtype=np.int64)
    strata[first] = 1
    return np.cumsum(strata)


def bands(weight: NDArray[np.float64], n_strata: int) -> NDArray[np.int64]:
    """Band of each item, ascending in its weight, (N,): at most eight, each with about an equal share of all weight.

    Parameters
    ----------
    weight : (N,) float
        Weights of the items, above 0.
    n_strata : int
        H ≥ 1; there are no more bands.
    """
    by_weight = np.argsort(weight, kind="stable")
    summed = np.cumsum(weight[by_weight])
    # An item belongs to the band in which its middle lies; items of equal weight belong together.
    middle = (summed - weight[by_weight] / 2) / summed[-1]
    first = np.searchsorted(weight[by_weight], weight[by_weight])
    band = np.empty(weight.size, dtype=np.int64)
    band[by_weight] = np.floor(middle[first] * min(_BANDS, n_strata)).astype(np.int64)
    return np.unique(band, return_inverse=True)[1].astype(np.int64)


def cut_in_bands(mass: NDArray[np.float64], band: NDArray[np.int64], n_strata: int) -> NDArray[np.int64]:
    """Stratum of each item as of :func:`cut`, in each of several bands; a band of one item is a stratum.

    Parameters
    ----------
    mass : (N,) float
        At least 0, in the order of the items.
    band : (N,) int
        Band of each item, ascending, 0 … B−1.
    n_strata : int
        H ≥ B, shared among the bands in proportion to their mass.
    """
    items, total = np.bincount(band), np.bincount(band, weights=mass)
    most, given = np.maximum(items // LEAST_ITEMS, 1), np.ones(items.size, dtype=np.int64)
    for _ in range(n_strata - items.size):
        # Each next stratum goes where strata are heaviest (Sainte-Laguë).
        room = given < most
        if not room.any():
            break
        given[np.where(room, total / (given + 0.5), -1.0).argmax()] += 1
    parts = np.split(mass, np.cumsum(items)[:-1])
    cuts = [cut(part, int(many)) for part, many in zip(parts, given, strict=True)]
    return np.concatenate([one + before for one, before in zip(cuts, np.cumsum(given) - given, strict=True)])


def _apart(first: NDArray[np.int64], n_items: int) -> NDArray[np.int64]:
    """Move cuts so that two items at least are on either side of each: a pass up and a pass down."""
    steps = LEAST_ITEMS * np.arange(1, first.size + 1)
    first = np.maximum.accumulate(np.maximum(first, steps) - steps) + steps
    return np.asarray(np.minimum(first, n_items - LEAST_ITEMS * np.arange(first.size, 0, -1)))


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Items in cells of equal level and group, sorted once: strata of any number follow from sums over the cells.

    What :func:`order` and :func:`cut` do for each item, here costs the number of cells. Sums are added in another
    order, so that a cut exactly between two items may fall on the other one.

    Parameters
    ----------
    order : (N,) int
        Places of the items by cell, and in a cell by place.
    ends : (C,) int
        Items up to the end of each cell.
    level, group : (C,) int
        Level of the signal, and rank of the group by its mean signal, of each cell.
    mass, consistency : (N + 1,) float
        Sums over the items before each one; a missing consistency counts as 1/2.
    middle : (U,) float
        Share of the items below the middle of each level.
    """

    order: NDArray[Any]
    ends: NDArray[np.int64]
    level: NDArray[np.int64]
    group: NDArray[np.int64]
    mass: NDArray[np.float64]
    consistency: NDArray[np.float64]
    middle: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        distinct: Levels,
        group: ArrayLike | None,
        consistency: NDArray[np.float64],
        risk: NDArray[np.float64] | None,
        floor: float,
    ) -> Runs:
        """Sort the items of a pool by cell.

        Parameters
        ----------
        distinct, group
            As in :func:`order`.
        consistency : (N,) float
            Self-consistency, NaN if it is unknown.
        risk : (N,) float or None
            Of :func:`masses`; None is the self-consistency.
        floor : float
            Of :func:`masses`.
        """
        size = distinct.member.size
        rank = None if group is None else _ranks_of_groups(np.asarray(group), distinct)
        n_groups = 1 if rank is None else rank.size
        # NumPy sorts numbers of two bytes five times as fast.
        kind = np.dtype("uint16" if distinct.values.size * n_groups <= 1 << 16 else "int64")
        cell: NDArray[np.integer[Any]] = distinct.member.astype(kind)
        cell *= n_groups
        if rank is not None:
            cell += per_item(rank.astype(cell.dtype), np.asarray(group))
        sizes = tally(cell, distinct.values.size * n_groups)
        cells = np.flatnonzero(sizes)
        ends = np.cumsum(sizes[cells])
        sorted_places = np.asarray(np.argsort(cell, kind="stable"), dtype=np.int32 if size < 1 << 31 else np.int64)
        mass, known = np.zeros(size + 1), np.zeros(size + 1)
        for block in blocks(size):
            here = sorted_places[block]
            values = consistency[here]
            mass[1:][block] = masses(values if risk is None else risk[here], floor)
            known[1:][block] = np.where(np.isnan(values), 0.5, values)
        middle = (np.cumsum(distinct.counts) - distinct.counts / 2) / size
        return cls(
            sorted_places,
            ends,
            cells // n_groups,
            cells % n_groups,
            np.cumsum(mass, out=mass),
            np.cumsum(known, out=known),
            middle,
        )

    def cut(self, n_strata: int) -> FineCut:
        """Cut into strata of equal mass, as :func:`order` and :func:`cut` do; ``n_strata`` as there."""
        slices = max(1, round(_SLICES * math.sqrt(n_strata)))
        part = np.floor(self.middle * slices).astype(np.int64)[self.level]
        cells = np.lexsort((self.level, self.group, part)) if self.group.any() else np.arange(self.ends.size)
        starts = np.r_[0, self.ends[:-1]][cells]
        counts = _summed(self.ends[cells] - starts).astype(np.int64)
        mass = self.mass if self.mass[-1] > 0 else np.arange(self.mass.size, dtype=np.float64)
        masses = _summed(mass[self.ends[cells]] - mass[starts])
        n_items = int(self.ends[-1])
        n_cuts = max(1, min(n_strata, n_items // LEAST_ITEMS)) - 1
        ideal = masses[-1] * np.arange(1, n_cuts + 1) / (n_cuts + 1)
        # The first item at which the sum reaches the ideal, by its cell and then in the cell.
        cell = np.clip(np.searchsorted(masses, ideal) - 1, 0, cells.size - 1)
        target = mass[starts[cell]] + (ideal - masses[cell])
        item = np.clip(np.searchsorted(mass, target) - 1, starts[cell], self.ends[cells][cell] - 1)
        nearer = mass[item + 1] - target < target - mass[item]
        first = _apart(counts[cell] + (item - starts[cell]) + nearer, n_items)
        return FineCut(self, starts, counts, np.unique(np.r_[0, first]), self.level[cells])


@dataclass(frozen=True, slots=True, eq=False)
class FineCut:
    """Fine strata of a pool's `Runs`: cells in the order of the strata, and the first item of each stratum.

    Parameters
    ----------
    runs : Runs
        The items in cells.
    starts : (C,) int
        First item of each cell in the order of ``runs``, for the cells in the order of the strata.
    counts : (C + 1,) int
        Items before each of these cells.
    first : (H,) int
        Items before each stratum.
    level : (C,) int
        Level of the signal of each of these cells.
    """

    runs: Runs
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    level: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """N_h, (H,)."""
        return np.diff(self.first, append=self.counts[-1])

    @property
    def consistency(self) -> NDArray[np.float64]:
        """Mean self-consistency of each stratum, (H,)."""
        sums = self.runs.consistency
        ends = self.starts + np.diff(self.counts)
        whole = _summed(sums[ends] - sums[self.starts])
        bounds = np.r_[self.first, self.counts[-1]]
        cell = np.clip(np.searchsorted(self.counts, bounds, side="right") - 1, 0, self.starts.size - 1)
        before = whole[cell] + sums[self.starts[cell] + (bounds - self.counts[cell])] - sums[self.starts[cell]]
        return np.asarray(np.diff(before) / self.sizes)

    def limits(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least and largest signal of each stratum, both (H,), of the levels' values (U,)."""
        signal = values[self.level]
        ends = np.append(self.first[1:], self.counts[-1])
        low: list[int] = (np.searchsorted(self.counts, self.first, side="right") - 1).tolist()
        high: list[int] = np.asarray(np.searchsorted(self.counts, ends, side="left")).tolist()
        ranges = [signal[start:end] for start, end in zip(low, high, strict=True)]
        return np.array([np.fmin.reduce(one) for one in ranges]), np.array([np.fmax.reduce(one) for one in ranges])

    def of_item(self) -> NDArray[np.int64]:
        """Stratum of each item, (N,)."""
        strata = np.empty(self.runs.order.size, dtype=np.int64)
        # Where a cell or a stratum begins, the cell there, and its first item in the order of the cells.
        begin = np.union1d(self.counts[:-1], self.first)
        cell = np.searchsorted(self.counts, begin, side="right") - 1
        start = self.starts[cell] + begin - self.counts[cell]
        size = np.diff(begin, append=self.counts[-1])
        stratum = np.searchsorted(self.first, begin, side="right") - 1
        for first, end, number in zip(start.tolist(), (start + size).tolist(), stratum.tolist(), strict=True):
            strata[self.runs.order[first:end]] = number
        return strata


def _summed(values: NDArray[Any]) -> NDArray[np.float64]:
    """Sums of the values before each one and of all, (n + 1,)."""
    sums = np.zeros(values.size + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def _ranks_of_groups(group: NDArray[np.int64], distinct: Levels) -> NDArray[np.int64]:
    """Rank of each group among the groups, ordered by their mean signal, (G,)."""
    # No signal counts as the largest.
    values = np.where(np.isnan(distinct.values), np.fmax.reduce(distinct.values, initial=0.0), distinct.values)
    sizes = np.maximum(np.bincount(group), 1)
    means = np.bincount(group, weights=per_item(values, distinct.member)) / sizes
    rank = np.empty(sizes.size, dtype=np.int64)
    rank[np.argsort(means, kind="stable")] = np.arange(sizes.size)
    return rank
