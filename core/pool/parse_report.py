"""The parse report: how many texts of a pool had an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from .columns import leaf, models
from .parsing import NO_ANSWER, PAD, Parsed, Vocabulary, contexts, parse_column
from .stored import StoredTable

_COLUMNS = ["source", "texts", "parsed", "unparsed", "unparsed_share", "distinct_answers", "example"]
_EXAMPLE_WIDTH = 120


def parse_report(table: pa.Table | StoredTable, generations: Parsed | None, parser: str | None) -> pd.DataFrame:
    """Count the texts with an answer.

    Returns
    -------
    DataFrame
        A row for each generation (1…k), for the truth, and for each target that has answers or texts: source, texts
        (how many there are), parsed, unparsed, unparsed_share (0…1, NaN without a text), distinct_answers, example (a
        text without an answer, shortened; empty if all have one).
    """
    rows = [] if generations is None else _generation_rows(table, generations)
    if "answer" in table.column_names:
        rows.append(_row(table, "truth", table.column("answer"), parser, extracted=True))
    for model in models(table):
        for field in ("answer", "text"):
            column = leaf(table, model, field)
            if column is not None:
                rows.append(_row(table, model, column, parser, extracted=field == "answer"))
                break
    return pd.DataFrame(rows, columns=_COLUMNS)


def _generation_rows(table: pa.Table | StoredTable, generations: Parsed) -> list[dict[str, Any]]:
    rows = []
    for position in range(generations.codes.shape[1]):
        column = generations.codes[:, position]
        unparsed = np.flatnonzero(column == NO_ANSWER)
        example = table.column("generations")[int(unparsed[0])][position].as_py() if unparsed.size else ""
        rows.append(_counted(f"generation {position + 1}", column[column != PAD], example))
    return rows


def _row(
    table: pa.Table | StoredTable, source: str, texts: pa.ChunkedArray, parser: str | None, extracted: bool
) -> dict[str, Any]:
    codes = parse_column(texts, contexts(table, parser, extracted=extracted), Vocabulary())
    present = np.asarray(texts.is_valid())
    unparsed = np.flatnonzero(present & (codes == NO_ANSWER))
    return _counted(source, codes[present], texts[int(unparsed[0])].as_py() if unparsed.size else "")


def _counted(source: str, codes: NDArray[np.int32], example: str) -> dict[str, Any]:
    unparsed = int((codes == NO_ANSWER).sum())
    return {
        "source": source,
        "texts": codes.size,
        "parsed": codes.size - unparsed,
        "unparsed": unparsed,
        "unparsed_share": unparsed / codes.size if codes.size else np.nan,
        "distinct_answers": np.unique(codes[codes != NO_ANSWER]).size,
        "example": example[:_EXAMPLE_WIDTH],
    }
