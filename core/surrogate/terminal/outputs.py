"""Output of commands: the pool with results, or rows, from one job or from parts that are merged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...words import counted
from ...words.console import emit, say
from ..job.store import Store
from . import pools
from .home import open_home, open_shard
from .options import JobName, Rows, ShardName


def check(out: Path | None, rows: bool = False) -> None:
    """Refuse a file that could not be written, before anything is paid for."""
    if out is not None and rows:
        from ..parts import check_path as check_part

        check_part(out)
    elif out is not None:
        from ...pool.writing import check_path

        check_path(out)


def write(store: Store, job: str, path: Path, rows: bool) -> None:
    """Write the pool with a job's results, or these alone, one row a generation."""
    from ...archive.archive import Archive
    from ..parts import write_part
    from ..results import coverage, export

    if rows:
        written = write_part(store, job, path)
        say(f"{path}: {counted(written, 'generation')}; {coverage(store, job)}")
    else:
        say(f"{path}: {export(store, Archive(store.folder).pools.load(store.row(job).digest), job, path)}")


def export(job: JobName, /, *, out: Path, rows: Rows = False, shard: ShardName = None) -> int:
    """Write the pool with a job's results.

    Parameters
    ----------
    out : path
        Where: .jsonl, .jsonl.gz or .parquet.
    """
    check(out, rows)
    store = open_shard(shard)
    write(store, store.row(job).id, out, rows)
    return 0


def merge(
    parts: Annotated[tuple[str, ...], Parameter(name="PART")],
    /,
    *,
    pool: str | None = None,
    work: str = "",
    out: Path | None = None,
    rows: Rows = False,
) -> int:
    """Combine the parts of one run; the first of repeated generations is kept.

    Parameters
    ----------
    parts : str
        Files of rows, homes, folders of them.
    pool : str
        A pool's file, or the beginning of a kept pool's digest (default: the parts' own, if they are homes).
    work : str
        The beginning of the run's digest, if homes hold several runs.
    out : path
        Write the pool with the results to this file.
    """
    from ..merge import merge

    check(out, rows)
    store = open_home()
    merged = merge(store, parts, None if pool is None else pools.kept_digest(pool, store)[0], work)
    say(f"Job {merged.job}")
    emit(merged)
    if out is not None:
        write(store, merged.job, out, rows)
    elif merged.coverage.partial or merged.coverage.empty:
        say(f"For the missing generations: resume {merged.job}. For what is there: export {merged.job} --out=FILE")
    return 0
