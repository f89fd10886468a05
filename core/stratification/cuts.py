"""From a signal to strata.

Strata are contiguous intervals of the signal, numbered upwards from 0, and items with an equal signal stay together. A
million items of a lattice-valued signal have a few dozen distinct values, so every method works on the distinct values
and their multiplicities (`Levels`), never on the items.

Source: the paper, Algorithm 1 step 2 and section "Selection of stratification method"; docs/method.md, 2.2, 5.3, 5.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.class_counts import blocks, tally
from ..words.catalogue import Catalogue

MOST_STRATA = 1000

# Up to here the k-means partition is the global optimum by dynamic programming (quadratic in the number of distinct
# values); beyond, Lloyd's iteration from quantile centres.
_EXACT_K_MEANS = 600
# A signal with so few distinct values on about so many of its items is taken for one with few.
_FEW, _SAMPLE = 500, 5_000
# Steps of Lloyd’s iteration.
_ROUNDS = 300


@dataclass(frozen=True, slots=True)
class Levels:
    """The distinct values of a signal, ascending, with their multiplicities.

    Parameters
    ----------
    values : (U,) float
        NaN last if some item has no signal.
    counts : (U,) int
        Items at each value, at least 1, N in all.
    member : (N,) int
        The level of each item.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    member: NDArray[np.int32]

    def of_items(self, member: NDArray[np.integer[Any]]) -> Levels:
        """Return the levels of items, each of which has the signal of the ``member``-th one here, (n,)."""
        level = self.member[member]
        counts = tally(level, self.values.size)
        some = counts > 0
        number = np.cumsum(some, dtype=np.int32) - np.int32(1)
        return Levels(self.values[some], counts[some], level if some.all() else number[level])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratifier:
    """A way of cutting items into strata along a signal.

    Parameters
    ----------
    name : str
        In schemes, manifests, addresses and frames; it never changes.
    title : str
        In a box or a table.
    about : str
        What the strata are, as in the table of docs/designs.md.
    cut : callable or None
        From `Levels` and the number of strata requested to the first level of each stratum but the lowest; None: it
        puts equal values into several strata, which needs the items (`core.stratification.profile`).
    choices : tuple of str
        Choices of a scheme on which it depends, beside the signal and the number of strata.
    aliases : tuple of str
        Earlier names, which are read and never written.
    """

    name: str
    title: str
    about: str
    cut: Callable[[Levels, int], NDArray[np.int64]] | None
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def levels(signal: ArrayLike) -> Levels:
    """Distinct values of a signal.

    Parameters
    ----------
    signal : (N,) float
        NaN if an item has no signal; it counts as the largest value (docs/method.md, 5.6).

    Raises
    ------
    DesignError
        The signal is empty, or infinite somewhere.
    """
    flat = np.asarray(signal, dtype=np.float64)
    if flat.ndim != 1:
        raise ValueError(f"signal must be (N,), got shape {flat.shape}")
    if flat.size == 0:
        raise DesignError("The pool has no items, so there is nothing to stratify. Load a pool with at least one item.")
    few = flat.size > _FEW and np.unique(flat[:: flat.size // _SAMPLE + 1]).size <= _FEW
    distinct = _few_levels(flat) if few else _many_levels(flat)
    infinite = np.isinf(distinct.values)
    if infinite.any():
        number = int(distinct.counts[infinite].sum())
        raise DesignError(f"The signal of {number} items is infinite. It must be a number.")
    return distinct


def _few_levels(flat: NDArray[np.float64]) -> Levels:
    """Levels of a signal with few distinct values: these are sorted, not the items."""
    values, member = np.empty(0), np.empty(flat.size, dtype=np.int32)
    for block in blocks(flat.size):
        codes, fresh = pd.factorize(flat[block], use_na_sentinel=False)
        number, values = pd.factorize(np.r_[values, fresh], use_na_sentinel=False)
        member[block] = number[-fresh.size :][codes]
    order = np.argsort(values, kind="stable")
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    for block in blocks(flat.size):
        member[block] = rank[member[block]]
    return Levels(values[order], tally(member, order.size), member)


def _many_levels(flat: NDArray[np.float64]) -> Levels:
    """Levels of any signal, by sorting the items."""
    # As np.unique, but its sort is several times slower on a million values that are mostly ties.
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    starts = np.ones(flat.size, dtype=bool)
    starts[1:] = (ordered[1:] != ordered[:-1]) & ~np.isnan(ordered[:-1])
    member = np.empty(flat.size, dtype=np.int32)
    member[order] = np.cumsum(starts, dtype=np.int32) - 1
    first = np.flatnonzero(starts)
    return Levels(ordered[first], np.diff(first, append=flat.size).astype(np.int64), member)


def stratify(signal: ArrayLike, n_strata: int = 5, method: str = "adaptive") -> NDArray[np.int64]:
    """Stratum of each item.

    Parameters
    ----------
    signal : (N,) float
        Usually semantic entropy. NaN means no signal: the highest stratum.
    n_strata : int
        H, the number of strata requested, 1 … `MOST_STRATA`. Fewer result if the signal has too few distinct values
        or if ties make cuts coincide.
    method : str
        "adaptive" (the paper's: the items at exactly 0 are stratum 0, the others are cut into H−1 quantile bins;
        without items at 0, or with negative values, H quantile bins), "quantile", "equal-width" (intervals of [min,
        max] of equal width, empty ones dropped) or "k-means" (one-dimensional).

    Returns
    -------
    (N,) int
        In 0 … H'−1, H' ≤ H, every stratum non-empty, ascending in the signal.

    Raises
    ------
    DesignError
        A number of strata out of range, an unknown method, a signal that is empty or infinite somewhere.

    Notes
    -----
    A quantile cut goes if the cumulative count comes nearest to the ideal; cuts that coincide merge
    (docs/method.md, 5.3).
    """
    distinct = levels(signal)
    return stratify_levels(distinct, n_strata, method)[distinct.member]


def stratify_levels(distinct: Levels, n_strata: int = 5, method: str = "adaptive") -> NDArray[np.int64]:
    """Stratum of each level, (U,) int; `stratify` without the pass over the items."""
    stratifier = CUTS[method]
    check_number(n_strata)
    assert stratifier.cut is not None
    cuts = stratifier.cut(distinct, n_strata)
    strata = np.zeros(distinct.values.size, dtype=np.int64)
    strata[cuts] = 1
    return np.cumsum(strata)


def check_number(n_strata: int) -> None:
    """Refuse a number of strata that is not in 1 … `MOST_STRATA`."""
    if n_strata < 1:
        raise DesignError(f"The number of strata is {n_strata}: it must be at least 1.")
    if n_strata > MOST_STRATA:
        raise DesignError(f"The number of strata is {n_strata}: it must be at most {MOST_STRATA:,}.")


def _adaptive(distinct: Levels, n_strata: int) -> NDArray[np.int64]:
    if distinct.values[0] != 0 or distinct.values.size == 1 or n_strata == 1:
        return _quantile(distinct, n_strata)
    above = Levels(distinct.values[1:], distinct.counts[1:], distinct.member)
    return np.concatenate([[1], 1 + _quantile(above, n_strata - 1)])


def _quantile(distinct: Levels, n_strata: int) -> NDArray[np.int64]:
    """First level of each new bin: the interior cuts nearest to j·N/H; the lower one if two are equally near."""
    below = np.cumsum(distinct.counts)[:-1]
    if below.size == 0 or n_strata == 1:
        return np.empty(0, dtype=np.int64)
    ideal = np.arange(1, n_strata) * (int(distinct.counts.sum()) / n_strata)
    right = np.clip(np.searchsorted(below, ideal), 0, below.size - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(ideal - below[left] <= below[right] - ideal, left, right)
    return np.unique(nearest) + 1


def _equal_width(distinct: Levels, n_strata: int) -> NDArray[np.int64]:
    values = distinct.values[np.isfinite(distinct.values)]
    if values.size == 0:
        return np.empty(0, dtype=np.int64)
    edges = np.linspace(values[0], values[-1], n_strata + 1)[1:-1]
    bins = np.searchsorted(edges, distinct.values, side="right")
    return np.flatnonzero(np.diff(bins)) + 1


def _k_means(distinct: Levels, n_strata: int) -> NDArray[np.int64]:
    n_values = int(np.isfinite(distinct.values).sum())
    values, counts = distinct.values[:n_values], distinct.counts[:n_values].astype(np.float64)
    clusters = min(n_strata, n_values)
    if clusters <= 1:
        return np.empty(0, dtype=np.int64)
    return (
        _k_means_exact(values, counts, clusters)
        if n_values <= _EXACT_K_MEANS
        else _k_means_lloyd(distinct, n_values, clusters)
    )


def _k_means_exact(values: NDArray[np.float64], counts: NDArray[np.float64], clusters: int) -> NDArray[np.int64]:
    """Partition of sorted values into intervals of least within-cluster sum of squares (dynamic programming)."""
    centred = values - np.average(values, weights=counts)
    size, total, square = (np.concatenate([[0.0], np.cumsum(counts * centred**p)]) for p in (0, 1, 2))
    n, s, q = (c[None, :] - c[:, None] for c in (size, total, square))
    cost = np.where(n > 0, q - np.divide(s * s, n, out=np.zeros_like(s), where=n > 0), np.inf)
    best = cost[0]
    choices = []
    for _ in range(clusters - 1):
        candidates = best[:, None] + cost
        choice = np.argmin(candidates, axis=0)
        best = candidates[choice, np.arange(choice.size)]
        choices.append(choice)
    cuts, end = [], values.size
    for choice in reversed(choices):
        end = int(choice[end])
        cuts.append(end)
    return np.array(cuts[::-1], dtype=np.int64)


def _k_means_lloyd(distinct: Levels, n_values: int, clusters: int) -> NDArray[np.int64]:
    """Lloyd's iteration on sorted values: clusters are intervals, their means come from two cumulative sums."""
    values = distinct.values[:n_values]
    size = np.concatenate([[0], np.cumsum(distinct.counts[:n_values])])
    total = np.concatenate([[0.0], np.cumsum(distinct.counts[:n_values] * values)])
    cuts = _quantile(Levels(values, distinct.counts[:n_values], distinct.member), clusters)
    for _ in range(_ROUNDS):
        bounds = np.concatenate([[0], cuts, [n_values]])
        means = np.diff(total[bounds]) / np.diff(size[bounds])
        moved = np.unique(np.clip(np.searchsorted(values, (means[1:] + means[:-1]) / 2), 1, n_values - 1))
        if np.array_equal(moved, cuts):
            break
        cuts = moved
    return np.asarray(cuts, dtype=np.int64)


ADAPTIVE = Stratifier(
    name="adaptive",
    title="Adaptive",
    about="the items at exactly 0 apart, the others in parts of equal size (the paper's)",
    cut=_adaptive,
)
QUANTILE = Stratifier(name="quantile", title="Quantile", about="parts of equal size", cut=_quantile)
K_MEANS = Stratifier(name="k-means", title="k-means", about="intervals whose values lie closest together", cut=_k_means)
EQUAL_WIDTH = Stratifier(
    name="equal-width", title="Equal width", about="intervals of equal width, empty ones dropped", cut=_equal_width
)
# Those that cut between values of the signal.
CUTS = Catalogue("stratifier", (ADAPTIVE, QUANTILE, K_MEANS, EQUAL_WIDTH))
METHODS = tuple(CUTS)
