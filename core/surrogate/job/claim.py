"""A worker's claim to one job: what it reads and writes, and the proof that nobody else does."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from operator import attrgetter

from ...archive.database import transaction
from ..faults import ClaimLost, SurrogateError
from .events import GENERATION_COLUMNS, Event, Generation, Inventory
from .process import this_process
from .source import Item, verdicts_on
from .store import DONE_WITH_FAILURES, JobRow, Store, free_key, state_of

_VALUES = attrgetter(*GENERATION_COLUMNS)
# What requests took, by fields of their events and columns of the job.
_TAKEN = ("requests", "prompt_tokens", "completion_tokens", "estimated_tokens")


class Claim:
    """The right to run one job: a connection, and a mark in the row that every write checks.

    Parameters
    ----------
    store : Store
        Where the job is.
    job : str
        Its id.

    Raises
    ------
    SurrogateError
        Another worker runs the job, or it is done.
    """

    def __init__(self, store: Store, job: str) -> None:
        self._store = store
        self._owner = uuid.uuid4().hex
        with store.database.translated():
            self._database = store.database.connect()
        self._file = store.database.identity
        try:
            with self._writing():
                row = store.row(job, self._database)
                _check_free(row)
                self.number = row.number
                self._take(free_key(row, self._database))
        except BaseException:
            self._database.close()
            raise
        self.row = row

    def check_in_place(self) -> None:
        """Check that what is written reaches the store; raises StorageError if its folder was taken away."""
        self._store.database.check_same(self._file)

    def close(self) -> None:
        """End the connection; the row keeps its state."""
        self._database.close()

    def inventory(self, k: int) -> Inventory:
        """Return the inventory of items with ``k`` samples each, so that only the rest is asked for."""
        complete: set[int] = set()
        partial: dict[int, set[int]] = {}
        query = "SELECT position, sample FROM surrogate_generations WHERE job = ? ORDER BY position, sample"
        for position, sample in self._database.execute(query, (self.number,)):
            samples = partial.setdefault(position, set())
            samples.add(sample)
            if len(samples) == k:
                complete.add(position)
                del partial[position]
        query = "SELECT position FROM surrogate_failures WHERE job = ?"
        failed = frozenset(position for (position,) in self._database.execute(query, (self.number,)))
        samples_of = {position: frozenset(samples) for position, samples in partial.items()}
        return Inventory(frozenset(complete), failed, samples_of)

    def open_items(self) -> int:
        """Count the items that have neither all generations nor a recorded reason."""
        query = "SELECT total - done - failed FROM surrogate_jobs WHERE number = ?"
        return int(self._database.execute(query, (self.number,)).fetchone()[0])

    def answers(self, position: int) -> dict[int, str | None]:
        """Parsed answers of the samples that the item at ``position`` has, by sample."""
        query = "SELECT sample, answer FROM surrogate_generations WHERE job = ? AND position = ? ORDER BY sample"
        return dict(self._database.execute(query, (self.number, position)).fetchall())

    def add(self, events: Sequence[Event]) -> None:
        """Store what arrived, all or nothing, and count it.

        Raises
        ------
        ClaimLost
            Another worker has taken over.
        StorageError
            The disk is full or the like.
        """
        samples = [(event, one) for event in events for one in event.generations]
        with self._writing():
            self._database.executemany(
                f"INSERT OR IGNORE INTO surrogate_generations (job, position, {', '.join(GENERATION_COLUMNS)})"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(self.number, event.position, *_VALUES(one)) for event, one in samples],
            )
            self._database.executemany(
                "INSERT OR REPLACE INTO surrogate_verdicts (key, verdict) VALUES (?, ?)",
                [(event.key, one.answer) for event, one in samples if event.key is not None and one.answer is not None],
            )
            failed = self._add_failures(events)
            partitions = [
                (self.number, ",".join(map(str, event.counts))) for event in events if event.counts is not None
            ]
            self._database.executemany(
                "INSERT INTO surrogate_partitions VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET items = items + 1",
                partitions,
            )
            added = {
                "done": len(partitions),
                "failed": failed,
                "generations": len(samples),
                "unparsed": sum(one.answer is None for _, one in samples),
                "truncated": sum(one.cut for _, one in samples),
            }
            added |= {name: sum(getattr(event, name) for event in events) for name in _TAKEN}
            self._update(", ".join(f"{name} = {name} + ?" for name in added), tuple(added.values()))

    def recall(self, pairs: Sequence[Item]) -> None:
        """Answer pairs with the verdicts that earlier jobs brought, without a request; raises as :meth:`add`."""
        verdicts = verdicts_on([pair.id for pair in pairs], self._database)
        self.add(
            [
                Event(pair.position, (Generation(0, words, words),), counts=(1,), requests=0)
                for pair in pairs
                if (words := verdicts.get(pair.id)) is not None
            ]
        )

    def _add_failures(self, events: Sequence[Event]) -> int:
        """Record why items failed, and that complete ones did not; return by how many the failed items grow."""
        ends = {
            event.position: event.failure for event in events if event.failure is not None or event.counts is not None
        }
        before = self._database.total_changes
        self._database.executemany(
            "DELETE FROM surrogate_failures WHERE job = ? AND position = ?",
            [(self.number, position) for position in ends],
        )
        deleted = self._database.total_changes - before
        failures = [
            (self.number, position, failure.kind, failure.message, int(failure.final))
            for position, failure in ends.items()
            if failure is not None
        ]
        self._database.executemany("INSERT INTO surrogate_failures VALUES (?, ?, ?, ?, ?)", failures)
        return len(failures) - deleted

    def beat(
        self,
        phase: str,
        latest: Sequence[int],
        retries: int,
        seconds: float,
        item_rate: float = 0.0,
        token_rate: float = 0.0,
    ) -> bool:
        """Report that the worker lives, and its progress; return whether it is asked to stop.

        Parameters
        ----------
        phase : str
            What it is doing, for people.
        latest : sequence of int
            Positions of the items finished last, at most three.
        retries : int
            Requests repeated since the last report.
        seconds : float
            Time since the last report.
        item_rate, token_rate : float
            Items and tokens per second, over the last half minute.

        Raises
        ------
        ClaimLost
            Another worker has taken over.
        StorageError
            The disk is full or the like.
        """
        with self._writing():
            self._update(
                "heartbeat = ?, phase = ?, retries = retries + ?, seconds = seconds + ?, item_rate = ?, token_rate = ?,"
                " latest = ?",
                (time.time(), phase, retries, seconds, item_rate, token_rate, json.dumps(list(latest))),
            )
            query = "SELECT stop FROM surrogate_jobs WHERE number = ?"
            return bool(self._database.execute(query, (self.number,)).fetchone()[0])

    def note(self, *, sent: str | None = None, server_model: str | None = None, versions: str | None = None) -> None:
        """Write texts of the row; None leaves one unchanged.

        Raises
        ------
        ClaimLost
            Another worker has taken over.
        StorageError
            The disk is full or the like.
        """
        with self._writing():
            self._update(
                "sent = coalesce(?, sent), server_model = coalesce(?, server_model), versions = coalesce(?, versions)",
                (sent, server_model, versions),
            )

    def finish(self, state: str, error: str = "") -> str:
        """Release the job in its last state, with the reason if it failed or paused; return the state.

        A job that is done with items that failed is "done with failures".
        """
        with self._writing():
            query = "SELECT failed FROM surrogate_jobs WHERE number = ?"
            if state == "done" and self._database.execute(query, (self.number,)).fetchone()[0]:
                state = DONE_WITH_FAILURES
            self._update("state = ?, error = ?, phase = '', heartbeat = ?, owner = NULL", (state, error, time.time()))
        return state

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._store.database.translated(), transaction(self._database):
            yield

    def _update(self, assignments: str, values: tuple[object, ...]) -> None:
        statement = f"UPDATE surrogate_jobs SET {assignments} WHERE number = ? AND owner = ?"
        if self._database.execute(statement, (*values, self.number, self._owner)).rowcount != 1:
            raise ClaimLost("Another worker has taken this job over; this one stops.")

    def _take(self, key: str) -> None:
        process = this_process()
        # What failed for a passing reason is asked for again.
        self._database.execute("DELETE FROM surrogate_failures WHERE job = ? AND final = 0", (self.number,))
        self._database.execute(
            "UPDATE surrogate_jobs SET state = 'running', phase = '', error = '', stop = 0, key = ?, owner = ?,"
            " host = ?, pid = ?, pid_started = ?, heartbeat = ?, item_rate = 0, token_rate = 0,"
            " failed = (SELECT count(*) FROM surrogate_failures WHERE job = number) WHERE number = ?",
            (key, self._owner, process.host, process.pid, process.started, time.time(), self.number),
        )


@contextmanager
def filling(store: Store, job: str, unfinished: str = "waiting") -> Iterator[Claim]:
    """Hold a job while it gets what was generated elsewhere; then it is done, or ``unfinished`` while items lack any.

    Raises
    ------
    SurrogateError
        Another worker runs the job, or it is done.
    """
    with closing(Claim(store, job)) as claim:
        try:
            yield claim
        finally:
            claim.finish(unfinished if claim.open_items() else "done")


def _check_free(row: JobRow) -> None:
    state = state_of(row)
    if state == "running":
        raise SurrogateError(f"The job {row.id} is being run by another process ({row.pid}).")
    if state == "done":
        raise SurrogateError(f"The job {row.id} is done: there is nothing left to ask.")
