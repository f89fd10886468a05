"""The progress of jobs, read from the store in one short look; nothing here waits for a worker."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .events import CUT, Failure, Generation
from .request import RequestFormat
from .store import DONE_WITH_FAILURES, JobRow, Store, state_of

# Items after which the tokens of the whole run are extrapolated.
_MEASURED = 20


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Items that failed alike: kind and finality as in :class:`core.surrogate.job.events.Failure`, and how many."""

    kind: str
    final: bool
    items: int


@dataclass(frozen=True, slots=True)
class JobProgress(JobRow):
    """A job at one moment: its row, with its state as in :func:`core.surrogate.job.store.state_of`.

    Parameters
    ----------
    failure_counts : tuple of FailureCount
        Failed items by kind, the most frequent first.
    log : Path
        Log of the worker.
    server_logs : tuple of Path
        Logs of the server that it started, one for each start.
    """

    failure_counts: tuple[FailureCount, ...]
    log: Path
    server_logs: tuple[Path, ...]

    @property
    def seconds_left(self) -> float | None:
        """Time left at the rate of the last half minute; None: unknown."""
        return (self.total - self.settled) / self.item_rate if self.item_rate > 0 else None

    @property
    def cost(self) -> float | None:
        """So far, in the user's currency; None: no prices."""
        return self.spec.prices.cost(self.prompt_tokens, self.completion_tokens)

    @property
    def request(self) -> RequestFormat | None:
        """The form of the requests that are sent; None before the server's first answer."""
        return RequestFormat.from_json(self.sent) if self.sent else None

    @property
    def versions(self) -> Mapping[str, Any]:
        """Program → its version."""
        programs: dict[str, Any] = json.loads(self.versions_json or "{}")
        return programs

    @property
    def stopping(self) -> bool:
        """Whether the job was asked to stop and still runs."""
        return bool(self.stop) and self.state in ("queued", "running", "waiting")

    @property
    def retryable(self) -> int:
        """Failed items that a resumed job asks again."""
        return sum(failure.items for failure in self.failure_counts if not failure.final)

    @property
    def settled(self) -> int:
        """Items that are done or failed."""
        return self.done + self.failed

    @property
    def share(self) -> float:
        """Share of the items that are answered, 0 … 1."""
        return self.done / self.total if self.total else 1.0

    @property
    def unparsed_share(self) -> float:
        """Share of the generations without an answer, 0 … 1."""
        return self.unparsed / self.generations if self.generations else 0.0

    @property
    def active(self) -> bool:
        """Whether a worker is at it, or about to be."""
        return self.state in ("queued", "running")

    @property
    def resumable(self) -> bool:
        """Whether something is left to be asked and nobody asks."""
        ended_early = self.state in ("failed", "stopped", "paused", "lost")
        return ended_early or (self.state == DONE_WITH_FAILURES and self.retryable > 0)

    def summary(self) -> str:
        """Count answered and failed items, with reasons: "8 of 9 items answered, 1 failed (1 too long)"."""
        answered = f"{self.done:,} of {self.total:,} items answered"
        kinds = ", ".join(f"{failure.items:,} {failure.kind}" for failure in self.failure_counts)
        return f"{answered}, {self.failed:,} failed ({kinds})" if self.failure_counts else answered

    @property
    def expected_tokens(self) -> float | None:
        """Completion tokens of the whole job, extrapolated from the settled items; None before 20 of them."""
        return self.completion_tokens * self.total / self.settled if self.settled >= _MEASURED else None

    @property
    def expected_cost(self) -> float | None:
        """Cost of the whole job, extrapolated the same way; None before 20 items, or without prices."""
        if self.cost is None or self.settled < _MEASURED:
            return None
        return self.cost * self.total / self.settled


@dataclass(frozen=True, slots=True)
class Example:
    """The generations of one item; ``position`` is its place in the pool."""

    position: int
    generations: tuple[Generation, ...]


@dataclass(frozen=True, slots=True)
class Partitions:
    """Items by the sizes of their classes of equal answers.

    Parameters
    ----------
    classes : (D, k) int
        A row for each partition of k that occurs, 1, 1, 0 … as ``core.signals`` takes it.
    items : (D,) int
        How many items have it.
    """

    classes: NDArray[np.int64]
    items: NDArray[np.int64]

    @property
    def agreeing(self) -> float:
        """Share of the items whose answers are all equal; NaN without items."""
        total = self.items.sum()
        return float(self.items[~self.classes.any(axis=1)].sum() / total) if total else math.nan


@dataclass(frozen=True, slots=True)
class FailedItem:
    """An item without generations: its place in the pool, and why."""

    position: int
    failure: Failure


def progress(store: Store, job: str) -> JobProgress:
    """The progress of a job.

    Raises
    ------
    SurrogateError
        There is no such job.
    """
    return progress_of(store, store.row(job))


def jobs(store: Store, digest: str | None = None) -> list[JobProgress]:
    """All jobs, or those on the pool with this digest, newest first."""
    return [progress_of(store, row) for row in store.rows() if digest in (None, row.digest)]


def examples(store: Store, job: str) -> list[Example]:
    """The items finished last, at most three, newest first."""
    row = store.row(job)
    return [
        Example(position, tuple(one for _, one in store.generations(row, position)))
        for position in reversed(json.loads(row.latest))
    ]


def partitions(store: Store, job: str) -> Partitions:
    """The answers of the finished items as partitions, from which their semantic entropies follow."""
    row = store.row(job)
    query = "SELECT counts, items FROM surrogate_partitions WHERE job = ? ORDER BY counts"
    rows = store.database.select(query, row.number)
    k = row.spec.sampling.k
    sizes = [[int(size) for size in counts.split(",")] for counts, _ in rows]
    classes = np.array([np.repeat(np.arange(len(parts)), parts) for parts in sizes], dtype=np.int64).reshape(-1, k)
    return Partitions(classes, np.array([items for _, items in rows], dtype=np.int64))


def failures(store: Store, job: str, most: int = 1000) -> list[FailedItem]:
    """The first ``most`` items that could not be generated, in the pool's order."""
    query = "SELECT position, kind, message, final FROM surrogate_failures WHERE job = ? ORDER BY position LIMIT ?"
    rows = store.database.select(query, store.row(job).number, most)
    return [FailedItem(position, Failure(kind, message, bool(final))) for position, kind, message, final in rows]


def cut_in_reasoning(store: Store, job: str) -> int:
    """Count the generations that ended before the model began to answer: the token limit cut its reasoning."""
    query = (
        "SELECT count(*) FROM surrogate_generations WHERE job = ? AND text = '' AND reasoning IS NOT NULL"
        " AND finish IN (SELECT value FROM json_each(?))"
    )
    return int(store.database.select(query, store.row(job).number, json.dumps(CUT))[0][0])


def log_tail(path: Path, lines: int = 20) -> str:
    """The last lines of a log; empty if there is none yet."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - 500 * lines))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def progress_of(store: Store, row: JobRow) -> JobProgress:
    """The progress of the job with this row, or with its present one if its worker has ended since."""
    state = state_of(row)
    if state == "lost":
        # A worker that is gone may have said how the job ended after the row was read.
        row = store.row(row.id)
        state = state_of(row)
    values = {field.name: getattr(row, field.name) for field in fields(JobRow)} | {"state": state}
    if state != "running":
        values |= {"item_rate": 0.0, "token_rate": 0.0}
    return JobProgress(
        **values,
        failure_counts=_failure_counts(store, row.number) if row.failed else (),
        log=store.logs / f"{row.id}.log",
        server_logs=tuple(store.server_logs(row.id)) if row.spec.serving is not None else (),
    )


def _failure_counts(store: Store, number: int) -> tuple[FailureCount, ...]:
    query = "SELECT kind, final, count(*) FROM surrogate_failures WHERE job = ? GROUP BY kind, final ORDER BY 3 DESC, 1"
    counts = store.database.select(query, number)
    return tuple(FailureCount(kind, bool(final), items) for kind, final, items in counts)
