"""Labels in the archive's database: a log of changes, whose last entry for each key is what holds.

A key is (plan, item, annotator, kind, target, part). ``kind`` is what was asked ("" = not known), ``target`` the model
whose answer a label judges ("" = none: a right answer speaks of the item alone). The first label of an item by an
annotator is part 0, a different one in the same file part 1, and so on. Undoing removes the last batch, and what held
before holds again.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

WITHDRAWN = "withdrawn"
COLUMNS = ("plan_id", "item_id", "annotator", "kind", "target", "label", "note", "status", "source", "created")
_CHANGES = (
    "SELECT plan_id, item_id, annotator, kind, target, part, label, note, status, source, created FROM label_changes"
    " WHERE plan_id IN ({plans}) ORDER BY number"
)
_LABELLED = (
    "SELECT plan_id, item_id, created FROM (SELECT plan_id, item_id, label, created, ROW_NUMBER() OVER (PARTITION BY"
    " plan_id, item_id, annotator, kind, target, part ORDER BY number DESC) AS age FROM label_changes{where})"
    " WHERE age = 1 AND label IS NOT NULL"
)


# Where labels come from that were given one by one.
BY_HAND = "here"


class Import(NamedTuple):
    """A file of labels, or the pool's outcomes, as they were taken in: ``changes`` to the labels of ``people``."""

    plan_id: str
    batch: str
    source: str
    created: str
    changes: int
    people: tuple[str, ...]


class _Held(NamedTuple):
    label: str | None
    note: str | None
    status: str


_Whose = tuple[str, str, str, str]
_Key = tuple[str, str, str, str, int]


def save(
    database: sqlite3.Connection, plan_id: str, rows: pd.DataFrame, created: str, source: str, kind: str, target: str
) -> int:
    """Add what differs from what holds; return how many changes that are."""
    log = database.execute(_CHANGES.format(plans="?"), (plan_id,))
    held: dict[_Key, _Held] = {
        (item, annotator, asked, judged, part): _Held(*value)
        for _, item, annotator, asked, judged, part, *value, _, _ in log
    }
    changes = _changes(held, _given(rows, kind, target))
    batch = uuid.uuid4().hex
    database.executemany(
        "INSERT INTO label_changes (batch, plan_id, item_id, annotator, kind, target, part, label, note, status,"
        " source, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(batch, plan_id, *key, *value, source, created) for key, value in changes.items()],
    )
    return len(changes)


def current(database: sqlite3.Connection, plan_ids: Sequence[str]) -> pd.DataFrame:
    """What holds, without what was withdrawn.

    What a person said of an item under several of these plans is one opinion: the last that is a label, or the last.
    """
    latest: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    inside = ", ".join("?" * len(plan_ids))
    for plan_id, *whose, part, label, note, status, source, created in database.execute(
        _CHANGES.format(plans=inside), tuple(plan_ids)
    ):
        key = (plan_id, *whose, part)
        # What was changed moves to the end.
        latest.pop(key, None)
        latest[key] = (plan_id, *whose, label, note, status, source, created)
    rows = [row for row in latest.values() if row[7] != WITHDRAWN]
    holder: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    if len({row[0] for row in rows}) > 1:
        for row in rows:
            if row[5] is not None or holder.get(row[1:5], row)[5] is None:
                holder[row[1:5]] = row
        rows = [row for row in rows if row[0] == holder[row[1:5]][0]]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def counts(database: sqlite3.Connection) -> pd.DataFrame:
    """A row for each plan with labels: plan_id, items (that have a label), newest (time of the last label)."""
    query = (
        f"SELECT plan_id, COUNT(DISTINCT item_id), MAX(created) FROM ({_LABELLED.format(where='')}) GROUP BY plan_id"
        " ORDER BY MAX(created) DESC, plan_id"
    )
    return pd.DataFrame(database.execute(query).fetchall(), columns=["plan_id", "items", "newest"])


def count(database: sqlite3.Connection, plan_ids: Sequence[str]) -> int:
    """Number of items that have a label under one of these plans."""
    where = f" WHERE plan_id IN ({', '.join('?' * len(plan_ids))})"
    query = f"SELECT COUNT(DISTINCT item_id) FROM ({_LABELLED.format(where=where)})"
    return int(database.execute(query, tuple(plan_ids)).fetchone()[0])


def last_import(database: sqlite3.Connection, plan_ids: Sequence[str]) -> Import | None:
    """The last batch of these plans that was not given by hand."""
    inside = f"plan_id IN ({', '.join('?' * len(plan_ids))})"
    query = (
        f"SELECT plan_id, batch, source, created FROM label_changes WHERE {inside} AND source NOT LIKE '{BY_HAND}%'"
        " ORDER BY number DESC LIMIT 1"
    )
    last = database.execute(query, tuple(plan_ids)).fetchone()
    if last is None:
        return None
    query = "SELECT annotator, COUNT(*) FROM label_changes WHERE plan_id = ? AND batch = ? GROUP BY annotator"
    people = database.execute(query, last[:2]).fetchall()
    plan_id, batch, source, created = last
    changes, names = sum(count for _, count in people), tuple(name for name, _ in people)
    return Import(plan_id, batch, source, created, changes, names)


def undo_batch(database: sqlite3.Connection, plan_id: str, batch: str) -> int:
    """Remove one batch; what was changed since stays. Return the number of its changes."""
    query = "DELETE FROM label_changes WHERE plan_id = ? AND batch = ?"
    return database.execute(query, (plan_id, batch)).rowcount


def undo(database: sqlite3.Connection, plan_id: str, annotator: str | None, by_hand: bool) -> int:
    """Remove the last batch of a plan, of one annotator where given, or the last that was given by hand.

    Return the number of its changes.
    """
    whose, values = ("", (plan_id,)) if annotator is None else (" AND annotator = ?", (plan_id, annotator))
    here = f" AND source LIKE '{BY_HAND}%'" if by_hand else ""
    query = f"SELECT batch FROM label_changes WHERE plan_id = ?{whose}{here} ORDER BY number DESC LIMIT 1"
    last = database.execute(query, values).fetchone()
    if last is None:
        return 0
    return database.execute(
        f"DELETE FROM label_changes WHERE plan_id = ?{whose} AND batch = ?", (*values, *last)
    ).rowcount


def _given(rows: pd.DataFrame, kind: str, target: str) -> dict[_Whose, list[_Held]]:
    """The distinct labels of each item and annotator; skips only where there is no label; nothing for blanks."""
    found: dict[_Whose, list[_Held]] = {}
    columns = [_column(rows, name) for name in ("item_id", "annotator", "target", "label", "note", "status")]
    for item, annotator, judged, label, note, status in zip(*columns, strict=True):
        if label is None and status in (None, "", "empty"):
            continue
        whose = (str(item), annotator or "", kind, target if judged is None else judged)
        held = found.setdefault(whose, [])
        if held:
            # A later row with the same label replaces it, a label replaces skips, and a skip replaces no label.
            kept = [one for one in held if one.label not in (None, label)]
            if label is None and kept:
                continue
            held[:] = kept
        held.append(_Held(label, note, status or ""))
    return found


def _changes(held: dict[_Key, _Held], given: dict[_Whose, list[_Held]]) -> dict[_Key, _Held]:
    """The keys whose value changes; parts that are given no more are withdrawn."""
    changes: dict[_Key, _Held] = {}
    for whose, values in given.items():
        for part, value in enumerate(values):
            before = held.get((*whose, part))
            lost = value.label is None and before is not None and before.label is not None
            if before != value and not lost:
                changes[*whose, part] = value
        part = len(values)
        while values[0].label is not None and (old := held.get((*whose, part))) is not None:
            if old.status != WITHDRAWN:
                changes[*whose, part] = _Held(None, None, WITHDRAWN)
            part += 1
    return changes


def _column(rows: pd.DataFrame, name: str) -> list[Any]:
    """A column as Python values; None where it is missing or empty."""
    if name not in rows.columns:
        return [None] * len(rows)
    return [None if value is None or value != value else value for value in rows[name].tolist()]
