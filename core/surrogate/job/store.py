"""Jobs and generations in ``neyman.sqlite``: one row per (job, item, sample), written once.

The database is the archive's; the tables here are named ``surrogate_…`` and carry a schema version of their own in
``surrogate_schema``. Every reader opens a connection for one call. A worker keeps one, and each of its writes says who
writes: a worker that was taken for dead and replaced finds that out at its next write, and writes nothing.

    surrogate_jobs         what is wanted, who runs it, how far it is
    surrogate_generations  (job, position of the item in the pool, sample) → text, answer, log-probabilities …
    surrogate_failures     (job, position) → why this item has no generations
    surrogate_partitions   (job, counts of equal answers of an item, descending) → number of such items
"""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.surrogate.faults import StorageError, SurrogateError
from core.surrogate.job.settings import JobSpec
from core.surrogate.vllm.processes import Process, is_alive

SCHEMA_VERSION = 1
STALE_SECONDS = 60.0
ACTIVE = ("queued", "running")
_BUSY_MS = 30_000

_MIGRATIONS = (
    """
    CREATE TABLE surrogate_jobs (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL, digest TEXT NOT NULL,
        spec TEXT NOT NULL, total INTEGER NOT NULL, created TEXT NOT NULL, state TEXT NOT NULL,
        phase TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0,
        owner TEXT, host TEXT, pid INTEGER, pid_started TEXT, heartbeat REAL NOT NULL, seconds REAL NOT NULL DEFAULT 0,
        sent TEXT, server_model TEXT, versions TEXT,
        done INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, generations INTEGER NOT NULL DEFAULT 0,
        unparsed INTEGER NOT NULL DEFAULT 0, truncated INTEGER NOT NULL DEFAULT 0,
        requests INTEGER NOT NULL DEFAULT 0, retries INTEGER NOT NULL DEFAULT 0,
        prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0,
        item_rate REAL NOT NULL DEFAULT 0, token_rate REAL NOT NULL DEFAULT 0, latest TEXT NOT NULL DEFAULT '[]'
    ) STRICT;
    CREATE UNIQUE INDEX surrogate_one_active ON surrogate_jobs (key) WHERE state IN ('queued', 'running');
    CREATE TABLE surrogate_generations (
        job INTEGER NOT NULL, position INTEGER NOT NULL, sample INTEGER NOT NULL, text TEXT NOT NULL, reasoning TEXT,
        answer TEXT, finish TEXT, tokens INTEGER, logprob REAL, token_logprob REAL,
        PRIMARY KEY (job, position, sample)
    ) STRICT;
    CREATE TABLE surrogate_failures (
        job INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL,
        final INTEGER NOT NULL, PRIMARY KEY (job, position)
    ) STRICT;
    CREATE TABLE surrogate_partitions (
        job INTEGER NOT NULL, counts TEXT NOT NULL, items INTEGER NOT NULL, PRIMARY KEY (job, counts)
    ) STRICT;
    """,
)


class Store:
    """The jobs in NEYMAN_HOME.

    Raises
    ------
    StorageError : the folder cannot be written to, or belongs to a newer version of this program.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StorageError(f"The folder “{self.folder}” cannot be used ({error.strerror}).") from error
        with self.connection() as database:
            _migrate(database, self.folder)

    @property
    def logs(self) -> Path:
        """The folder of the workers' and servers' logs."""
        folder = self.folder / "logs"
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call; each transaction is begun and committed by whoever writes."""
        try:
            with closing(connect(self.folder)) as database:
                yield database
        except sqlite3.Error as error:
            raise storage_error(self.folder, error) from error

    def create(self, spec: JobSpec, total: int, state: str = "queued") -> str:
        """Insert a job; return its id.

        Raises
        ------
        SurrogateError : a job with the same outcome is at work, or was interrupted and waits to be resumed.
        """
        job = uuid.uuid4().hex[:16]
        row = (job, spec.key, spec.digest, spec.to_json(), total, now(), state, time.time())
        columns = "id, key, digest, spec, total, created, state, heartbeat"
        with self.connection() as database, transaction(database):
            active = database.execute(
                "SELECT id FROM surrogate_jobs WHERE key = ? AND state IN ('queued', 'running')", (spec.key,)
            ).fetchone()
            if active is not None:
                if state_of(self.row(active[0], database)) == "lost":
                    raise SurrogateError(f"The same job ({active[0]}) was interrupted; resume it instead.")
                raise SurrogateError(f"The same job ({active[0]}) is already running.")
            database.execute(f"INSERT INTO surrogate_jobs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return job

    def row(self, job: str, database: sqlite3.Connection | None = None) -> dict[str, Any]:
        """The row of a job (its id, or the only one that begins so).

        Raises
        ------
        SurrogateError : there is no such job, or several.
        """
        if database is None:
            with self.connection() as opened:
                return self.row(job, opened)
        cursor = database.execute("SELECT * FROM surrogate_jobs WHERE substr(id, 1, ?) = ? LIMIT 2", (len(job), job))
        rows = cursor.fetchall()
        if not job or len(rows) != 1:
            raise SurrogateError(
                f"There is {'more than one job' if rows else 'no job'} whose id begins with “{job[:40]}”."
            )
        return dict(zip([column[0] for column in cursor.description], rows[0], strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all jobs, newest first."""
        with self.connection() as database:
            cursor = database.execute("SELECT * FROM surrogate_jobs ORDER BY number DESC")
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def latest(self, key: str) -> dict[str, Any] | None:
        """The row of the newest job that does this work, None where there is none."""
        return next((row for row in self.rows() if row["key"] == key), None)

    def ask_to_stop(self, job: str) -> None:
        """Ask the worker of a job to stop; a job without a living worker is cancelled at once."""
        with self.connection() as database, transaction(database):
            row = self.row(job, database)
            if state_of(row) == "running":
                database.execute("UPDATE surrogate_jobs SET stop = 1 WHERE number = ?", (row["number"],))
            elif row["state"] in (*ACTIVE, "waiting"):
                database.execute(
                    "UPDATE surrogate_jobs SET state = 'cancelled', owner = NULL WHERE number = ?", (row["number"],)
                )

    def queue(self, job: str) -> None:
        """Put a job that has ended, or whose worker is lost, back into the queue, for a worker to come.

        Raises
        ------
        SurrogateError : it is running or waiting to run, or the same work is.
        """
        with self.connection() as database, transaction(database):
            row = self.row(job, database)
            if state_of(row) in ACTIVE:
                raise SurrogateError(f"The job {row['id']} is already running.")
            twin = "SELECT count(*) FROM surrogate_jobs WHERE key = ? AND id <> ? AND state IN ('queued', 'running')"
            if database.execute(twin, (row["key"], row["id"])).fetchone()[0]:
                raise SurrogateError(f"Another job is doing the same work as {row['id']}; wait for it.")
            database.execute(
                "UPDATE surrogate_jobs SET state = 'queued', error = '', stop = 0, owner = NULL, pid = NULL,"
                " heartbeat = ? WHERE number = ?",
                (time.time(), row["number"]),
            )

    def spawned(self, job: str, process: Process) -> None:
        """Say which process is to run a queued job, so that its death is seen before it claims the job."""
        with self.connection() as database, transaction(database):
            database.execute(
                "UPDATE surrogate_jobs SET host = ?, pid = ?, pid_started = ? WHERE id = ? AND state = 'queued'",
                (process.host, process.pid, process.started, job),
            )


def state_of(row: Mapping[str, Any]) -> str:
    """State of a job: "queued", "running", "waiting" (for batch results), "done", "failed", "cancelled", or "lost".

    Lost: the row says that it runs, but its worker has ended; on another machine: was silent for a minute.
    """
    if row["state"] not in ACTIVE:
        return str(row["state"])
    alive = is_alive(Process(row["host"], row["pid"], row["pid_started"])) if row["pid"] is not None else None
    if alive is None:
        alive = time.time() - row["heartbeat"] <= STALE_SECONDS
    return str(row["state"]) if alive else "lost"


def connect(folder: Path) -> sqlite3.Connection:
    """A connection in autocommit mode; see :func:`transaction`."""
    database = sqlite3.connect(
        folder / "neyman.sqlite", timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False
    )
    database.execute("PRAGMA journal_mode = WAL")
    # In WAL mode this loses nothing when a process is killed, and is never inconsistent; a power cut may undo the last
    # seconds, which are asked for again.
    database.execute("PRAGMA synchronous = NORMAL")
    return database


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and nobody else writes meanwhile."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def storage_error(folder: Path, error: sqlite3.Error) -> StorageError:
    """The sentence for an error of the database."""
    return StorageError(
        f"“{folder}” cannot be written to ({error}); make room or set it right, then resume: what is stored stays."
    )


def datetime_now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def now() -> str:
    """This moment, ISO 8601 in UTC."""
    return datetime_now().isoformat(timespec="seconds")


def _migrate(database: sqlite3.Connection, folder: Path) -> None:
    exists = "SELECT count(*) FROM sqlite_master WHERE name = 'surrogate_schema'"
    # Looking takes no lock: a page opens the store at every rerun, while a worker writes.
    if database.execute(exists).fetchone()[0]:
        (version,) = database.execute("SELECT version FROM surrogate_schema").fetchone()
        if version == SCHEMA_VERSION:
            return
    with transaction(database):
        if not database.execute(exists).fetchone()[0]:
            database.execute("CREATE TABLE surrogate_schema (version INTEGER NOT NULL) STRICT")
            database.execute("INSERT INTO surrogate_schema VALUES (0)")
        (version,) = database.execute("SELECT version FROM surrogate_schema").fetchone()
        if version > SCHEMA_VERSION:
            raise StorageError(f"“{folder}” was written by a newer version of Neyman; update, or set NEYMAN_HOME anew.")
        for migration in _MIGRATIONS[version:]:
            for statement in filter(None, map(str.strip, migration.split(";"))):
                database.execute(statement)
        database.execute("UPDATE surrogate_schema SET version = ?", (SCHEMA_VERSION,))
