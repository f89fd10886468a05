"""What the command ``classes`` does around the run of its job: say what it takes, write and report what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..answers.mathematics import equality
from ..archive.archive import Archive
from ..pool import writing
from ..pool.pool import Pool
from .control import Workload, workload
from .job.parameters import Grouping
from .job.spec import JobSpec
from .job.store import Store
from .meaning import Meanings, judged_meanings, verified_meanings, with_meanings
from .results import export


def bound(store: Store, spec: JobSpec) -> Workload:
    """What a job takes at most, without the pairs that the store has verdicts on; raises as ``workload``."""
    return workload(_pool(store, spec.digest), spec, store)


def by_mathematics(grouping: Grouping, out: Path | None, store: Store, digest: str, say: Callable[[str], None]) -> None:
    """Group the answers that are mathematically equal, and write and report the classes.

    Raises
    ------
    DesignError
        ``math-verify`` is not installed.
    SurrogateError
        The pool has no prompts or generations, or no answers of a target.
    PoolError
        The file cannot be written.
    """
    pool = _pool(store, digest)
    meanings = verified_meanings(pool, grouping, equality())
    if out is not None:
        _write(pool, meanings, out)
    say(f"{meanings}.")


def report(store: Store, job: str, out: Path | None, say: Callable[[str], None]) -> None:
    """Write the pool of a job with its classes, if a file is named, and say what they are.

    Raises
    ------
    PoolError
        The file cannot be written.
    """
    row = store.row(job)
    pool = _pool(store, row.digest)
    if out is not None:
        export(store, pool, job, out)
    say(f"{judged_meanings(store, pool, row.spec)}.")


def _pool(store: Store, digest: str) -> Pool:
    return Archive(store.folder).pools.load(digest)


def _write(pool: Pool, meanings: Meanings, path: Path) -> None:
    try:
        writing.write(with_meanings(pool.table, meanings), path)
    except OSError as error:
        raise writing.unwritable(path, error) from error
