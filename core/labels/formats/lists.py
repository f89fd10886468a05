"""The request as a plain list to fill in, CSV and JSON Lines; and labels as they were given, as such a list."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from ..targets import ANSWERS_OF, columns_of_criteria, target_code
from .escaping import escape, keep, keep_id, plain

# The columns to fill in: the label, and who gave it.
FILLED = ("label", "annotator")
_GIVEN = ("item_id", "plan_id", "label", "annotator", "note", "status", "kind", "target", "source", "created")


def to_fill(columns: Iterable[object]) -> tuple[str, ...]:
    """Return the columns that a list gets beside those that it has: without ``label`` if criteria have theirs."""
    names = list(columns)
    return FILLED[1:] if columns_of_criteria(names) else FILLED


def to_csv(frame: pd.DataFrame) -> str:
    """Return the request as CSV (RFC 4180) with empty columns ``label`` and ``annotator`` to fill in.

    Text that a spreadsheet would run as a formula, or take for a number or a date, gets an apostrophe in front, which
    `core.labels.unescape` removes; a list (choices) has one line an entry.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    empty = to_fill(frame.columns)
    writer.writerow([*frame.columns, *empty])
    for row in frame.itertuples(index=False, name=None):
        cells = (
            keep_id(str(value)) if name == "item_id" else cell(value, keep)
            for name, value in zip(frame.columns, row, strict=True)
        )
        writer.writerow([*cells, *[""] * len(empty)])
    return stream.getvalue()


def to_jsonl(frame: pd.DataFrame) -> str:
    """Return the request as JSON Lines, the lossless form: one object an item, ``label`` and ``annotator`` null."""
    records = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return "".join(
        json.dumps({**{k: plain(v) for k, v in r.items()}, **dict.fromkeys(to_fill(frame.columns))}, ensure_ascii=False)
        + "\n"
        for r in records
    )


def labels_csv(rows: pd.DataFrame) -> str:
    """Kept labels as they were given, as CSV that `core.labels.read` takes back (RFC 4180, UTF-8).

    ``rows``: of `Archive.labels.of`. Texts are escaped as in `to_csv`. ``answers_of`` is the code of the target that a
    label judges.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([*_GIVEN, ANSWERS_OF])
    for row in rows[list(_GIVEN)].to_dict("records"):
        texts = ["" if value is None or value != value else str(value) for value in row.values()]
        code = target_code(row["target"]) if row["target"] else ""
        writer.writerow([keep_id(texts[0]), *map(keep, texts[1:]), code])
    return stream.getvalue()


def cell(value: Any, escaped: Callable[[str], str] = escape) -> Any:
    """Return a value as a cell: text ``escaped``, a list with one line an entry, "" for nothing."""
    entry = plain(value)
    if isinstance(entry, list):
        entry = "\n".join(map(str, entry))
    return "" if entry is None else escaped(entry) if isinstance(entry, str) else entry
