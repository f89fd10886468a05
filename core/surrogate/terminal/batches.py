"""Commands about what others generate: batches as files and by a service's Batch API, and a Ray cluster."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from ...words import counted
from ...words.console import emit, say
from ..faults import SurrogateError
from ..job.spec import JobSpec
from ..job.store import Store
from . import named_pool
from .description import BatchOptions, JobName, JobOptions, ShardName
from .named_pool import FINISHED, STATUSES, open_shard

if TYPE_CHECKING:
    from ..batch_results import BatchReport, BatchService
    from ..cluster import ClusterReport


def write(*, out: Path, format: Literal["openai", "vllm"] = "openai", options: BatchOptions | None = None) -> int:
    """Write the requests for all that a job lacks.

    Parameters
    ----------
    out : path
        Folder for the files.
    format : str
        Whose batches they are for.
    options : BatchOptions
        What is asked.
    """
    from ..batch import write

    asked = options or BatchOptions()
    store = open_shard(asked.shard)
    job = _job(asked, asked.job, store)
    paths = write(store, job, out, format, not asked.one_each, asked.leave_out)
    for path in paths:
        emit(path)
    if paths and format == "vllm":
        answer = f"-i {paths[0]} -o results.jsonl --model {store.row(job).spec.model}"
        say(f"Answer them with: python -m vllm.entrypoints.openai.run_batch {answer}")
    if not paths:
        say("Nothing is missing.")
    return 0


def read(
    job: JobName, files: Annotated[tuple[Path, ...], Parameter(name="FILES")], /, *, shard: ShardName = None
) -> int:
    """Store results, in any order and in parts.

    Parameters
    ----------
    files : path
        Output files, error files.
    """
    from ..batch_results import read

    _print(read(open_shard(shard), job, files))
    return 0


def _print(report: BatchReport | ClusterReport) -> None:
    emit(report)
    for reason, requests in report.reasons.most_common(5):
        emit(f"{requests:,} × {reason}")


def submit(*, new: bool = False, options: BatchOptions | None = None) -> int:
    """Send what a job lacks to OpenAI's Batch API, or one like it.

    Parameters
    ----------
    new : bool
        A new job, even if the same was begun or done before.
    options : BatchOptions
        What is asked.
    """
    from ..batch import submit

    asked = options or BatchOptions()
    store, begun = open_shard(asked.shard), asked.job
    if begun is None and asked.pool is not None and not new:
        begun = _begun(named_pool.spec_of(asked.pool, asked, store), store)
    job = _job(asked, begun, store)
    with _service(job, store) as service:
        emit(submit(store, job, service, not asked.one_each, asked.leave_out))
    return 0


def _begun(spec: JobSpec, store: Store) -> str | None:
    """The newest job of the same work, so that a command that is repeated submits nothing twice."""
    row = next((row for row in store.rows() if row.spec.key == spec.key), None)
    if row is not None and row.state in FINISHED:
        raise SurrogateError(f"The job {row.id} has done this already. Export it, or submit it again with --new.")
    return None if row is None else row.id


def poll(job: JobName, /, *, wait: float = 0, shard: ShardName = None) -> int:
    """Show the state of a job's batches. Exit status 5: some are still running.

    Parameters
    ----------
    wait : float
        Repeat at this interval, in seconds, until all have ended.
    """
    from ..batch import poll

    store = open_shard(shard)
    with _service(job, store) as service:
        while True:
            now = poll(store, job, service)
            emit(now)
            if now.unsent:
                say(f"Some requests are not submitted yet: batch submit --job {job}")
            if not wait or now.unsent or not now.open:
                return STATUSES["paused"] if now.open else 0
            time.sleep(wait)


def fetch(job: JobName, /, *, give_up: bool = False, shard: ShardName = None) -> int:
    """Store the results of the batches that have ended.

    Parameters
    ----------
    give_up : bool
        Request again what the service no longer has.
    """
    from ..batch import fetch, submission

    store = open_shard(shard)
    with _service(job, store) as service:
        report = fetch(store, job, service, give_up)
    _print(report)
    now = submission(store, job)
    if report.gone:
        say(
            f"The service does not have {counted(report.gone, 'batch', 'batches')} any more. If no other key finds"
            f" them: batch fetch {job} --give-up"
        )
    for reason in report.bad:
        say(reason)
    if report.bad and not give_up:
        say(
            f"The other results are stored. Fetch again later, or request what is missing again and pay for it again:"
            f" batch fetch {job} --give-up"
        )
        return 1
    if report.missing_items and not now.open:
        say(f"To request what is missing again: batch submit --job {job}")
    return STATUSES["paused"] if now.open else 0


def _service(job: str, store: Store) -> closing[BatchService]:
    from ..batch_results import BatchService

    return closing(BatchService(store.row(job).spec.connection))


def _job(options: BatchOptions, job: str | None, store: Store) -> str:
    """The job that the options name, or else a new one for batches."""
    from ..batch import create

    if job is None:
        if options.pool is None:
            raise SurrogateError("Give --pool and --model for a new batch, or --job for what an old one lacks.")
        job = create(store, named_pool.spec_of(options.pool, options, store))
    say(f"Job {job}")
    return job


def ray(
    *,
    pool: str,
    out: str,
    workers: int = 1,
    address: str | None = None,
    samples: int | None = None,
    leave_out: tuple[str, ...] = (),
    options: JobOptions | None = None,
) -> int:
    """Generate on a Ray cluster; repeated, it asks only for what is missing.

    Parameters
    ----------
    pool : str
        A pool's file, the beginning of a kept pool's digest, or an address (s3://…).
    out : str
        Folder for the rows that every node can reach, or an address (s3://…).
    workers : int
        Processes that ask, or copies of the model.
    address : str
        Address of the cluster (default: RAY_ADDRESS, or a new one on this machine).
    samples : int
        Most samples of one request (default: all).
    leave_out : str
        Parameter that is not sent; may be repeated.
    options : JobOptions
        What is asked.
    """
    from ..cluster import generate
    from ..parts import Place

    asked = options or JobOptions()
    store = open_shard(asked.shard)
    spec = named_pool.spec_of(pool, asked, store)
    report = generate(store, spec, Place(out), workers=workers, address=address, most=samples, leave_out=leave_out)
    _print(report)
    if report.complete < report.total:
        say("The same command asks for what is missing.")
        return STATUSES["done with failures"]
    return 0
