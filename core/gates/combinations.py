"""Numbers of combinations, and the exact chances of a sample's counts, by a table of factorials."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

Array = NDArray[np.float64]


def log_factorials(most: int) -> Array:
    """Return logarithms of 0! … most!, and perhaps of more, (≥ most + 1,); read-only."""
    return _table(1 << max(int(most), 1).bit_length())


@lru_cache(maxsize=4)
def _table(size: int) -> Array:
    table = gammaln(np.arange(size) + 1.0)
    table.setflags(write=False)
    return np.asarray(table)


def log_choose(n: ArrayLike, k: ArrayLike) -> Array:
    """Return logarithms of the numbers of ways to choose k of n; −∞ where there is none. Whole numbers, broadcast."""
    items, chosen = np.broadcast_arrays(np.asarray(n), np.asarray(k))
    possible = (chosen >= 0) & (chosen <= items)
    table, some = log_factorials(items.max(initial=0)), np.where(possible, chosen, 0)
    return np.where(possible, table[items] - table[some] - table[items - some], -np.inf)


def hypergeometric(sizes: Sequence[ArrayLike], counts: Sequence[ArrayLike]) -> Array:
    """Return the chance that a sample without replacement holds so many items of each kind; broadcast.

    Parameters
    ----------
    sizes, counts : sequence of int
        Items of each kind in the pool, and in the sample.
    """
    ways = sum(log_choose(size, count) for size, count in zip(sizes, counts, strict=True))
    items, labels = (sum(np.asarray(one) for one in numbers) for numbers in (sizes, counts))
    return np.asarray(np.exp(ways - log_choose(items, labels)))


def multinomial(shares: Sequence[float], counts: Sequence[ArrayLike]) -> Array:
    """Return the chance that independent draws hold so many of each kind; broadcast, as of `hypergeometric`.

    Parameters
    ----------
    shares : sequence of float
        Chance of each kind.
    counts : sequence of int
        How many are drawn of each; none is possible below 0.
    """
    kinds = [np.asarray(count) for count in counts]
    logs, left = np.zeros(()), sum(kinds)
    for share, count in zip(shares, kinds, strict=True):
        logs, left = logs + log_choose(left, count) + xlogy(np.maximum(count, 0), share), left - count
    return np.asarray(np.exp(logs))
