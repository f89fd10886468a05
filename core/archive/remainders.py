"""The parts of label files that are not kept as labels, so that a study accounts for each of their rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from ..labels.account import Account, Remainder

_ITEMS = "items"


def save(database: sqlite3.Connection, plan_id: str, remainders: Iterable[Remainder], batch: str, created: str) -> None:
    """Keep what is left of a file, in place of what was left of the last one of its name.

    Parameters
    ----------
    database : sqlite3.Connection
        In a transaction that writes.
    plan_id : str
        The plan.
    remainders : iterable of Remainder
        One for each way to read the file.
    batch : str
        The batch of its labels, with which they are undone; "" if none of them was new.
    created : str
        ISO time.
    """
    for one in remainders:
        rows = json.dumps(one.rows.facts | {_ITEMS: one.items})
        row = (plan_id, one.kind, one.target, one.name, batch, rows, json.dumps(one.notes))
        database.execute(
            "INSERT INTO label_files (plan_id, kind, target, name, batch, rows, notes, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (plan_id, kind, target, name) DO UPDATE SET"
            " batch = CASE excluded.batch WHEN '' THEN batch ELSE excluded.batch END, rows = excluded.rows,"
            " notes = excluded.notes, created = excluded.created",
            (*row, created),
        )


def of(database: sqlite3.Connection, plan_ids: Sequence[str]) -> tuple[Remainder, ...]:
    """List what is left of the files of plans, in the order in which they came."""
    marks = ", ".join("?" * len(plan_ids))
    query = (
        "SELECT name, kind, target, rows, notes, created FROM label_files"
        f" WHERE plan_id IN ({marks}) ORDER BY created, name"
    )
    return tuple(_read(*row) for row in database.execute(query, tuple(plan_ids)))


def forget(database: sqlite3.Connection, plan_id: str, batch: str) -> None:
    """Delete what was kept of a file beside its labels, which were this batch."""
    database.execute("DELETE FROM label_files WHERE plan_id = ? AND batch = ?", (plan_id, batch))


def _read(name: str, kind: str, target: str, rows: str, notes: str, created: str) -> Remainder:
    parts = json.loads(rows)
    # Earlier versions kept no items.
    items = tuple((str(item), str(fate)) for item, fate in parts.pop(_ITEMS, ()))
    return Remainder(name, kind, target, Account(**parts), tuple(json.loads(notes)), items, created)
