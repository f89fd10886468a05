"""Copies of the database in the folder ``backups`` of NEYMAN_HOME: one before each migration, and one a day.

    neyman-<version>.sqlite      as it was before it was migrated from this version; kept for good
    neyman-<YYYY-MM-DD>.sqlite   as it was on this day; the newest ``DAYS`` are kept, the newest that holds labels, and
                                 each that holds what neither the database nor a newer copy has (then perhaps with a
                                 number behind the day)

They are made with SQLite's backup API, so that what stands in the write-ahead log is in them.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from ..words import counted
from . import setback
from .files import BACKUPS, written
from .schema import checksum

DAYS = 7
# Bytes of a database that is copied in a moment.
_SMALL = 1 << 26
_ALL = "neyman-*.sqlite"
_DAILY = "neyman-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*.sqlite"
_DAY = re.compile(r"neyman-(\d{4}-\d{2}-\d{2})(?:-\d+)?\.sqlite")
_LABELS = "SELECT DISTINCT plan_id, item_id, annotator FROM label_changes WHERE label IS NOT NULL"
# What people made; everything else follows from it or can be had again.
_TABLES = ("label_changes", "designs", "pools", "surrogate_jobs")


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the database that can be read.

    Parameters
    ----------
    path : Path
        Its file.
    changes : int
        Number of the last change of a label in it; 0 if it holds no label.
    labels : int
        Items that somebody has labelled in it, once for each person.
    made : float
        When it was made, seconds since 1970 by the clock of that time.
    blank : bool
        Whether it holds nothing that people made.
    """

    path: Path
    changes: int
    labels: int
    made: float
    blank: bool

    @property
    def day(self) -> str:
        """The day of a daily copy, ISO; "" for one made before an update."""
        named = _DAY.fullmatch(self.path.name)
        return named.group(1) if named else ""

    @property
    def title(self) -> str:
        """The copy's name and how much it holds, for a sentence."""
        name = f"the copy of {self.day}" if self.day else f"the copy “{self.path.name}”"
        return f"{name} ({counted(self.labels, 'label')})"


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

    A copy that holds what neither the database nor a newer copy has is neither removed nor written over: the database
    was set back.

    Today's copy is made again once there are more labels than in it, unless the database is large: that of a first day
    would else be of a home without any. A copy of a day that is yet to come was made while the clock was ahead: it
    counts as older than those of days that have come, and while there is one, the copy of today may be older than it
    says and is made again in any case.

    Parameters
    ----------
    source : sqlite3.Connection
        The database.
    home : Path
        NEYMAN_HOME.
    now : datetime
        The moment.

    Raises
    ------
    OSError or sqlite3.Error
        The copy cannot be written. Those of other days stay.
    """
    folder, today = home / BACKUPS, f"neyman-{now:%Y-%m-%d}.sqlite"
    path, ahead = folder / today, any(one.name > today for one in folder.glob(_DAILY))
    if path.exists():
        if not _outdated(source, path, ahead):
            return
        if setback.missing(source, path):
            path.rename(next(name for n in range(2, 1000) if not (name := path.with_stem(f"{path.stem}-{n}")).exists()))
    _copy(source, path)
    days = sorted(folder.glob(_DAILY), key=lambda one: (one.name <= today, one.name))
    oldest, staying = days[:-DAYS], days[-DAYS:]
    holding = _newest_with_labels(folder) if oldest else None
    for old in reversed(oldest):
        if old == holding or not setback.is_covered(old, staying, source):
            staying.append(old)
        else:
            old.unlink(missing_ok=True)


def files_of(home: Path) -> list[Path]:
    """List the files of the copies, whatever they hold."""
    return sorted((home / BACKUPS).glob(_ALL))


def newest_copy(home: Path) -> Copy | None:
    """Find the newest copy that can be read and holds what was written; None if there is none.

    The newest is the one with the last label, not the one with the latest date: the clock may have been ahead.
    """
    return next(iter(good(home)), None)


def good(home: Path) -> list[Copy]:
    """List the copies that can be read and hold what was written, the newest first as in `newest_copy`."""
    readable = [copy for copy in map(read, files_of(home)) if copy is not None]
    return sorted(readable, key=lambda copy: (not copy.blank, copy.changes, copy.made), reverse=True)


def read(path: Path) -> Copy | None:
    """Look through a copy of the database; None if it is damaged or none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return _read(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(64)
def _read(path: Path, made: int, size: int) -> Copy | None:
    # Python cannot decode what SQLite says of a damaged name.
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(_opened(path)) as copy:
        if copy.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            return None
        tables = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "label_changes" not in tables or not _as_written(copy, tables):
            return None
        labels = copy.execute(f"SELECT count(*) FROM ({_LABELS})").fetchone()[0]
        return Copy(path, _last_change(copy), int(labels), made / 1e9, is_blank(copy))
    return None


def is_blank(database: sqlite3.Connection) -> bool:
    """Whether a database holds nothing that people made: no pool, plan, label or job."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return not any(
        database.execute(f"SELECT EXISTS (SELECT 1 FROM {name})").fetchone()[0] for name in _TABLES if name in tables
    )


def _as_written(copy: sqlite3.Connection, tables: set[str]) -> bool:
    """Whether the labels have their checksums; those of early versions have none."""
    if "label_sums" not in tables:
        return True
    total = count = 0
    query = (
        "SELECT number, batch, plan_id, item_id, annotator, kind, target, part, label, note, status, source, created,"
        " checksum FROM label_changes"
    )
    for *change, one in copy.execute(query):
        if checksum(*change) != one:
            return False
        total, count = total + one, count + 1
    sums = copy.execute("SELECT coalesce(sum(changes), 0), coalesce(sum(checksums), 0) FROM label_sums").fetchone()
    return bool(sums == (count, total))


def _last_change(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT coalesce(max(number), 0) FROM label_changes").fetchone()[0])


def _last_change_in(path: Path) -> int:
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(_opened(path)) as copy:
        return _last_change(copy)
    return 0


def _outdated(source: sqlite3.Connection, copy: Path, ahead: bool) -> bool:
    """Whether today's copy holds fewer labels than the database, or may be of another day; never one with more."""
    more = _last_change(source) - _last_change_in(copy)
    return more >= 0 if ahead else more > 0 and copy.stat().st_size <= _SMALL


def _newest_with_labels(folder: Path) -> Path | None:
    """Find the newest copy that holds labels and is what was written; only as many are looked through as it takes."""
    found = sorted(folder.glob(_ALL), key=lambda one: (_last_change_in(one), _made(one)), reverse=True)
    return next((path for path in found if (copy := read(path)) is not None and copy.changes), None)


def _opened(path: Path) -> sqlite3.Connection:
    """Open a copy to be read alone: nothing is written beside it."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?{setback.UNCHANGED}", uri=True)


def _made(path: Path) -> float:
    return path.stat().st_mtime


def _copy(source: sqlite3.Connection, path: Path) -> None:
    with written(path) as temporary, closing(sqlite3.connect(temporary)) as copy:
        source.backup(copy)
