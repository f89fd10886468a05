"""Commands about jobs on this machine: run, resume, stop, list and show them, try a server out, install vLLM."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from ...words import counted
from ...words.console import OptionalText, emit, say
from ...words.documents import document
from .. import command
from ..faults import SurrogateError
from ..job.parameters import Connection
from ..job.progress import JobProgress, log_tail
from ..job.spec import JobSpec, shard_of
from ..job.store import JobRow, Store
from ..vllm.installation import REQUIREMENT, Installation, cancel_installation, install, installation
from . import description, named_pool
from .description import ALL, GroupingOptions, JobName, JobOptions, Operation, PoolName, Rows, ShardName
from .named_pool import FINISHED, STATUSES, open_home, open_shard

_LOOK = 0.5
# So many failed items are shown.
_FAILURES = 20


def install_vllm(*, requirement: str = REQUIREMENT) -> int:
    """Install vLLM into NEYMAN_HOME; repeated, it goes on.

    Parameters
    ----------
    requirement : str
        For pip.
    """
    store = open_home()
    install(store.folder, requirement)
    try:
        now = _followed(store)
    except KeyboardInterrupt:
        cancel_installation(store.folder)
        say("Cancelled. The same command goes on with what was downloaded.")
        return STATUSES["stopped"]
    if now.state != "done":
        raise SurrogateError(f"vLLM was not installed; the log is {now.log}. Its end: {log_tail(now.log, 3)}")
    say(f"vLLM is installed. Runs with --serve use {now.python}")
    return STATUSES["done"]


def _followed(store: Store) -> Installation:
    """Say what the installer prints until it has ended; return how."""
    with installation(store.folder).log.open(encoding="utf-8", errors="replace") as log:
        while True:
            now = installation(store.folder)
            for line in log:
                say(line.rstrip())
            if now.state != "running":
                return now
            time.sleep(_LOOK)


def run(
    *,
    pool: PoolName,
    new: bool = False,
    out: Path | None = None,
    rows: Rows = False,
    trial: bool = False,
    options: JobOptions | None = None,
) -> int:
    """Generate for a pool; the same command resumes an unfinished job.

    Parameters
    ----------
    new : bool
        Generate again, even if the same was begun or done before.
    out : path
        Write the pool with the results to this file (a shard: see --rows).
    trial : bool
        Only ask every address for one generation of the first item; keep nothing.
    options : JobOptions
        What is asked.
    """
    asked = options or JobOptions()
    given = description.sampling_given(asked.settings)
    store = open_shard(asked.shard)
    # The other items of a shard's pool would only look as if they had no generations.
    rows = rows or shard_of(asked.shard, os.environ) is not None
    named_pool.check(out, rows)
    spec = named_pool.spec_of(pool, asked, store)
    _check_server(spec)
    if trial:
        return _trial(spec, store)
    job = _job_for(spec, store, given, new, out)
    _announce(job, spec)
    limit = store.row(job).spec.sampling.max_tokens
    if limit is not None and "max_tokens" not in given:
        say(f"Note: a generation has at most {limit:,} tokens; a longer one is cut. See --max-tokens.")
    finished = _is_finished(job, store)
    status = STATUSES[store.row(job).state] if finished else _work(job, store)
    if out is not None and store.row(job).state in FINISHED:
        named_pool.write(store, job, out, rows)
    elif out is not None:
        say(f"{out} is not written before the job is done. For what is there: export {job} --out=FILE")
    return status


def _announce(job: str, spec: JobSpec) -> None:
    say(f"Job {job}")
    for remark in spec.remarks():
        say(f"Note: {remark}")


def _check_server(spec: JobSpec) -> None:
    if not spec.connection.base_urls and spec.serving is None:
        raise SurrogateError("The job has no server: give --base-url, or --serve to start one.")


def _trial(spec: JobSpec, store: Store) -> int:
    """Ask every address for one generation and say what came of it; nothing is stored."""
    from ..job.source import source_of
    from ..trial import try_out

    if not spec.connection.base_urls:
        raise SurrogateError("--trial is for a server that is running: give --base-url.")
    source = source_of(store.folder, spec)
    trials = try_out(spec, next(source.items()))
    for trial in trials:
        emit(f"{trial.url}: {trial.error or trial.summary()}")
        for name, reason in trial.refused.items():
            emit(f"  not taken: {name}. {reason}")
        if trial.models:
            emit(f"  models: {', '.join(trial.models)}")
        if not trial.error:
            emit(f"  {trial.thinking_note()}")
            if forecast := trial.forecast(spec, source.size):
                emit(f"  {forecast}")
            emit(f"  answer: {trial.answer}")
            emit("\n".join(f"  | {line}" for line in trial.text.splitlines()))
    return int(any(trial.error for trial in trials))


def models(*, base_url: str, key_variable: str | None = None) -> int:
    """List the models that a server offers.

    Parameters
    ----------
    base_url : str
        Its address (…/v1).
    key_variable : str
        Environment variable with the key.
    """
    from ..trial import offered

    names = offered(base_url, connection=Connection(key_variable=key_variable))
    if not names:
        raise SurrogateError(f"The server at {base_url} names no models. Check that it runs, and the key.")
    emit("\n".join(names))
    return 0


def _is_finished(job: str, store: Store) -> bool:
    """Whether the job is done, and nothing would be asked again."""
    from ..job.progress import progress

    now = progress(store, job)
    return now.state in FINISHED and not now.resumable


def resume(
    job: JobName,
    /,
    *,
    retry_failed: Annotated[OptionalText, Parameter(metavar="KIND")] = False,
    shard: ShardName = None,
    settings: Annotated[Operation | None, ALL] = None,
) -> int:
    """Continue a job, with the same server or another.

    Parameters
    ----------
    retry_failed : str
        Also retry items that failed for good: one kind of failure (“too long”), or all.
    settings : Operation
        What changes from now on.
    """
    store = open_shard(shard)
    row = store.row(job)
    _announce(row.id, row.spec)
    _revise(row, description.revised(row.spec, settings or {}), store)
    if retry_failed is not False:
        kind = retry_failed if isinstance(retry_failed, str) else ""
        say(f"Asking {counted(store.retry_failed(row.id, kind or None), 'failed item')} again.")
    return _work(row.id, store)


def _revise(row: JobRow, spec: JobSpec, store: Store) -> None:
    """Run the job with what ``spec`` says of its operation from now on."""
    changes = command.changes(row.spec, spec)
    if changes:
        store.revise(row.id, spec)
        say(f"Changed: {', '.join(changes)}")


def _work(job: str, store: Store) -> int:
    from ..job.progress import progress
    from ..worker.run import run_job

    outcome = run_job(store, job, say)
    try:
        now = progress(store, job)
    except SurrogateError as error:
        # If the home is gone, why the run has ended says more than that nothing can be read.
        raise SurrogateError(outcome.error or str(error)) from None
    say(f"{outcome.state.capitalize()}: {now.summary()}. {outcome.error}".rstrip())
    if now.retryable:
        say(f"Resume the job to ask {now.retryable:,} of the failed items again.")
    if now.failed > now.retryable:
        say(f"To ask the items that failed for good again: resume {job} --retry-failed")
    return STATUSES[outcome.state]


def stop(job: JobName, /, *, force: bool = False, shard: ShardName = None) -> int:
    """Stop a job; it can be resumed.

    Parameters
    ----------
    force : bool
        End its process at once.
    """
    from ..control import stop

    stop(open_shard(shard), job, force)
    return 0


Json: TypeAlias = Annotated[bool, Parameter(name="--json", help="Print one JSON object.")]


def listing(*, shard: ShardName = None, as_json: Json = False) -> int:
    """List all jobs."""
    from ..job.progress import jobs

    found = jobs(open_shard(shard))
    if as_json:
        emit(document("neyman-jobs/1", {"jobs": [_facts(job) for job in found]}), end="")
        return 0
    for job in found:
        purpose = f"target {job.spec.target}" if job.spec.target else f"k = {job.spec.sampling.k}"
        purpose = f"judge of {job.spec.judge}" if job.spec.judge else purpose
        purpose = f"{job.spec.grouping.rule} meaning classes" if job.spec.grouping else purpose
        emit(f"{job.id}  {job.created}  {job.state:18}  {job.done:,}/{job.total:,}  {job.spec.model}  ({purpose})")
    return 0


def show(name: Annotated[JobName, Parameter(name="JOB")], /, *, shard: ShardName = None, as_json: Json = False) -> int:
    """Show a job, its failures and examples."""
    from ..job.progress import cut_in_reasoning, examples, failures, progress

    store = open_shard(shard)
    job = progress(store, name)
    failed_items = failures(store, job.id, _FAILURES)
    if as_json:
        failed = [{"position": one.position, "message": one.failure.message} for one in failed_items]
        facts = {**_facts(job), "failures": failed, "command": command.command_line(job.spec)}
        emit(document("neyman-job/1", facts), end="")
        return 0
    emit(f"{job.id}: {job.state} {job.phase} {job.error}".rstrip())
    emit(f"{job.summary()}; {job.generations:,} generations")
    inside = f" ({cut_in_reasoning(store, job.id):,} inside their reasoning)" if job.truncated else ""
    emit(f"without an answer {job.unparsed_share:.1%}, cut by the token limit {job.truncated:,}{inside}")
    emit(f"requests {job.requests:,}, retries {job.retries:,}, {job.seconds:.0f} s, {job.item_rate:.1f} items/s")
    emit(f"tokens {job.prompt_tokens:,} in, {job.completion_tokens:,} out, cost {job.cost or 'unknown'}")
    if job.estimated_tokens:
        emit(f"{job.estimated_tokens:,} of the tokens were counted here: the server does not report them")
    if job.request is not None:
        emit(f"sent to {job.server_model}: {json.dumps(dict(job.request.parameters), ensure_ascii=False)}")
        for name, reason in job.request.dropped.items():
            emit(f"not sent: {name}. {reason}")
    for one in failed_items:
        emit(f"failed: item at position {one.position}: {one.failure.message}")
    for example in examples(store, job.id):
        emit(f"item at position {example.position}: {[generation.answer for generation in example.generations]}")
    emit(command.command_line(job.spec))
    return 0


def _facts(job: JobProgress) -> dict[str, object]:
    """Return the state of a job, for a program."""
    return {
        "job": job.id,
        "created": job.created,
        "state": job.state,
        "phase": job.phase,
        "error": job.error,
        "model": job.spec.model,
        "target": job.spec.target,
        "samples": job.spec.sampling.k,
        "items": job.total,
        "done": job.done,
        "failed": job.failed,
        "generations": job.generations,
        "unparsed": job.unparsed,
        "truncated": job.truncated,
        "requests": job.requests,
        "retries": job.retries,
        "prompt_tokens": job.prompt_tokens,
        "completion_tokens": job.completion_tokens,
        "estimated_tokens": job.estimated_tokens,
        "cost": job.cost,
        "seconds": job.seconds,
        "seconds_left": job.seconds_left,
    }


def classes(
    pool: PoolName,
    /,
    *,
    new: bool = False,
    out: Path | None = None,
    cost: bool = False,
    trial: bool = False,
    math: bool = False,
    options: GroupingOptions | None = None,
) -> int:
    """Group a pool's answers by meaning, by asking a model about pairs.

    Parameters
    ----------
    new : bool
        A new run, which asks again about pairs without a verdict.
    out : path
        Write the pool with its meaning classes to this file.
    cost : bool
        Only show the most that a run takes.
    trial : bool
        Only ask every address about the first pair.
    math : bool
        Compare as mathematics (math-verify), without a model.
    options : GroupingOptions
        What is asked.
    """
    from ...answers.classes import mathematical_equality
    from ...archive.archive import Archive
    from ...pool import writing
    from ..control import workload
    from ..filled_pool import export
    from ..meaning import judged_meanings, verified_meanings, with_meanings

    asked, store = options or GroupingOptions(), open_home()
    named_pool.check(out)
    digest, _ = named_pool.kept_digest(pool, store)
    kept = Archive(store.folder).pools.load(digest)
    if math:
        meanings = verified_meanings(kept, description.grouping_of(asked), mathematical_equality())
        if out is not None:
            writing.write_named([with_meanings(kept.table, 0, meanings)], out)
        say(f"{meanings}.")
        return 0
    spec = description.grouping_spec_of(asked, digest)
    if cost:
        emit(workload(kept, spec, store))
        return 0
    _check_server(spec)
    if trial:
        return _trial(spec, store)
    job = _job_for(spec, store, description.sampling_given(asked.settings), new, out)
    say(f"Job {job}")
    finished = _is_finished(job, store)
    if not finished:
        say(f"At most {workload(kept, spec, store)}.")
    status = STATUSES[store.row(job).state] if finished else _work(job, store)
    if store.row(job).state in FINISHED:
        if out is not None:
            export(store, kept, job, out)
        say(f"{judged_meanings(store, kept, store.row(job).spec)}.")
    return status


def _job_for(spec: JobSpec, store: Store, given: Collection[str], new: bool, out: Path | None) -> str:
    """The job that the same options began and that can be resumed, or else a new one."""
    from ..job.progress import progress_of
    from ..job.source import source_of

    latest = None if new else store.latest(spec.key)
    for earlier in () if latest or new else spec.earlier(given):
        # What an earlier version began by other defaults is not begun again.
        if latest := store.latest(earlier.key):
            spec = earlier
            break
    if latest is not None and progress_of(store, latest).resumable:
        say("Resuming the earlier job.")
        _revise(latest, spec, store)
        return latest.id
    if latest is not None and latest.state in FINISHED:
        if out is None:
            raise SurrogateError(
                f"The job {latest.id} has done this already. Give --out, or generate again with --new."
            )
        say("The earlier job has done this already.")
        return latest.id
    return store.create(spec, source_of(store.folder, spec).size)
