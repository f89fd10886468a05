"""Copies of the database, and how a database that lacks what was saved before is found out.

A database holds no sign that its end is missing: each state of it is whole. Two witnesses stand beside it: the copies
in ``backups`` (``core.archive.copies``), and the file ``neyman.last`` with the last label that was saved. What people
removed themselves stands in the table ``discarded`` and is not missing.

    neyman-<version>.sqlite      as it was before it was migrated from this version; kept for good
    neyman-<YYYY-MM-DD>.sqlite   as it was on this day; the newest ``DAYS`` are kept, the newest that holds labels, and
                                 each that holds what neither the database nor a newer copy has (then perhaps with a
                                 number behind the day)

They are made with SQLite's backup API, so that what stands in the write-ahead log is in them.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from ..words import counted, listed
from .owned_files import BACKUPS, written
from .schema import checksum

LAST = "neyman.last"
LABEL, PLAN, RUN = "label", "plan", "run"
# The way to open a copy: nothing is written beside it.
UNCHANGED = "mode=ro&immutable=1"
OF_BATCH = "kind = ? AND id BETWEEN ? AND ?"
# A change of a label is the same whatever its number: that changes when databases are joined.
SAME_CHANGE = (
    "SELECT 1 FROM main.label_changes AS here WHERE here.plan_id = one.plan_id AND here.item_id = one.item_id AND "
    + " AND ".join(f"here.{name} IS one.{name}" for name in ("batch", "annotator", "kind", "target", "part", "label"))
)
_CHANGES = (
    "SELECT plan_id, item_id, annotator, label, created, plan_id || char(31) || batch || char(31) || annotator"
    f" FROM copy.label_changes AS one WHERE NOT EXISTS ({SAME_CHANGE})"
)
_PLANS = "SELECT plan_id AS id FROM copy.designs WHERE plan_id NOT IN (SELECT plan_id FROM main.designs)"
_RUNS = (
    "SELECT one.id, one.generations - coalesce(here.generations, 0) AS more FROM copy.surrogate_jobs AS one"
    " LEFT JOIN main.surrogate_jobs AS here ON here.id = one.id WHERE one.generations > coalesce(here.generations, 0)"
)


@dataclass(frozen=True, slots=True)
class Missing:
    """Labels, plans and generations that one database holds and another lacks.

    Parameters
    ----------
    labels : int
        Labels of an item by a person.
    plans : int
        Plans.
    generations : int
        Generations of surrogate runs.
    keys : frozenset of (str, str)
        (kind, id) of each, as in the table ``discarded``.
    until : str
        ISO time of the last of the labels; "" if there is none.
    """

    labels: int = 0
    plans: int = 0
    generations: int = 0
    keys: frozenset[tuple[str, str]] = frozenset()
    until: str = ""

    def __bool__(self) -> bool:
        return bool(self.keys)

    @property
    def size(self) -> tuple[int, int, int]:
        """Numbers that order losses by their size."""
        return self.labels, self.generations, self.plans

    @property
    def title(self) -> str:
        """The numbers, for a sentence: “20 labels and 1 plan”."""
        parts = ((self.labels, "label"), (self.generations, "generation"), (self.plans, "plan"))
        return listed([counted(number, noun) for number, noun in parts if number]) or "changes of labels"


def missing(database: sqlite3.Connection, copy: Path) -> Missing:
    """Return what a copy holds and a database lacks; nothing if the copy cannot be read.

    Parameters
    ----------
    database : sqlite3.Connection
        Opened with ``uri=True``; not in a transaction.
    copy : Path
        A copy of a database, perhaps of an earlier version.
    """
    # Python cannot decode what SQLite says of a damaged name.
    with suppress(sqlite3.Error, UnicodeDecodeError), attached(database, copy, UNCHANGED):
        return _missing(database)
    return Missing()


def discard(database: sqlite3.Connection, keys: Iterable[tuple[str, str]]) -> None:
    """Write that these labels, plans or runs were removed on purpose."""
    database.executemany("INSERT OR IGNORE INTO discarded (kind, id) VALUES (?, ?)", keys)


def label_key(plan_id: str, batch: str, annotator: str) -> tuple[str, str]:
    """Return the key of what one annotator changed in one batch of a plan."""
    return LABEL, "\x1f".join((plan_id, batch, annotator))


def batch_range(plan_id: str, batch: str) -> tuple[str, str, str]:
    """Return the values of `OF_BATCH`: the rows of ``discarded`` of a whole batch."""
    _, first = label_key(plan_id, batch, "")
    return LABEL, first, f"{first}\U0010ffff"


def write_last(folder: Path, plan_id: str, batch: str, created: str) -> None:
    """Write beside the database which label was saved last; without it only copies are witnesses."""
    note = json.dumps({"plan_id": plan_id, "batch": batch, "created": created})
    with suppress(OSError), written(folder / LAST, synced=False) as temporary:
        temporary.write_text(note, encoding="utf-8")


def last_missing(database: sqlite3.Connection, folder: Path) -> Missing:
    """Return the last saved label if the database lacks it, else nothing."""
    note: Mapping[str, str]
    try:
        note = json.loads((folder / LAST).read_text(encoding="utf-8"))
        plan_id, batch, created = (str(note[name]) for name in ("plan_id", "batch", "created"))
    except (OSError, ValueError, KeyError, TypeError):
        return Missing()
    if database.execute(
        "SELECT 1 FROM label_changes WHERE plan_id = ? AND batch = ? LIMIT 1", (plan_id, batch)
    ).fetchone():
        return Missing()
    if database.execute(f"SELECT 1 FROM discarded WHERE {OF_BATCH} LIMIT 1", batch_range(plan_id, batch)).fetchone():
        return Missing()
    return Missing(labels=1, keys=frozenset({label_key(plan_id, batch, "")}), until=created)


@contextmanager
def attached(database: sqlite3.Connection, path: Path, mode: str) -> Iterator[None]:
    """Let statements read another database as ``copy``."""
    database.execute("ATTACH DATABASE ? AS copy", (f"{path.resolve().as_uri()}?{mode}",))
    try:
        yield
    finally:
        database.execute("DETACH DATABASE copy")


def is_covered(copy: Path, others: Iterable[Path], database: sqlite3.Connection) -> bool:
    """Whether the database and other copies together hold all that a copy holds."""
    lacking = missing(database, copy).keys
    for other in others:
        if not lacking:
            break
        with suppress(sqlite3.Error), closing(_opened(other)) as held:
            lacking &= missing(held, copy).keys
    return not lacking


def _missing(database: sqlite3.Connection) -> Missing:
    # Copies of versions before 0.4 know of nothing that was discarded.
    has_table = "discarded" in _tables(database)
    discarded = set(database.execute("SELECT kind, id FROM main.discarded")) if has_table else set()
    changes = [change for change in database.execute(_CHANGES) if (LABEL, change[-1]) not in discarded]
    plans = {(PLAN, name) for (name,) in database.execute(_PLANS)} - discarded
    runs = {(RUN, name): more for name, more in database.execute(_RUNS) if (RUN, name) not in discarded}
    return Missing(
        len({change[:3] for change in changes if change[3] is not None}),
        len(plans),
        sum(runs.values()),
        frozenset({(LABEL, change[-1]) for change in changes} | plans | set(runs)),
        max((change[4] for change in changes), default=""),
    )


def _tables(database: sqlite3.Connection) -> set[str]:
    return {name for (name,) in database.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")}


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
        if missing(source, path):
            path.rename(next(name for n in range(2, 1000) if not (name := path.with_stem(f"{path.stem}-{n}")).exists()))
    _copy(source, path)
    days = sorted(folder.glob(_DAILY), key=lambda one: (one.name <= today, one.name))
    oldest, staying = days[:-DAYS], days[-DAYS:]
    holding = _newest_with_labels(folder) if oldest else None
    for old in reversed(oldest):
        if old == holding or not is_covered(old, staying, source):
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
        if "label_changes" not in (tables := _tables(copy)) or not _as_written(copy, tables):
            return None
        labels = copy.execute(f"SELECT count(*) FROM ({_LABELS})").fetchone()[0]
        return Copy(path, _last_change(copy), int(labels), made / 1e9, is_blank(copy))
    return None


def is_blank(database: sqlite3.Connection) -> bool:
    """Whether a database holds nothing that people made: no pool, plan, label or job."""
    there = [name for name in _TABLES if name in _tables(database)]
    return not any(database.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in there)


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
    found = sorted(folder.glob(_ALL), key=lambda one: (_last_change_in(one), one.stat().st_mtime), reverse=True)
    return next((path for path in found if (copy := read(path)) is not None and copy.changes), None)


def _opened(path: Path) -> sqlite3.Connection:
    """Open a copy to be read alone: nothing is written beside it."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?{UNCHANGED}", uri=True)


def _copy(source: sqlite3.Connection, path: Path) -> None:
    with written(path) as temporary, closing(sqlite3.connect(temporary)) as copy:
        source.backup(copy)
