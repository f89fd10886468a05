"""Errors of SQLite and of the disk in plain words, each with a remedy."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from pathlib import Path

from ..errors import HomeError
from . import recovery
from .files import FILE

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
        return kind(f"{what} {remedy or recovery.way_back(folder)}", lost=True)
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
