"""Pools in NEYMAN_HOME: Parquet files named by their digest, profiles of folders, and the table of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..errors import PoolError, Problem
from ..files.open import Source
from ..pool.account import FileAccount
from ..pool.digest import Leaf, pool_digest
from ..pool.origin import Origin
from ..pool.pool import Pool
from ..pool.stored import StoredTable
from ..readers import parquet
from ..readers.folder.folder_pool import FolderPool
from ..readers.folder.profile_file import PROFILE, ProfileFile
from ..readers.folder.profiling import profile
from . import copies, owned_files
from .database import Database

_SUSPECT = ".suspect"
_SHORTEST_PREFIX = 8
# A kind of the table ``discarded``.
_FORGOTTEN = "pool off the lists"
_DIGEST = re.compile(r"[0-9a-f]{8,64}")


class PoolRow(NamedTuple):
    """A row of the table pools; ``notes``, ``leaves``, ``origin`` and ``account`` are JSON."""

    digest: str
    name: str
    n_items: int
    notes: str
    leaves: str | None
    origin: str | None
    account: str | None
    items: str | None


@dataclass(frozen=True, slots=True)
class Pools:
    """Pools that outlive a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

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
        HomeError
            The file cannot be written.
        """
        path = self._path(pool.digest)
        if isinstance(pool, FolderPool) and pool.stored.folder.whole:
            self._keep_profile(pool)
        elif not path.exists() or path.with_suffix(_SUSPECT).exists():
            with self.database.written(path) as temporary:
                pool.write(temporary)
            path.with_suffix(_SUSPECT).unlink(missing_ok=True)
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
            "origin": json.dumps(asdict(pool.origin), ensure_ascii=False) if pool.origin is not None else None,
            "account": json.dumps(pool.account.as_json(), ensure_ascii=False) if pool.account is not None else None,
        }
        with self.database.writing() as database:
            database.execute(
                f"INSERT INTO pools ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
                " ON CONFLICT (digest) DO UPDATE SET name = excluded.name, items = excluded.items,"
                " leaves = excluded.leaves, origin = coalesce(excluded.origin, origin),"
                " account = coalesce(excluded.account, account)",
                tuple(row.values()),
            )
            database.execute("DELETE FROM discarded WHERE kind = ? AND id = ?", (_FORGOTTEN, pool.digest))
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
            too, if the column's content is not the one that was saved.
        """
        row = self.row(digest)
        profiled = self._profiled(row)
        if profiled is not None:
            return profiled
        refused = partial(self._refused, row)
        if row.leaves is None or self.is_suspect(row.digest):
            self._verify(row)
            row = self.row(row.digest)
        recorded = _leaves(row.leaves or "[]")
        if pool_digest(recorded, row.n_items) != row.digest:
            raise refused("its digest is not that of its columns.")
        table = StoredTable(self._path(row.digest), recorded, row.n_items, refused)
        origin = None if row.origin is None else Origin(**json.loads(row.origin))
        account = FileAccount.of_json(json.loads(row.account or "null"))
        return Pool(row.name, table, tuple(json.loads(row.notes)), origin, account)

    def open_folder(self, path: Path, created: str, progress: Callable[[float], None] | None = None) -> FolderPool:
        """Open a folder of Parquet files by its profile, which is made if it has none or has changed since.

        Parameters
        ----------
        path : Path
            The folder.
        created : str
            ISO time, as in :meth:`save`.
        progress : callable, optional
            Called now and then with the share done, in [0, 1], while the profile is made.

        Returns
        -------
        FolderPool

        Raises
        ------
        PoolError
            The folder cannot be used as a pool, with file and row.
        HomeError
            The profile cannot be written.
        """
        path = path.resolve()
        place = self._profile_of(path)
        with suppress(PoolError):
            return FolderPool.of(ProfileFile(place), path.name)
        try:
            self._profiles.mkdir(exist_ok=True, mode=0o700)
            pool = FolderPool.of(profile(path, place, progress), path.name)
        except OSError as error:
            raise self.database.unusable(error) from error
        self.save(pool, created)
        return pool

    def take_profile(self, path: Path) -> Path:
        """Keep a profile that was made elsewhere, so that :meth:`open_folder` opens its folder at once.

        Parameters
        ----------
        path : Path
            The profile.

        Returns
        -------
        Path
            Its folder, or its file if it is the profile of a single one.

        Raises
        ------
        PoolError
            It is no profile, or the folder is not as it was when it was made.
        HomeError
            It cannot be written.
        """
        stored = ProfileFile(path)
        stored.folder.check()
        folder = stored.folder.path if stored.folder.whole else stored.folder.path / stored.folder.files[0].name
        with self.database.written(self._profile_of(folder)) as temporary:
            stored.write(temporary)
        return folder

    def is_suspect(self, digest: str) -> bool:
        """Whether the file of the pool whose digest is or begins with this could not be used when it was last read."""
        return bool(_DIGEST.fullmatch(digest)) and any(self._pools.glob(f"{digest}*{_SUSPECT}"))

    def recognize(self, pool: Pool) -> None:
        """Note which items a pool has, if an earlier version of Neyman kept it, or plans on it, without them.

        From then on :meth:`Plans.table` finds these plans by the digest of the items.
        """
        for table in ("pools", "designs"):
            if self.database.select(f"SELECT 1 FROM {table} WHERE digest = ? AND items IS NULL LIMIT 1", pool.digest):
                update = f"UPDATE {table} SET items = ? WHERE digest = ? AND items IS NULL"
                self.database.execute(update, pool.items_digest, pool.digest)

    def rename(self, digest: str, name: str) -> None:
        """Give a kept pool another name; its file, plans and labels stay as they are.

        Parameters
        ----------
        digest, name : str
            Its digest, and the name that lists show from now on.

        Raises
        ------
        HomeError
            The home cannot be written.
        """
        self.database.execute("UPDATE pools SET name = ? WHERE digest = ?", name, digest)

    def forget(self, digest: str) -> None:
        """Take a pool off the lists, until it is saved again. Its file stays: what is linked with it still opens.

        Parameters
        ----------
        digest : str
            Its digest.

        Raises
        ------
        HomeError
            The home cannot be written.
        """
        with self.database.writing() as database:
            copies.discard(database, [(_FORGOTTEN, digest)])

    def listed(self) -> pd.DataFrame:
        """List the pools that people choose from: those of :meth:`table` that are not forgotten."""
        pools = self.table()
        query = "SELECT id FROM discarded WHERE kind = ?"
        forgotten = [digest for (digest,) in self.database.select(query, _FORGOTTEN)]
        return pools[~pools["digest"].isin(forgotten)].reset_index(drop=True) if forgotten else pools

    def table(self) -> pd.DataFrame:
        """List the kept pools, those that are forgotten too.

        Returns
        -------
        DataFrame
            A row for each pool, newest first: digest, name, n_items, n_generations, targets (list), created.
        """
        return self.database.once("pools", self._table)

    def _table(self) -> pd.DataFrame:
        columns = ["digest", "name", "n_items", "n_generations", "targets", "created"]
        query = f"SELECT {', '.join(columns)} FROM pools ORDER BY created DESC, digest"
        rows = [(*row[:4], json.loads(row[4]), row[5]) for row in self.database.select(query)]
        return pd.DataFrame(rows, columns=columns)

    @property
    def _profiles(self) -> Path:
        return self.database.folder / owned_files.PROFILES

    def _profile_of(self, folder: Path) -> Path:
        return self._profiles / f"{hashlib.sha256(str(folder).encode()).hexdigest()[:32]}{PROFILE}"

    def _keep_profile(self, pool: FolderPool) -> None:
        """Keep the profile of a folder; its texts stay where they are."""
        if pool.stored.path.parent != self._profiles:
            with self.database.written(self._profiles / f"{pool.digest}{PROFILE}") as temporary:
                pool.stored.write(temporary)

    def _profiled(self, row: PoolRow) -> FolderPool | None:
        """The folder with this content, if its profile is kept."""
        for place in sorted(self._profiles.glob(f"*{PROFILE}")):
            with suppress(PoolError):
                stored = ProfileFile(place)
                if pool_digest(stored.facts.leaves, stored.table.num_rows) == row.digest:
                    return FolderPool.of(stored, row.name)
        return None

    @property
    def _pools(self) -> Path:
        return self.database.folder / owned_files.POOLS

    def _path(self, digest: str) -> Path:
        return self._pools / f"{digest}.parquet"

    def row(self, prefix: str) -> PoolRow:
        """Look up a pool by its digest, or at least 8 hex digits of it; raises PoolError as :meth:`load`."""
        if not _DIGEST.fullmatch(prefix):
            remedy = f"Give {_SHORTEST_PREFIX} to 64 hex digits."
            raise PoolError([Problem("this is not the digest of a pool.", remedy=remedy)])
        query = f"SELECT {', '.join(PoolRow._fields)} FROM pools WHERE substr(digest, 1, ?) = ? LIMIT 2"
        rows = self.database.select(query, len(prefix), prefix)
        if len(rows) != 1:
            message = f"there is {'more than one pool' if rows else 'no pool'} whose digest begins with {prefix}."
            raise PoolError([Problem(message, remedy="Give more digits." if rows else "Open its file again.")])
        return PoolRow(*rows[0])

    def _verify(self, row: PoolRow) -> None:
        """Read a pool as a whole, one that an earlier version kept or that is suspect; record its leaves and items."""
        try:
            pool = parquet.read(Source.of(self._path(row.digest), row.name))
        except PoolError as error:
            raise self._refused(row, str(error)) from error
        if pool.digest != row.digest:
            raise self._refused(row, "its content was changed since it was saved.")
        self._path(row.digest).with_suffix(_SUSPECT).unlink(missing_ok=True)
        self.database.execute("UPDATE pools SET leaves = ? WHERE digest = ?", _json(pool.leaves), row.digest)
        self.recognize(pool)

    def _refused(self, row: PoolRow, reason: str) -> PoolError:
        """Mark a file as suspect, so that saving the pool writes it again, and make the error.

        The file stays: what failed may have been the reading alone.
        """
        with suppress(OSError):
            self._path(row.digest).with_suffix(_SUSPECT).touch(mode=0o600)
        message = f"the kept pool “{row.name}” cannot be used: {reason}"
        return PoolError([Problem(message, remedy="Open its original file again.")])


def _json(leaves: Sequence[Leaf]) -> str:
    return json.dumps([(leaf.path, leaf.kind, leaf.content.hex()) for leaf in leaves], ensure_ascii=False)


def _leaves(text: str) -> list[Leaf]:
    return [Leaf(tuple(path), kind, bytes.fromhex(content)) for path, kind, content in json.loads(text)]
