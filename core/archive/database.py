"""The file ``neyman.sqlite`` of NEYMAN_HOME: connections, transactions, errors, and migrations after a backup.

The database is in WAL mode, so readers go on while another process writes. Connections are in autocommit mode: whoever
writes opens a :func:`transaction`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.archive.schema import MIGRATIONS, SCHEMA_VERSION
from core.errors import NeymanError

FILE = "neyman.sqlite"
BUSY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Database:
    """The database of one folder.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    error : type of NeymanError
        What an error of SQLite or of the disk is raised as.
    remedy : str
        The sentence after it that says what to do.
    synchronous : {"FULL", "NORMAL"}
        ``"NORMAL"`` writes faster and loses nothing when a process is killed, but a power cut may undo the last
        seconds.
    """

    folder: Path
    error: type[NeymanError] = NeymanError
    remedy: str = "Free some space, or set NEYMAN_HOME to another folder."
    synchronous: str = "FULL"

    def prepare(self) -> None:
        """Make the folder, readable by its owner only, and bring the tables to this version.

        Raises
        ------
        NeymanError
            The folder cannot be used, or belongs to a newer version of Neyman.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise self.unusable(error) from error
        with self.connection() as connection:
            # Looking takes no lock: pages come here at every rerun, while a worker writes.
            if _version(connection) == SCHEMA_VERSION:
                return
            with transaction(connection):
                self._migrate(connection)

    def connect(self) -> sqlite3.Connection:
        """Open a connection in autocommit mode, which threads may share."""
        connection = sqlite3.connect(
            self.folder / FILE, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # The mode stays in the file. Where it is locked, another process that opens a new file is just setting it.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {self.synchronous}")
        return connection

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one call.

        Raises
        ------
        NeymanError
            As ``error``, in place of any error of SQLite.
        """
        with self.translated(), closing(self.connect()) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a connection and a transaction for one call; nothing is written where the call fails."""
        with self.connection() as connection, transaction(connection):
            yield connection

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise errors of SQLite as ``error``."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.unusable(error) from error

    def unusable(self, error: Exception) -> NeymanError:
        """Make the error to raise for one of SQLite or of the disk."""
        return self.error(f"The folder “{self.folder}” cannot be used ({error}). {self.remedy}")

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
        backup = self._backup(version) if _has_tables(connection) else None
        try:
            for statement in (statement for statements in MIGRATIONS[version:] for statement in statements):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except sqlite3.Error as error:
            if backup is None:
                raise
            raise self.error(
                f"The folder “{self.folder}” cannot be updated to this version of Neyman ({error}). Nothing was"
                f" changed, and a backup of the database is in “{backup}”."
            ) from error

    def _backup(self, version: int) -> Path:
        """Copy the database as it is, under a name that no other backup has."""
        folder = self.folder / "backups"
        try:
            folder.mkdir(exist_ok=True, mode=0o700)
            names = (folder / f"neyman-{version}{end}.sqlite" for end in ("", *(f"-{n}" for n in range(2, 1000))))
            path = next(name for name in names if not name.exists())
            temporary = path.with_suffix(".partial")
            temporary.unlink(missing_ok=True)
            # A second connection, because a transaction is open on the first.
            with closing(self.connect()) as source, closing(sqlite3.connect(temporary)) as copy:
                source.backup(copy)
            os.replace(temporary, path)
        except (OSError, sqlite3.Error) as error:
            raise self.error(
                f"The folder “{self.folder}” needs an update, but no backup can be written to “{folder}” ({error})."
                " Nothing was changed. Free some space and try again."
            ) from error
        return path


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


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _has_tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
