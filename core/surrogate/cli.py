"""The commands of ``python -m core.surrogate``.

    run       generate for a pool; the same command again goes on where it stopped
    resume    go on with a job            stop      stop one
    list      all jobs                    show      one job, its failures and examples
    preview   the messages of an item, and what a run would take
    export    the pool with what a job brought
    batch     write request files, read results

Jobs and pools are kept in NEYMAN_HOME (by default ~/.neyman). Exit status: 0 done, 1 failed, 2 wrong usage, 3 stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import NeymanError
from core.surrogate import command
from core.surrogate.faults import ItemFault, SurrogateError
from core.surrogate.job.settings import JobSpec
from core.surrogate.job.store import Store, now
from core.surrogate.job.wanted import read_ids

_EXIT = {"done": 0, "failed": 1, "cancelled": 3}
_DIGEST = re.compile(r"[0-9a-f]{8,64}")


def main(words: Sequence[str]) -> int:
    """Run a command; its exit status."""
    options = _parser().parse_args(words)
    run: Callable[[argparse.Namespace, Store], int] = options.run
    try:
        return run(options, Store(home()))
    except (NeymanError, ItemFault) as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"“{error.filename}” cannot be used ({error.strerror}); name another file or folder.")
        return 1


def home() -> Path:
    """NEYMAN_HOME, by default ``~/.neyman``."""
    return Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()


def say(line: str) -> None:
    """Write a line to the log."""
    print(line, file=sys.stderr, flush=True)


def _run(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.worker.worker import run_job

    spec = _spec(options, store)
    if spec.connection.base_url is None and spec.serving is None:
        raise SurrogateError("The job has no server: give --base-url, or --serve to start one.")
    if options.job is not None:
        row = store.row(options.job)
        if row.key != spec.key:
            raise SurrogateError(f"The job {row.id} is another one than these options describe.")
        job = row.id
    else:
        job = _job_for(spec, store, options.new)
    say(f"Job {job}")
    for remark in spec.remarks():
        say(f"Note: {remark}")
    outcome = run_job(store, job, say)
    _sum_up(store, job, outcome.state, outcome.error)
    if options.out is not None and outcome.state == "done":
        _write_pool(store, job, options.out)
    return _EXIT[outcome.state]


def _resume(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.worker.worker import run_job

    job = store.row(options.job).id
    outcome = run_job(store, job, say)
    _sum_up(store, job, outcome.state, outcome.error)
    return _EXIT[outcome.state]


def _stop(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate import control

    control.stop(store, options.job, options.force)
    return 0


def _list(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.job.progress import jobs

    for job in jobs(store):
        what = f"target {job.spec.target}" if job.spec.target else f"k = {job.spec.sampling.k}"
        print(f"{job.id}  {job.created}  {job.state:9}  {job.done:,}/{job.total:,}  {job.spec.model}  ({what})")
    return 0


def _show(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.job.progress import examples, failures, progress

    job = progress(store, options.job)
    print(f"{job.id}: {job.state} {job.phase} {job.error}".rstrip())
    print(f"items {job.done:,} of {job.total:,}, failed {job.failed:,}; generations {job.generations:,}")
    print(f"unparsed {job.unparsed_share:.1%}, ended by the token limit {job.truncated:,}")
    print(f"requests {job.requests:,}, retries {job.retries:,}, {job.seconds:.0f} s, {job.item_rate:.1f} items/s")
    print(f"tokens {job.prompt_tokens:,} in, {job.completion_tokens:,} out, cost {job.cost or 'unknown'}")
    if job.sent is not None:
        print(f"sent to {job.server_model}: {json.dumps(dict(job.sent.parameters), ensure_ascii=False)}")
        for name, reason in job.sent.dropped.items():
            print(f"not heeded: {name}. {reason}")
    for failure in failures(store, job.id, 20):
        print(f"failed: item at position {failure.position}: {failure.message}")
    for example in examples(store, job.id):
        print(f"item at position {example.position}: {[generation.answer for generation in example.generations]}")
    print(command.command_line(job.spec))
    return 0


def _preview(options: argparse.Namespace, store: Store) -> int:
    from core.archive.archive import Archive
    from core.surrogate import control
    from core.surrogate.client.prompting import abridged

    spec = _spec(options, store)
    pool = Archive(store.folder).load(spec.digest)
    ids = pool.ids.tolist()
    if options.item is not None and options.item not in ids:
        raise SurrogateError(f"The pool has no item “{options.item}”; name one of its ids.")
    position = 0 if options.item is None else ids.index(options.item)
    print(json.dumps(abridged(control.preview(pool, position, spec.prompting)), ensure_ascii=False, indent=2))
    expected = control.estimate(pool, spec)
    print(f"{expected.requests:,} requests, about {expected.prompt_tokens:,} tokens of prompts")
    return 0


def _export(options: argparse.Namespace, store: Store) -> int:
    _write_pool(store, store.row(options.job).id, options.out)
    return 0


def _batch_write(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch import batch

    if options.job is None:
        if options.pool is None:
            raise SurrogateError("Give --pool and --model for a new batch, or --job for what an old one lacks.")
        options.job = batch.create(store, _spec(options, store))
    say(f"Job {options.job}")
    paths = batch.write(store, options.job, options.out, options.format, not options.one_each, options.leave_out)
    for path in paths:
        print(path)
    if not paths:
        say("Nothing is missing.")
    return 0


def _batch_read(options: argparse.Namespace, store: Store) -> int:
    from core.surrogate.batch import batch

    report = batch.read(store, options.job, options.files)
    print(
        f"{report.taken:,} results stored, {report.repeated:,} known already, {report.failed:,} refused,"
        f" {report.passing:,} to be asked again, {report.foreign:,} of another job, {report.unreadable:,} unreadable;"
        f" {report.missing_items:,} items still lack generations"
    )
    for reason, number in sorted(report.reasons.items(), key=lambda pair: -pair[1])[:5]:
        print(f"{number:,} × {reason}")
    return 0


def _spec(options: argparse.Namespace, store: Store) -> JobSpec:
    items = read_ids(Path(options.items)) if options.items else None
    digest, folder = _pool(options.pool, store)
    spec = command.spec_of(options, digest, items)
    if spec.prompting.images is None and folder is not None:
        return replace(spec, prompting=replace(spec.prompting, images=str(folder)))
    return spec


def _pool(given: str, store: Store) -> tuple[str, Path | None]:
    """Digest of the pool that a file, or the beginning of a digest, names; and the folder of its images."""
    path = Path(given).expanduser()
    if not path.is_file():
        found = sorted((store.folder / "pools").glob(f"{given}*.parquet")) if _DIGEST.fullmatch(given) else []
        if len(found) != 1:
            raise SurrogateError(f"“{given}” is neither a pool's file nor the beginning of one kept pool's digest.")
        return found[0].stem, None
    # Reading a file needs far more memory than generating for it.
    from core.archive.archive import Archive
    from core.readers import read

    pool = read(path)
    digest = Archive(store.folder).save(pool, now())
    return digest, path.resolve().parent if "image" in pool.source.column_names else None


def _job_for(spec: JobSpec, store: Store, new: bool) -> str:
    """The job that these options began and that can go on, or else a new one."""
    from core.surrogate.job.progress import progress_of
    from core.surrogate.job.source import Source

    latest = None if new else store.latest(spec.key)
    if latest is not None and progress_of(store, latest).resumable:
        say("Going on with what was begun before.")
        return latest.id
    if latest is not None and latest.state == "done":
        raise SurrogateError(f"The job {latest.id} has done this; export it, or generate once more with --new.")
    source = Source(store.folder / "pools" / f"{spec.digest}.parquet")
    return store.create(spec, source.size if spec.items is None else len(source.positions(spec.items)))


def _write_pool(store: Store, job: str, path: Path) -> None:
    from core.archive.archive import Archive
    from core.surrogate.results import pool_with

    pool = pool_with(store, Archive(store.folder).load(store.row(job).digest), job)
    pool.write(path)
    say(f"{path}: {pool.n_items:,} items, {pool.n_generations} generations each")


def _sum_up(store: Store, job: str, state: str, error: str) -> None:
    row = store.row(job)
    counted = f"{row.done:,} of {row.total:,} items done, {row.failed:,} failed"
    say(" ".join(filter(None, [f"{state.capitalize()}: {counted}.", error])))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.surrogate", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace, Store], int], text: str) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        found.set_defaults(run=run)
        return found

    pool_help = "a pool's file, or the beginning of the digest of one that is kept"
    run = add("run", _run, "generate for a pool")
    run.add_argument("--pool", required=True, help=pool_help)
    run.add_argument("--job", help=argparse.SUPPRESS)
    run.add_argument("--new", action="store_true", help="begin anew, also where this was begun or done before")
    run.add_argument("--out", type=Path, help="write the pool with the result to this file")
    command.add_options(run)
    preview = add("preview", _preview, "show the messages of an item, and what a run would take")
    preview.add_argument("--pool", required=True, help=pool_help)
    preview.add_argument("--item", help="its id (default: the first)")
    command.add_options(preview)
    add("resume", _resume, "go on with a job").add_argument("job")
    stop = add("stop", _stop, "stop a job; it can be resumed")
    stop.add_argument("job")
    stop.add_argument("--force", action="store_true", help="end its process at once")
    add("list", _list, "list all jobs")
    add("show", _show, "show a job").add_argument("job")
    export = add("export", _export, "write the pool with what a job brought")
    export.add_argument("job")
    export.add_argument("--out", type=Path, required=True, help=".jsonl, .jsonl.gz or .parquet")
    _add_batch(commands, pool_help)
    return parser


def _add_batch(commands: argparse._SubParsersAction[argparse.ArgumentParser], pool_help: str) -> None:
    batch = commands.add_parser("batch", help="write request files, read results")
    actions = batch.add_subparsers(required=True, metavar="ACTION")
    write = actions.add_parser("write", help="write the requests for all that a job lacks", allow_abbrev=False)
    write.set_defaults(run=_batch_write)
    write.add_argument("--pool", help=pool_help)
    write.add_argument("--job", help="an old job: only what it lacks")
    write.add_argument("--out", type=Path, required=True, help="folder for the files")
    write.add_argument("--format", choices=("openai", "vllm"), default="openai")
    write.add_argument("--one-each", action="store_true", help="a request for each sample, where n is refused")
    write.add_argument("--leave-out", action="append", default=[], metavar="PARAMETER", help="where it is refused")
    command.add_options(write)
    read = actions.add_parser("read", help="store results, in any order and in parts")
    read.set_defaults(run=_batch_read)
    read.add_argument("job")
    read.add_argument("files", type=Path, nargs="+", help="output files, error files")
