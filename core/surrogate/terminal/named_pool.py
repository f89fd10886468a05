"""The home and the pool that a command names, and its output: a pool with results, or rows."""

from __future__ import annotations

import json
import os
import posixpath
import re
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ...errors import PoolError
from ...words import counted
from ...words.console import OptionalText, emit, say
from ..faults import SurrogateError
from ..job.spec import JobSpec, outer_homes, shard_of
from ..job.store import DONE_WITH_FAILURES, Store, now
from . import description
from .description import JobName, JobOptions, PoolName, Rows, ShardName

if TYPE_CHECKING:
    from ...pool.pool import Pool

STATUSES = {"done": 0, "failed": 1, "stopped": 3, DONE_WITH_FAILURES: 4, "paused": 5}
"""Exit status by the state in which a job ends."""
FINISHED = ("done", DONE_WITH_FAILURES)


def open_home() -> Store:
    """Open NEYMAN_HOME."""
    return Store(_folder())


def open_shard(name: str | None) -> Store:
    """Open the folder of NEYMAN_HOME that a shard has to itself, so that no two machines write one database."""
    shard = shard_of(name, os.environ)
    if shard is not None and name is None:
        say(f"Shard {shard}, from Slurm's array.")
    return Store(_folder() if shard is None else shard.home(_folder()))


def _folder() -> Path:
    return Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()


_DIGEST = re.compile(r"[0-9a-f]{8,64}")
# Items from which a file is not read into memory.
_MANY = 200_000


def kept_digest(name: str, store: Store) -> tuple[str, Path | None]:
    """Digest of the pool in a file, or with a digest that begins so; and the folder of its images."""
    path = Path(name).expanduser()
    if path.is_dir():
        raise SurrogateError(f"“{path}” is a folder. Generate for its files one by one, or for shards of one file.")
    if not path.is_file() and "://" not in name:
        return _of_digest(name, store), None
    from ...archive.archive import Archive

    if "://" in name:
        from ..parts import Place

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / posixpath.basename(name)
            Place(name).fetch(path)
            return Archive(store.folder).pools.save(_read(path), now()), None
    pool = _read(path)
    digest = Archive(store.folder).pools.save(pool, now())
    return digest, path.resolve().parent if "image" in pool.source.column_names else None


def _read(path: Path) -> Pool:
    """Read a pool; a large native Parquet file some thousand rows at a time."""
    from ...files.open import Source
    from ...files.sniff import Beginning
    from ...readers import read
    from ...readers.folder.folder import Folder
    from ...readers.folder.folder_pool import read_folder
    from ...readers.results import recognised

    if path.suffix.lower() == ".parquet":
        with suppress(PoolError):
            source = Source.of(path)
            if Folder.of(path).rows > _MANY and recognised(source, Beginning.of(source)) is None:
                return read_folder(path, path.stem)
    return read(path)


def _of_digest(name: str, store: Store) -> str:
    """The whole digest of a kept pool; a shard takes it from the home that its own is in."""
    for home in (store.folder, *outer_homes(store.folder)):
        files = sorted((home / "pools").glob(f"{name}*.parquet")) if _DIGEST.fullmatch(name) else []
        if len(files) == 1:
            if home is not store.folder:
                from ...archive.archive import Archive

                Archive(store.folder).pools.save(Archive(home).pools.load(files[0].stem), now())
            return files[0].stem
    raise SurrogateError(f"“{name}” is neither a pool's file nor the beginning of one kept pool's digest.")


def spec_of(pool: str, options: JobOptions, store: Store) -> JobSpec:
    """The job that options describe, for a pool."""
    items = None
    if options.items:
        from ..job.selection import read_ids

        items = read_ids(options.items)
    digest, folder = kept_digest(pool, store)
    spec = description.spec_of(options, digest, items)
    if spec.prompting.images is None and folder is not None:
        return replace(spec, prompting=replace(spec.prompting, images=str(folder)))
    return spec


def profile(
    folder: Path, /, *, out: Path | None = None, ray: Annotated[OptionalText, Parameter(metavar="ADDRESS")] = False
) -> int:
    """Profile a folder of Parquet files, so that it opens at once.

    Parameters
    ----------
    folder : path
        Where the Parquet files are.
    out : path
        The file, with the ending .profile (default: in NEYMAN_HOME, for the app).
    ray : str
        Read the files on a Ray cluster, by its address (default: RAY_ADDRESS, or a new one on this machine); needs
        --out.
    """
    from ..folder_profiling import profile_folder

    cluster = ray if isinstance(ray, str) else "" if ray else None
    pool = profile_folder(open_home().folder, folder, out, say, cluster)
    for note in pool.notes:
        say(f"Note: {note}")
    emit(pool)
    return 0


def preview(*, pool: PoolName, item: str | None = None, options: JobOptions | None = None) -> int:
    """Show the messages of an item, and what a run would take.

    Parameters
    ----------
    item : str
        Its id (default: the first).
    options : JobOptions
        What is asked.
    """
    from ...archive.archive import Archive
    from ..client.prompting import abridged
    from ..control import preview, workload

    asked = options or JobOptions()
    store = open_shard(asked.shard)
    spec = spec_of(pool, asked, store)
    kept = Archive(store.folder).pools.load(spec.digest)
    position = 0 if item is None else int(kept.places([item])[0])
    if position < 0:
        raise SurrogateError(f"The pool has no item “{item}”; name one of its ids.")
    emit(json.dumps(abridged(preview(kept, position, spec.prompting, spec.judge)), ensure_ascii=False, indent=2))
    emit(workload(kept, spec))
    return 0


def check(out: Path | None, rows: bool = False) -> None:
    """Refuse a file that could not be written, before anything is paid for."""
    if out is not None and rows:
        from .. import parts

        parts.check_path(out)
    elif out is not None:
        from ...pool.writing import check_path

        check_path(out)


def write(store: Store, job: str, path: Path, rows: bool) -> None:
    """Write the pool with a job's results, or these alone, one row a generation."""
    from ...archive.archive import Archive
    from ..filled_pool import coverage, export
    from ..parts import write_part

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
    merged = merge(store, parts, None if pool is None else kept_digest(pool, store)[0], work)
    say(f"Job {merged.job}")
    emit(merged)
    if out is not None:
        write(store, merged.job, out, rows)
    elif merged.coverage.partial or merged.coverage.empty:
        say(f"For the missing generations: resume {merged.job}. For what is there: export {merged.job} --out=FILE")
    return 0
