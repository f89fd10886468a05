"""The request as a plain list to fill: CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pandas as pd

from core.labels.escaping import escape, plain


def to_csv(frame: pd.DataFrame) -> str:
    """The request as CSV with an empty ``label`` column to fill (RFC 4180, UTF-8).

    Text that a spreadsheet would run as a formula is prefixed with an apostrophe, which `unescape` takes off again;
    lists (choices) are one line each option.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([*frame.columns, "label"])
    for row in frame.itertuples(index=False, name=None):
        writer.writerow([*(cell(value) for value in row), ""])
    return stream.getvalue()


def to_jsonl(frame: pd.DataFrame) -> str:
    """The request as JSON Lines, the lossless form: one object an item, ``label`` null until it is filled."""
    records = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return "".join(
        json.dumps({**{k: plain(v) for k, v in r.items()}, "label": None}, ensure_ascii=False) + "\n" for r in records
    )


def cell(value: Any) -> Any:
    """A value as one cell of a spreadsheet: escaped, lists with a line for each entry, "" for nothing."""
    found = plain(value)
    if found is None:
        return ""
    if isinstance(found, list):
        found = "\n".join(str(part) for part in found)
    return escape(found) if isinstance(found, str) else found
