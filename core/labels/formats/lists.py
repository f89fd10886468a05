"""The request as a plain list to fill: CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pandas as pd

from core.labels.formats.escaping import escape, keep, keep_id, plain

# The columns that are filled: what the annotator finds, and who that is.
FILLED = ("label", "annotator")


def to_csv(frame: pd.DataFrame) -> str:
    """The request as CSV with empty columns ``label`` and ``annotator`` to fill (RFC 4180, UTF-8).

    Text that a spreadsheet would run as a formula, or take for a number or a date, is prefixed with an apostrophe,
    which `unescape` takes off again; lists (choices) are one line each option.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    names = list(frame.columns)
    writer.writerow([*names, *FILLED])
    for row in frame.itertuples(index=False, name=None):
        writer.writerow([*(_kept(name, value) for name, value in zip(names, row, strict=True)), *[""] * len(FILLED)])
    return stream.getvalue()


def to_jsonl(frame: pd.DataFrame) -> str:
    """The request as JSON Lines, the lossless form: one object an item, ``label`` and ``annotator`` null."""
    records = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return "".join(
        json.dumps({**{k: plain(v) for k, v in r.items()}, **dict.fromkeys(FILLED)}, ensure_ascii=False) + "\n"
        for r in records
    )


def cell(value: Any) -> Any:
    """A value as one cell of a workbook: escaped, lists with a line for each entry, "" for nothing."""
    found = _flat(value)
    return escape(found) if isinstance(found, str) else found


def _kept(name: str, value: Any) -> Any:
    """A value as one cell of CSV."""
    if name == "item_id":
        return keep_id(str(value))
    found = _flat(value)
    return keep(found) if isinstance(found, str) else found


def _flat(value: Any) -> Any:
    found = plain(value)
    if isinstance(found, list):
        return "\n".join(str(part) for part in found)
    return "" if found is None else found
