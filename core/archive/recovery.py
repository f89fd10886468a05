"""Errors of SQLite and of the disk in plain words, and the ways back for a home whose database is lost.

Nothing is removed. What is replaced moves to ``set-aside/<number>`` of NEYMAN_HOME.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

from ..errors import HomeError
from ..words import shell_line
from . import copies, owned_files
from .owned_files import FILE

SET_ASIDE = "set-aside"
_BESIDE = ("-wal", "-shm")
_KEPT = (owned_files.POOLS, owned_files.PROFILES, owned_files.BACKUPS, owned_files.BATCHES)


def way_back(folder: Path) -> str:
    """Say how to go on if the database is lost: by the newest good copy, or afresh."""
    copy = copies.newest_copy(folder)
    afresh = f"start afresh with `{_command('afresh', folder)}`: what is there moves to “{SET_ASIDE}”"
    if copy is None:
        return f"No copy in “{folder / owned_files.BACKUPS}” can be read. Bring one back, or {afresh}."
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
            raise HomeError(f"No copy in “{folder / owned_files.BACKUPS}” can be read. Nothing was changed.")
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
        with owned_files.written(folder / FILE) as temporary:
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
    return [*(folder / f"{FILE}{end}" for end in ("", *_BESIDE)), folder / copies.LAST]


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


# Errors of SQLite and of the disk in plain words, each with a remedy.

_LEAST_FREE = 1 << 16
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FULL = {errno.ENOSPC, errno.EDQUOT}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class DamagedError(sqlite3.DatabaseError):
    """Content that is not what was written."""


def home_error(error: Exception, folder: Path, kind: type[HomeError] = HomeError, remedy: str = "") -> HomeError:
    """Word an error of SQLite or of the disk.

    Parameters
    ----------
    error : Exception
        The error.
    folder : Path
        NEYMAN_HOME.
    kind : type of HomeError
        What to make of it.
    remedy : str
        What to do unless it is busy; by default what fits.

    Returns
    -------
    HomeError
        With ``busy`` if trying again may be enough.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    number = getattr(error, "errno", None)
    if (code == sqlite3.SQLITE_CANTOPEN and not (folder / FILE).exists()) or (
        number == errno.ENOENT and not folder.exists()
    ):
        return moved(folder, kind)
    if code in _BUSY:
        return kind(f"“{folder}” is busy: another process is writing. Try again.", busy=True)
    if code == sqlite3.SQLITE_FULL or number in _FULL or _is_full(folder):
        what, what_to_do = f"The disk of “{folder}” is full.", "Free some space and try again: what was kept is safe."
    elif code == sqlite3.SQLITE_READONLY or number in _READ_ONLY:
        what, what_to_do = f"“{folder}” is read-only.", "Make it writable, or set NEYMAN_HOME to another folder."
    elif code in _DAMAGED or isinstance(error, DamagedError | UnicodeDecodeError):
        what = f"The database in “{folder}” is damaged ({error})."
        return kind(f"{what} {remedy or way_back(folder)}", lost=True)
    else:
        what, what_to_do = f"The folder “{folder}” cannot be used ({error}).", "Set NEYMAN_HOME to another folder."
    return kind(f"{what} {remedy or what_to_do}")


def moved(folder: Path, kind: type[HomeError] = HomeError) -> HomeError:
    """Say that the folder is not there any more, or is another one than before."""
    what = f"The folder “{folder}” was removed, renamed or replaced while Neyman was using it."
    return kind(f"{what} Put it back and try again, or start Neyman again to go on with what is there now.")


def _is_full(folder: Path) -> bool:
    """Whether nothing fits on the disk: SQLite then speaks of an input or output error."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE
    except OSError:
        return False
