"""Copies of the database in the folder ``backups`` of NEYMAN_HOME: one before each migration, and one a day.

    neyman-<version>.sqlite      as it was before it was migrated from this version; kept for good
    neyman-<YYYY-MM-DD>.sqlite   as it was when the app started on this day; the newest ``DAYS`` are kept

They are made with SQLite's backup API, so that what stands in the write-ahead log is in them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from .files import BACKUPS, written

DAYS = 7
_DAILY = "neyman-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].sqlite"


def before_migration(source: sqlite3.Connection, home: Path, version: int) -> Path:
    """Copy the database under a name that no other copy has.

    Raises
    ------
    OSError or sqlite3.Error
        The copy cannot be written.
    """
    folder = home / BACKUPS
    names = (folder / f"neyman-{version}{end}.sqlite" for end in ("", *(f"-{n}" for n in range(2, 1000))))
    path = next(name for name in names if not name.exists())
    _copy(source, path)
    return path


def daily(source: sqlite3.Connection, home: Path, now: datetime) -> None:
    """Copy the database once a day, and remove the daily copies before the newest ``DAYS``.

    Parameters
    ----------
    source : sqlite3.Connection
        The database.
    home : Path
        NEYMAN_HOME.
    now : datetime
        The moment. Where a copy of its date exists, that one stays.

    Raises
    ------
    OSError or sqlite3.Error
        The copy cannot be written. Those of other days stay.
    """
    path = home / BACKUPS / f"neyman-{now:%Y-%m-%d}.sqlite"
    if not path.exists():
        _copy(source, path)
        for old in sorted(path.parent.glob(_DAILY))[:-DAYS]:
            old.unlink(missing_ok=True)


def newest(home: Path) -> Path | None:
    """Find the newest copy of the database; None where there is none."""
    copies = (home / BACKUPS).glob("neyman-*.sqlite")
    return max(copies, key=lambda path: path.stat().st_mtime, default=None)


def _copy(source: sqlite3.Connection, path: Path) -> None:
    with written(path) as temporary, closing(sqlite3.connect(temporary)) as copy:
        source.backup(copy)
