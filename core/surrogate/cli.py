"""The commands of ``neyman surrogate``.

    run       generate for a pool; the same command resumes an unfinished job
    resume    continue a job              stop      stop one
    list      all jobs                    show      one job, its failures and examples
    classes   group a pool's answers by meaning
    preview   the messages of an item, and what a run would take
    models    the models that a server offers
    install-vllm  vLLM for this machine's GPU, in NEYMAN_HOME
    profile   what the app needs of a folder of Parquet files, so that it opens at once
    export    the pool with a job's results, or these one row a generation
    ray       generate on a Ray cluster
    merge     combine the parts of one run, from stores and files
    batch     write request files and read results, or submit, poll and fetch them by OpenAI's Batch API

Jobs and pools are kept in NEYMAN_HOME (by default ~/.neyman). Exit status: 0 done, 1 an error, 2 wrong usage,
3 stopped, 4 done with failures, 5 paused. A command imports what it needs, because a worker is one of them and stays
small.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from ..errors import NeymanError
from ..words.console import say
from . import command
from .faults import ItemFault
from .job.shards import shard_of
from .job.store import Store
from .terminal import batches, clusters, installs, jobs, outputs, pools
from .vllm.installation import REQUIREMENT

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_POOL = "a pool's file, or the beginning of a kept pool's digest"
_JOB = "the job's name, as `neyman surrogate list` shows it"


def main(words: Sequence[str]) -> int:
    """Run a command; return its exit status."""
    try:
        options = _parser().parse_args(words)
        run: Callable[[argparse.Namespace, Store], int] = options.run
        return run(options, Store(_home(options)))
    except (NeymanError, ItemFault) as error:
        say(str(error))
    except OSError as error:
        place = "A file" if error.filename is None else f"“{error.filename}”"
        say(f"{place} cannot be used ({error.strerror or error}). Name another file or folder.")
    return 1


def _home(options: argparse.Namespace) -> Path:
    """NEYMAN_HOME, or the folder in it that a shard has to itself, so that no two machines write one database."""
    home = Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()
    if not hasattr(options, "shard"):
        return home
    shard = shard_of(options.shard, os.environ)
    if shard is not None and options.shard is None:
        say(f"Shard {shard}, from Slurm's array.")
    options.shard = None if shard is None else str(shard)
    return home if shard is None else shard.home(home)


# Parsing leaves it as it is.
@cache
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neyman surrogate",
        description="Run a surrogate, a target or a judge without the app.",
        epilog="Exit status: 0 done, 1 an error, 2 wrong usage, 3 stopped, 4 done with failures, 5 paused.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_runs, _add_classes, _add_jobs, _add_files, _add_ray, _add_merge, _add_batches):
        add(commands)
    return parser


def _add_runs(commands: _Commands) -> None:
    """Commands that begin or continue to generate."""
    run = _add(commands, "run", jobs.run, "generate for a pool")
    run.add_argument("--pool", required=True, help=_POOL)
    run.add_argument("--new", action="store_true", help="generate again, even if the same was begun or done before")
    run.add_argument("--out", type=Path, help="write the pool with the results to this file (a shard: see --rows)")
    _add_rows_option(run)
    run.add_argument(
        "--trial", action="store_true", help="only ask every address for one generation of the first item; keep nothing"
    )
    command.add_options(run)
    preview = _add(commands, "preview", pools.preview, "show the messages of an item, and what a run would take")
    preview.add_argument("--pool", required=True, help=_POOL)
    preview.add_argument("--item", help="its id (default: the first)")
    command.add_options(preview)
    setup = _add(commands, "install-vllm", installs.install_vllm, "install vLLM into NEYMAN_HOME; repeated, it goes on")
    setup.add_argument("--requirement", default=REQUIREMENT, metavar="TEXT", help=f"for pip (default {REQUIREMENT})")
    models = _add(commands, "models", jobs.models, "list the models that a server offers")
    models.add_argument("--base-url", required=True, metavar="URL", help="its address (…/v1)")
    models.add_argument("--key-variable", metavar="NAME", help="environment variable with the key")
    resume = _add(commands, "resume", jobs.resume, "continue a job, with the same server or another")
    resume.add_argument("job", help=_JOB)
    resume.add_argument(
        "--retry-failed",
        nargs="?",
        const="",
        metavar="KIND",
        help="also retry items that failed for good: one kind of failure (“too long”), or all",
    )
    command.add_operation_options(resume)
    command.add_shard_option(resume)


def _add_classes(commands: _Commands) -> None:
    """The command that groups answers by meaning."""
    grouping = _add(
        commands, "classes", jobs.classes, "group a pool's answers by meaning, by asking a model about pairs"
    )
    grouping.add_argument("pool", metavar="POOL", help=_POOL)
    grouping.add_argument(
        "--new", action="store_true", help="a new run, which asks again about pairs without a verdict"
    )
    grouping.add_argument("--out", type=Path, help="write the pool with its meaning classes to this file")
    grouping.add_argument("--cost", action="store_true", help="only show the most that a run takes")
    grouping.add_argument("--trial", action="store_true", help="only ask every address about the first pair")
    grouping.add_argument("--math", action="store_true", help="compare as mathematics (math-verify), without a model")
    command.add_grouping_options(grouping)


def _add_jobs(commands: _Commands) -> None:
    """Commands about jobs."""
    stop = _add(commands, "stop", jobs.stop, "stop a job; it can be resumed")
    stop.add_argument("job", help=_JOB)
    stop.add_argument("--force", action="store_true", help="end its process at once")
    listing = _add(commands, "list", jobs.listing, "list all jobs")
    show = _add(commands, "show", jobs.show, "show a job")
    show.add_argument("job", help=_JOB)
    for one in (stop, listing, show):
        command.add_shard_option(one)


def _add_files(commands: _Commands) -> None:
    """Commands that write a profile, or a pool with its results."""
    profile = _add(commands, "profile", pools.profile, "profile a folder of Parquet files, so that it opens at once")
    profile.add_argument("folder", type=Path, help="where the Parquet files are")
    profile.add_argument("--out", type=Path, metavar="FILE.profile", help="default: in NEYMAN_HOME, for the app")
    profile.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="read the files on a Ray cluster (default: RAY_ADDRESS, or a new one on this machine); needs --out",
    )
    export = _add(commands, "export", outputs.export, "write the pool with a job's results")
    export.add_argument("job", help=_JOB)
    export.add_argument("--out", type=Path, required=True, help=".jsonl, .jsonl.gz or .parquet")
    _add_rows_option(export)
    command.add_shard_option(export)


def _add_ray(commands: _Commands) -> None:
    """The command for a Ray cluster."""
    ray = _add(commands, "ray", clusters.ray, "generate on a Ray cluster; repeated, it asks only for what is missing")
    ray.add_argument("--pool", required=True, help=f"{_POOL}, or an address (s3://…)")
    ray.add_argument(
        "--out", required=True, help="folder for the rows that every node can reach, or an address (s3://…)"
    )
    ray.add_argument("--workers", type=int, default=1, metavar="N", help="processes that ask, or copies of the model")
    ray.add_argument("--address", help="address of the cluster (default: RAY_ADDRESS, or a new one on this machine)")
    ray.add_argument("--samples", type=int, metavar="N", help="most samples of one request (default: all)")
    ray.add_argument("--leave-out", action="append", default=[], metavar="PARAMETER", help="parameter that is not sent")
    command.add_options(ray)


def _add_merge(commands: _Commands) -> None:
    """The command that brings parts together."""
    merge = _add(
        commands, "merge", outputs.merge, "combine the parts of one run; the first of repeated generations is kept"
    )
    merge.add_argument("parts", nargs="+", metavar="PART", help="files of rows, homes, folders of them")
    merge.add_argument("--pool", help=f"{_POOL} (default: the parts' own, if they are homes)")
    merge.add_argument("--work", default="", help="the beginning of the run's digest, if homes hold several runs")
    merge.add_argument("--out", type=Path, help="write the pool with the results to this file")
    _add_rows_option(merge)


def _add_batches(commands: _Commands) -> None:
    """Commands about batches: their files, or a service that takes them."""
    batch = commands.add_parser("batch", help="write request files, read results")
    actions = batch.add_subparsers(required=True, metavar="ACTION")
    write = _add(actions, "write", batches.write, "write the requests for all that a job lacks")
    write.add_argument("--out", type=Path, required=True, help="folder for the files")
    write.add_argument("--format", choices=("openai", "vllm"), default="openai", help="whose batches they are for")
    submit = _add(actions, "submit", batches.submit, "send what a job lacks to OpenAI's Batch API, or one like it")
    for one in (write, submit):
        one.add_argument("--pool", help=_POOL)
        one.add_argument("--job", help="an old job: only what it lacks")
        one.add_argument("--one-each", action="store_true", help="one request per sample, for servers that refuse n")
        one.add_argument(
            "--leave-out",
            action="append",
            default=[],
            metavar="PARAMETER",
            help="parameter that is not sent, since the model refuses it",
        )
        command.add_options(one)
    submit.add_argument("--new", action="store_true", help="a new job, even if the same was begun or done before")
    poll = _add(
        actions, "poll", batches.poll, "show the state of a job's batches (exit status 5: some are still running)"
    )
    poll.add_argument(
        "--wait", type=float, default=0, metavar="SECONDS", help="repeat at this interval until all have ended"
    )
    fetch = _add(actions, "fetch", batches.fetch, "store the results of the batches that have ended")
    fetch.add_argument("--give-up", action="store_true", help="request again what the service no longer has")
    for one in (poll, fetch):
        one.add_argument("job", help=_JOB)
        command.add_shard_option(one)
    read = _add(actions, "read", batches.read, "store results, in any order and in parts")
    read.add_argument("job", help=_JOB)
    read.add_argument("files", type=Path, nargs="+", help="output files, error files")
    command.add_shard_option(read)


def _add_rows_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", action="store_true", help="write the generations alone, one row each (.parquet), for `merge`"
    )


def _add(
    commands: _Commands,
    name: str,
    run: Callable[[argparse.Namespace, Store], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.set_defaults(run=run)
    return parser
