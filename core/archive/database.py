"""The file ``neyman.sqlite`` of NEYMAN_HOME: connections, transactions, and migrations after copies.

The database is in WAL mode, so readers go on while another process writes. Connections are in autocommit mode: whoever
writes opens a :func:`transaction`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from ..errors import HomeError
from ..words import listed
from . import copies, owned_files, recovery
from .owned_files import FILE as FILE
from .schema import MIGRATIONS, SCHEMA_VERSION, checksum

_Value = TypeVar("_Value")
_Revision = tuple[int, ...]


class Watch:
    """Readings of a database, valid until somebody writes to it; threads share them.

    Parameters
    ----------
    connection : sqlite3.Connection
        One that does nothing else. On it SQLite counts what others write, in this process or another.
    path : Path
        The file, which somebody may replace or damage without SQLite.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self._path, self._lock = connection, path, Lock()
        self._seen: _Revision | None = None
        self._read: dict[Hashable, Any] = {}
        # The connection stays with this file, even if another one takes its place.
        self._file = owned_files.identity(path)
        # Who reads waits for a locked database; here it only means that nothing is known.
        connection.execute("PRAGMA busy_timeout = 0")

    def once(self, key: Hashable, read: Callable[[], _Value]) -> _Value:
        """Return what ``read`` returns, read since the last writing; nobody may change it.

        An error is raised each time.
        """
        with self._lock:
            now = self._revision()
            if now != self._seen:
                self._seen, self._read = now, {}
            # What somebody writes meanwhile begins a new one.
            known = self._read
        if now is None:
            return read()
        if key not in known:
            known[key] = read()
        value: _Value = known[key]
        return value

    def close(self) -> None:
        """Close the connection; from then on everything is read again."""
        self._connection.close()

    def _revision(self) -> _Revision | None:
        """Return a value that every writing changes; None if connection or file is gone, or the file is another."""
        try:
            version = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
            now = self._path.stat()
        except (OSError, sqlite3.Error):
            return None
        if (now.st_dev, now.st_ino) != self._file:
            return None
        return version, now.st_size, now.st_mtime_ns


BUSY_SECONDS = 30.0
# KiB, taken only as far as a connection needs them.
_CACHE = 32_768


@dataclass(frozen=True, slots=True)
class Database:
    """The database of one folder.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    error : type of HomeError
        What an error of SQLite or of the disk is raised as.
    remedy : str
        The sentence after it that says what to do; by default one that fits what is wrong.
    synchronous : {"FULL", "NORMAL"}
        ``"NORMAL"`` writes faster and loses nothing when a process is killed, but a power cut may undo the last
        seconds.
    patience : float
        Seconds to wait while another process writes.
    watch : Watch, optional
        Of the same database: what is asked again and again is read once until somebody writes.
    """

    folder: Path
    error: type[HomeError] = HomeError
    remedy: str = ""
    synchronous: str = "FULL"
    patience: float = BUSY_SECONDS
    watch: Watch | None = None

    def once(self, key: Hashable, read: Callable[[], _Value]) -> _Value:
        """Read, or return what was read since the last writing, if that is watched."""
        return read() if self.watch is None else self.watch.once(key, read)

    def prepare(self, known: tuple[int, int] | None = None) -> None:
        """Make the folder, readable by its owner only, and bring the tables to this version.

        Parameters
        ----------
        known : (int, int), optional
            The file that the database has to be (:attr:`identity`).

        Raises
        ------
        HomeError
            The folder cannot be used, belongs to a newer version of Neyman, or its database is lost or another file.
        """
        self.once(("prepared", known), lambda: self._prepare(known))

    def _prepare(self, known: tuple[int, int] | None) -> None:
        path = self.folder / FILE
        try:
            if known is not None and (path.exists() or not owned_files.stored(self.folder)):
                self.check_same(known)
            owned_files.make_private(self.folder, FILE)
            if not path.exists() or not path.stat().st_size:
                self._refuse_emptied()
                path.touch(mode=0o600)
        except OSError as error:
            raise self.unusable(error) from error
        with self.connection() as connection:
            # Looking takes no lock: pages come here at every rerun, while a worker writes.
            if _version(connection) == SCHEMA_VERSION:
                self._refuse_cleared(connection)
                return
            if self.read_only:
                raise self.error(
                    f"“{self.folder}” was written by another version of Neyman and must be updated before it can be"
                    " read, but it is read-only. Copy the whole folder and set NEYMAN_HOME to the copy."
                )
            with transaction(connection):
                self._migrate(connection)

    @property
    def identity(self) -> tuple[int, int] | None:
        """Return the identity of the database's file; None if there is none."""
        return owned_files.identity(self.folder / FILE)

    def check_same(self, known: tuple[int, int] | None) -> None:
        """Check that nobody has removed, renamed or replaced the folder: who writes on would write for nobody.

        Raises
        ------
        HomeError
            The database is not this file any more.
        """
        if self.identity != known:
            raise recovery.moved(self.folder, self.error)

    @property
    def read_only(self) -> bool:
        """Whether this process may not write to the folder or to its database."""
        return not all(
            os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
            for path in (self.folder, self.folder / FILE)
            if path.exists()
        )

    def connect(self) -> sqlite3.Connection:
        """Open a connection in autocommit mode, which threads may share; it makes no file if there is none.

        A read-only home is opened as if nobody else wrote to it: SQLite could not make the files that it needs to
        share it.
        """
        read_only = self.read_only
        if read_only and owned_files.has_log(self.folder):
            raise self.error(
                f"“{self.folder}” is read-only, and its newest changes are in “{FILE}-wal”, which can be read only"
                " where it can be written. Copy the whole folder and set NEYMAN_HOME to the copy, or make it writable."
            )
        mode = copies.UNCHANGED if read_only else "mode=rw"
        address = f"{(self.folder / FILE).absolute().as_uri()}?{mode}"
        connection = sqlite3.connect(
            address, timeout=self.patience, isolation_level=None, check_same_thread=False, uri=True
        )
        try:
            # The mode stays in the file. If it is locked, another process that opens a new file is just setting it.
            with suppress(sqlite3.OperationalError):
                if not read_only:
                    connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self.synchronous}")
            # As much as an import of 100,000 labels touches, so that nothing is written twice.
            connection.execute(f"PRAGMA cache_size = -{_CACHE}")
        except BaseException:
            connection.close()
            raise
        return connection

    def hold(self) -> sqlite3.Connection:
        """Open a connection that does nothing; the caller closes it.

        While there is one, the files beside the database stay that SQLite needs for reading too, and cannot make on a
        full disk.

        Raises
        ------
        HomeError
            They cannot be made.
        """
        with self.translated():
            connection = self.connect()
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one call.

        Raises
        ------
        HomeError
            As ``error``, in place of any error of SQLite.
        """
        with self.translated(), closing(self.connect()) as connection:
            yield connection

    def select(self, query: str, *values: Any) -> list[Any]:
        """List the rows that a query finds, each a tuple."""
        with self.connection() as connection:
            return connection.execute(query, values).fetchall()

    def execute(self, statement: str, *values: Any) -> int:
        """Write by one statement; return the number of the row that it has inserted."""
        with self.writing() as connection:
            return int(connection.execute(statement, values).lastrowid or 0)

    @contextmanager
    def written(self, path: Path) -> Iterator[Path]:
        """Write a file of the folder as `core.archive.owned_files.written`, with its errors as ``error``."""
        try:
            with owned_files.written(path) as temporary:
                yield temporary
        except OSError as error:
            raise self.unusable(error) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one call whose statements all see the same moment."""
        with self.connection() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a connection and a transaction for one call; nothing is written if the call fails."""
        with self.connection() as connection, transaction(connection):
            yield connection

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise errors of SQLite as ``error``."""
        try:
            yield
        # Python cannot decode what SQLite says of a damaged name.
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self.unusable(error) from error

    def unusable(self, error: Exception) -> HomeError:
        """Make the error to raise for one of SQLite or of the disk."""
        return recovery.home_error(error, self.folder, self.error, self.remedy)

    def copy_daily(self, now: datetime) -> None:
        """Copy the database as in `core.archive.copies.daily`.

        Raises
        ------
        HomeError
            The copy cannot be written.
        """
        try:
            with closing(self.connect()) as source:
                copies.daily(source, self.folder, now)
        except (OSError, sqlite3.Error) as error:
            raise self.unusable(error) from error

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = _version(connection)
        if version > SCHEMA_VERSION:
            raise self.error(
                f"The folder “{self.folder}” was written by a newer version of Neyman. Update Neyman, or set"
                " NEYMAN_HOME to another folder."
            )
        # Another process may have been faster.
        if version == SCHEMA_VERSION:
            return
        backup = None
        if _has_tables(connection):
            backup = self._backup(version)
        else:
            self._refuse_emptied()
        try:
            if backup is None and not version:
                for statement in _schema():
                    connection.execute(statement)
            else:
                _replay(connection, version)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except sqlite3.Error as error:
            if backup is None:
                raise
            raise self.error(
                f"The folder “{self.folder}” cannot be updated to this version of Neyman ({error}). Nothing was"
                f" changed, and a backup of the database is in “{backup}”."
            ) from error

    def _backup(self, version: int) -> Path:
        try:
            # A second connection, because a transaction is open on the first.
            with closing(self.connect()) as source:
                return copies.before_migration(source, self.folder, version)
        except (OSError, sqlite3.Error) as error:
            raise self.error(
                f"The folder “{self.folder}” needs an update, but no backup can be written to"
                f" “{self.folder / owned_files.BACKUPS}” ({error}). Nothing was changed. Free some space and try again."
            ) from error

    def _refuse_emptied(self) -> None:
        """Refuse to begin a new database if stored files say that there was one."""
        stored = owned_files.stored(self.folder)
        if stored:
            self._refuse(f"is empty or missing, but its folder holds {listed(stored)}")

    def _refuse_cleared(self, connection: sqlite3.Connection) -> None:
        """Refuse a database in which nothing is left if a copy says that there was something."""
        if copies.files_of(self.folder) and copies.is_blank(connection):
            copy = copies.newest_copy(self.folder)
            if copy is not None and not copy.blank:
                self._refuse("holds nothing, but a copy of it does")

    def _refuse(self, what: str) -> None:
        raise self.error(
            f"The database “{self.folder / FILE}” {what}: plans and labels would be lost."
            f" {recovery.way_back(self.folder)}",
            lost=True,
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all or nothing, while nobody else writes."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _replay(connection: sqlite3.Connection, version: int) -> None:
    """Lead the tables of a version to this one's."""
    connection.create_function("label_checksum", -1, checksum, deterministic=True)
    for statement in (statement for statements in MIGRATIONS[version:] for statement in statements):
        connection.execute(statement)


@cache
def _schema() -> tuple[str, ...]:
    """The tables to which all migrations lead, as statements for an empty database: a third of the work."""
    with closing(sqlite3.connect(":memory:")) as connection:
        _replay(connection, 0)
        return tuple(text for (text,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL"))


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _has_tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
