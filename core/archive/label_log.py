"""Labels in the archive's database: a log of changes, whose last entry for each key counts.

Every row carries a checksum of its columns, and ``label_sums`` holds, for each plan, the number of its rows and the sum
of their checksums. A reader verifies both, so that neither a flipped byte nor a row that an index has lost passes
unnoticed.

A key is (plan, item, annotator, kind, target, part). ``kind`` is the kind of label ("" = not known), ``target`` the
model whose answer a label judges ("" = none: a right answer belongs to the item alone). The first label of an item by
an annotator is part 0, a different one in the same file part 1, and so on. Undoing removes the last batch, and the
entries before it count again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from ..labels.kinds import KINDS
from ..labels.rows import WITHDRAWN, as_texts, column, label_text, text_of
from ..labels.targets import is_code
from . import copies
from .recovery import DamagedError
from .schema import checksum

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
    database.execute(f"DELETE FROM discarded WHERE {copies.OF_BATCH}", copies.batch_range(plan_id, batch))
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
    copies.discard(database, (copies.label_key(plan_id, batch, person) for (person,) in people))
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


# The source of labels given one by one. Until kinds had a separate column they stood behind it.
BY_HAND = "here"
_Label = tuple[str, str, str, str]
_Key = tuple[str, str, str, str, int]
_BY_HAND = (BY_HAND, *(f"{BY_HAND} {kind}" for kind in KINDS))
_KEY_COLUMNS = ("plan_id", "item_id", "annotator", "kind", "target", "part")
_AGE = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(_KEY_COLUMNS)} ORDER BY number DESC) AS age"
_COUNTS = f"age = 1 AND label IS NOT NULL AND status <> '{WITHDRAWN}'"
_LABELLED = (
    f"SELECT plan_id, item_id, created FROM (SELECT plan_id, item_id, label, status, created, {_AGE}"
    f" FROM label_changes{{where}}) WHERE {_COUNTS}"
)


class Import(NamedTuple):
    """An import: a file of labels, or the pool's outcomes.

    Parameters
    ----------
    plan_id : str
        Id of the plan.
    batch : str
        Its id.
    source : str
        Format of the file, or where else the labels came from.
    created : str
        ISO time.
    changes : int
        Number of labels that were new or different.
    people : tuple of str
        Annotators of these labels.
    kinds : tuple of str
        Kinds of these labels.
    """

    plan_id: str
    batch: str
    source: str
    created: str
    changes: int
    people: tuple[str, ...]
    kinds: tuple[str, ...] = ()


class _Row(NamedTuple):
    plan_id: str
    item_id: str
    annotator: str
    kind: str
    target: str
    label: str | None
    note: str | None
    status: str
    source: str
    created: str

    @property
    def whose(self) -> _Label:
        return self[1:5]


COLUMNS = _Row._fields


class _Entry(NamedTuple):
    label: str | None
    note: str | None
    status: str


_WITHDRAWN = _Entry(None, None, WITHDRAWN)


def save(
    database: sqlite3.Connection,
    plan_id: str,
    rows: pd.DataFrame,
    created: str,
    source: str,
    kind: str,
    target: str,
    batch: str,
    also: Sequence[str] = (),
) -> int:
    """Add what differs from the labels of the plan, and of the plans ``also``; return the number of changes."""
    new = _entries(as_texts(rows), kind, target)
    items = {key[0] for key in new}
    entries: dict[_Label, dict[int, _Entry]] = {}
    for change in read(database, (plan_id,), items):
        part, label, note, status = change[7:11]
        entries.setdefault(change[3:7], {})[part] = _Entry(label or None, note, status)
    for key, others in _elsewhere(database, plan_id, also, items).items():
        if key in new:
            if _adds_nothing(new[key], others):
                del new[key]
            else:
                # Written again, so that it counts, whatever this plan had.
                entries[key] = dict.fromkeys(entries.get(key, ()), _Entry(None, None, ""))
    different = _changes(entries, new)
    added = [(*key, *value, source, created) for key, value in different.items()]
    if added:
        add(database, batch, plan_id, added)
    return len(added)


def current(
    database: sqlite3.Connection, plan_ids: Sequence[str], items: Collection[str] | None = None
) -> pd.DataFrame:
    """List the labels that count, of these items or of all, without those withdrawn.

    A person's labels of an item under several of these plans are one opinion: the last that is a label, or the last,
    with the last note on that label.
    """
    rows = _latest(database, plan_ids, items)
    columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
    return pd.DataFrame(dict(zip(COLUMNS, map(list, columns), strict=True)), dtype=object)


def _latest(database: sqlite3.Connection, plan_ids: Sequence[str], items: Collection[str] | None = None) -> list[_Row]:
    """List the rows of `current`."""
    latest: dict[tuple[str, str, str, str, str, int], Change] = {}
    for change in read(database, plan_ids, items):
        key = change[2:8]
        # What was changed moves to the end.
        latest.pop(key, None)
        latest[key] = change
    rows = [_Row._make(change[2:7] + change[8:]) for change in latest.values() if change[10] != WITHDRAWN]
    if len({row.plan_id for row in rows}) < 2:
        return rows
    holder: dict[_Label, _Row] = {}
    for row in rows:
        if row.label is not None or holder.get(row.whose, row).label is None:
            holder[row.whose] = row
    notes = {(row.whose, row.label): row.note for row in rows if row.note is not None}
    return [
        row._replace(note=notes.get((row.whose, row.label))) if row.note is None else row
        for row in rows
        if row.plan_id == holder[row.whose].plan_id
    ]


def given(database: sqlite3.Connection, plan_id: str, item: str, step: str) -> bool:
    """Whether a step has changed a label of an item."""
    query = "SELECT 1 FROM label_changes WHERE plan_id = ? AND item_id = ? AND batch = ? LIMIT 1"
    return database.execute(query, (plan_id, item, step)).fetchone() is not None


def is_by_hand(source: str) -> bool:
    """Whether a source is that of labels given one by one, and no file's."""
    return source in _BY_HAND


def judged(database: sqlite3.Connection, items_digest: str) -> tuple[str, ...]:
    """Name the models that labels of plans on these items judge, the newest last; not those that a code stands for."""
    query = (
        f"SELECT target FROM (SELECT target, number, label, status, {_AGE} FROM label_changes WHERE plan_id IN"
        " (SELECT plan_id FROM designs WHERE items = ?) AND target <> '')"
        f" WHERE {_COUNTS} GROUP BY target ORDER BY max(number)"
    )
    return tuple(name for (name,) in database.execute(query, (items_digest,)) if not is_code(name))


def counts(database: sqlite3.Connection) -> pd.DataFrame:
    """Count labelled items; a row for each plan with labels: plan_id, items, newest (time of the last label)."""
    query = (
        f"SELECT plan_id, COUNT(DISTINCT item_id), MAX(created) FROM ({_LABELLED.format(where='')}) GROUP BY plan_id"
        " ORDER BY MAX(created) DESC, plan_id"
    )
    return pd.DataFrame(database.execute(query).fetchall(), columns=["plan_id", "items", "newest"])


def count(database: sqlite3.Connection, plan_ids: Sequence[str]) -> int:
    """Count the items that have a label under one of these plans."""
    where = f" WHERE plan_id IN ({', '.join('?' * len(plan_ids))})"
    query = f"SELECT COUNT(DISTINCT item_id) FROM ({_LABELLED.format(where=where)})"
    return int(database.execute(query, tuple(plan_ids)).fetchone()[0])


def has_labels(database: sqlite3.Connection, plan_ids: Sequence[str]) -> bool:
    """Whether any item has a label under one of these plans."""
    # Ends at the first; counting would read them all.
    query = (
        f"SELECT 1 FROM label_changes AS one WHERE plan_id IN ({', '.join('?' * len(plan_ids))}) AND label IS NOT NULL"
        f" AND status <> '{WITHDRAWN}' AND NOT EXISTS (SELECT 1 FROM label_changes AS later WHERE"
        f" {' AND '.join(f'later.{name} = one.{name}' for name in _KEY_COLUMNS)} AND later.number > one.number) LIMIT 1"
    )
    return database.execute(query, tuple(plan_ids)).fetchone() is not None


def last_import(database: sqlite3.Connection, plan_ids: Sequence[str]) -> Import | None:
    """Find the last batch of these plans that was not given by hand."""
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


def undo(database: sqlite3.Connection, plan_id: str, annotator: str | None, by_hand: bool) -> int:
    """Remove the last batch of a plan and return the number of its changes.

    Only batches of one annotator count if one is named, and only those given by hand if ``by_hand``.
    """
    whose, values = ("", (plan_id,)) if annotator is None else (" AND annotator = ?", (plan_id, annotator))
    here, sources = (f" AND source IN ({', '.join('?' * len(_BY_HAND))})", _BY_HAND) if by_hand else ("", ())
    query = f"SELECT batch FROM label_changes WHERE plan_id = ?{whose}{here} ORDER BY number DESC LIMIT 1"
    last = database.execute(query, (*values, *sources)).fetchone()
    return 0 if last is None else remove(database, plan_id, last[0], annotator)


def _entries(rows: pd.DataFrame, kind: str, target: str) -> dict[_Label, list[_Entry]]:
    """Collect the distinct labels of each item and annotator: a skip if there is no label, nothing for a blank."""
    entries: dict[_Label, list[_Entry]] = {}
    columns = [column(rows, name) for name in ("item_id", "annotator", "kind", "target", "label", "note", "status")]
    entry = cache(_entry)
    for item, annotator, label_kind, judged, value, note, status in zip(*columns, strict=True):
        new = entry(value, note, status)
        if new is None:
            continue
        # A right answer belongs to the item alone.
        label_kind = label_kind or kind
        of = "" if label_kind == "gold" else target if judged is None else judged
        labels = entries.setdefault((item, annotator or "", label_kind, of), [])
        if labels:
            # A later row with the same label replaces it, a label replaces skips, and a skip replaces no label.
            others = [one for one in labels if one.label not in (None, new.label)]
            if new.label is None and others:
                continue
            new = _with_note(new, labels)
            labels[:] = others
        labels.append(new)
    return entries


def _entry(value: str | None, note: str | None, status: str | None) -> _Entry | None:
    """Return the entry of a row, None for a blank."""
    label = None if status == WITHDRAWN else label_text(value)
    return None if label is None and status in (None, "", "empty") else _Entry(label, text_of(note), status or "")


def _changes(entries: dict[_Label, dict[int, _Entry]], labels: dict[_Label, list[_Entry]]) -> dict[_Key, _Entry]:
    """Find the keys whose entry changes; parts that the new labels lack are withdrawn."""
    changes: dict[_Key, _Entry] = {}
    for key, values in labels.items():
        parts = entries.get(key)
        if parts is None:
            for part, value in enumerate(values):
                if value != _WITHDRAWN:
                    changes[*key, part] = value
            continue
        # Undoing an older file may have left a part without those before it.
        before = [parts.get(part, _WITHDRAWN) for part in range(max(parts) + 1)] if parts else []
        for part, value in enumerate(values):
            old = before[part] if part < len(before) else _WITHDRAWN
            if value == old:
                continue
            new = _with_note(value, before)
            if new != old and (new.label is not None or new.status == WITHDRAWN or old.label is None):
                changes[*key, part] = new
        if len(before) > len(values) and (values[0].label is not None or values[0].status == WITHDRAWN):
            for part, old in enumerate(before[len(values) :], start=len(values)):
                if old != _WITHDRAWN:
                    changes[*key, part] = _WITHDRAWN
    return changes


def _elsewhere(
    database: sqlite3.Connection, plan_id: str, also: Sequence[str], items: Collection[str]
) -> dict[_Label, list[_Entry]]:
    """Collect the labels of items that count under another of these plans and not under this one."""
    entries: dict[_Label, list[_Entry]] = {}
    for row in _latest(database, (plan_id, *also), items) if also else []:
        if row.plan_id != plan_id:
            entries.setdefault(row.whose, []).append(_Entry(row.label or None, row.note, row.status))
    return entries


def _adds_nothing(values: list[_Entry], others: list[_Entry]) -> bool:
    """Whether the same labels and notes are there already, or a label that no row without one replaces."""
    if values[0].label is None and values[0].status != WITHDRAWN:
        return others[0].label is not None or values[0] in others
    return {one.label for one in values} == {one.label for one in others} and all(
        _with_note(one, others) in others for one in values
    )


def _with_note(new: _Entry, before: Sequence[_Entry]) -> _Entry:
    """Return ``new`` with the last note on the same label, if it has none: a file without notes removes none."""
    if new.note is not None or not before:
        return new
    notes = [old.note for old in before if (old.label, old.status) == (new.label, new.status) and old.note is not None]
    return new._replace(note=notes[-1]) if notes else new
