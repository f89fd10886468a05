"""How a job goes, read from the store in one short look; nothing here waits for a worker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.surrogate.client.asking import Sent
from core.surrogate.job.events import Generation
from core.surrogate.job.settings import JobSpec
from core.surrogate.job.store import JobRow, Store, state_of


@dataclass(frozen=True, slots=True)
class Progress:
    """A job at one moment.

    ``state`` as in ``core.surrogate.job.store.state_of``. ``total``, ``done`` and ``failed`` count items, ``retryable``
    those of the failed that a resumed job asks again; ``unparsed`` and ``truncated`` (ended by the token limit) count
    generations. ``item_rate`` and ``token_rate`` are per second over the last half minute; ``seconds`` the worker has
    run, ``seconds_left`` at this rate (None: unknown); ``cost`` in the user's currency (None: no prices); ``sent``:
    what the server really takes, None before its first answer. ``stopping``: asked to stop, and still running.
    """

    id: str
    spec: JobSpec
    state: str
    phase: str
    error: str
    created: str
    total: int
    done: int
    failed: int
    generations: int
    unparsed: int
    truncated: int
    requests: int
    retries: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    item_rate: float
    token_rate: float
    retryable: int
    seconds_left: float | None
    cost: float | None
    sent: Sent | None
    server_model: str
    versions: Mapping[str, Any]
    log: Path
    server_log: Path
    stopping: bool

    @property
    def share(self) -> float:
        """Share of the items that are settled, 0 … 1."""
        return (self.done + self.failed) / self.total if self.total else 1.0

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
        return self.state in ("failed", "cancelled", "lost") or (self.state == "done" and self.retryable > 0)


@dataclass(frozen=True, slots=True)
class Example:
    """The generations of one item; ``position`` is its place in the pool."""

    position: int
    generations: tuple[Generation, ...]


@dataclass(frozen=True, slots=True)
class Partitions:
    """Items by the sizes of their classes of equal answers.

    ``classes`` is (D, k) int, a row for each partition of k that occurs (1, 1, 0 … as ``core.signals`` takes it);
    ``items`` is (D,), how many items have it.
    """

    classes: NDArray[np.int64]
    items: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FailedItem:
    """An item without generations, and why; ``final``: a resumed job does not ask it again."""

    position: int
    kind: str
    message: str
    final: bool


def progress(store: Store, job: str) -> Progress:
    """How a job goes.

    Raises
    ------
    SurrogateError : there is no such job.
    """
    return progress_of(store, store.row(job))


def jobs(store: Store, digest: str | None = None) -> list[Progress]:
    """All jobs, or those on one pool, newest first."""
    return [progress_of(store, row) for row in store.rows() if digest in (None, row.digest)]


def examples(store: Store, job: str) -> list[Example]:
    """The items finished last, at most three, newest first."""
    row = store.row(job)
    found = []
    with store.database.connection() as database:
        for position in reversed(json.loads(row.latest)):
            query = (
                "SELECT sample, text, answer, reasoning, finish, tokens, logprob, token_logprob"
                " FROM surrogate_generations WHERE job = ? AND position = ? ORDER BY sample"
            )
            rows = database.execute(query, (row.number, position)).fetchall()
            found.append(Example(position, tuple(Generation(*columns) for columns in rows)))
    return found


def partitions(store: Store, job: str) -> Partitions:
    """How the answers of the finished items are distributed: what their semantic entropies follow from."""
    row = store.row(job)
    with store.database.connection() as database:
        query = "SELECT counts, items FROM surrogate_partitions WHERE job = ? ORDER BY counts"
        rows = database.execute(query, (row.number,)).fetchall()
    k = row.spec.sampling.k
    sizes = [[int(size) for size in counts.split(",")] for counts, _ in rows]
    classes = np.array([np.repeat(np.arange(len(parts)), parts) for parts in sizes], dtype=np.int64).reshape(-1, k)
    return Partitions(classes, np.array([items for _, items in rows], dtype=np.int64))


def failures(store: Store, job: str, most: int = 1000) -> list[FailedItem]:
    """Items that could not be generated, in the pool's order."""
    row = store.row(job)
    with store.database.connection() as database:
        query = "SELECT position, kind, message, final FROM surrogate_failures WHERE job = ? ORDER BY position LIMIT ?"
        rows = database.execute(query, (row.number, most)).fetchall()
    return [FailedItem(position, kind, message, bool(final)) for position, kind, message, final in rows]


def log_tail(path: Path, lines: int = 20) -> str:
    """The last lines of a log; empty where there is none yet."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - 500 * lines))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def progress_of(store: Store, row: JobRow) -> Progress:
    """How the job with this row goes."""
    spec = row.spec
    state = state_of(row)
    left = row.total - row.done - row.failed
    rate = row.item_rate if state == "running" else 0.0
    same = (
        "id", "phase", "error", "created", "total", "done", "failed", "generations", "unparsed", "truncated",
        "requests", "retries", "prompt_tokens", "completion_tokens", "seconds",
    )  # fmt: skip
    return Progress(
        **{name: getattr(row, name) for name in same},
        spec=spec,
        state=state,
        retryable=_retryable(store, row) if row.failed else 0,
        item_rate=rate,
        token_rate=row.token_rate if state == "running" else 0.0,
        seconds_left=left / rate if rate > 0 else None,
        cost=spec.prices.cost(row.prompt_tokens, row.completion_tokens),
        sent=Sent.from_json(row.sent) if row.sent else None,
        server_model=row.server_model or "",
        versions=json.loads(row.versions or "{}"),
        log=store.logs / f"{row.id}.log",
        server_log=store.logs / f"{row.id}.server.log",
        stopping=bool(row.stop) and state in ("queued", "running", "waiting"),
    )


def _retryable(store: Store, row: JobRow) -> int:
    query = "SELECT count(*) FROM surrogate_failures WHERE job = ? AND final = 0"
    with store.database.connection() as database:
        return int(database.execute(query, (row.number,)).fetchone()[0])
