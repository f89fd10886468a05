"""The folder that lasts (NEYMAN_HOME): pools as Parquet files named by their digest, and an SQLite table of contents.

    <folder>/neyman.sqlite            pools (what is known of each file), designs (manifests), label_changes
    <folder>/pools/<digest>.parquet   the pools

Files are written under a temporary name and renamed, so a crash leaves no half pool. The database is in WAL mode and
every connection lives for one call, so several sessions and a worker process may use the folder at once.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pandas as pd

from core.archive import label_log
from core.archive.label_log import BY_HAND, Import, is_by_hand
from core.archive.schema import SCHEMA_VERSION, migrate, version_of
from core.errors import NeymanError, PoolError, Problem
from core.labels.rows import without_collection
from core.pool.pool import Pool
from core.readers import read

__all__ = ["BY_HAND", "Archive", "Import", "is_by_hand"]

_SUSPECT = ".suspect"
_SHORTEST_PREFIX = 8
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
_BUSY_MS = 10_000


class Archive:
    """Pools and designs that outlive a session.

    Parameters
    ----------
    folder : NEYMAN_HOME; made, readable by its owner only, where it does not exist.

    Raises
    ------
    NeymanError : the folder cannot be written to, or belongs to a newer version of this program.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        try:
            self._pools.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._connection() as database:
                self._migrate(database)
        except OSError as error:
            raise self._unusable(error) from error

    def save(self, pool: Pool, created: str) -> str:
        """Keep a pool; return its digest. Saving the same content again changes nothing but its name.

        Parameters
        ----------
        created : ISO time of the first saving.
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
        row = (
            pool.digest,
            pool.name,
            pool.n_items,
            pool.n_generations,
            json.dumps(list(pool.targets), ensure_ascii=False),
            json.dumps(pool.notes, ensure_ascii=False),
            created,
        )
        with self._connection() as database:
            database.execute(
                "INSERT INTO pools VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (digest) DO UPDATE SET name = excluded.name",
                row,
            )
        return pool.digest

    def load(self, digest: str) -> Pool:
        """The pool with this digest, or with the only digest that begins so (at least 8 hex digits).

        Raises
        ------
        PoolError : there is no such pool, there are several, or its file is damaged.
        """
        full, name, notes = self._found(digest)
        path = self._path(full)
        try:
            pool = read(path, name)
            if pool.digest != full:
                raise PoolError("its content was changed since it was saved.")
        except PoolError as error:
            # Saving the pool again writes it anew. The file stays: what failed may have been the reading alone.
            with suppress(OSError):
                path.with_suffix(_SUSPECT).touch()
            message = f"the kept pool “{name}” cannot be used: {error}"
            raise PoolError([Problem(message, remedy="Open its original file again.")]) from error
        return Pool(name, pool.table, notes)

    def pools(self) -> pd.DataFrame:
        """A row for each pool, newest first: digest, name, n_items, n_generations, targets (list), created."""
        with self._connection() as database:
            query = (
                "SELECT digest, name, n_items, n_generations, targets, created FROM pools ORDER BY created DESC, digest"
            )
            rows = database.execute(query).fetchall()
        frame = pd.DataFrame(rows, columns=["digest", "name", "n_items", "n_generations", "targets", "created"])
        frame["targets"] = [json.loads(names) for names in frame["targets"]]
        return frame

    def save_design(self, plan_id: str, manifest_json: str, digest: str, created: str) -> None:
        """Keep the manifest of a design on the pool ``digest``; the same plan again replaces it, its time stays."""
        with self._connection() as database:
            database.execute(
                "INSERT INTO designs VALUES (?, ?, ?, ?) ON CONFLICT (plan_id) DO UPDATE"
                " SET digest = excluded.digest, manifest = excluded.manifest",
                (plan_id, digest, manifest_json, created),
            )

    def designs(self) -> pd.DataFrame:
        """A row for each design, newest first: plan_id, digest, manifest (JSON text), created."""
        with self._connection() as database:
            query = "SELECT plan_id, digest, manifest, created FROM designs ORDER BY created DESC, plan_id"
            return pd.DataFrame(
                database.execute(query).fetchall(), columns=["plan_id", "digest", "manifest", "created"]
            )

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
        """Keep labels of a plan; return how many were new or different. Keeping the same again changes nothing.

        Parameters
        ----------
        rows : item_id, label (text as given; numbers and truth values are kept as text; None = none), and maybe
            annotator, note, status, kind, target; of `Settlement.rows`. A row without a label replaces no label, the
            same label without a note never replaces a note, and the status `core.labels.formats.records.WITHDRAWN`
            takes back what held. Several different labels by one annotator of one item are all kept.
        created : ISO time. source : where they come from; `BY_HAND` where they were given one by one. kind : what was
            asked, of `core.labels.KINDS`, and target : whose answers the labels judge ("" = none's, as always for
            right answers, "gold"), where ``rows`` do not say them. Labels of different kinds or targets stand beside
            each other.
        also : ids of plans whose labels count for this one (`core.labels.family`): what they hold is not kept again.

        All of one call are one step for `undo_labels`. Nothing is kept where anything fails.

        Raises
        ------
        LabelError : no column item_id or label, rows without an id, or values that are neither text nor numbers.
        """
        with without_collection(), self._connection() as database:
            database.execute("BEGIN IMMEDIATE")
            return label_log.save(database, plan_id, rows, created, source, kind, target, also)

    def labels(self, *plan_ids: str) -> pd.DataFrame:
        """The labels kept for these plans, of one design, in the order in which they were given or changed.

        What a person says of an item under several plans is one opinion, the last that is a label.

        Columns: plan_id, item_id, annotator, kind, target, label, note, status, source, created; fit for
        `core.labels.relevant` and `core.labels.settle`.
        """
        with without_collection(), self._connection() as database:
            return label_log.current(database, plan_ids)

    def label_counts(self) -> pd.DataFrame:
        """A row for each plan with labels, the newest label first: plan_id, items (that have a label), newest."""
        with self._connection() as database:
            return label_log.counts(database)

    def label_count(self, *plan_ids: str) -> int:
        """Number of items that have a label under one of these plans."""
        with self._connection() as database:
            return label_log.count(database, plan_ids)

    def undo_labels(self, plan_id: str, annotator: str | None = None, by_hand: bool = False) -> int:
        """Take back the last `save_labels` that changed something (of this annotator, where given).

        ``by_hand`` : pass over imports (`is_by_hand`), which `undo_import` takes back.

        Returns the number of changes taken back; 0 where there was nothing to undo.
        """
        with self._connection() as database:
            database.execute("BEGIN IMMEDIATE")
            return label_log.undo(database, plan_id, annotator, by_hand)

    def last_import(self, *plan_ids: str) -> Import | None:
        """The last `save_labels` of these plans that was no label given by hand (`is_by_hand`); None: there is none.

        Fields: plan_id, batch, source, created, changes (how many), people (whose labels), kinds.
        """
        with self._connection() as database:
            return label_log.last_import(database, plan_ids)

    def undo_import(self, last: Import) -> int:
        """Take back an import; labels given since stay. Returns the number of changes taken back."""
        with self._connection() as database:
            database.execute("BEGIN IMMEDIATE")
            return label_log.undo_batch(database, last.plan_id, last.batch)

    @property
    def _pools(self) -> Path:
        return self.folder / "pools"

    def _path(self, digest: str) -> Path:
        return self._pools / f"{digest}.parquet"

    def _found(self, prefix: str) -> tuple[str, str, tuple[str, ...]]:
        if not _DIGEST.fullmatch(prefix):
            remedy = f"Give {_SHORTEST_PREFIX} to 64 hex digits."
            raise PoolError([Problem("this is not the digest of a pool.", remedy=remedy)])
        with self._connection() as database:
            query = "SELECT digest, name, notes FROM pools WHERE substr(digest, 1, ?) = ? LIMIT 2"
            rows = database.execute(query, (len(prefix), prefix)).fetchall()
        if len(rows) != 1:
            message = f"there is {'more than one pool' if rows else 'no pool'} whose digest begins with {prefix}."
            raise PoolError([Problem(message, remedy="Give more digits." if rows else "Open its file again.")])
        digest, name, notes = rows[0]
        return digest, name, tuple(json.loads(notes))

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call; what was written is committed, unless the call failed."""
        try:
            with closing(sqlite3.connect(self.folder / "neyman.sqlite", timeout=_BUSY_MS / 1000)) as database:
                # Readers go on while another process writes.
                database.execute("PRAGMA journal_mode = WAL")
                database.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
                with database:
                    yield database
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> NeymanError:
        return NeymanError(f"The folder “{self.folder}” cannot be used ({error}); set NEYMAN_HOME to another.")

    def _migrate(self, database: sqlite3.Connection) -> None:
        if version_of(database) > SCHEMA_VERSION:
            raise NeymanError(
                f"“{self.folder}” was written by a newer version of Neyman; update, or set NEYMAN_HOME anew."
            )
        migrate(database)
