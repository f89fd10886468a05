"""The request as a plain list to fill in: CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
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
    writer.writerow([*frame.columns, *FILLED])
    for row in frame.itertuples(index=False, name=None):
        cells = (
            keep_id(str(value)) if name == "item_id" else cell(value, keep)
            for name, value in zip(frame.columns, row, strict=True)
        )
        writer.writerow([*cells, *[""] * len(FILLED)])
    return stream.getvalue()


def to_jsonl(frame: pd.DataFrame) -> str:
    """Return the request as JSON Lines, the lossless form: one object an item, ``label`` and ``annotator`` null."""
    records = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return "".join(
        json.dumps({**{k: plain(v) for k, v in r.items()}, **dict.fromkeys(FILLED)}, ensure_ascii=False) + "\n"
        for r in records
    )


def cell(value: Any, escaped: Callable[[str], str] = escape) -> Any:
    """Return a value as a cell: text ``escaped``, a list with one line an entry, "" for nothing."""
    entry = plain(value)
    if isinstance(entry, list):
        entry = "\n".join(map(str, entry))
    return "" if entry is None else escaped(entry) if isinstance(entry, str) else entry
