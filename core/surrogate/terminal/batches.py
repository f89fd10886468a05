"""Commands about batches: requests as files, and jobs by a service's Batch API."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from typing import TYPE_CHECKING

from ...words import counted
from ...words.console import emit, say
from ..faults import SurrogateError
from ..job.spec import JobSpec
from ..job.store import Store
from . import pools
from .status import FINISHED, STATUSES

if TYPE_CHECKING:
    from ..batch.results import BatchReport
    from ..batch.service import BatchService


def write(options: argparse.Namespace, store: Store) -> int:
    """Write the requests for all that a job lacks."""
    from ..batch.requests import write

    job = _job(options, store)
    paths = write(store, job, options.out, options.format, not options.one_each, options.leave_out)
    for path in paths:
        emit(path)
    if paths and options.format == "vllm":
        answer = f"-i {paths[0]} -o results.jsonl --model {store.row(job).spec.model}"
        say(f"Answer them with: python -m vllm.entrypoints.openai.run_batch {answer}")
    if not paths:
        say("Nothing is missing.")
    return 0


def read(options: argparse.Namespace, store: Store) -> int:
    """Store results from files."""
    from ..batch.results import read

    _print(read(store, options.job, options.files))
    return 0


def _print(report: BatchReport) -> None:
    emit(report)
    for reason, lines in report.reasons.most_common(5):
        emit(f"{lines:,} × {reason}")


def submit(options: argparse.Namespace, store: Store) -> int:
    """Submit what a job lacks to the service's Batch API."""
    from ..batch.submission import submit

    if options.job is None and options.pool is not None and not options.new:
        options.job = _begun(pools.spec_of(options, store), store)
    job = _job(options, store)
    with _service(job, store) as service:
        emit(submit(store, job, service, not options.one_each, options.leave_out))
    return 0


def _begun(spec: JobSpec, store: Store) -> str | None:
    """The newest job of the same work, so that a command that is repeated submits nothing twice."""
    row = next((row for row in store.rows() if row.spec.key == spec.key), None)
    if row is not None and row.state in FINISHED:
        raise SurrogateError(f"The job {row.id} has done this already. Export it, or submit it again with --new.")
    return None if row is None else row.id


def poll(options: argparse.Namespace, store: Store) -> int:
    """Say how the batches of a job stand, once or until all have ended."""
    from ..batch.submission import poll

    with _service(options.job, store) as service:
        while True:
            now = poll(store, options.job, service)
            emit(now)
            if now.unsent:
                say(f"Some requests are not submitted yet: batch submit --job {options.job}")
            if not options.wait or now.unsent or not now.open:
                return STATUSES["paused"] if now.open else 0
            time.sleep(options.wait)


def fetch(options: argparse.Namespace, store: Store) -> int:
    """Store the results of the batches that have ended."""
    from ..batch.submission import fetch, submission

    with _service(options.job, store) as service:
        report = fetch(store, options.job, service, options.give_up)
    _print(report)
    now = submission(store, options.job)
    if report.gone:
        say(
            f"The service does not have {counted(report.gone, 'batch', 'batches')} any more. If no other key finds"
            f" them: batch fetch {options.job} --give-up"
        )
    for reason in report.bad:
        say(reason)
    if report.bad and not options.give_up:
        say(
            f"The other results are stored. Fetch again later, or request what is missing again and pay for it again:"
            f" batch fetch {options.job} --give-up"
        )
        return 1
    if report.missing_items and not now.open:
        say(f"To request what is missing again: batch submit --job {options.job}")
    return STATUSES["paused"] if now.open else 0


def _service(job: str, store: Store) -> closing[BatchService]:
    from ..batch.service import BatchService

    return closing(BatchService(store.row(job).spec.connection))


def _job(options: argparse.Namespace, store: Store) -> str:
    """The job that the options name, or else a new one for batches."""
    from ..batch.requests import create

    if options.job is None:
        if options.pool is None:
            raise SurrogateError("Give --pool and --model for a new batch, or --job for what an old one lacks.")
        options.job = create(store, pools.spec_of(options, store))
    say(f"Job {options.job}")
    return str(options.job)
