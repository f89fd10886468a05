"""A worker's hold on one job: what it reads and writes, and the proof that nobody else does."""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from core.archive.database import transaction
from core.surrogate.faults import NotMine, SurrogateError
from core.surrogate.job.events import Event, Failure, Present, Pulse
from core.surrogate.job.store import JobRow, Store, state_of
from core.surrogate.vllm.processes import Process, this_process


class Claim:
    """The right to run one job: a connection, and a mark in the row that every write checks.

    Raises
    ------
    SurrogateError : another worker runs the job, or it is done.
    """

    def __init__(self, store: Store, job: str, process: Process | None = None) -> None:
        self._store = store
        process = process or this_process()
        self._owner = uuid.uuid4().hex
        self._database = store.database.connect()
        try:
            with transaction(self._database):
                row = store.row(job, self._database)
                _check_free(row)
                self.number = row.number
                self._take(process)
        except sqlite3.IntegrityError as error:
            self._database.close()
            raise SurrogateError(f"Another job is doing the same work as {job}; wait for it.") from error
        except BaseException:
            self._database.close()
            raise
        self.row = row

    def close(self) -> None:
        """End the connection; the row keeps its state."""
        self._database.close()

    def present(self, n_samples: int) -> Present:
        """What is stored already, so that only the rest is asked for."""
        settled: set[int] = set()
        partial: dict[int, set[int]] = {}
        query = "SELECT position, sample FROM surrogate_generations WHERE job = ? ORDER BY position, sample"
        for position, sample in self._database.execute(query, (self.number,)):
            samples = partial.setdefault(position, set())
            samples.add(sample)
            if len(samples) == n_samples:
                settled.add(position)
                del partial[position]
        query = "SELECT position FROM surrogate_failures WHERE job = ?"
        settled.update(position for (position,) in self._database.execute(query, (self.number,)))
        return Present(frozenset(settled), {position: frozenset(found) for position, found in partial.items()})

    def open_items(self) -> int:
        """How many items have neither all generations nor a recorded reason."""
        query = "SELECT total - done - failed FROM surrogate_jobs WHERE number = ?"
        return int(self._database.execute(query, (self.number,)).fetchone()[0])

    def answers(self, position: int) -> list[str | None]:
        """Parsed answers of the samples that an item has."""
        query = "SELECT answer FROM surrogate_generations WHERE job = ? AND position = ? ORDER BY sample"
        return [answer for (answer,) in self._database.execute(query, (self.number, position))]

    def add(self, events: Sequence[Event]) -> None:
        """Store what arrived, all or nothing, and count it.

        Raises
        ------
        NotMine : another worker has taken over. StorageError : the disk is full or the like.
        """
        with self._writing():
            self._database.executemany(
                "INSERT OR IGNORE INTO surrogate_generations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._rows(events)
            )
            failures = [(self.number, e.position, *_columns(e.failure)) for e in events if e.failure is not None]
            self._database.executemany("INSERT OR REPLACE INTO surrogate_failures VALUES (?, ?, ?, ?, ?)", failures)
            partitions = [(self.number, ",".join(map(str, e.counts))) for e in events if e.counts is not None]
            self._database.executemany(
                "INSERT INTO surrogate_partitions VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET items = items + 1",
                partitions,
            )
            samples = [generation for event in events for generation in event.generations]
            added = {
                "done": len(partitions),
                "failed": len(failures),
                "generations": len(samples),
                "unparsed": sum(generation.answer is None for generation in samples),
                "truncated": sum(generation.finish == "length" for generation in samples),
                "requests": sum(event.requests for event in events),
                "prompt_tokens": sum(event.prompt_tokens for event in events),
                "completion_tokens": sum(event.completion_tokens for event in events),
            }
            self._update(", ".join(f"{name} = {name} + ?" for name in added), tuple(added.values()))

    def beat(self, pulse: Pulse) -> bool:
        """Say that the worker lives, and how it goes; return whether it is asked to stop.

        Raises
        ------
        NotMine : another worker has taken over. StorageError : the disk is full or the like.
        """
        with self._writing():
            self._update(
                "heartbeat = ?, phase = ?, retries = retries + ?, seconds = seconds + ?, item_rate = ?, token_rate = ?,"
                " latest = ?",
                (
                    time.time(),
                    pulse.phase,
                    pulse.retries,
                    pulse.seconds,
                    pulse.item_rate,
                    pulse.token_rate,
                    json.dumps(list(pulse.latest)),
                ),
            )
            query = "SELECT stop FROM surrogate_jobs WHERE number = ?"
            return bool(self._database.execute(query, (self.number,)).fetchone()[0])

    def note(self, **columns: str) -> None:
        """Write texts of the row: ``sent``, ``server_model``, ``versions``, ``phase``."""
        if not columns.keys() <= {"sent", "server_model", "versions", "phase"}:
            raise ValueError(f"not columns that a worker notes: {sorted(columns)}")
        with self._writing():
            self._update(", ".join(f"{name} = ?" for name in columns), tuple(columns.values()))

    def finish(self, state: str, error: str = "") -> None:
        """Give the job up in its last state, with the reason where it failed."""
        with self._writing():
            self._update("state = ?, error = ?, phase = '', heartbeat = ?, owner = NULL", (state, error, time.time()))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._store.database.translated(), transaction(self._database):
            yield

    def _update(self, assignments: str, values: tuple[object, ...]) -> None:
        statement = f"UPDATE surrogate_jobs SET {assignments} WHERE number = ? AND owner = ?"
        if self._database.execute(statement, (*values, self.number, self._owner)).rowcount != 1:
            raise NotMine("Another worker has taken this job over; this one stops.")

    def _take(self, process: Process) -> None:
        # What failed for a passing reason is asked for again.
        self._database.execute("DELETE FROM surrogate_failures WHERE job = ? AND final = 0", (self.number,))
        self._database.execute(
            "UPDATE surrogate_jobs SET state = 'running', phase = '', error = '', stop = 0, owner = ?, host = ?,"
            " pid = ?, pid_started = ?, heartbeat = ?, item_rate = 0, token_rate = 0,"
            " failed = (SELECT count(*) FROM surrogate_failures WHERE job = number) WHERE number = ?",
            (self._owner, process.host, process.pid, process.started, time.time(), self.number),
        )

    def _rows(self, events: Iterable[Event]) -> Iterator[tuple[object, ...]]:
        for event in events:
            for g in event.generations:
                row = (g.sample, g.text, g.reasoning, g.answer, g.finish, g.tokens, g.logprob, g.token_logprob)
                yield (self.number, event.position, *row)


def _columns(failure: Failure) -> tuple[str, str, int]:
    return failure.kind, failure.message, int(failure.final)


def _check_free(row: JobRow) -> None:
    state = state_of(row)
    if state == "running":
        raise SurrogateError(f"The job {row.id} is being run by another process ({row.pid}).")
    if state == "done" and not row.failed:
        raise SurrogateError(f"The job {row.id} is done: there is nothing left to ask.")
