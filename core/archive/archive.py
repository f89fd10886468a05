"""The folder that lasts (NEYMAN_HOME): pools as Parquet files named by their digest, and an SQLite table of contents.

    <folder>/neyman.sqlite            pools, plans, labels and jobs (``core.archive.schema``)
    <folder>/pools/<digest>.parquet   the pools
    <folder>/backups/                 the database as it was before each migration

Files are written under a temporary name and renamed, so a crash leaves no half pool. Every connection lives for one
call, so several sessions and a worker process may use the folder at once.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import uuid
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.archive import label_log
from core.archive.database import Database
from core.archive.label_log import Import
from core.errors import PoolError, Problem
from core.labels.rows import without_collection
from core.pool.digest import Leaf, pool_digest
from core.pool.pool import Pool
from core.pool.stored import StoredTable
from core.readers import read

_SUSPECT = ".suspect"
_SHORTEST_PREFIX = 8
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
_STRATUM = "<u4"


class _PoolRow(NamedTuple):
    """A row of the table pools; ``notes`` and ``leaves`` are JSON."""

    digest: str
    name: str
    n_items: int
    notes: str
    leaves: str | None


class Archive:
    """Pools, plans and labels that outlive a session.

    Parameters
    ----------
    folder : str or Path
        NEYMAN_HOME; made, readable by its owner only, where it does not exist.

    Raises
    ------
    NeymanError
        The folder cannot be used, or belongs to a newer version of Neyman.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        self._database = Database(self.folder)
        self._database.prepare()
        try:
            self._pools.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise self._database.unusable(error) from error

    def save(self, pool: Pool, created: str) -> str:
        """Keep a pool. Saving the same content again changes nothing but its name.

        Parameters
        ----------
        pool : Pool
            The pool.
        created : str
            ISO time; that of the first saving stays.

        Returns
        -------
        str
            The pool's digest.

        Raises
        ------
        PoolError
            The file cannot be written.
        """
        path = self._path(pool.digest)
        if not path.exists() or path.with_suffix(_SUSPECT).exists():
            temporary = path.with_name(f".{pool.digest}.{uuid.uuid4().hex}.parquet")
            try:
                pool.write(temporary)
                os.replace(temporary, path)
                path.with_suffix(_SUSPECT).unlink(missing_ok=True)
            except OSError as error:
                raise PoolError(f"The pool cannot be kept in “{self.folder}” ({error}).") from error
            finally:
                temporary.unlink(missing_ok=True)
        row = {
            "digest": pool.digest,
            "name": pool.name,
            "n_items": pool.n_items,
            "n_generations": pool.n_generations,
            "targets": json.dumps(list(pool.targets), ensure_ascii=False),
            "notes": json.dumps(pool.notes, ensure_ascii=False),
            "created": created,
            "items": pool.items_digest,
            "leaves": _json(pool.leaves),
        }
        with self._database.writing() as database:
            database.execute(
                f"INSERT INTO pools ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
                " ON CONFLICT (digest) DO UPDATE SET name = excluded.name, items = excluded.items,"
                " leaves = excluded.leaves",
                tuple(row.values()),
            )
        self.recognize(pool)
        return pool.digest

    def load(self, digest: str) -> Pool:
        """Open a kept pool, whose columns are read when they are looked at.

        Parameters
        ----------
        digest : str
            Its digest, or at least 8 hex digits with which no other digest begins.

        Returns
        -------
        Pool

        Raises
        ------
        PoolError
            There is no such pool, there are several, or its file is damaged. Looking at a column of the pool raises it
            too, where the column's content is not the one that was saved.
        """
        row = self._row(digest)
        refused = partial(self._refused, row)
        if row.leaves is None or self.is_suspect(row.digest):
            self._verify(row)
            row = self._row(row.digest)
        recorded = _leaves(row.leaves or "[]")
        if pool_digest(recorded, row.n_items) != row.digest:
            raise refused("its digest is not that of its columns.")
        table = StoredTable(self._path(row.digest), recorded, row.n_items, refused)
        return Pool(row.name, table, tuple(json.loads(row.notes)))

    def is_suspect(self, digest: str) -> bool:
        """Whether the file of the pool whose digest is or begins with this could not be used when it was last read."""
        return bool(_DIGEST.fullmatch(digest)) and any(self._pools.glob(f"{digest}*{_SUSPECT}"))

    def recognize(self, pool: Pool) -> None:
        """Note which items a pool has, where an earlier version of Neyman kept it, or plans on it, without them.

        From then on :meth:`designs` finds these plans by the digest of the items.
        """
        tables = ("pools", "designs")
        with self._database.connection() as database:
            query = " UNION ".join(f"SELECT 1 FROM {table} WHERE digest = ?1 AND items IS NULL" for table in tables)
            if database.execute(query, (pool.digest,)).fetchone() is None:
                return
        with self._database.writing() as database:
            for table in tables:
                update = f"UPDATE {table} SET items = ? WHERE digest = ? AND items IS NULL"
                database.execute(update, (pool.items_digest, pool.digest))

    def pools(self) -> pd.DataFrame:
        """List the kept pools.

        Returns
        -------
        DataFrame
            A row for each pool, newest first: digest, name, n_items, n_generations, targets (list), created.
        """
        columns = ["digest", "name", "n_items", "n_generations", "targets", "created"]
        with self._database.connection() as database:
            query = f"SELECT {', '.join(columns)} FROM pools ORDER BY created DESC, digest"
            frame = pd.DataFrame(database.execute(query).fetchall(), columns=columns)
        frame["targets"] = [json.loads(names) for names in frame["targets"]]
        return frame

    def save_design(
        self,
        plan_id: str,
        manifest_json: str,
        digest: str,
        created: str,
        items_digest: str | None = None,
        strata: NDArray[np.integer] | None = None,
    ) -> None:
        """Keep a plan; the same plan again replaces its manifest, and its time stays.

        Parameters
        ----------
        plan_id : str
            The plan's id.
        manifest_json : str
            Its manifest (``core.design.manifest``).
        digest : str
            Digest of the pool it was drawn from.
        created : str
            ISO time.
        items_digest : str, optional
            Digest of that pool's items; where it is left out, :meth:`designs` takes it from the kept pool.
        strata : (N,) int, optional
            Stratum of every item, 0 or above, so that the plan is found as it was drawn when the pool gets other
            generations. What was kept before stays where they are left out.
        """
        blob = None if strata is None else zlib.compress(np.asarray(strata, dtype=_STRATUM).tobytes())
        with self._database.writing() as database:
            database.execute(
                "INSERT INTO designs (plan_id, digest, manifest, created, items, strata) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (plan_id) DO UPDATE SET digest = excluded.digest, manifest = excluded.manifest,"
                " items = coalesce(excluded.items, items), strata = coalesce(excluded.strata, strata)",
                (plan_id, digest, manifest_json, created, items_digest, blob),
            )

    def designs(self, items_digest: str | None = None) -> pd.DataFrame:
        """List the kept plans.

        Parameters
        ----------
        items_digest : str, optional
            Only plans on these items (``Pool.items_digest``), whichever pool with them a plan was drawn from.

        Returns
        -------
        DataFrame
            A row for each plan, newest first: plan_id, digest (of the pool it was drawn from), items_digest (None
            where an earlier version kept the plan and its pool is not kept), manifest (JSON text), created.
        """
        with self._database.connection() as database:
            self._complete(database)
            query = (
                "SELECT plan_id, digest, items, manifest, created FROM designs WHERE ?1 IS NULL OR items = ?1"
                " ORDER BY created DESC, plan_id"
            )
            return pd.DataFrame(
                database.execute(query, (items_digest,)).fetchall(),
                columns=["plan_id", "digest", "items_digest", "manifest", "created"],
                dtype=object,
            )

    def strata(self, plan_id: str) -> NDArray[np.int64] | None:
        """Read the strata of a kept plan.

        Returns
        -------
        (N,) int or None
            Stratum of every item; None where there is no such plan, or an earlier version kept it without strata.
        """
        with self._database.connection() as database:
            row = database.execute("SELECT strata FROM designs WHERE plan_id = ?", (plan_id,)).fetchone()
        return None if row is None or row[0] is None else np.frombuffer(zlib.decompress(row[0]), _STRATUM).astype(int)

    def save_labels(
        self,
        plan_id: str,
        rows: pd.DataFrame,
        created: str,
        source: str = "",
        kind: str = "",
        target: str = "",
        also: Sequence[str] = (),
    ) -> int:
        """Keep labels of a plan, all of them or none. Keeping the same again changes nothing.

        The labels of one call are one step for :meth:`undo_labels`. Labels of different kinds or targets stand beside
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
            Kind of the labels (``core.labels.KINDS``) where ``rows`` do not name it.
        target : str, optional
            The target whose answers the labels judge where ``rows`` do not name it; "" for none, as always for right
            answers ("gold").
        also : sequence of str, optional
            Other plans in the same family (``core.labels.family``). Labels that they already hold are not saved again.

        Returns
        -------
        int
            Number of labels that were new or different.

        Raises
        ------
        LabelError
            There is no column item_id or label, a row has no id, or a value is neither text nor a number.
        """
        with without_collection(), self._database.writing() as database:
            return label_log.save(database, plan_id, rows, created, source, kind, target, also)

    def labels(self, *plan_ids: str) -> pd.DataFrame:
        """List the labels of plans of one design.

        A person's labels of an item under several plans are one opinion, the last that is a label.

        Parameters
        ----------
        *plan_ids : str
            The plans.

        Returns
        -------
        DataFrame
            In the order in which the labels were given or changed: plan_id, item_id, annotator, kind, target, label,
            note, status, source, created; fit for ``core.labels.relevant`` and ``core.labels.settle``.
        """
        with without_collection(), self._database.connection() as database:
            return label_log.current(database, plan_ids)

    def label_counts(self) -> pd.DataFrame:
        """Count labelled items by plan.

        Returns
        -------
        DataFrame
            A row for each plan with labels, newest label first: plan_id, items, newest (ISO time).
        """
        with self._database.connection() as database:
            return label_log.counts(database)

    def label_count(self, *plan_ids: str) -> int:
        """Count the items that have a label under one of these plans."""
        with self._database.connection() as database:
            return label_log.count(database, plan_ids)

    def undo_labels(self, plan_id: str, annotator: str | None = None, by_hand: bool = False) -> int:
        """Undo the last :meth:`save_labels` that changed something.

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
            Number of changes undone; 0 where there was nothing to undo.
        """
        with self._database.writing() as database:
            return label_log.undo(database, plan_id, annotator, by_hand)

    def last_import(self, *plan_ids: str) -> Import | None:
        """Find the last import of labels of these plans, None where there is none."""
        with self._database.connection() as database:
            return label_log.last_import(database, plan_ids)

    def undo_import(self, last: Import) -> int:
        """Undo an import and return the number of changes undone; later labels stay."""
        with self._database.writing() as database:
            return label_log.undo_batch(database, last.plan_id, last.batch)

    @property
    def _pools(self) -> Path:
        return self.folder / "pools"

    def _path(self, digest: str) -> Path:
        return self._pools / f"{digest}.parquet"

    def _row(self, prefix: str) -> _PoolRow:
        if not _DIGEST.fullmatch(prefix):
            remedy = f"Give {_SHORTEST_PREFIX} to 64 hex digits."
            raise PoolError([Problem("this is not the digest of a pool.", remedy=remedy)])
        with self._database.connection() as database:
            query = f"SELECT {', '.join(_PoolRow._fields)} FROM pools WHERE substr(digest, 1, ?) = ? LIMIT 2"
            rows = database.execute(query, (len(prefix), prefix)).fetchall()
        if len(rows) != 1:
            message = f"there is {'more than one pool' if rows else 'no pool'} whose digest begins with {prefix}."
            raise PoolError([Problem(message, remedy="Give more digits." if rows else "Open its file again.")])
        return _PoolRow(*rows[0])

    def _verify(self, row: _PoolRow) -> None:
        """Read a pool as a whole, one that an earlier version kept or that is suspect; record its leaves and items."""
        try:
            pool = read(self._path(row.digest), row.name)
        except PoolError as error:
            raise self._refused(row, str(error)) from error
        if pool.digest != row.digest:
            raise self._refused(row, "its content was changed since it was saved.")
        self._path(row.digest).with_suffix(_SUSPECT).unlink(missing_ok=True)
        with self._database.writing() as database:
            database.execute("UPDATE pools SET leaves = ? WHERE digest = ?", (_json(pool.leaves), row.digest))
        self.recognize(pool)

    def _refused(self, row: _PoolRow, reason: str) -> PoolError:
        """Mark a file as suspect, so that saving the pool writes it anew, and make the error.

        The file stays: what failed may have been the reading alone.
        """
        with suppress(OSError):
            self._path(row.digest).with_suffix(_SUSPECT).touch()
        message = f"the kept pool “{row.name}” cannot be used: {reason}"
        return PoolError([Problem(message, remedy="Open its original file again.")])

    def _complete(self, database: sqlite3.Connection) -> None:
        """Find the items of plans that were kept without them, as far as their pools are kept and can be read."""
        query = "SELECT DISTINCT digest FROM designs JOIN pools USING (digest) WHERE designs.items IS NULL"
        for (digest,) in database.execute(query).fetchall():
            if not self.is_suspect(digest):
                with suppress(PoolError):
                    self.recognize(self.load(digest))


def _json(leaves: Sequence[Leaf]) -> str:
    return json.dumps([(leaf.path, leaf.kind, leaf.content.hex()) for leaf in leaves], ensure_ascii=False)


def _leaves(text: str) -> list[Leaf]:
    return [Leaf(tuple(path), kind, bytes.fromhex(content)) for path, kind, content in json.loads(text)]
