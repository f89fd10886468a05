"""The request as a plain list to fill in: CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pandas as pd

from core.labels.formats.escaping import escape, keep, keep_id, plain

# The columns to fill in: the label, and who gave it.
FILLED = ("label", "annotator")


def to_csv(frame: pd.DataFrame) -> str:
    """Return the request as CSV (RFC 4180) with empty columns ``label`` and ``annotator`` to fill in.

    Text that a spreadsheet would run as a formula, or take for a number or a date, gets an apostrophe in front, which
    `core.labels.unescape` removes; a list (choices) has one line an entry.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    names = list(frame.columns)
    writer.writerow([*names, *FILLED])
    for row in frame.itertuples(index=False, name=None):
        writer.writerow(
            [*(_csv_cell(name, value) for name, value in zip(names, row, strict=True)), *[""] * len(FILLED)]
        )
    return stream.getvalue()


def to_jsonl(frame: pd.DataFrame) -> str:
    """Return the request as JSON Lines, the lossless form: one object an item, ``label`` and ``annotator`` null."""
    records = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return "".join(
        json.dumps({**{k: plain(v) for k, v in r.items()}, **dict.fromkeys(FILLED)}, ensure_ascii=False) + "\n"
        for r in records
    )


def cell(value: Any) -> Any:
    """Return a value as a cell of a workbook: text escaped, a list with one line an entry, "" for nothing."""
    flat = _flat(value)
    return escape(flat) if isinstance(flat, str) else flat


def _csv_cell(name: str, value: Any) -> Any:
    """Return a value as a cell of CSV."""
    if name == "item_id":
        return keep_id(str(value))
    flat = _flat(value)
    return keep(flat) if isinstance(flat, str) else flat


def _flat(value: Any) -> Any:
    entry = plain(value)
    if isinstance(entry, list):
        return "\n".join(map(str, entry))
    return "" if entry is None else entry
