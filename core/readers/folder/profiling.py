"""The profile of a folder (`core.readers.folder.profile_file`): each file is read once, some thousand rows at a time.

What a file gave is kept until the profile is whole. Profiling again after an interruption takes it from there, and
reads finished files for their digest alone.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...errors import PoolError, Problem
from ...pool.problems import Problems, shown
from .folder import Folder, FolderFile
from .profile_file import Content, ProfileFile
from .profile_writing import READING, Draft, Part, write_profile

# Candidates for doubled ids that are looked at.
_MOST = 10_000


def profile(path: Path, out: Path, progress: Callable[[float], None] | None = None) -> ProfileFile:
    """Profile a folder of Parquet files.

    Memory grows with the number of items by some 20 bytes each while ids are sorted, and not with their texts.

    Parameters
    ----------
    path : Path
        The folder, or a single file.
    out : Path
        The profile's file. It takes its place when it is whole.
    progress : callable, optional
        Called now and then with the share done, in [0, 1].

    Returns
    -------
    ProfileFile

    Raises
    ------
    PoolError
        The folder cannot be used as a pool, with file and row.
    OSError
        The profile cannot be written.
    """
    folder = Folder.of(path.resolve())
    with _alone(out):
        return _profiled(folder, out, progress)


def read_ahead(folder: Folder, out: Path, file: FolderFile) -> None:
    """Read one file of a folder ahead of `profile`, which then reads it for the digest alone.

    Several processes may do so at once, each for another file, on every machine that reaches both places.

    Parameters
    ----------
    folder : Folder
        The folder.
    out : Path
        The profile's file, which `profile` will make.
    file : FolderFile
        One of its files.

    Raises
    ------
    PoolError
        The file cannot be used, with its row: `profile` will say the same.
    OSError
        What was read cannot be written.
    """
    scratch = _scratch(out)
    if Part.load(scratch, file) is not None:
        return
    draft = Draft(scratch, file)
    for loose in folder.batches(file):
        draft.add(loose)
        pa.default_memory_pool().release_unused()
    draft.finished()


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Wait until no other process makes the same profile."""
    path = out.with_name(f".{out.name}.lock")
    while True:
        with path.open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Whoever held it before has removed it, and a third may have made another.
            if not _is_at(lock.fileno(), path):
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _profiled(folder: Folder, out: Path, progress: Callable[[float], None] | None) -> ProfileFile:
    scratch = _scratch(out)
    content, parts, done = Content(), list[Part](), 0
    for file in folder.files:
        part = Part.load(scratch, file)
        draft = None if part is not None else Draft(scratch, file)
        for loose in folder.batches(file):
            if draft is not None:
                draft.add(loose)
            content.add(loose, file)
            done += loose.size
            if progress is not None:
                progress(READING * done / folder.rows)
            pa.default_memory_pool().release_unused()
        parts.append(part or draft.finished())  # type: ignore[union-attr]
        _check_generations(parts, folder)
    temporary = out.with_name(f".{out.name}.{os.getpid()}.unfinished")
    try:
        write_profile(temporary, folder, parts, content, progress)
        whole = ProfileFile(temporary)
        _check_ids(whole)
        folder.check()
        os.replace(temporary, out)
    finally:
        temporary.unlink(missing_ok=True)
    shutil.rmtree(scratch, ignore_errors=True)
    return ProfileFile(out)


def _scratch(out: Path) -> Path:
    """The folder of the parts of a profile that is not whole yet."""
    scratch = out.with_name(f".{out.name}.parts")
    scratch.mkdir(exist_ok=True, mode=0o700)
    return scratch


def _check_generations(parts: list[Part], folder: Folder) -> None:
    """Refuse the last file if its items have another number of generations than those before."""
    # A file without rows says nothing of generations.
    first, last = next((part for part in parts if part.file.rows), parts[-1]), parts[-1]
    if not last.file.rows or first.census.largest == last.census.largest:
        return
    message = f"items have up to {last.census.largest} generations here, and {first.census.largest} in {{}}."
    problem = Problem(
        message.format(first.file.name),
        field="generations",
        remedy="Give all files the same number of generations.",
        file=last.file.name,
    )
    raise PoolError([problem])


def _check_ids(whole: ProfileFile) -> None:
    """Refuse ids that occur twice: only if hashes are equal, ids are compared."""
    hashes = whole.array("hash")
    same = np.flatnonzero(hashes[1:] == hashes[:-1])
    if not same.size:
        return
    places = whole.array("place").astype(np.int64)
    first: dict[str, int] = {}
    repeated = []
    candidates = np.unique(np.r_[same[:_MOST], same[:_MOST] + 1])
    for place in np.sort(places[candidates]).tolist():
        item = whole.ids[place]
        if item in first:
            repeated.append((item, place))
        else:
            first[item] = place
    problems = Problems()
    for item, place in repeated:
        file, row = whole.folder.place(place)
        before, before_row = whole.folder.place(first[item])
        where = f"row {before_row} of {before}" if before != file else f"row {before_row}"
        problems.add(
            f"the id {shown(item)} is already used in {where}.", row, "id", "Give every item its own id.", file
        )
    problems.stop()
