"""The rows of ``label_changes``: added, removed, and read in the order in which they were made.

Every row carries a checksum of its columns, and ``label_sums`` holds, for each plan, the number of its rows and the sum
of their checksums. A reader verifies both, so that neither a flipped byte nor a row that an index has lost passes
unnoticed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from . import setback
from .checksums import checksum
from .troubles import DamagedError

_CHUNK = 500
# Of more items than a chunk, and than this share of the plan's changes, the changes are picked from all of the plan's.
_MANY = 0.2

# A change without its checksum; ``part`` numbers different labels of an item by one annotator in one file.
Change = tuple[int, str, str, str, str, str, str, int, str | None, str | None, str, str, str]
# The same without number, batch and plan.
_Added = tuple[str, str, str, str, int, str | None, str | None, str, str, str]
_NAMES = (
    *("number", "batch", "plan_id", "item_id", "annotator", "kind", "target", "part"),
    *("label", "note", "status", "source", "created", "checksum"),
)
_COLUMNS = ", ".join(_NAMES)


def read(database: sqlite3.Connection, plan_ids: Sequence[str], items: Collection[str] | None = None) -> list[Change]:
    """List the changes of plans, oldest first: number, batch, plan_id, item_id … created.

    Parameters
    ----------
    database : sqlite3.Connection
        In a transaction, so that rows and sums belong together.
    plan_ids : sequence of str
        The plans.
    items : collection of str, optional
        Only changes of these items; others are not read.

    Raises
    ------
    DamagedError
        A row is not what was written, or, if ``items`` are left out, one is missing.
    """
    plans, sums = _marks(plan_ids), _sums(database, plan_ids)
    if items is None or len(items) > max(_CHUNK, _MANY * sum(changes for changes, _ in sums.values())):
        query = f"SELECT {_COLUMNS} FROM label_changes WHERE plan_id IN ({plans}) ORDER BY number"
        rows = database.execute(query, tuple(plan_ids)).fetchall()
        _check_sums(sums, rows)
        if items is not None:
            chosen = set(items)
            rows = [row for row in rows if row[3] in chosen]
    else:
        ids, rows = list(items), []
        for start in range(0, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            # Not by the index of plans, which has all their rows.
            query = (
                f"SELECT {_COLUMNS} FROM label_changes INDEXED BY label_changes_of_item"
                f" WHERE plan_id IN ({plans}) AND item_id IN ({_marks(chunk)})"
            )
            rows += database.execute(query, (*plan_ids, *chunk)).fetchall()
        rows.sort()
    changes = [row[:-1] for row in rows]
    for change, row in zip(changes, rows, strict=True):
        if checksum(*change) != row[-1]:
            raise DamagedError(f"a label of item “{row[3]}” of plan {row[2]} is not what was saved")
    return changes


def add(database: sqlite3.Connection, batch: str, plan_id: str, rows: Iterable[_Added]) -> None:
    """Add changes of a plan.

    Parameters
    ----------
    database : sqlite3.Connection
        In a transaction that writes.
    batch : str
        What is undone as one.
    plan_id : str
        The plan.
    rows : iterable of tuple
        The other columns, from ``item_id`` on.
    """
    # A step that was undone may be saved again.
    database.execute(f"DELETE FROM discarded WHERE {setback.OF_BATCH}", setback.batch_range(plan_id, batch))
    last = int(database.execute("SELECT coalesce(max(number), 0) FROM label_changes").fetchone()[0])
    changes = [(number, batch, plan_id, *row) for number, row in enumerate(rows, start=last + 1)]
    sums = [checksum(*change) for change in changes]
    database.executemany(
        f"INSERT INTO label_changes ({_COLUMNS}) VALUES ({_marks(_NAMES)})",
        ((*change, one) for change, one in zip(changes, sums, strict=True)),
    )
    _add_to_sums(database, plan_id, len(changes), sum(sums))


def remove(database: sqlite3.Connection, plan_id: str, batch: str, annotator: str | None = None) -> int:
    """Remove one batch of a plan, or what one annotator has in it, and return the number of its changes."""
    where = "plan_id = :plan AND batch = :batch AND (:annotator IS NULL OR annotator = :annotator)"
    values = {"plan": plan_id, "batch": batch, "annotator": annotator}
    query = f"SELECT count(*), coalesce(sum(checksum), 0) FROM label_changes WHERE {where}"
    count, checksums = database.execute(query, values).fetchone()
    people = database.execute(f"SELECT DISTINCT annotator FROM label_changes WHERE {where}", values).fetchall()
    setback.discard(database, (setback.label_key(plan_id, batch, person) for (person,) in people))
    database.execute(f"DELETE FROM label_changes WHERE {where}", values)
    _add_to_sums(database, plan_id, -count, -checksums)
    return int(count)


def _sums(database: sqlite3.Connection, plan_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of each plan: how many changes it has, and the sum of their checksums."""
    query = f"SELECT plan_id, changes, checksums FROM label_sums WHERE plan_id IN ({_marks(plan_ids)})"
    known = {plan_id: (changes, total) for plan_id, changes, total in database.execute(query, tuple(plan_ids))}
    return {plan_id: known.get(plan_id, (0, 0)) for plan_id in plan_ids}


def _check_sums(sums: Mapping[str, tuple[int, int]], rows: list[Any]) -> None:
    for plan_id, expected in sums.items():
        checksums = [row[-1] for row in rows if row[2] == plan_id]
        if (len(checksums), sum(checksums)) != expected:
            raise DamagedError(f"the labels of plan {plan_id} are not those that were saved")


def _add_to_sums(database: sqlite3.Connection, plan_id: str, changes: int, checksums: int) -> None:
    database.execute(
        "INSERT INTO label_sums (plan_id, changes, checksums) VALUES (?, ?, ?) ON CONFLICT (plan_id) DO UPDATE SET"
        " changes = changes + excluded.changes, checksums = checksums + excluded.checksums",
        (plan_id, changes, checksums),
    )


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))
