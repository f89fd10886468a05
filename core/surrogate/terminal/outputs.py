"""What commands write: the pool with results, or rows, from one job or from parts that are merged."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...words import counted
from ...words.console import emit, say
from ..job.store import Store
from . import pools


def check(options: argparse.Namespace) -> None:
    """Refuse a file that could not be written, before anything is paid for."""
    if options.out is not None and options.rows:
        from ..parts import check_path as check_part

        check_part(options.out)
    elif options.out is not None:
        from ...pool.writing import check_path

        check_path(options.out)


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


def export(options: argparse.Namespace, store: Store) -> int:
    """Write a job's results."""
    check(options)
    write(store, store.row(options.job).id, options.out, options.rows)
    return 0


def merge(options: argparse.Namespace, store: Store) -> int:
    """Bring parts of one piece of work together."""
    from ..merge import merge

    check(options)
    pool = None if options.pool is None else pools.kept_digest(options.pool, store)[0]
    merged = merge(store, options.parts, pool, options.work)
    say(f"Job {merged.job}")
    emit(merged)
    if options.out is not None:
        write(store, merged.job, options.out, options.rows)
    elif merged.coverage.partial or merged.coverage.empty:
        say(f"For the missing generations: resume {merged.job}. For what is there: export {merged.job} --out=FILE")
    return 0
