"""Losses of a target from whatever the pool knows of it: ``loss``, or else ``answer``, or else ``text``."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.pool.columns import leaf
from core.pool.parsing import NO_ANSWER, Vocabulary, contexts, parse_column
from core.pool.stored import StoredTable


def losses(table: pa.Table | StoredTable, target: str, parser: str | None) -> NDArray[np.float64]:
    """Compute the losses of a target, (N,) float; NaN where the outcome or the truth is unknown.

    Truth and output are parsed by ``parser`` or else the item's own kind, and compared: equal 0, different or without
    an answer 1.
    """
    known = leaf(table, target, "loss")
    values = np.full(table.num_rows, np.nan) if known is None else np.array(known.to_numpy(), dtype=np.float64)
    for field in ("answer", "text") if "answer" in table.column_names else ():
        unknown = np.isnan(values)
        column = leaf(table, target, field) if unknown.any() else None
        if column is not None:
            values[unknown] = _compared(table, column, parser, extracted=field == "answer")[unknown]
    return values


def _compared(
    table: pa.Table | StoredTable, outputs: pa.ChunkedArray, parser: str | None, extracted: bool
) -> NDArray[np.float64]:
    of_truth, of_output = contexts(table, parser, extracted=True), contexts(table, parser, extracted=extracted)
    vocabulary = Vocabulary()
    truth = parse_column(table.column("answer"), of_truth, vocabulary)
    answers = parse_column(outputs, of_output, vocabulary)
    wrong = (answers != truth).astype(np.float64)
    return np.where(np.asarray(outputs.is_null()) | (truth == NO_ANSWER), np.nan, wrong)
