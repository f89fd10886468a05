"""Outcomes of a target, item by item: its losses, and its answers among the generations' classes.

Losses come from ``loss``, or else ``answer``, or else ``text``; classes from ``meaning``, or else ``answer``, or else
``text``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers import OPEN
from .columns import leaf
from .parsing import NO_ANSWER, Contexts, Parsed, Vocabulary, contexts, parse_column, parse_lists
from .stored import StoredTable

# What people write for an answer that was not given: it is none, and equals no other.
SILENT = "(no answer)"
# Kinds under which one answer may be spelled in several ways.
_FOLDED = frozenset({"text", OPEN, "number"})


def losses(table: pa.Table | StoredTable, target: str, parser: str | None) -> NDArray[np.float64]:
    """Compute the losses of a target, (N,) float; NaN if the outcome or the truth is unknown.

    Truth and output are parsed by ``parser`` or else the item's own kind, and compared: equal 0, different or without
    an answer 1. Of the kind “open”, and if the target is ``unscored``, nothing is compared.
    """
    known = leaf(table, target, "loss")
    values = np.full(table.num_rows, np.nan) if known is None else np.array(known.to_numpy(), dtype=np.float64)
    left_open = unscored(table, target)
    for field in ("answer", "text") if "answer" in table.column_names else ():
        unknown = np.isnan(values) & ~left_open
        column = leaf(table, target, field) if unknown.any() else None
        if column is not None:
            values[unknown] = _compared(table, column, parser, extracted=field == "answer")[unknown]
    return values


def unscored(table: pa.Table | StoredTable, target: str) -> NDArray[np.bool_]:
    """Find the items of which whoever scored a target left right or wrong open, (N,) bool."""
    marks = leaf(table, target, "unscored")
    if marks is None:
        return np.zeros(table.num_rows, dtype=bool)
    return np.asarray(pc.fill_null(marks, False))


def answers(table: pa.Table | StoredTable, target: str, parser: str | None) -> NDArray[np.object_]:
    """Parse the answers of a target, (N,) str or None: its ``answer``, or else its ``text``; None if it gave none.

    `SILENT` is none.
    """
    vocabulary, codes = Vocabulary(), np.full(table.num_rows, NO_ANSWER, dtype=np.int32)
    for field in ("text", "answer"):
        column = leaf(table, target, field)
        if column is not None:
            given = np.asarray(column.is_valid())
            codes[given] = parse_column(column, contexts(table, parser, extracted=field == "answer"), vocabulary)[given]
            silent = pc.match_substring_regex(column, rf"^\s*{re.escape(SILENT)}\s*$", ignore_case=True)
            codes[np.asarray(pc.fill_null(silent, False))] = NO_ANSWER
    return np.array(vocabulary.answers, dtype=object)[codes]


def classes(
    table: pa.Table | StoredTable,
    target: str,
    parser: str | None,
    generations: Parsed,
    spelled: Parsed,
    labels: NDArray[np.integer[Any]],
) -> NDArray[np.int32]:
    """Find the class of a target's answer among those of an item's generations, (N,) int; −1 where it is unknown.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table.
    target : str
        Name of the target.
    parser : str or None
        As for the generations.
    generations : Parsed
        The parsed generations, which the target's ``meaning`` is compared with.
    spelled : Parsed
        The same before they were grouped by meaning, which its ``answer`` or ``text`` is compared with.
    labels : (N, k) int
        Their classes.
    """
    places = np.full(table.num_rows, -1, dtype=np.int32)
    # An answer that no generation gives has the number after the last class of its item.
    alone = labels.max(axis=1, initial=-1).astype(np.int32) + 1
    # A target's meaning is one of its item's meanings, and stands for nothing without them.
    grouped = table.column("meanings") if parser is None and "meanings" in table.column_names else None
    for field in ("answer", "text") if grouped is None else ("meaning", "answer", "text"):
        unknown = places < 0
        column = leaf(table, target, field) if unknown.any() else None
        if column is None:
            continue
        answers = generations if field == "meaning" else spelled
        kinds = contexts(table, "as-is" if field == "meaning" else parser, extracted=field == "answer")
        codes = parse_column(column, kinds, Vocabulary(answers.vocabulary))
        fresh = unknown & np.asarray(column.is_valid())
        if field == "meaning" and grouped is not None:
            fresh &= np.asarray(grouped.is_valid())
        places[fresh] = alone[fresh]
        for generation in range(labels.shape[1]):
            same = fresh & (answers.codes[:, generation] == codes)
            places[same] = labels[same, generation]
        if field != "meaning" and parser is None:
            _place_folded(table, column, kinds, labels, fresh & (places == alone), places)
    return places


def _place_folded(
    table: pa.Table | StoredTable,
    column: pa.ChunkedArray,
    kinds: Contexts,
    labels: NDArray[np.integer[Any]],
    alone: NDArray[np.bool_],
    places: NDArray[np.int32],
) -> None:
    """Place answers that a tool has read, and taken as they are, spell otherwise: “Paris” beside “paris”.

    Parameters
    ----------
    column : (N,) ChunkedArray
        The target's answers or texts.
    kinds : Contexts
        How they are read.
    labels : (N, k) int
        Classes of the generations.
    alone : (N,) bool
        Items whose answer of the target is in no class.
    places : (N,) int
        If the classes are written.
    """
    if "generation_answers" not in table.column_names:
        return
    official = table.column("generation_answers")
    of_generations = contexts(table, None, extracted=True)
    folded = np.array([one.kind in _FOLDED for one in of_generations.distinct])[of_generations.of_item]
    rows = np.flatnonzero(alone & folded & np.asarray(official.is_valid()))
    if not rows.size:
        return
    vocabulary, taken = Vocabulary(), pa.array(rows)
    codes = parse_column(column.take(taken), _of(kinds, rows), vocabulary)
    answers = parse_lists(official.take(taken), _of(of_generations, rows), vocabulary)
    for generation in range(answers.shape[1]):
        same = (answers[:, generation] == codes) & (codes != NO_ANSWER) & (places[rows] > labels[rows].max(axis=1))
        places[rows[same]] = labels[rows[same], generation]


def _of(kinds: Contexts, rows: NDArray[np.int64]) -> Contexts:
    return Contexts(kinds.distinct, kinds.of_item[rows])


def _compared(
    table: pa.Table | StoredTable, outputs: pa.ChunkedArray, parser: str | None, extracted: bool
) -> NDArray[np.float64]:
    of_truth, of_output = contexts(table, parser, extracted=True), contexts(table, parser, extracted=extracted)
    vocabulary = Vocabulary()
    truth = parse_column(table.column("answer"), of_truth, vocabulary)
    answers = parse_column(outputs, of_output, vocabulary)
    wrong = (answers != truth).astype(np.float64)
    is_open = np.array([one.kind == OPEN for one in of_truth.distinct], dtype=bool)[of_truth.of_item]
    return np.where(np.asarray(outputs.is_null()) | (truth == NO_ANSWER) | is_open, np.nan, wrong)


def in_unit(losses: NDArray[np.float64]) -> bool:
    """Whether all losses lie in [0, 1]; NaN do not count."""
    return not np.any((losses < 0) | (losses > 1))
