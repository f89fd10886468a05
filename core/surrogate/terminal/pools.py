"""The pool that a command names: a file, an address, the beginning of a digest; a folder to profile."""

from __future__ import annotations

import json
import posixpath
import re
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ...errors import PoolError
from ...words.console import emit, say
from ...words.usage import OptionalText
from ..faults import SurrogateError
from ..job.spec import JobSpec, outer_homes
from ..job.store import Store, now
from . import description
from .home import open_home, open_shard
from .options import JobOptions, PoolName

if TYPE_CHECKING:
    from ...pool.pool import Pool

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
    from ...readers.folder import Folder
    from ...readers.folder_pool import read_folder
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
    from ..profiling import profile_folder

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
