"""The commands of ``python -m core.surrogate``.

    run       generate for a pool; the same command resumes an unfinished job
    resume    continue a job              stop      stop one
    list      all jobs                    show      one job, its failures and examples
    classes   group a pool's answers by meaning
    preview   the messages of an item, and what a run would take
    models    the models that a server offers
    profile   what the app needs of a folder of Parquet files, so that it opens at once
    export    the pool with a job's results, or these one row a generation
    ray       generate on a Ray cluster
    merge     bring the parts of one piece of work together, from stores and files
    batch     write request files and read results, or submit, poll and fetch them by OpenAI's Batch API

Jobs and pools are kept in NEYMAN_HOME (by default ~/.neyman). Exit status: 0 done, 1 an error, 2 wrong usage,
3 stopped, 4 done with failures, 5 paused. A command imports what it needs, because a worker is one of them and stays
small.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import NeymanError, PoolError
from core.surrogate import command
from core.surrogate.faults import ItemFault, SurrogateError
from core.surrogate.job.shards import outer_homes, shard_of
from core.surrogate.job.spec import Connection, JobSpec
from core.surrogate.job.store import DONE_WITH_FAILURES, JobRow, Store, now
from core.words import counted

if TYPE_CHECKING:
    from core.pool.pool import Pool
    from core.surrogate.batch.results import BatchReport
    from core.surrogate.batch.service import BatchService

_EXIT = {"done": 0, "failed": 1, "stopped": 3, DONE_WITH_FAILURES: 4, "paused": 5}
_FINISHED = ("done", DONE_WITH_FAILURES)
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
# Items from which a file is not read into memory.
_MANY = 200_000
_POOL = "a pool's file, or the beginning of a kept pool's digest"


def main(words: Sequence[str]) -> int:
    """Run a command; return its exit status."""
    try:
        options = _parser().parse_args(words)
        run: Callable[[argparse.Namespace, Store], int] = options.run
        return run(options, Store(_home(options)))
    except (NeymanError, ItemFault) as error:
        _say(str(error))
    except OSError as error:
        place = "A file" if error.filename is None else f"“{error.filename}”"
        _say(f"{place} cannot be used ({error.strerror or error}). Name another file or folder.")
    return 1


def _home(options: argparse.Namespace) -> Path:
    """NEYMAN_HOME, or the folder in it that a shard has to itself, so that no two machines write one database."""
    home = Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()
    if not hasattr(options, "shard"):
        return home
    # What a page has started is no task of an array, even where the app is one.
    started = options.run is _run and options.job is not None
    shard = shard_of(options.shard, {} if started else os.environ)
    if shard is not None and options.shard is None:
        _say(f"Shard {shard}, from Slurm's array.")
    options.shard = None if shard is None else str(shard)
    return home if shard is None else shard.home(home)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _run(options: argparse.Namespace, store: Store) -> int:
    # The other items of a shard's pool would only look as if they had no generations.
    options.rows = options.rows or options.shard is not None
    _check_out(options)
    spec = _spec(options, store)
    if not spec.connection.base_urls and spec.serving is None:
        raise SurrogateError("The job has no server: give --base-url, or --serve to start one.")
    if options.trial:
        return _trial(spec, store)
    job = _job_for(spec, store, options)
    _say(f"Job {job}")
    limit = store.row(job).spec.sampling.max_tokens
    if not options.job and limit != command.without_default_limit(spec, options).sampling.max_tokens:
        _say(f"Note: a generation has at most {limit:,} tokens, because they cost something. See --max-tokens.")
    for remark in spec.remarks():
        _say(f"Note: {remark}")
    finished = options.job is None and _is_finished(job, store)
    status = _EXIT[store.row(job).state] if finished else _work(job, store)
    if options.out is not None and store.row(job).state in _FINISHED:
        _write(store, job, options.out, options.rows)
    elif options.out is not None:
        _say(f"{options.out} is not written before the job is done. For what is there: export {job} --out=FILE")
    return status


def _trial(spec: JobSpec, store: Store) -> int:
    """Ask every address for one generation and say what came of it; nothing is stored."""
    from core.surrogate.job.pairs import source_of
    from core.surrogate.trial import try_out

    if not spec.connection.base_urls:
        raise SurrogateError("--trial is for a server that is running: give --base-url.")
    trials = try_out(spec, next(source_of(store.folder, spec).items()))
    for trial in trials:
        print(f"{trial.url}: {trial.error or trial.summary()}")
        for name, reason in trial.refused.items():
            print(f"  not taken: {name}. {reason}")
        if trial.models:
            print(f"  models: {', '.join(trial.models)}")
        if not trial.error:
            print(f"  answer: {trial.answer}")
            print("\n".join(f"  | {line}" for line in trial.text.splitlines()))
    return int(any(trial.error for trial in trials))


def _models(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.trial import offered

    connection = Connection() if options.key_variable is None else Connection(key_variable=options.key_variable)
    names = offered(options.base_url, connection=connection)
    if not names:
        raise SurrogateError(f"The server at {options.base_url} names no models. Check that it runs, and the key.")
    print("\n".join(names))
    return 0


def _is_finished(job: str, store: Store) -> bool:
    """Whether the job is done, and nothing would be asked again."""
    from core.surrogate.job.progress import progress

    now = progress(store, job)
    return now.state in _FINISHED and not now.resumable


def _resume(options: argparse.Namespace, store: Store) -> int:
    row = store.row(options.job)
    _revise(row, command.revised(row.spec, options), store)
    if options.retry_failed is not None:
        _say(f"Asking {counted(store.retry_failed(row.id, options.retry_failed or None), 'failed item')} again.")
    return _work(row.id, store)


def _revise(row: JobRow, spec: JobSpec, store: Store) -> None:
    """Run the job with what ``spec`` says of its operation from now on."""
    changes = command.changes(row.spec, spec)
    if changes:
        store.revise(row.id, spec)
        _say(f"Changed: {', '.join(changes)}")


def _work(job: str, store: Store) -> int:
    from core.surrogate.job.progress import progress
    from core.surrogate.worker.run import run_job

    outcome = run_job(store, job, _say)
    now = progress(store, job)
    _say(f"{outcome.state.capitalize()}: {now.summary()}. {outcome.error}".rstrip())
    if now.retryable:
        _say(f"Resume the job to ask {now.retryable:,} of the failed items again.")
    if now.failed > now.retryable:
        _say(f"To ask the items that failed for good again: resume {job} --retry-failed")
    return _EXIT[outcome.state]


def _stop(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.control import stop

    stop(store, options.job, options.force)
    return 0


def _list(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.job.progress import jobs

    for job in jobs(store):
        purpose = f"target {job.spec.target}" if job.spec.target else f"k = {job.spec.sampling.k}"
        purpose = f"judge of {job.spec.judge}" if job.spec.judge else purpose
        purpose = f"{job.spec.grouping.rule} meaning classes" if job.spec.grouping else purpose
        print(f"{job.id}  {job.created}  {job.state:18}  {job.done:,}/{job.total:,}  {job.spec.model}  ({purpose})")
    return 0


def _show(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.job.progress import examples, failures, progress

    job = progress(store, options.job)
    print(f"{job.id}: {job.state} {job.phase} {job.error}".rstrip())
    print(f"{job.summary()}; {job.generations:,} generations")
    print(f"without an answer {job.unparsed_share:.1%}, cut by the token limit {job.truncated:,}")
    print(f"requests {job.requests:,}, retries {job.retries:,}, {job.seconds:.0f} s, {job.item_rate:.1f} items/s")
    print(f"tokens {job.prompt_tokens:,} in, {job.completion_tokens:,} out, cost {job.cost or 'unknown'}")
    if job.estimated_tokens:
        print(f"{job.estimated_tokens:,} of the tokens were counted here: the server does not report them")
    if job.request is not None:
        print(f"sent to {job.server_model}: {json.dumps(dict(job.request.parameters), ensure_ascii=False)}")
        for name, reason in job.request.dropped.items():
            print(f"not sent: {name}. {reason}")
    for failed in failures(store, job.id, 20):
        print(f"failed: item at position {failed.position}: {failed.failure.message}")
    for example in examples(store, job.id):
        print(f"item at position {example.position}: {[generation.answer for generation in example.generations]}")
    print(command.command_line(job.spec))
    return 0


def _preview(options: argparse.Namespace, store: Store) -> int:
    from core.archive.archive import Archive
    from core.surrogate.client.prompting import abridged
    from core.surrogate.control import preview, workload

    spec = _spec(options, store)
    pool = Archive(store.folder).load(spec.digest)
    position = 0 if options.item is None else int(pool.places([options.item])[0])
    if position < 0:
        raise SurrogateError(f"The pool has no item “{options.item}”; name one of its ids.")
    print(json.dumps(abridged(preview(pool, position, spec.prompting, spec.judge)), ensure_ascii=False, indent=2))
    print(workload(pool, spec))
    return 0


def _profile(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.profiling import profile_folder

    pool = profile_folder(store.folder, options.folder, options.out, _say)
    for note in pool.notes:
        _say(f"Note: {note}")
    print(pool)
    return 0


def _export(options: argparse.Namespace, store: Store) -> int:
    _check_out(options)
    _write(store, store.row(options.job).id, options.out, options.rows)
    return 0


def _classes(options: argparse.Namespace, store: Store) -> int:
    """Group a pool's answers by meaning: by a judge's verdicts on pairs of them, or as mathematics."""
    from core.surrogate import classes

    options.rows = False
    _check_out(options)
    digest, _ = _pool(options.pool, store)
    if options.math:
        classes.by_mathematics(options, store, digest, _say)
        return 0
    spec = command.grouping_spec_of(options, digest)
    if options.cost:
        print(classes.bound(store, spec))
        return 0
    if not spec.connection.base_urls and spec.serving is None:
        raise SurrogateError("The job has no server: give --base-url, or --serve to start one.")
    if options.trial:
        return _trial(spec, store)
    job = _job_for(spec, store, options)
    _say(f"Job {job}")
    finished = options.job is None and _is_finished(job, store)
    if not finished:
        _say(f"At most {classes.bound(store, spec)}.")
    status = _EXIT[store.row(job).state] if finished else _work(job, store)
    if store.row(job).state in _FINISHED:
        classes.report(store, job, options.out, _say)
    return status


def _ray(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.cluster import generate
    from core.surrogate.places import Place

    spec, out = _spec(options, store), Place(options.out)
    report = generate(
        store,
        spec,
        out,
        workers=options.workers,
        address=options.address,
        most=options.samples,
        leave_out=options.leave_out,
    )
    print(report)
    for reason, requests in report.reasons.most_common(5):
        print(f"{requests:,} × {reason}")
    if report.complete < report.total:
        _say("The same command asks for what is missing.")
        return _EXIT[DONE_WITH_FAILURES]
    return 0


def _merge(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.merge import merge

    _check_out(options)
    pool = None if options.pool is None else _pool(options.pool, store)[0]
    merged = merge(store, options.parts, pool, options.work)
    _say(f"Job {merged.job}")
    print(merged)
    if options.out is not None:
        _write(store, merged.job, options.out, options.rows)
    elif merged.coverage.partial or merged.coverage.empty:
        _say(f"For the missing generations: resume {merged.job}. For what is there: export {merged.job} --out=FILE")
    return 0


def _batch_write(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch.requests import write

    job = _batch_job(options, store)
    paths = write(store, job, options.out, options.format, not options.one_each, options.leave_out)
    for path in paths:
        print(path)
    if paths and options.format == "vllm":
        answer = f"-i {paths[0]} -o results.jsonl --model {store.row(job).spec.model}"
        _say(f"Answer them with: python -m vllm.entrypoints.openai.run_batch {answer}")
    if not paths:
        _say("Nothing is missing.")
    return 0


def _batch_read(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch.results import read

    _print_report(read(store, options.job, options.files))
    return 0


def _print_report(report: BatchReport) -> None:
    print(report)
    for reason, lines in report.reasons.most_common(5):
        print(f"{lines:,} × {reason}")


def _batch_submit(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch.submission import submit

    if options.job is None and options.pool is not None and not options.new:
        options.job = _begun(_spec(options, store), store)
    job = _batch_job(options, store)
    with _service(job, store) as service:
        print(submit(store, job, service, not options.one_each, options.leave_out))
    return 0


def _begun(spec: JobSpec, store: Store) -> str | None:
    """The newest job of the same work, so that a command that is repeated submits nothing twice."""
    row = next((row for row in store.rows() if row.spec.key == spec.key), None)
    if row is not None and row.state in _FINISHED:
        raise SurrogateError(f"The job {row.id} has done this already. Export it, or submit it again with --new.")
    return None if row is None else row.id


def _batch_poll(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch.submission import poll

    with _service(options.job, store) as service:
        while True:
            now = poll(store, options.job, service)
            print(now, flush=True)
            if now.unsent:
                _say(f"Some requests are not submitted yet: batch submit --job {options.job}")
            if not options.wait or now.unsent or not now.open:
                return _EXIT["paused"] if now.open else 0
            time.sleep(options.wait)


def _batch_fetch(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch.submission import fetch, submission

    with _service(options.job, store) as service:
        report = fetch(store, options.job, service)
    _print_report(report)
    now = submission(store, options.job)
    if report.missing_items and not now.open:
        _say(f"To request what is missing again: batch submit --job {options.job}")
    return _EXIT["paused"] if now.open else 0


def _service(job: str, store: Store) -> closing[BatchService]:
    from core.surrogate.batch.service import BatchService

    return closing(BatchService(store.row(job).spec.connection))


def _batch_job(options: argparse.Namespace, store: Store) -> str:
    """The job that the options name, or else a new one for batches."""
    from core.surrogate.batch.requests import create

    if options.job is None:
        if options.pool is None:
            raise SurrogateError("Give --pool and --model for a new batch, or --job for what an old one lacks.")
        options.job = create(store, _spec(options, store))
    _say(f"Job {options.job}")
    return str(options.job)


def _spec(options: argparse.Namespace, store: Store) -> JobSpec:
    items = None
    if options.items:
        from core.surrogate.job.selection import read_ids

        items = read_ids(Path(options.items))
    digest, folder = _pool(options.pool, store)
    spec = command.spec_of(options, digest, items)
    if spec.prompting.images is None and folder is not None:
        return replace(spec, prompting=replace(spec.prompting, images=str(folder)))
    return spec


def _pool(name: str, store: Store) -> tuple[str, Path | None]:
    """Digest of the pool in a file, or with a digest that begins so; and the folder of its images."""
    path = Path(name).expanduser()
    if path.is_dir():
        raise SurrogateError(f"“{path}” is a folder. Generate for its files one by one, or for shards of one file.")
    if not path.is_file() and "://" not in name:
        return _kept_pool(name, store), None
    from core.archive.archive import Archive
    from core.readers import read

    if "://" in name:
        from core.surrogate.places import Place

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / posixpath.basename(name)
            Place(name).fetch(path)
            return Archive(store.folder).save(read(path), now()), None
    pool = _read(path)
    digest = Archive(store.folder).save(pool, now())
    return digest, path.resolve().parent if "image" in pool.source.column_names else None


def _read(path: Path) -> Pool:
    """Read a pool; a large native Parquet file some thousand rows at a time."""
    from core.readers import read
    from core.readers._beginning import Beginning
    from core.readers._source import Source
    from core.readers.folder import Folder
    from core.readers.folder_pool import read_folder
    from core.readers.results import recognised

    if path.suffix.lower() == ".parquet":
        with suppress(PoolError):
            if Folder.of(path).rows > _MANY and recognised(Beginning.of(Source.of(path))) is None:
                return read_folder(path, path.stem)
    return read(path)


def _kept_pool(name: str, store: Store) -> str:
    """The whole digest of a kept pool; a shard takes it from the home that its own is in."""
    for home in (store.folder, *outer_homes(store.folder)):
        kept = sorted((home / "pools").glob(f"{name}*.parquet")) if _DIGEST.fullmatch(name) else []
        if len(kept) == 1:
            if home is not store.folder:
                from core.archive.archive import Archive

                Archive(store.folder).save(Archive(home).load(kept[0].stem), now())
            return kept[0].stem
    raise SurrogateError(f"“{name}” is neither a pool's file nor the beginning of one kept pool's digest.")


def _job_for(spec: JobSpec, store: Store, options: argparse.Namespace) -> str:
    """The job that was named, or that these options began and that can be resumed, or else a new one."""
    from core.surrogate.job.pairs import source_of
    from core.surrogate.job.progress import progress_of

    if options.job is not None:
        row = store.row(options.job)
        if row.spec.key != spec.key:
            raise SurrogateError(f"These options do not describe the job {row.id}.")
        return row.id
    latest = None if options.new else store.latest(spec.key)
    if latest is None and not options.new and spec.grouping is None:
        # Earlier versions limited no completion by default; what they began is not begun again.
        spec, limited = command.without_default_limit(spec, options), spec
        latest = store.latest(spec.key)
        spec = limited if latest is None else spec
    if latest is not None and progress_of(store, latest).resumable:
        _say("Resuming the earlier job.")
        _revise(latest, spec, store)
        return latest.id
    if latest is not None and latest.state in _FINISHED:
        if options.out is None:
            raise SurrogateError(
                f"The job {latest.id} has done this already. Give --out, or generate again with --new."
            )
        _say("The earlier job has done this already.")
        return latest.id
    return store.create(spec, source_of(store.folder, spec).size)


def _check_out(options: argparse.Namespace) -> None:
    """Refuse a file that could not be written, before anything is paid for."""
    if options.out is not None and options.rows:
        from core.surrogate.parts import check_path as check_part

        check_part(options.out)
    elif options.out is not None:
        from core.pool.writing import check_path

        check_path(options.out)


def _write(store: Store, job: str, path: Path, rows: bool) -> None:
    """Write the pool with a job's results, or these alone, one row a generation."""
    from core.archive.archive import Archive
    from core.surrogate.parts import write_part
    from core.surrogate.results import coverage, export

    if rows:
        written = write_part(store, job, path)
        _say(f"{path}: {counted(written, 'generation')}; {coverage(store, job)}")
    else:
        _say(f"{path}: {export(store, Archive(store.folder).load(store.row(job).digest), job, path)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m core.surrogate",
        description="Generate without the app.",
        epilog="Exit status: 0 done, 1 an error, 2 wrong usage, 3 stopped, 4 done with failures, 5 paused.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = _add(commands, "run", _run, "generate for a pool")
    run.add_argument("--pool", required=True, help=_POOL)
    run.add_argument("--job", help=argparse.SUPPRESS)
    run.add_argument("--new", action="store_true", help="generate again, even where this was begun or done before")
    run.add_argument("--out", type=Path, help="write the pool with the results to this file (a shard: see --rows)")
    _add_rows_option(run)
    run.add_argument(
        "--trial", action="store_true", help="only ask every address for one generation of the first item; keep nothing"
    )
    command.add_options(run)
    preview = _add(commands, "preview", _preview, "show the messages of an item, and what a run would take")
    preview.add_argument("--pool", required=True, help=_POOL)
    preview.add_argument("--item", help="its id (default: the first)")
    command.add_options(preview)
    models = _add(commands, "models", _models, "list the models that a server offers")
    models.add_argument("--base-url", required=True, metavar="URL", help="its address (…/v1)")
    models.add_argument("--key-variable", metavar="NAME", help="environment variable with the key")
    resume = _add(commands, "resume", _resume, "continue a job, with the same server or another")
    resume.add_argument("job")
    resume.add_argument(
        "--retry-failed",
        nargs="?",
        const="",
        metavar="KIND",
        help="also ask the items again that failed for good, those of one kind (“too long”) or all",
    )
    command.add_operation_options(resume)
    grouping = _add(commands, "classes", _classes, "group a pool's answers by meaning, by asking a model about pairs")
    grouping.add_argument("pool", metavar="POOL", help=_POOL)
    grouping.add_argument("--job", help=argparse.SUPPRESS)
    grouping.add_argument("--new", action="store_true", help="a new run, which asks again what brought no verdict")
    grouping.add_argument("--out", type=Path, help="write the pool with its meaning classes to this file")
    grouping.add_argument("--cost", action="store_true", help="only say what a run takes at most")
    grouping.add_argument("--trial", action="store_true", help="only ask every address about the first pair")
    grouping.add_argument("--math", action="store_true", help="compare as mathematics (math-verify), without a model")
    command.add_grouping_options(grouping)
    stop = _add(commands, "stop", _stop, "stop a job; it can be resumed")
    stop.add_argument("job")
    stop.add_argument("--force", action="store_true", help="end its process at once")
    listing = _add(commands, "list", _list, "list all jobs")
    show = _add(commands, "show", _show, "show a job")
    show.add_argument("job")
    for one in (resume, stop, listing, show):
        command.add_shard_option(one)
    profile = _add(commands, "profile", _profile, "profile a folder of Parquet files, so that it opens at once")
    profile.add_argument("folder", type=Path)
    profile.add_argument("--out", type=Path, metavar="FILE.profile", help="default: in NEYMAN_HOME, for the app")
    export = _add(commands, "export", _export, "write the pool with a job's results")
    export.add_argument("job")
    export.add_argument("--out", type=Path, required=True, help=".jsonl, .jsonl.gz or .parquet")
    _add_rows_option(export)
    command.add_shard_option(export)
    ray = _add(commands, "ray", _ray, "generate on a Ray cluster; the same command asks only for what is missing")
    ray.add_argument("--pool", required=True, help=f"{_POOL}, or an address (s3://…)")
    ray.add_argument(
        "--out", required=True, help="folder for the rows that every node can reach, or an address (s3://…)"
    )
    ray.add_argument("--workers", type=int, default=1, metavar="N", help="processes that ask, or copies of the model")
    ray.add_argument("--address", help="of the cluster (default: RAY_ADDRESS, or a new one on this machine)")
    ray.add_argument("--samples", type=int, metavar="N", help="most samples of one request (default: all)")
    ray.add_argument("--leave-out", action="append", default=[], metavar="PARAMETER", help="not sent")
    command.add_options(ray)
    merge = _add(commands, "merge", _merge, "bring the parts of one piece of work together; the first generation stays")
    merge.add_argument("parts", nargs="+", metavar="PART", help="files of rows, homes, folders of them")
    merge.add_argument("--pool", help=f"{_POOL} (default: the parts' own, where they are homes)")
    merge.add_argument("--work", default="", help="the beginning of its digest, where homes have jobs of several works")
    merge.add_argument("--out", type=Path, help="write the pool with the results to this file")
    _add_rows_option(merge)
    batch = commands.add_parser("batch", help="write request files, read results")
    actions = batch.add_subparsers(required=True, metavar="ACTION")
    write = _add(actions, "write", _batch_write, "write the requests for all that a job lacks")
    write.add_argument("--out", type=Path, required=True, help="folder for the files")
    write.add_argument("--format", choices=("openai", "vllm"), default="openai", help="whose batches they are for")
    submit = _add(actions, "submit", _batch_submit, "send what a job lacks to OpenAI's Batch API, or one like it")
    for one in (write, submit):
        one.add_argument("--pool", help=_POOL)
        one.add_argument("--job", help="an old job: only what it lacks")
        one.add_argument("--one-each", action="store_true", help="one request per sample, for servers that refuse n")
        one.add_argument(
            "--leave-out", action="append", default=[], metavar="PARAMETER", help="not sent, as the model refuses it"
        )
        command.add_options(one)
    submit.add_argument("--new", action="store_true", help="a new job, even where the same was begun or done before")
    poll = _add(actions, "poll", _batch_poll, "say how the batches of a job stand (exit status 5: some are under way)")
    poll.add_argument("--wait", type=float, default=0, metavar="SECONDS", help="ask so often until all have ended")
    fetch = _add(actions, "fetch", _batch_fetch, "store the results of the batches that have ended")
    for one in (poll, fetch):
        one.add_argument("job")
        command.add_shard_option(one)
    read = _add(actions, "read", _batch_read, "store results, in any order and in parts")
    read.add_argument("job")
    read.add_argument("files", type=Path, nargs="+", help="output files, error files")
    command.add_shard_option(read)
    return parser


def _add_rows_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", action="store_true", help="write the generations alone, one row each (.parquet), for `merge`"
    )


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace, Store], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.set_defaults(run=run)
    return parser
