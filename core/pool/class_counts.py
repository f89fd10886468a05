"""Counts of each item's generations by meaning class: all that entropy and self-consistency depend on.

Ten generations divide in 42 ways at most, so that a pool of any size has few distinct divisions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Number = TypeVar("_Number", bound=np.generic)
# Items whose numbers are computed together: what is needed on the way stays small beside the items of a large pool.
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """Sizes of the meaning classes of N items.

    Parameters
    ----------
    distinct : (U, k) int
        The distinct divisions: sizes of the classes, the largest first, then 0.
    member : (N,) int
        Which of them each item has.
    """

    distinct: NDArray[np.int64]
    member: NDArray[np.int32]

    @property
    def generations(self) -> NDArray[np.int64]:
        """(U,) number of generations of each division."""
        return np.asarray(self.distinct.sum(axis=1), dtype=np.int64)

    @property
    def largest(self) -> NDArray[np.int64]:
        """(U,) size of the largest class of each division; 0 without generations."""
        return np.asarray(self.distinct.max(axis=1, initial=0), dtype=np.int64)

    def __repr__(self) -> str:
        return f"ClassCounts of {self.member.size:,} items in {len(self.distinct):,} divisions"


def blocks(size: int) -> Iterator[slice]:
    """Places 0 … size − 1 in slices of at most a million."""
    return (slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK))


def per_item(values: NDArray[_Number], member: NDArray[np.integer[Any]]) -> NDArray[_Number]:
    """Look up the value of each item, (N,), by ``member`` (N,) among few ``values`` (U,)."""
    of_items = np.empty(member.size, dtype=values.dtype)
    for block in blocks(member.size):
        of_items[block] = values[member[block]]
    return of_items


def tally(member: NDArray[np.integer[Any]], size: int) -> NDArray[np.int64]:
    """Count the items of each number 0 … size − 1, (size,), as `numpy.bincount` does without a copy of ``member``."""
    counts = np.zeros(size, dtype=np.int64)
    for block in blocks(member.size):
        counts += np.bincount(member[block], minlength=size)
    return counts


def class_counts(classes: ArrayLike) -> ClassCounts:
    """Count the generations in each meaning class of every item.

    Parameters
    ----------
    classes : (N, k) int
        Meaning class of each generation; any labels, −1 if a generation is missing.

    Raises
    ------
    ValueError
        ``classes`` is not two-dimensional.
    """
    labels = np.asarray(classes)
    if labels.ndim != 2:
        raise ValueError(f"classes must be (N, k), got shape {labels.shape}")
    runs = _Runs(labels)
    example, member = runs.multisets()
    distinct = np.zeros((example.size, labels.shape[1]), dtype=np.int64)
    for row, item in enumerate(example.tolist()):
        counts = np.sort(runs.counts_of(item))[::-1]
        distinct[row, : counts.size] = counts
    return ClassCounts(distinct, member.astype(np.int32))


class _Runs:
    """Runs of equal labels in each row once the row is sorted: one run per class of an item."""

    __slots__ = ("first", "generations", "lengths", "per_item")

    def __init__(self, labels: NDArray[np.integer[Any]]) -> None:
        n_items, k = labels.shape
        ordered = np.sort(labels, axis=1)
        present = ordered >= 0
        starts = present.copy()
        if k > 1:
            starts[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
        self.generations = present.sum(axis=1)
        self.per_item = starts.sum(axis=1)
        self.first = np.cumsum(self.per_item) - self.per_item
        positions = np.flatnonzero(starts.ravel())
        row_ends = np.arange(1, n_items + 1) * k
        followers = np.append(positions[1:], n_items * k)
        self.lengths = np.minimum(followers, row_ends[positions // k]) - positions if k else np.empty(0, np.int64)

    def multisets(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Distinct multisets of class counts: index of an example row for each, and for each item which one it has."""
        k = int(self.generations.max(initial=0))
        if k * math.log2(k + 1) > 61:
            codes = self._codes_of_sorted_counts(k)
        else:
            weights = (k + 1) ** np.arange(k + 1, dtype=np.int64)
            totals = np.concatenate([[0], np.cumsum(weights[self.lengths])])
            codes = totals[self.first + self.per_item] - totals[self.first]
        _, example, member = np.unique(codes, return_index=True, return_inverse=True)
        return example, member

    def _codes_of_sorted_counts(self, k: int) -> NDArray[np.int64]:
        counts = np.zeros((self.per_item.size, k), dtype=np.int64)
        rows = np.repeat(np.arange(self.per_item.size), self.per_item)
        counts[rows, np.arange(self.lengths.size) - self.first[rows]] = self.lengths
        _, member = np.unique(np.sort(counts, axis=1), axis=0, return_inverse=True)
        return member.ravel().astype(np.int64)

    def counts_of(self, item: int) -> NDArray[np.int64]:
        return self.lengths[self.first[item] : self.first[item] + self.per_item[item]]
