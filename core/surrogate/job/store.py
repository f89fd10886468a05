"""The jobs in ``neyman.sqlite``: one row per (job, item, sample), written once.

The tables ``surrogate_…`` are those of ``core.archive.schema``. Every reader opens a connection for one call. A worker
keeps one, and each of its writes says who writes: a worker that was taken for dead and replaced finds that out at its
next write, and writes nothing.
"""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from ...archive.database import Database, Watch
from ..faults import StorageError, SurrogateError
from .events import GENERATION_COLUMNS, Generation
from .process import Process, is_alive
from .spec import JobSpec

STALE_SECONDS = 60.0
ACTIVE = ("queued", "running")
DONE_WITH_FAILURES = "done with failures"
_REMEDY = "Free some space or fix the folder, then resume the job: stored results are kept."


@dataclass(frozen=True, slots=True)
class JobRow:
    """A row of ``surrogate_jobs``.

    ``total``, ``done`` and ``failed`` count items; ``unparsed`` (no answer) and ``truncated`` (ended by the token
    limit) count generations; ``heartbeat`` is the worker's last sign of life (seconds since 1970), ``seconds`` the
    time it has run; ``item_rate`` and ``token_rate`` are per second. ``spec_json``, ``sent``,
    ``versions_json`` and ``latest`` are JSON.
    """

    number: int
    id: str
    key: str
    digest: str
    spec_json: str
    total: int
    created: str
    state: str
    phase: str
    error: str
    stop: int
    owner: str | None
    host: str | None
    pid: int | None
    pid_started: str | None
    heartbeat: float
    seconds: float
    sent: str | None
    server_model: str | None
    versions_json: str | None
    done: int
    failed: int
    generations: int
    unparsed: int
    truncated: int
    requests: int
    retries: int
    prompt_tokens: int
    completion_tokens: int
    estimated_tokens: int
    item_rate: float
    token_rate: float
    latest: str

    @property
    def spec(self) -> JobSpec:
        """The job's parameters."""
        return JobSpec.from_json(self.spec_json)

    @property
    def process(self) -> Process | None:
        """The process that runs the job, or ran it last; None if there was none yet."""
        if self.pid is None or self.host is None or self.pid_started is None:
            return None
        return Process(self.host, self.pid, self.pid_started)


_ROW = ", ".join(field.name.removesuffix("_json") for field in fields(JobRow))


class Store:
    """The jobs in NEYMAN_HOME.

    Parameters
    ----------
    folder : str or Path
        NEYMAN_HOME.
    watch : Watch, optional
        As `core.archive.database.Database` has it.

    Raises
    ------
    StorageError
        The folder cannot be used, or belongs to a newer version of Neyman.
    """

    def __init__(self, folder: str | Path, watch: Watch | None = None) -> None:
        self.folder = Path(folder).expanduser()
        self.database = Database(self.folder, StorageError, _REMEDY, "NORMAL", watch=watch)
        self.database.prepare()

    @property
    def logs(self) -> Path:
        """The folder of the workers' and servers' logs."""
        folder = self.folder / "logs"
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def server_logs(self, job: str) -> list[Path]:
        """List what a job's own server has printed, a file for each start, in order; empty before the first."""
        return sorted(self.logs.glob(f"{job}.server*.log"), key=_start_of)

    def new_server_log(self, job: str) -> Path:
        """Name the file for the next start of a job's own server."""
        logs = self.server_logs(job)
        return self.logs / f"{job}.server.{_start_of(logs[-1]) + 1 if logs else 1}.log"

    def create(self, spec: JobSpec, total: int, state: str = "queued") -> str:
        """Insert a job in its first ``state``; return its id.

        Parameters
        ----------
        spec : JobSpec
            Its parameters.
        total : int
            Number of its items.
        state : {"queued", "waiting"}
            Whether a worker or batch results are to come.

        Raises
        ------
        SurrogateError
            A job with the same outcome is at work, or was interrupted and waits to be resumed.
        """
        job = uuid.uuid4().hex[:16]
        row = (job, spec.key, spec.digest, spec.to_json(), total, now(), state, time.time())
        columns = "id, key, digest, spec, total, created, state, heartbeat"
        with self.database.writing() as database:
            active = _active(database, spec.key)
            if active is not None:
                if state_of(active) == "lost":
                    raise SurrogateError(f"The same job ({active.id}) was interrupted; resume it instead.")
                raise SurrogateError(f"The same job ({active.id}) is already running.")
            database.execute(f"INSERT INTO surrogate_jobs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return job

    def row(self, job: str, database: sqlite3.Connection | None = None) -> JobRow:
        """Look up a job.

        Parameters
        ----------
        job : str
            Its id, or a beginning that no other job's id has.
        database : sqlite3.Connection, optional
            The connection to read it from, by default a new one.

        Raises
        ------
        SurrogateError
            There is no such job, or there are several.
        """
        if database is None:
            with self.database.connection() as opened:
                return self.row(job, opened)
        query = f"SELECT {_ROW} FROM surrogate_jobs WHERE substr(id, 1, ?) = ? LIMIT 2"
        rows = database.execute(query, (len(job), job)).fetchall()
        if not job or len(rows) != 1:
            raise SurrogateError(
                f"There is {'more than one job' if rows else 'no job'} whose id begins with “{job[:40]}”."
            )
        return JobRow(*rows[0])

    def generations(self, row: JobRow, position: int | None = None) -> Iterator[tuple[int, Generation]]:
        """Each generation of a job, or of one of its items, with the item's place, in the order of the pool."""
        query = (
            f"SELECT position, {', '.join(GENERATION_COLUMNS)} FROM surrogate_generations WHERE job = :job"
            f"{'' if position is None else ' AND position = :position'} ORDER BY position, sample"
        )
        with self.database.reading() as database:
            for place, *values in database.execute(query, {"job": row.number, "position": position}):
                yield place, Generation(*values)

    def rows(self) -> list[JobRow]:
        """List all jobs, newest first."""
        return [*self.database.once("jobs", self._rows)]

    def _rows(self) -> list[JobRow]:
        query = f"SELECT {_ROW} FROM surrogate_jobs ORDER BY number DESC"
        return [JobRow(*row) for row in self.database.select(query)]

    def latest(self, key: str) -> JobRow | None:
        """Find the newest job with this key that waits for no batch results, None if there is none."""
        return next((row for row in self.rows() if row.state != "waiting" and row.spec.key == key), None)

    def revise(self, job: str, spec: JobSpec) -> None:
        """Change how a job is run: address, concurrency, memory, prices … (``JobSpec.key`` says what stays).

        Raises
        ------
        SurrogateError
            The job is running, or ``spec`` describes other work.
        """
        with self.database.writing() as database:
            row = self.row(job, database)
            if state_of(row) in ACTIVE:
                raise SurrogateError(f"The job {row.id} is already running.")
            if row.spec.key != spec.key:
                raise SurrogateError(f"These options do not describe the job {row.id}: they would change its answers.")
            # What seeds the samples at hand had, and how they were read, holds for the others too.
            spec = replace(spec, seeds=row.spec.seeds, rules=row.spec.rules)
            database.execute("UPDATE surrogate_jobs SET spec = ? WHERE number = ?", (spec.to_json(), row.number))

    def ask_to_stop(self, job: str) -> None:
        """Ask the worker of a job to stop; a job without a living worker is stopped at once."""
        with self.database.writing() as database:
            row = self.row(job, database)
            if state_of(row) == "running":
                database.execute("UPDATE surrogate_jobs SET stop = 1 WHERE number = ?", (row.number,))
            elif row.state in (*ACTIVE, "waiting"):
                database.execute(
                    "UPDATE surrogate_jobs SET state = 'stopped', owner = NULL WHERE number = ?", (row.number,)
                )

    def queue(self, job: str) -> None:
        """Put a job that has ended, or whose worker is lost, back into the queue, for a worker to come.

        Raises
        ------
        SurrogateError
            The job is running or waiting to run, or another one is doing the same work.
        """
        with self.database.writing() as database:
            row = self.row(job, database)
            if state_of(row) in ACTIVE:
                raise SurrogateError(f"The job {row.id} is already running.")
            key = free_key(row, database)
            database.execute(
                "UPDATE surrogate_jobs SET state = 'queued', error = '', stop = 0, owner = NULL, pid = NULL, key = ?,"
                " heartbeat = ? WHERE number = ?",
                (key, time.time(), row.number),
            )

    def retry_failed(self, job: str, kind: str | None = None) -> int:
        """Forget why items failed, those that failed for good included, so that a resumed job asks them again.

        Parameters
        ----------
        job : str
            Its id.
        kind : str, optional
            The kind of failure, by default every kind.

        Returns
        -------
        int
            How many items will be asked again.

        Raises
        ------
        SurrogateError
            The job is running, or no item failed that way.
        """
        with self.database.writing() as database:
            row = self.row(job, database)
            if state_of(row) in ACTIVE:
                raise SurrogateError(f"The job {row.id} is running; stop it first.")
            where, values = "job = ? AND (? IS NULL OR kind = ?)", (row.number, kind, kind)
            forgotten = database.execute(f"DELETE FROM surrogate_failures WHERE {where}", values).rowcount
            if not forgotten:
                query = "SELECT DISTINCT kind FROM surrogate_failures WHERE job = ? ORDER BY kind"
                kinds = ", ".join(f"“{name}”" for (name,) in database.execute(query, (row.number,)))
                raise SurrogateError(f"No item of the job {row.id} failed that way. Its failures: {kinds or 'none'}.")
            # Items are open again: the job is no longer done.
            database.execute(
                "UPDATE surrogate_jobs SET failed = failed - ?, state = replace(state, ?, 'stopped') WHERE number = ?",
                (forgotten, DONE_WITH_FAILURES, row.number),
            )
        return forgotten

    def spawned(self, job: str, process: Process) -> None:
        """Record the process that is to run a queued job, so that its death is seen before it claims the job."""
        query = "UPDATE surrogate_jobs SET host = ?, pid = ?, pid_started = ? WHERE id = ? AND state = 'queued'"
        self.database.execute(query, process.host, process.pid, process.started, job)


def free_key(row: JobRow, database: sqlite3.Connection) -> str:
    """The key of a job that is to run; earlier versions wrote another into its row.

    Raises
    ------
    SurrogateError
        Another job is doing the same work.
    """
    key = row.spec.key
    if _active(database, key, but=row.id) is not None:
        raise SurrogateError(f"Another job is doing the same work as {row.id}; wait for it.")
    return key


def state_of(row: JobRow) -> str:
    """State of a job.

    "queued" or "running"; "waiting" for batch results; "done" if every item has its generations, "done with
    failures" if some have a recorded reason instead; "stopped" by somebody, "paused" by itself, "failed" with an
    error; or "lost": the row says that it runs, but its worker has ended (on another machine: was silent for a minute).
    """
    if row.state not in ACTIVE:
        return row.state
    alive = is_alive(row.process) if row.process is not None else None
    if alive is None:
        alive = time.time() - row.heartbeat <= STALE_SECONDS
    return row.state if alive else "lost"


def _active(database: sqlite3.Connection, key: str, but: str = "") -> JobRow | None:
    """The job with this key that is queued or running, ``but`` apart; earlier versions wrote other keys."""
    query = f"SELECT {_ROW} FROM surrogate_jobs WHERE state IN ('queued', 'running') AND id <> ?"
    rows = (JobRow(*row) for row in database.execute(query, (but,)).fetchall())
    return next((row for row in rows if row.spec.key == key), None)


def _start_of(log: Path) -> int:
    """Return the number of the start that a log is of; earlier versions wrote all into one, without a number."""
    number = log.name.split(".")[-2]
    return int(number) if number.isdigit() else 0


def now() -> str:
    """Return the time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
