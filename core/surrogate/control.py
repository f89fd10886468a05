"""What a page or a command does with jobs: start, resume, stop, look ahead."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.pool.pool import Pool
from core.surrogate.client.client import KEY_VARIABLE
from core.surrogate.client.prompting import Message, messages
from core.surrogate.command import arguments
from core.surrogate.faults import SurrogateError
from core.surrogate.job.progress import Progress
from core.surrogate.job.settings import JobSpec, Prompting
from core.surrogate.job.source import Item, Source, items_of
from core.surrogate.job.store import Store
from core.surrogate.vllm.processes import is_alive, process_of

ROOT = Path(__file__).resolve().parents[2]
_BYTES_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 8
_SAMPLED = 200
_MEASURED = 20

# Children of this process, kept so that their ends are taken note of: an ended child that nobody asks after stays a
# zombie as long as this process lives.
_children: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a job will take. ``completion_tokens``, ``cost`` and ``seconds`` are None before enough items are done."""

    requests: int
    prompt_tokens: int
    completion_tokens: int | None
    cost: float | None
    seconds: float | None


def start(store: Store, spec: JobSpec, key: str | None = None) -> str:
    """Start a job in a process of its own, which outlives this one; return its id.

    Parameters
    ----------
    spec : its pool is kept in the store's folder. key : handed on by environment, kept nowhere.

    Raises
    ------
    SurrogateError : the same job runs already or waits to be resumed, or its pool is not kept.
    """
    source = Source(store.folder / "pools" / f"{spec.digest}.parquet")
    total = source.size if spec.items is None else len(source.positions(spec.items))
    if spec.connection.base_url is None and spec.serving is None:
        raise SurrogateError("The job has no server: give an address, or a model to serve.")
    job = store.create(spec, total)
    _spawn(store, job, spec, key)
    return job


def resume(store: Store, job: str, key: str | None = None) -> None:
    """Go on with a job that failed, was stopped or lost its worker; only what is missing is asked for.

    Raises
    ------
    SurrogateError : it is running.
    """
    row = store.row(job)
    store.queue(row.id)
    _spawn(store, row.id, row.spec, key)


def stop(store: Store, job: str, force: bool = False) -> None:
    """Ask a job to stop within some seconds; ``force`` ends its process at once. It can be resumed."""
    row = store.row(job)
    store.ask_to_stop(row.id)
    if force and row.process is not None and is_alive(row.process):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(row.process.pid, signal.SIGKILL)
    reap()


def reap() -> None:
    """Take note of workers of this process that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]


def preview(pool: Pool, position: int, prompting: Prompting) -> list[Message]:
    """The messages for the item at ``position``, as they are sent.

    Raises
    ------
    ItemFault : an image cannot be sent. SurrogateError : the template has no place for the question.
    """
    return messages(_item(pool, position), prompting)


def estimate(pool: Pool, spec: JobSpec, progress: Progress | None = None) -> Estimate:
    """What the whole job takes: prompts counted roughly (four bytes a token) until 20 items are done, then measured.

    Images are not counted before.
    """
    items = pool.n_items if spec.items is None else len(spec.items)
    together = progress.sent.together if progress is not None and progress.sent is not None else True
    requests = items if together else items * spec.sampling.k
    if progress is not None and progress.done >= _MEASURED:
        factor = progress.total / (progress.done + progress.failed)
        prompt, completion = progress.prompt_tokens * factor, progress.completion_tokens * factor
        seconds = items / progress.item_rate if progress.item_rate > 0 else None
        return Estimate(requests, round(prompt), round(completion), spec.prices.cost(prompt, completion), seconds)
    chosen = range(0, pool.n_items, max(1, pool.n_items // _SAMPLED))
    tokens = sum(_rough_tokens(_item(pool, position), spec.prompting) for position in chosen) / max(1, len(chosen))
    return Estimate(requests, round(requests * tokens), None, None, None)


def _rough_tokens(item: Item, prompting: Prompting) -> float:
    text_alone = Item(item.position, item.id, item.prompt or " .", item.choices, item.kind)
    asked = messages(text_alone, prompting)
    return sum(len(str(message["content"]).encode()) / _BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE for message in asked)


def _item(pool: Pool, position: int) -> Item:
    return next(items_of(pool.table.slice(position, 1), [position]))


def _spawn(store: Store, job: str, spec: JobSpec, key: str | None) -> None:
    reap()
    words = _command(store, job, spec)
    environment = dict(os.environ) | {"NEYMAN_HOME": str(store.folder.resolve())}
    if key:
        environment[spec.connection.key_variable or KEY_VARIABLE] = key
    with (store.logs / f"{job}.log").open("ab") as log:
        child = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _children.append(child)
    process = process_of(child.pid)
    if process is not None:
        store.spawned(job, process)


def _command(store: Store, job: str, spec: JobSpec) -> Sequence[str]:
    items = []
    if spec.items is not None:
        # As JSON: an id may hold line breaks.
        path = store.logs / f"{job}.items.jsonl"
        path.write_text("".join(json.dumps({"item_id": item}) + "\n" for item in spec.items), encoding="utf-8")
        items = [f"--items={path}"]
    pool = f"--pool={spec.digest}"
    return [sys.executable, "-m", "core.surrogate", "run", pool, *arguments(spec), *items, f"--job={job}"]
