"""Meaning classes: integers that say which of an item's generations agree, by their answers or by verdicts on pairs.

Classes are numbered by first appearance within the item (0, 1, 2 …), so two items whose generations agree in the same
pattern get the same row, whatever the answers are. "No answer" (None) is a class like any other (docs/method.md, 5.6).

A judge says whether one answer entails another. A rule turns the verdicts of both directions into “the same” or
“different”, and the transitive closure turns pairs into classes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DesignError

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


VERDICTS = ("entailment", "neutral", "contradiction")
RULES = ("strict", "lenient")
_WORD = re.compile(rf"\b({'|'.join(VERDICTS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Closure:
    """The classes of an item's answers.

    Parameters
    ----------
    classes : tuple of int
        The class of each answer, 0, 1, 2 … by first appearance.
    overruled : int
        Pairs that were judged different and are in one class all the same, because other answers connect them.
    """

    classes: tuple[int, ...]
    overruled: int


def verdict(text: str) -> str | None:
    """Read a judge's words: the last of "entailment", "neutral" and "contradiction"; None if there is none."""
    words = _WORD.findall(text)
    return words[-1].lower() if words else None


def equivalent(forward: str | None, backward: str | None, rule: str) -> bool | None:
    """Decide whether two answers mean the same.

    Parameters
    ----------
    forward, backward : str or None
        Whether the first entails the second, and the second the first, as one of `VERDICTS`; None: no verdict.
    rule : {"strict", "lenient"}
        ``"strict"``: each entails the other. ``"lenient"``: neither contradicts the other, and not both are neutral
        (Kuhn, Gal & Farquhar 2023; Farquhar et al. 2024).

    Returns
    -------
    bool or None
        None if a verdict is missing that would decide.
    """
    both = (forward, backward)
    if "contradiction" in both or (rule == "strict" and "neutral" in both):
        return False
    if None in both:
        return None
    return both != ("neutral", "neutral")


def closure(size: int, judged: Mapping[tuple[int, int], bool | None]) -> Closure:
    """Join answers that mean the same into classes, by union–find.

    Parameters
    ----------
    size : int
        Number of distinct answers.
    judged : mapping of (int, int) to bool or None
        Pairs of answers, numbered from 0, and whether they mean the same; None, like a pair that is not there, joins
        nothing and overrules nothing.

    Returns
    -------
    Closure
    """
    parents = list(range(size))

    def root(answer: int) -> int:
        while parents[answer] != answer:
            parents[answer] = parents[parents[answer]]
            answer = parents[answer]
        return answer

    for (first, second), same in judged.items():
        if same:
            parents[root(second)] = root(first)
    numbers: dict[int, int] = {}
    classes = tuple(numbers.setdefault(root(answer), len(numbers)) for answer in range(size))
    different = (pair for pair, same in judged.items() if same is False)
    return Closure(classes, sum(classes[first] == classes[second] for first, second in different))


_MODULE = "math_verify"
_MARKS = ("$", "\\(", "\\[", "\\boxed")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_LETTERS = re.compile(r"[A-Za-z]{2}")


def has_math_verify() -> bool:
    """Whether ``math-verify`` is installed."""
    return find_spec(_MODULE) is not None


def mathematical_equality() -> Callable[[str, str], bool]:
    """Load what compares two answers.

    Returns
    -------
    callable
        Says of two answers whether they are the same number, set, interval or expression, whichever of them is taken
        for the truth. An answer without any mathematics equals nothing.

    Raises
    ------
    DesignError
        ``math-verify`` is not installed.
    """
    if not has_math_verify():
        raise DesignError(
            "Mathematical equality needs the package math-verify: `pip install math-verify[antlr4_13_2]`."
        )
    library = import_module(_MODULE)
    parsed: dict[str, list[object]] = {}

    def parse(answer: str) -> list[object]:
        if answer not in parsed:
            # A bare expression is read as a whole only between dollar signs, where letters of a word are factors.
            bare = not any(mark in answer for mark in _MARKS) and not _LETTERS.search(_COMMAND.sub("", answer))
            parsed[answer] = (bare and library.parse(f"${answer}$")) or library.parse(answer)
        return parsed[answer]

    def equal(first: str, second: str) -> bool:
        one, other = parse(first), parse(second)
        return bool(one and other and (library.verify(one, other) or library.verify(other, one)))

    return equal
