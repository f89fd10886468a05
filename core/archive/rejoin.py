"""Bring back what a database that was set back lacks: a copy takes its place, and gets what came since."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from . import copies, label_log, recovery
from .copies import Copy, Missing
from .database import Database, transaction
from .owned_files import FILE

# Tables with a name for each row; what a copy has already stays.
_NAMED = (
    *("pools", "designs", "label_files", "field_maps", "label_words", "verdict_parts", "annotator_links"),
    *("surrogate_verdicts", "discarded"),
)
_OF_RUNS = ("surrogate_generations", "surrogate_failures", "surrogate_partitions", "surrogate_batches")
_CHANGES = (
    "SELECT batch, plan_id, item_id, annotator, kind, target, part, label, note, status, source, created"
    f" FROM copy.label_changes AS one WHERE NOT EXISTS ({copies.SAME_CHANGE}) ORDER BY number"
)


@dataclass(frozen=True, slots=True)
class Setback:
    """A database that lacks what was saved in it before.

    Parameters
    ----------
    missing : Missing
        Labels, plans and generations that it lacks.
    copy : Copy or None
        The copy that holds most of them; None if no copy holds any, and only ``neyman.last`` tells of a label.
    """

    missing: Missing
    copy: Copy | None

    @property
    def sentence(self) -> str:
        """Name what is missing and the likely cause."""
        if self.copy is None:
            moment = self.missing.until[:16].replace("T", " ")
            return (
                f"This database ends before the last label, which was saved at {moment} UTC, and no copy holds that"
                f" label. Probably its log “{FILE}-wal” was removed, or left out when the folder was copied. If you"
                " still have that file, stop Neyman and put it back beside the database."
            )
        return (
            f"This database ends before {self.copy.title}: it lacks {self.missing.title} of that copy. It was"
            f" probably set back to an earlier state, or its log “{FILE}-wal” was lost."
        )


def find(database: Database) -> Setback | None:
    """Compare a database with its copies and its last label; None if it lacks nothing.

    Raises
    ------
    HomeError
        The database cannot be read.
    """
    with database.connection() as connection:
        lacking = [(copies.missing(connection, path), path) for path in copies.files_of(database.folder)]
        for missing, path in sorted(lacking, key=lambda one: one[0].size, reverse=True):
            # Only now, since it reads the whole file.
            if missing and (copy := copies.read(path)) is not None:
                return Setback(missing, copy)
        last = copies.last_missing(connection, database.folder)
        return Setback(last, None) if last else None


def accept(database: Database, found: Setback) -> None:
    """Keep the database as it is: what it lacks counts as removed on purpose. The copies stay.

    Raises
    ------
    HomeError
        It cannot be written.
    """
    with database.writing() as connection:
        copies.discard(connection, found.missing.keys)


def bring_back(folder: Path, copy: Path) -> None:
    """Put a copy in the place of a database that was set back, and add what that alone holds.

    The replaced database moves to ``set-aside``.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    copy : Path
        The copy of `Setback`.

    Raises
    ------
    HomeError
        The folder or the copy cannot be used.
    """
    aside = recovery.replace(folder, copy)
    database = Database(folder)
    database.prepare()
    if aside is not None:
        with (
            database.connection() as connection,
            copies.attached(connection, aside / FILE, "mode=rw"),
            transaction(connection),
        ):
            _add_rest(connection)


def _add_rest(connection: sqlite3.Connection) -> None:
    """Add what the database ``copy`` holds and the main one lacks; its labels are newer and come last."""
    rows = connection.execute(_CHANGES).fetchall()
    for (batch, plan_id), group in groupby(rows, key=lambda row: row[:2]):
        label_log.add(connection, batch, plan_id, [row[2:] for row in group])
    for kind, name in connection.execute("SELECT kind, id FROM copy.discarded").fetchall():
        if kind == copies.LABEL:
            label_log.remove(connection, *name.split("\x1f"))
    for table in _NAMED:
        names = ", ".join(name for name in _columns(connection, table) if name != "number")
        connection.execute(f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM copy.{table}")
    query = (
        "SELECT one.number, one.id FROM copy.surrogate_jobs AS one LEFT JOIN main.surrogate_jobs AS here"
        " ON here.id = one.id WHERE here.id IS NULL OR one.generations > here.generations"
    )
    for number, run in connection.execute(query).fetchall():
        _add_run(connection, number, run)


def _add_run(connection: sqlite3.Connection, number: int, run: str) -> None:
    """Add a run with its generations, in place of the same run with fewer."""
    old = connection.execute("SELECT number FROM main.surrogate_jobs WHERE id = ?", (run,)).fetchone()
    for table, key in (("surrogate_jobs", "number"), *((table, "job") for table in _OF_RUNS)):
        connection.execute(f"DELETE FROM main.{table} WHERE {key} = ?", old or (None,))
    columns = [name for name in _columns(connection, "surrogate_jobs") if name not in ("number", "state")]
    names = ", ".join(columns)
    connection.execute(
        # No worker runs it any more.
        f"INSERT INTO main.surrogate_jobs (state, {names}) SELECT replace(replace(state, 'queued', 'stopped'),"
        f" 'running', 'stopped'), {names} FROM copy.surrogate_jobs WHERE number = ?",
        (number,),
    )
    new = connection.execute("SELECT number FROM main.surrogate_jobs WHERE id = ?", (run,)).fetchone()[0]
    for table in _OF_RUNS:
        rest = ", ".join(name for name in _columns(connection, table) if name not in ("number", "job"))
        connection.execute(
            f"INSERT INTO main.{table} (job, {rest}) SELECT ?, {rest} FROM copy.{table} WHERE job = ?", (new, number)
        )


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
