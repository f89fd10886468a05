"""Losses of a target from whatever the pool knows of it: ``loss``, or else ``answer``, or else ``text``."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core._columns import leaf
from core._parsing import NO_ANSWER, Vocabulary, contexts, parse_column


def losses(table: pa.Table, target: str) -> NDArray[np.float64]:
    """(N,) losses, NaN where the outcome or the truth is unknown.

    Truth and output are parsed by the item's own kind and compared: equal 0, different or without an answer 1.
    """
    values = np.full(table.num_rows, np.nan)
    for field in ("text", "answer"):
        column = leaf(table, target, field)
        if column is not None and "answer" in table.column_names:
            compared = _compared(table, column, extracted=field == "answer")
            values = np.where(np.isnan(compared), values, compared)
    column = leaf(table, target, "loss")
    if column is not None:
        given = column.to_numpy()
        values = np.where(np.isnan(given), values, given)
    return np.asarray(values, dtype=np.float64)


def _compared(table: pa.Table, outputs: pa.ChunkedArray, extracted: bool) -> NDArray[np.float64]:
    context = contexts(table, None)
    vocabulary = Vocabulary()
    truth = parse_column(table.column("answer"), context.of_item, context.extracted().distinct, vocabulary)
    distinct = context.extracted().distinct if extracted else context.distinct
    answers = parse_column(outputs, context.of_item, distinct, vocabulary)
    wrong = (answers != truth).astype(np.float64)
    unknown = np.asarray(outputs.is_null()) | (truth == NO_ANSWER)
    return np.where(unknown, np.nan, wrong)
