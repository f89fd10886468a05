"""Profiling a folder from the command line: what the app opens instead of its texts, with rate and time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..archive.archive import Archive
from ..errors import PoolError
from ..pool.writing import check_place
from ..readers.folder.folder import Folder, FolderFile
from ..readers.folder.folder_pool import FolderPool
from ..readers.folder.profile_file import PROFILE, ProfileFile
from ..readers.folder.profiling import profile, read_ahead
from ..words import counted
from .cluster import connected
from .faults import SurrogateError
from .job.store import now

# Seconds between two lines.
_PAUSE = 2.0
# Share of the time until a cluster has read all files; the rest is the digest, sorting and writing.
_READING = 0.5


class Meter:
    """A line now and then: share done, items a second, time left.

    Parameters
    ----------
    total : int
        Number of items.
    say : callable
        Writes a line.
    """

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self._total, self._say = total, say
        self._began = self._last = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._began

    def __call__(self, share: float) -> None:
        """Say how far it is, in [0, 1], unless it was said a moment ago."""
        moment = time.monotonic()
        if moment - self._last < _PAUSE or share <= 0:
            return
        self._last = moment
        rate, left = share * self._total / self.seconds, self.seconds * (1 - share) / share
        self._say(f"{share:4.0%} of {counted(self._total, 'item')}, {rate:,.0f} items/s, {left:,.0f} s left")


def profile_folder(
    home: Path, path: Path, out: Path | None, say: Callable[[str], None], cluster: str | None = None
) -> FolderPool:
    """Profile a folder of Parquet files, in NEYMAN_HOME or in a separate file.

    Parameters
    ----------
    home : Path
        NEYMAN_HOME.
    path : Path
        The folder.
    out : Path or None
        Where the profile goes, ``.profile``; None is NEYMAN_HOME, where the app finds it.
    say : callable
        Writes a line of progress.
    cluster : str, optional
        Address of a Ray cluster whose nodes read the files, "" for the one that RAY_ADDRESS names or a new one.

    Raises
    ------
    PoolError
        The folder cannot be used as a pool, with file and row, or the profile cannot be written there.
    SurrogateError
        Ray is not installed, the cluster failed, or it has no place for the profile.
    OSError
        The disk is full or the like.
    """
    if out is not None:
        _check(out)
    elif cluster is not None:
        raise SurrogateError("The nodes write beside the profile: name it with --out, where every node reaches it.")
    meter = Meter(Folder.of(path).rows, say)
    if out is None:
        pool = Archive(home).pools.open_folder(path, now(), meter)
    elif cluster is not None:
        pool = FolderPool.of(profile_on_cluster(path, out, cluster or None, meter), path.resolve().name)
    else:
        pool = FolderPool.of(profile(path, out, meter), path.resolve().name)
    say(f"{pool.stored.path}: {counted(pool.n_items, 'item')}, {meter.seconds:,.0f} s")
    return pool


def profile_on_cluster(
    path: Path, out: Path, address: str | None = None, progress: Callable[[float], None] | None = None
) -> ProfileFile:
    """Profile a folder of Parquet files on the nodes of a Ray cluster.

    The profile is that of `core.readers.folder.profiling.profile`, byte for byte. An interrupted one resumes.

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
    say = progress or (lambda share: None)
    with connected(address) as ray:
        # A part is written under a unique name and then takes its place, so a lost node's work may be done again.
        read = ray.remote(_read).options(max_retries=-1)
        shared = ray.put(folder)
        open_files = {read.remote(shared, out, file): file for file in folder.files}
        done = 0
        while open_files:
            for finished in ray.wait(list(open_files))[0]:
                try:
                    ray.get(finished)
                except ray.exceptions.RayTaskError as error:
                    raise (error.cause if isinstance(error.cause, OSError) else error) from None
                done += open_files.pop(finished).rows
                say(_READING * done / folder.rows)
    return profile(path, out, lambda share: say(_READING + (1 - _READING) * share))


def _read(folder: Folder, out: Path, file: FolderFile) -> None:
    """On a node: read a file; what is wrong with it is said once all are read, in the order of the files."""
    with suppress(PoolError):
        read_ahead(folder, out, file)


def _check(out: Path) -> None:
    """Refuse a path where no profile could be written, before anything is read."""
    if out.suffix != PROFILE:
        raise PoolError(f"A profile is written as {PROFILE}. “{out.name}” has another suffix.")
    check_place(out)
