"""Whether anybody has written to the database, so that what is asked at every rerun of a page is read once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from . import files

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
        self._file = files.identity(path)
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
