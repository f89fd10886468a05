"""Commands about jobs on this machine: run, resume, stop, list and show them, and try a server out."""

from __future__ import annotations

import argparse
import json

from ...words import counted
from ...words.console import emit, say
from .. import command
from ..faults import SurrogateError
from ..job.parameters import Connection
from ..job.spec import JobSpec
from ..job.store import JobRow, Store
from . import outputs, pools
from .status import FINISHED, STATUSES


def run(options: argparse.Namespace, store: Store) -> int:
    """Generate for a pool, or resume what the same options began."""
    # The other items of a shard's pool would only look as if they had no generations.
    options.rows = options.rows or options.shard is not None
    outputs.check(options)
    spec = pools.spec_of(options, store)
    _check_server(spec)
    if options.trial:
        return _trial(spec, store)
    job = _job_for(spec, store, options)
    _announce(job, spec)
    limit = store.row(job).spec.sampling.max_tokens
    if limit is not None and "max_tokens" not in command.sampling_given(options):
        say(f"Note: a generation has at most {limit:,} tokens; a longer one is cut. See --max-tokens.")
    finished = _is_finished(job, store)
    status = STATUSES[store.row(job).state] if finished else _work(job, store)
    if options.out is not None and store.row(job).state in FINISHED:
        outputs.write(store, job, options.out, options.rows)
    elif options.out is not None:
        say(f"{options.out} is not written before the job is done. For what is there: export {job} --out=FILE")
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
    from ..job.pairs import source_of
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


def models(options: argparse.Namespace, store: Store) -> int:
    """List the models that a server offers."""
    from ..trial import offered

    connection = Connection() if options.key_variable is None else Connection(key_variable=options.key_variable)
    names = offered(options.base_url, connection=connection)
    if not names:
        raise SurrogateError(f"The server at {options.base_url} names no models. Check that it runs, and the key.")
    emit("\n".join(names))
    return 0


def _is_finished(job: str, store: Store) -> bool:
    """Whether the job is done, and nothing would be asked again."""
    from ..job.progress import progress

    now = progress(store, job)
    return now.state in FINISHED and not now.resumable


def resume(options: argparse.Namespace, store: Store) -> int:
    """Continue a job."""
    row = store.row(options.job)
    _announce(row.id, row.spec)
    _revise(row, command.revised(row.spec, options), store)
    if options.retry_failed is not None:
        say(f"Asking {counted(store.retry_failed(row.id, options.retry_failed or None), 'failed item')} again.")
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


def stop(options: argparse.Namespace, store: Store) -> int:
    """Stop a job."""
    from ..control import stop

    stop(store, options.job, options.force)
    return 0


def listing(options: argparse.Namespace, store: Store) -> int:
    """List all jobs."""
    from ..job.progress import jobs

    for job in jobs(store):
        purpose = f"target {job.spec.target}" if job.spec.target else f"k = {job.spec.sampling.k}"
        purpose = f"judge of {job.spec.judge}" if job.spec.judge else purpose
        purpose = f"{job.spec.grouping.rule} meaning classes" if job.spec.grouping else purpose
        emit(f"{job.id}  {job.created}  {job.state:18}  {job.done:,}/{job.total:,}  {job.spec.model}  ({purpose})")
    return 0


def show(options: argparse.Namespace, store: Store) -> int:
    """Show a job, its failures and examples."""
    from ..job.progress import cut_in_reasoning, examples, failures, progress

    job = progress(store, options.job)
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
    for failed in failures(store, job.id, 20):
        emit(f"failed: item at position {failed.position}: {failed.failure.message}")
    for example in examples(store, job.id):
        emit(f"item at position {example.position}: {[generation.answer for generation in example.generations]}")
    emit(command.command_line(job.spec))
    return 0


def classes(options: argparse.Namespace, store: Store) -> int:
    """Group a pool's answers by meaning: by a judge's verdicts on pairs of them, or as mathematics."""
    from .. import classes

    options.rows = False
    outputs.check(options)
    digest, _ = pools.kept_digest(options.pool, store)
    if options.math:
        classes.by_mathematics(options, store, digest, say)
        return 0
    spec = command.grouping_spec_of(options, digest)
    if options.cost:
        emit(classes.bound(store, spec))
        return 0
    _check_server(spec)
    if options.trial:
        return _trial(spec, store)
    job = _job_for(spec, store, options)
    say(f"Job {job}")
    finished = _is_finished(job, store)
    if not finished:
        say(f"At most {classes.bound(store, spec)}.")
    status = STATUSES[store.row(job).state] if finished else _work(job, store)
    if store.row(job).state in FINISHED:
        classes.report(store, job, options.out, say)
    return status


def _job_for(spec: JobSpec, store: Store, options: argparse.Namespace) -> str:
    """The job that these options began and that can be resumed, or else a new one."""
    from ..job.pairs import source_of
    from ..job.progress import progress_of

    latest = None if options.new else store.latest(spec.key)
    for earlier in () if latest or options.new else spec.earlier(command.sampling_given(options)):
        # What an earlier version began by other defaults is not begun again.
        if latest := store.latest(earlier.key):
            spec = earlier
            break
    if latest is not None and progress_of(store, latest).resumable:
        say("Resuming the earlier job.")
        _revise(latest, spec, store)
        return latest.id
    if latest is not None and latest.state in FINISHED:
        if options.out is None:
            raise SurrogateError(
                f"The job {latest.id} has done this already. Give --out, or generate again with --new."
            )
        say("The earlier job has done this already.")
        return latest.id
    return store.create(spec, source_of(store.folder, spec).size)
