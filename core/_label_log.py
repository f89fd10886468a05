"""Labels in the archive's database: a log of changes, whose last entry for each key is what holds.

A key is (plan, item, annotator, part): the first label of an item by an annotator is part 0, a different one in the
same file part 1, and so on. Undoing removes the last batch, and what held before holds again.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

WITHDRAWN = "withdrawn"
COLUMNS = ("plan_id", "item_id", "annotator", "label", "note", "status", "source", "created")
_CHANGES = (
    "SELECT item_id, annotator, part, label, note, status, source, created FROM label_changes WHERE plan_id = ?"
    " ORDER BY number"
)


class _Held(NamedTuple):
    label: str | None
    note: str | None
    status: str


_Key = tuple[str, str, int]


def save(database: sqlite3.Connection, plan_id: str, rows: pd.DataFrame, created: str, source: str) -> int:
    """Add what differs from what holds; return how many changes that are."""
    log = database.execute(_CHANGES, (plan_id,))
    held = {(item, annotator, part): _Held(*value) for item, annotator, part, *value, _, _ in log}
    changes = _changes(held, _given(rows))
    batch = uuid.uuid4().hex
    database.executemany(
        "INSERT INTO label_changes (batch, plan_id, item_id, annotator, part, label, note, status, source, created)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(batch, plan_id, *key, *value, source, created) for key, value in changes.items()],
    )
    return len(changes)


def current(database: sqlite3.Connection, plan_ids: Sequence[str]) -> pd.DataFrame:
    """What holds, without what was withdrawn."""
    rows: list[tuple[Any, ...]] = []
    for plan_id in dict.fromkeys(plan_ids):
        latest: dict[_Key, tuple[Any, ...]] = {}
        for item, annotator, part, *value in database.execute(_CHANGES, (plan_id,)):
            # What was changed moves to the end.
            latest.pop((item, annotator, part), None)
            latest[item, annotator, part] = (plan_id, item, annotator, *value)
        rows += [row for row in latest.values() if row[5] != WITHDRAWN]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def undo(database: sqlite3.Connection, plan_id: str, annotator: str | None) -> int:
    """Remove the last batch of a plan, of one annotator where given; return the number of its changes."""
    whose, values = ("", (plan_id,)) if annotator is None else (" AND annotator = ?", (plan_id, annotator))
    query = f"SELECT batch FROM label_changes WHERE plan_id = ?{whose} ORDER BY number DESC LIMIT 1"
    last = database.execute(query, values).fetchone()
    if last is None:
        return 0
    return database.execute(
        f"DELETE FROM label_changes WHERE plan_id = ?{whose} AND batch = ?", (*values, *last)
    ).rowcount


def _given(rows: pd.DataFrame) -> dict[tuple[str, str], list[_Held]]:
    """The distinct labels of each item and annotator; skips only where there is no label; nothing for blanks."""
    found: dict[tuple[str, str], list[_Held]] = {}
    columns = [_column(rows, name) for name in ("item_id", "annotator", "label", "note", "status")]
    for item, annotator, label, note, status in zip(*columns, strict=True):
        if label is None and status in (None, "", "empty"):
            continue
        held = found.setdefault((str(item), annotator or ""), [])
        if held:
            # A later row with the same label replaces it, a label replaces skips, and a skip replaces no label.
            kept = [one for one in held if one.label not in (None, label)]
            if label is None and kept:
                continue
            held[:] = kept
        held.append(_Held(label, note, status or ""))
    return found


def _changes(held: dict[_Key, _Held], given: dict[tuple[str, str], list[_Held]]) -> dict[_Key, _Held]:
    """The keys whose value changes; parts that are given no more are withdrawn."""
    changes: dict[_Key, _Held] = {}
    for (item, annotator), values in given.items():
        for part, value in enumerate(values):
            before = held.get((item, annotator, part))
            lost = value.label is None and before is not None and before.label is not None
            if before != value and not lost:
                changes[item, annotator, part] = value
        part = len(values)
        while values[0].label is not None and (old := held.get((item, annotator, part))) is not None:
            if old.status != WITHDRAWN:
                changes[item, annotator, part] = _Held(None, None, WITHDRAWN)
            part += 1
    return changes


def _column(rows: pd.DataFrame, name: str) -> list[Any]:
    """A column as Python values; None where it is missing or empty."""
    if name not in rows.columns:
        return [None] * len(rows)
    return [None if value is None or value != value else value for value in rows[name].tolist()]
