"""The ways back for a home whose database is lost: the newest good copy takes its place, or the home begins afresh.

Nothing is removed. What is replaced moves to ``set-aside/<number>`` of NEYMAN_HOME.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ..errors import HomeError
from ..words import shell_line
from . import copies, files, setback
from .files import FILE

SET_ASIDE = "set-aside"
_BESIDE = ("-wal", "-shm")
_KEPT = (files.POOLS, files.PROFILES, files.BACKUPS, files.BATCHES)


def way_back(folder: Path) -> str:
    """Say how to go on if the database is lost: by the newest good copy, or afresh."""
    copy = copies.newest_copy(folder)
    afresh = f"start afresh with `{_command('afresh', folder)}`: what is there moves to “{SET_ASIDE}”"
    if copy is None:
        return f"No copy in “{folder / files.BACKUPS}” can be read. Bring one back, or {afresh}."
    return f"Restore {copy.title} with `{_command('restore', folder)}`, or {afresh}."


def restore(folder: Path, copy: Path | None = None) -> Path:
    """Put a copy in the place of the database.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME, which nothing else should be using.
    copy : Path, optional
        A copy of its database; by default the newest good one.

    Returns
    -------
    Path
        The copy.

    Raises
    ------
    HomeError
        There is no copy that can be read, or the folder cannot be written.
    """
    good = copies.newest_copy(folder) if copy is None else copies.read(copy)
    if good is None:
        if copy is None:
            raise HomeError(f"No copy in “{folder / files.BACKUPS}” can be read. Nothing was changed.")
        raise HomeError(f"“{copy}” cannot be read as a copy of the database. Nothing was changed. Choose another one.")
    replace(folder, good.path)
    return good.path


def replace(folder: Path, copy: Path) -> Path | None:
    """Put a copy in the place of the database and return the folder in which that is now; None if there was none.

    Raises
    ------
    HomeError
        The folder cannot be written.
    """
    try:
        with files.written(folder / FILE) as temporary:
            shutil.copyfile(copy, temporary)
            return _move(folder, _database_files(folder))
    except OSError as error:
        raise _unwritable(folder, error) from error


def start_afresh(folder: Path) -> Path | None:
    """Set everything aside that a home keeps, so that it starts empty.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME, which nothing else should be using.

    Returns
    -------
    Path or None
        Where it is now; None if there was nothing.

    Raises
    ------
    HomeError
        The folder cannot be written.
    """
    try:
        return _move(folder, [*_database_files(folder), *(folder / name for name in _KEPT)])
    except OSError as error:
        raise _unwritable(folder, error) from error


def _database_files(folder: Path) -> list[Path]:
    """List the database and what belongs to it: its log would be read as that of the next one."""
    return [*(folder / f"{FILE}{end}" for end in ("", *_BESIDE)), folder / setback.LAST]


def _move(folder: Path, paths: list[Path]) -> Path | None:
    there = [path for path in paths if path.exists()]
    if not there:
        return None
    (folder / SET_ASIDE).mkdir(exist_ok=True, mode=0o700)
    for number in range(1, 10_000):
        place = folder / SET_ASIDE / str(number)
        with suppress(FileExistsError):
            place.mkdir(mode=0o700)
            break
    for path in there:
        os.replace(path, place / path.name)
    return place


def _command(name: str, folder: Path) -> str:
    return shell_line(["python", "-m", "neyman", "home", name, str(folder)])


def _unwritable(folder: Path, error: OSError) -> HomeError:
    return HomeError(f"“{folder}” cannot be written ({error}). Make it writable, or free some space, and try again.")
