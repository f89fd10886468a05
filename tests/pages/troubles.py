"""Homes that cannot be written for a while, as SQLite meets them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from core.archive.database import FILE, Database, Watch


@contextmanager
def busy(home: Path) -> Iterator[None]:
    with closing(sqlite3.connect(home / FILE)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def pragma(statement: str) -> Iterator[None]:
    """Every connection begins with this statement."""
    connect = Database.connect

    def limited(database: Database) -> sqlite3.Connection:
        connection = connect(database)
        connection.execute(statement)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "connect", limited)
        yield


def full(home: Path) -> AbstractContextManager[None]:
    """A disk without room for another label or plan."""
    with closing(sqlite3.connect(home / FILE)) as database, database:
        database.execute("CREATE TABLE ballast (bytes BLOB)")
        # Nothing fits into the pages that there are.
        grow = "INSERT INTO ballast VALUES (zeroblob(20000))"
        for table in ("label_changes", "designs"):
            database.execute(f"CREATE TRIGGER heavy_{table} BEFORE INSERT ON {table} BEGIN {grow}; END")
        (pages,) = database.execute("PRAGMA page_count").fetchone()
    return pragma(f"PRAGMA max_page_count = {pages + 1}")


def read_only(home: Path) -> AbstractContextManager[None]:
    """A disk that was mounted to be read."""
    return pragma("PRAGMA query_only = 1")


@contextmanager
def unreadable() -> Iterator[None]:
    """A database that nobody can even read."""

    def locked(_: Database) -> sqlite3.Connection:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "connect", locked)
        patch.setattr(Watch, "_revision", lambda _: None)
        yield
