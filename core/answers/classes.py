"""Meaning classes: integers that say which of an item's generations agree.

Classes are numbered by first appearance within the item (0, 1, 2 …), so two items whose generations agree in the same
pattern get the same row, whatever the answers are. "No answer" (None) is a class like any other (docs/method.md, 5.6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

PAD_CODE = -2
PAD_CLASS = -1

_PAIRWISE_UP_TO = 48
_BLOCK_ELEMENTS = 1 << 18

ClassArray = npt.NDArray[np.int16] | npt.NDArray[np.int32]


def meaning_classes(answers: Sequence[Sequence[str | None]]) -> ClassArray:
    """Label the answers of every item by meaning class.

    Parameters
    ----------
    answers : sequence of sequences
        For each of N items, up to k canonical answers; None is "no answer".

    Returns
    -------
    (N, k) int16 array
        The class of each generation by first appearance within its item, and −1 to the right of a shorter list. int32
        if k > 32,767; shape (0, 0) without items.
    """
    lengths = np.fromiter(map(len, answers), dtype=np.int64, count=len(answers))
    width = int(lengths.max(initial=0))
    table: defaultdict[str | None, int] = defaultdict()
    table.default_factory = table.__len__
    total = int(lengths.sum())
    codes = np.fromiter(map(table.__getitem__, chain.from_iterable(answers)), dtype=np.int32, count=total)
    if total == width * len(answers):
        return classes_of_codes(codes.reshape(len(answers), width))
    padded = np.full((len(answers), width), PAD_CODE, dtype=codes.dtype)
    padded[np.arange(width) < lengths[:, None]] = codes
    return classes_of_codes(padded)


def classes_of_codes(codes: npt.NDArray[np.integer[Any]]) -> ClassArray:
    """Relabel integer answer codes by first appearance within each row.

    Parameters
    ----------
    codes : (N, k) int array
        Equal codes in a row are equal answers; −2 is a missing generation.

    Returns
    -------
    (N, k) int16 array
        Classes 0, 1, 2 … by first appearance in the row, −1 for a missing generation. int32 if k > 32,767.

    Raises
    ------
    ValueError
        If ``codes`` is not a two-dimensional array of integers.
    """
    codes = np.asarray(codes)
    if codes.ndim != 2 or not np.issubdtype(codes.dtype, np.integer):
        raise ValueError(f"codes must be a two-dimensional integer array, not {codes.dtype} of shape {codes.shape}.")
    n_items, width = codes.shape
    small = width <= np.iinfo(np.int16).max
    labels: ClassArray = np.empty((n_items, width), np.int16) if small else np.empty((n_items, width), np.int32)
    label_block = _label_pairwise if width <= _PAIRWISE_UP_TO else _label_sorted
    rows = max(1, _BLOCK_ELEMENTS // max(width, 1))
    for start in range(0, n_items if width else 0, rows):
        label_block(codes[start : start + rows], labels[start : start + rows])
    return labels


def _label_pairwise(codes: npt.NDArray[np.integer[Any]], out: ClassArray) -> None:
    """Compare each column with the earlier ones: k²/2 cheap passes, faster than sorting while k is small."""
    columns = np.ascontiguousarray(codes.T)
    labels = np.empty(columns.shape, dtype=out.dtype)
    n_classes = np.zeros(columns.shape[1], dtype=out.dtype)
    for j, column in enumerate(columns):
        labels[j] = n_classes
        for i in range(j):
            np.copyto(labels[j], labels[i], where=column == columns[i])
        np.copyto(labels[j], PAD_CLASS, where=column == PAD_CODE)
        n_classes += labels[j] == n_classes
    out[...] = labels.T


def _label_sorted(codes: npt.NDArray[np.integer[Any]], out: ClassArray) -> None:
    """Sort each row stably: the first of every run of equal codes is the code's first appearance."""
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    starts = np.ones(codes.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    column = np.arange(codes.shape[1])
    run_start = np.maximum.accumulate(np.where(starts, column, 0), axis=1)
    first_sorted = np.take_along_axis(order, run_start, axis=1)
    first = np.empty_like(order)
    np.put_along_axis(first, order, first_sorted, axis=1)
    pad = codes == PAD_CODE
    rank = np.cumsum((first == column) & ~pad, axis=1) - 1
    out[...] = np.where(pad, PAD_CLASS, np.take_along_axis(rank, first, axis=1))
