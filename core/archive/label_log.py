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

from core.labels.rows import WITHDRAWN, as_texts, column, label_text, text_of

# Where labels come from that were given one by one. Until kinds had a column of their own they stood behind it.
BY_HAND = "here"
_BY_HAND = (BY_HAND, *(f"{BY_HAND} {kind}" for kind in ("right-wrong", "gold", "score")))
COLUMNS = ("plan_id", "item_id", "annotator", "kind", "target", "label", "note", "status", "source", "created")
_CHANGES = (
    "SELECT plan_id, item_id, annotator, kind, target, part, label, note, status, source, created FROM label_changes"
    " WHERE plan_id IN ({plans}) ORDER BY number"
)
_LABELLED = (
    "SELECT plan_id, item_id, created FROM (SELECT plan_id, item_id, label, status, created, ROW_NUMBER() OVER"
    " (PARTITION BY plan_id, item_id, annotator, kind, target, part ORDER BY number DESC) AS age"
    " FROM label_changes{where})"
    f" WHERE age = 1 AND label IS NOT NULL AND status <> '{WITHDRAWN}'"
)


class Import(NamedTuple):
    """A file of labels, or the pool's outcomes, as they were taken in: ``changes`` to labels of ``people``."""

    plan_id: str
    batch: str
    source: str
    created: str
    changes: int
    people: tuple[str, ...]
    kinds: tuple[str, ...] = ()


class _Held(NamedTuple):
    label: str | None
    note: str | None
    status: str


_GONE = _Held(None, None, WITHDRAWN)
_Whose = tuple[str, str, str, str]
_Key = tuple[str, str, str, str, int]


def save(
    database: sqlite3.Connection,
    plan_id: str,
    rows: pd.DataFrame,
    created: str,
    source: str,
    kind: str,
    target: str,
    also: Sequence[str] = (),
) -> int:
    """Add what differs from what holds under the plan, or ``also`` others; return how many changes that are."""
    given = _given(as_texts(rows), kind, target)
    log = database.execute(_CHANGES.format(plans="?"), (plan_id,))
    held: dict[_Whose, dict[int, _Held]] = {}
    for _, item, annotator, asked, judged, part, label, note, status, _, _ in log:
        held.setdefault((item, annotator, asked, judged), {})[part] = _Held(label or None, note, status)
    for whose, said in _elsewhere(database, plan_id, also).items():
        if whose in given:
            if _adds_nothing(given[whose], said):
                del given[whose]
            else:
                # Given anew, so that it is the last word, whatever held under this plan.
                held[whose] = dict.fromkeys(held.get(whose, ()), _Held(None, None, ""))
    changes = _changes(held, given)
    batch = uuid.uuid4().hex
    database.executemany(
        "INSERT INTO label_changes (batch, plan_id, item_id, annotator, kind, target, part, label, note, status,"
        " source, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(batch, plan_id, *key, *value, source, created) for key, value in changes.items()],
    )
    return len(changes)


def current(database: sqlite3.Connection, plan_ids: Sequence[str]) -> pd.DataFrame:
    """What holds, without what was withdrawn.

    What a person said of an item under several of these plans is one opinion: the last that is a label, or the last,
    with the last note on that label.
    """
    return pd.DataFrame(_latest(database, plan_ids), columns=list(COLUMNS), dtype=object)


def _latest(database: sqlite3.Connection, plan_ids: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows of `current`."""
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
        notes = {row[1:6]: row[6] for row in rows if row[6] is not None}
        rows = [
            (*row[:6], notes.get(row[1:6]) if row[6] is None else row[6], *row[7:])
            for row in rows
            if row[0] == holder[row[1:5]][0]
        ]
    return rows


def is_by_hand(source: str) -> bool:
    """Whether a source is that of labels given one by one, and no file's."""
    return source in _BY_HAND


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
        f"SELECT plan_id, batch, source, created FROM label_changes WHERE {inside} AND source NOT IN"
        f" ({', '.join('?' * len(_BY_HAND))}) ORDER BY number DESC LIMIT 1"
    )
    last = database.execute(query, (*plan_ids, *_BY_HAND)).fetchone()
    if last is None:
        return None
    query = "SELECT annotator, kind, COUNT(*) FROM label_changes WHERE plan_id = ? AND batch = ? GROUP BY 1, 2"
    groups = database.execute(query, last[:2]).fetchall()
    people, kinds = (tuple(sorted({group[place] for group in groups})) for place in (0, 1))
    plan_id, batch, source, created = last
    return Import(plan_id, batch, source, created, sum(count for *_, count in groups), people, kinds)


def undo_batch(database: sqlite3.Connection, plan_id: str, batch: str) -> int:
    """Remove one batch; what was changed since stays. Return the number of its changes."""
    query = "DELETE FROM label_changes WHERE plan_id = ? AND batch = ?"
    return database.execute(query, (plan_id, batch)).rowcount


def undo(database: sqlite3.Connection, plan_id: str, annotator: str | None, by_hand: bool) -> int:
    """Remove the last batch of a plan, of one annotator where given, or the last that was given by hand.

    Return the number of its changes.
    """
    whose, values = ("", (plan_id,)) if annotator is None else (" AND annotator = ?", (plan_id, annotator))
    here, sources = (f" AND source IN ({', '.join('?' * len(_BY_HAND))})", _BY_HAND) if by_hand else ("", ())
    query = f"SELECT batch FROM label_changes WHERE plan_id = ?{whose}{here} ORDER BY number DESC LIMIT 1"
    last = database.execute(query, (*values, *sources)).fetchone()
    if last is None:
        return 0
    return database.execute(
        f"DELETE FROM label_changes WHERE plan_id = ?{whose} AND batch = ?", (*values, *last)
    ).rowcount


def _given(rows: pd.DataFrame, kind: str, target: str) -> dict[_Whose, list[_Held]]:
    """The distinct labels of each item and annotator; skips only where there is no label; nothing for blanks."""
    found: dict[_Whose, list[_Held]] = {}
    columns = [column(rows, name) for name in ("item_id", "annotator", "kind", "target", "label", "note", "status")]
    for item, annotator, own, judged, given, note, status in zip(*columns, strict=True):
        label = None if status == WITHDRAWN else label_text(given)
        if label is None and status in (None, "", "empty"):
            continue
        # A right answer speaks of the item alone.
        asked = own or kind
        of = "" if asked == "gold" else target if judged is None else judged
        held = found.setdefault((item, annotator or "", asked, of), [])
        new = _Held(label, text_of(note), status or "")
        if held:
            # A later row with the same label replaces it, a label replaces skips, and a skip replaces no label.
            kept = [one for one in held if one.label not in (None, label)]
            if label is None and kept:
                continue
            new = _with_note(new, held)
            held[:] = kept
        held.append(new)
    return found


def _changes(held: dict[_Whose, dict[int, _Held]], given: dict[_Whose, list[_Held]]) -> dict[_Key, _Held]:
    """The keys whose value changes; parts that are given no more are withdrawn."""
    changes: dict[_Key, _Held] = {}
    for whose, values in given.items():
        own = held.get(whose)
        # Undoing an older file may have left a part without those before it.
        before = [own.get(part, _GONE) for part in range(max(own) + 1)] if own else []
        for part, value in enumerate(values):
            old = before[part] if part < len(before) else _GONE
            if value == old:
                continue
            new = _with_note(value, before)
            if new != old and (new.label is not None or new.status == WITHDRAWN or old.label is None):
                changes[*whose, part] = new
        if len(before) > len(values) and (values[0].label is not None or values[0].status == WITHDRAWN):
            for part, old in enumerate(before[len(values) :], start=len(values)):
                if old != _GONE:
                    changes[*whose, part] = _GONE
    return changes


def _elsewhere(database: sqlite3.Connection, plan_id: str, also: Sequence[str]) -> dict[_Whose, list[_Held]]:
    """What holds under another of these plans and not under this one."""
    found: dict[_Whose, list[_Held]] = {}
    rows = _latest(database, (plan_id, *also)) if also else []
    for plan, item, annotator, kind, target, label, note, status, *_ in rows:
        if plan != plan_id:
            found.setdefault((item, annotator, kind, target), []).append(_Held(label or None, note, status))
    return found


def _adds_nothing(values: list[_Held], said: list[_Held]) -> bool:
    """Whether the same labels and notes are held already, or a label that no row without one replaces."""
    if values[0].label is None and values[0].status != WITHDRAWN:
        return said[0].label is not None or values[0] in said
    return {one.label for one in values} == {one.label for one in said} and all(
        _with_note(one, said) in said for one in values
    )


def _with_note(new: _Held, before: Sequence[_Held]) -> _Held:
    """``new`` with the note that the same was given with before, where it has none: a file without notes takes none."""
    if new.note is not None or not before:
        return new
    notes = [old.note for old in before if (old.label, old.status) == (new.label, new.status) and old.note is not None]
    return new._replace(note=notes[-1]) if notes else new
