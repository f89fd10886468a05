"""Labels in NEYMAN_HOME, what label files say beside them, and how their fields and words were read."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from ..labels.account import Account, Remainder
from ..labels.rows import without_collection
from ..labels.vocabulary import meanings_of
from ..readers.field_map import FieldMap
from . import copies, label_log
from .database import Database
from .label_log import Import

_Answer = TypeVar("_Answer")
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


def _read(name: str, kind: str, target: str, rows: str, notes: str, created: str) -> Remainder:
    parts = json.loads(rows)
    # Earlier versions kept no items.
    items = tuple((str(item), str(fate)) for item, fate in parts.pop(_ITEMS, ()))
    return Remainder(name, kind, target, Account(**parts), tuple(json.loads(notes)), items, created)


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that outlive a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(
        self,
        plan_id: str,
        rows: pd.DataFrame,
        created: str,
        source: str = "",
        kind: str = "",
        target: str = "",
        also: Sequence[str] = (),
        step: str = "",
        remainders: Sequence[Remainder] = (),
    ) -> int:
        """Keep labels of a plan, all of them or none. Keeping the same again changes nothing.

        The labels of one call are one step for :meth:`undo`. Labels of different kinds or targets stand beside
        each other.

        Parameters
        ----------
        plan_id : str
            The plan.
        rows : DataFrame
            Columns item_id, label (text; numbers and truth values are kept as text; None = none), and optionally
            annotator, note, status, kind, target; of ``Settlement.rows``. A row without a label replaces no label, the
            same label without a note replaces no note, and the status ``core.labels.rows.WITHDRAWN`` withdraws the
            label. Several different labels of one item by one annotator are all kept.
        created : str
            ISO time.
        source : str, optional
            Where the labels come from; ``BY_HAND`` for labels given one by one.
        kind : str, optional
            Kind of the labels (``core.labels.KINDS``) if ``rows`` do not name it.
        target : str, optional
            The target whose answers the labels judge if ``rows`` do not name it; "" for none, as always for right
            answers ("gold").
        also : sequence of str, optional
            Other plans in the same family (``core.labels.family``). Labels that they already hold are not saved again.
        step : str, optional
            Id of this step, which no other step has; by default a new one.
        remainders : sequence of Remainder, optional
            What of the file of these labels is not among ``rows``.

        Returns
        -------
        int
            Number of labels that were new or different.

        Raises
        ------
        LabelError
            There is no column item_id or label, a row has no id, or a value is neither text nor a number.
        """
        step = step or uuid.uuid4().hex
        with without_collection(), self.database.writing() as database:
            changed = label_log.save(database, plan_id, rows, created, source, kind, target, step, also)
            save(database, plan_id, remainders, step if changed else "", created)
        if changed:
            copies.write_last(self.database.folder, plan_id, step, created)
        return changed

    def of(self, *plan_ids: str, items: Collection[str] | None = None) -> pd.DataFrame:
        """List the labels of plans of one design.

        A person's labels of an item under several plans are one opinion, the last that is a label.

        Parameters
        ----------
        *plan_ids : str
            The plans.
        items : collection of str, optional
            Only labels of these items; no other is read.

        Returns
        -------
        DataFrame
            In the order in which the labels were given or changed: plan_id, item_id, annotator, kind, target, label,
            note, status, source, created; fit for ``core.labels.relevant`` and ``core.labels.settle``.

        Raises
        ------
        HomeError
            A label is not what was saved, or one is missing.
        """
        with without_collection(), self.database.reading() as database:
            return label_log.current(database, plan_ids, items)

    def remainders(self, *plan_ids: str) -> tuple[Remainder, ...]:
        """List what the files of plans held beside what is kept of them, in the order in which they came."""
        return self._asked(of, plan_ids)

    def counts(self) -> pd.DataFrame:
        """Count labelled items by plan.

        Returns
        -------
        DataFrame
            A row for each plan with labels, newest label first: plan_id, items, newest (ISO time).
        """
        return self.database.once("label counts", lambda: self._asked(label_log.counts))

    def judged(self, items_digest: str) -> tuple[str, ...]:
        """Name the models that labels of plans on these items judge, the newest last.

        Parameters
        ----------
        items_digest : str
            ``Pool.items_digest``.
        """
        return self.database.once(("judged", items_digest), lambda: self._asked(label_log.judged, items_digest))

    def state(self) -> Hashable:
        """A key that changes when the labels counted by `counts` change."""
        return self.database.once("label state", lambda: tuple(self.counts().itertuples(index=False, name=None)))

    def count(self, *plan_ids: str) -> int:
        """Count the items that have a label under one of these plans."""
        return self._asked(label_log.count, plan_ids)

    def any_of(self, *plan_ids: str) -> bool:
        """Whether any item has a label under one of these plans; faster than counting them."""
        return self._asked(label_log.has_labels, plan_ids)

    def given(self, plan_id: str, item: str, step: str) -> bool:
        """Whether the step of :meth:`save` with this id has changed a label of an item, and was not undone."""
        return self._asked(label_log.given, plan_id, item, step)

    def undo(self, plan_id: str, annotator: str | None = None, by_hand: bool = False) -> int:
        """Undo the last :meth:`save` that changed something.

        Parameters
        ----------
        plan_id : str
            The plan.
        annotator : str, optional
            Only labels of this annotator.
        by_hand : bool, default False
            Only labels given one by one; :meth:`undo_import` undoes imports.

        Returns
        -------
        int
            Number of changes undone; 0 if there was nothing to undo.
        """
        with self.database.writing() as database:
            return label_log.undo(database, plan_id, annotator, by_hand)

    def last_import(self, *plan_ids: str) -> Import | None:
        """Find the last import of labels of these plans, None if there is none."""
        return self._asked(label_log.last_import, plan_ids)

    def undo_import(self, last: Import) -> int:
        """Undo an import and return the number of changes undone; later labels stay."""
        with self.database.writing() as database:
            database.execute("DELETE FROM label_files WHERE plan_id = ? AND batch = ?", (last.plan_id, last.batch))
            return label_log.remove(database, last.plan_id, last.batch)

    def _asked(self, question: Callable[..., _Answer], *about: object) -> _Answer:
        with self.database.connection() as database:
            return question(database, *about)


_NAMES = "names"


@dataclass(frozen=True, slots=True)
class Maps:
    """Maps of fields that outlive a session, by the digest of the shape of their files.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, shape: str, fields: FieldMap, created: str, names: str = "") -> None:
        """Keep a map for files of a shape, in place of the one before.

        Parameters
        ----------
        shape : str
            Digest of the shape.
        fields : FieldMap
            The map.
        created : str
            ISO time.
        names : str
            Digest of the names of the file (`core.readers.shape`), by which similar files find the map.

        Raises
        ------
        HomeError
            It cannot be written.
        """
        self.database.execute(
            "INSERT INTO field_maps (shape, fields, created) VALUES (?, ?, ?) ON CONFLICT (shape) DO UPDATE SET"
            " fields = excluded.fields, created = excluded.created",
            *(shape, json.dumps(fields.as_json() | {_NAMES: names}, ensure_ascii=False), created),
        )

    def similar(self, names: str) -> FieldMap | None:
        """Return the last map that was kept for a file with the same set of names; None for none."""
        rows = self.database.select("SELECT fields FROM field_maps ORDER BY created DESC, rowid DESC")
        values = (json.loads(fields) for (fields,) in rows)
        # Maps that earlier versions kept do not say which names their files had.
        return next((FieldMap.of_json(value) for value in values if names and value.get(_NAMES) == names), None)

    def all(self) -> dict[str, FieldMap]:
        """Return every map by the digest of its shape."""
        rows = self.database.select("SELECT shape, fields FROM field_maps")
        return {shape: FieldMap.of_json(json.loads(fields)) for shape, fields in rows}


# Words of label files in NEYMAN_HOME: what somebody said of a word once holds for the next file.


@dataclass(frozen=True, slots=True)
class Words:
    """The meanings of words in label files, kept beyond a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, words: Mapping[str, str], created: str) -> None:
        """Keep what words mean, in place of what they meant before.

        Parameters
        ----------
        words : mapping
            As in `core.labels.vocabulary.meanings_of`.
        created : str
            ISO time.

        Raises
        ------
        LabelError
            A meaning is unknown.
        HomeError
            It cannot be written.
        """
        with self.database.writing() as database:
            database.executemany(
                "INSERT INTO label_words (word, meaning, created) VALUES (?, ?, ?) ON CONFLICT (word) DO UPDATE SET"
                " meaning = excluded.meaning, created = excluded.created",
                [(word, meaning, created) for word, meaning in meanings_of(words).items()],
            )

    def forget(self, words: Iterable[str]) -> None:
        """Keep these words no longer; labels that were read by them stay."""
        with self.database.writing() as database:
            database.executemany("DELETE FROM label_words WHERE word = ?", [(word,) for word in words])

    def all(self) -> dict[str, str]:
        """Return what every kept word means."""
        return dict(self.database.select("SELECT word, meaning FROM label_words"))
