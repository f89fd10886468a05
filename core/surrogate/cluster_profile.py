"""Profiling a folder on a Ray cluster: each file is read by some node, and the parts become one profile here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import PoolError
from ..readers.folder import Folder, FolderFile
from ..readers.profile_file import ProfileFile
from ..readers.profiling import profile, read_ahead
from ..web import clean
from .cluster import load_ray
from .faults import SurrogateError

# Share of the time until all files are read; the rest is the digest, sorting and writing.
_READING = 0.5


def profile_on_cluster(
    path: Path, out: Path, address: str | None = None, progress: Callable[[float], None] | None = None
) -> ProfileFile:
    """Profile a folder of Parquet files on the nodes of a Ray cluster.

    The profile is that of `core.readers.profiling.profile`, byte for byte. An interrupted one resumes.

    Parameters
    ----------
    path : Path
        The folder, under a path at which every node reaches it.
    out : Path
        The profile's file; every node reaches its folder, too.
    address : str, optional
        The cluster's; by default what RAY_ADDRESS says, or one on this machine.
    progress : callable, optional
        Called now and then with the share done, in [0, 1].

    Raises
    ------
    PoolError
        The folder cannot be used as a pool, with file and row.
    SurrogateError
        Ray is not installed, or the cluster failed.
    OSError
        The profile cannot be written.
    """
    folder, out = Folder.of(path.resolve()), out.absolute()
    ray = load_ray()
    say = progress or (lambda share: None)
    ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING)
    try:
        # A part is written under a unique name and then takes its place, so a lost node's work may be done again.
        read = ray.remote(_read).options(max_retries=-1)
        shared = ray.put(folder)
        open_files = {read.remote(shared, out, file): file for file in folder.files}
        done = 0
        while open_files:
            for finished in ray.wait(list(open_files))[0]:
                ray.get(finished)
                done += open_files.pop(finished).rows
                say(_READING * done / folder.rows)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, OSError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        raise SurrogateError(f"The cluster failed ({clean(str(error))}). Run the command again to resume.") from error
    return profile(path, out, lambda share: say(_READING + (1 - _READING) * share))


def _read(folder: Folder, out: Path, file: FolderFile) -> None:
    """On a node: read a file; what is wrong with it is said once all are read, in the order of the files."""
    with suppress(PoolError):
        read_ahead(folder, out, file)
