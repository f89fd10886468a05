"""Find what a database lacks that was saved before: it was set back in time, or its write-ahead log was lost.

A database holds no sign that its end is missing: each state of it is whole. Two witnesses stand beside it: the copies
in ``backups`` (``core.archive.copies``), and the file ``neyman.last`` with the last label that was saved. What people
removed themselves stands in the table ``discarded`` and is not missing.
"""

from __future__ import annotations

import json
import os
import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..words import counted, listed

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
    path = folder / LAST
    temporary = path.with_name(f".{LAST}.{uuid.uuid4().hex}.unfinished.json")
    with suppress(OSError):
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump({"plan_id": plan_id, "batch": batch, "created": created}, file)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


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
        address = f"{other.resolve().as_uri()}?{UNCHANGED}"
        with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as held:
            lacking &= missing(held, copy).keys
    return not lacking


def _missing(database: sqlite3.Connection) -> Missing:
    # Copies of versions before 0.4 know of nothing that was discarded.
    has_table = "SELECT count(*) FROM main.sqlite_master WHERE type = 'table' AND name = 'discarded'"
    discarded = set(database.execute("SELECT kind, id FROM main.discarded")) if _number(database, has_table) else set()
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


def _number(database: sqlite3.Connection, query: str) -> int:
    return int(database.execute(query).fetchone()[0])
