"""`neyman home`: the ways back for a home whose database is lost; stop Neyman first."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from ..archive import Archive, owned_files, recovery, rejoin
from ..archive.copies import good
from ..errors import HomeError
from ..words.console import emit

app = App("home", help="Recover a home whose database is lost; stop Neyman first. Nothing is removed.")


@app.command
def copies(folder: Path, /) -> int:
    """List the copies of the database, the best one first.

    Parameters
    ----------
    folder : path
        NEYMAN_HOME.
    """
    home = _home(folder)
    copied = [f"{copy.path}: {copy.title}" for copy in good(home)]
    emit("\n".join(copied) or f"No copy in “{home / owned_files.BACKUPS}” can be read.")
    return 0


@app.command
def check(folder: Path, /, *, bring_back: bool = False, accept: bool = False) -> int:
    """Compare the database with its copies: does it lack anything that was saved before? Exit status 3 if it does.

    Parameters
    ----------
    folder : path
        NEYMAN_HOME.
    bring_back : bool
        Put the copy in the place of the database and add what was saved since; stop Neyman first.
    accept : bool
        Keep the database as it is, and do not report this again.
    """
    archive = Archive(_home(folder))
    found = archive.setback()
    if found is None:
        emit("The database has all that its copies and the note of the last label have.")
        return 0
    emit(found.sentence)
    if bring_back and found.copy is not None:
        rejoin.bring_back(archive.folder, found.copy.path)
        emit(f"Brought back: {found.missing.title}.")
        return 0
    if accept:
        archive.accept(found)
        emit("The database stays as it is.")
        return 0
    if found.copy is not None:
        emit("Bring it back with --bring-back, or keep the database as it is with --accept.")
    return 3


@app.command
def restore(folder: Path, copy: Path | None = None, /) -> int:
    """Put a copy in the place of the database, which moves to `set-aside` in the folder.

    Parameters
    ----------
    folder : path
        NEYMAN_HOME.
    copy : path
        By default the newest good one.
    """
    emit(f"The database is now that of “{recovery.restore(_home(folder), copy)}”.")
    return 0


@app.command
def afresh(folder: Path, /) -> int:
    """Move everything to `set-aside` in the folder, and start empty.

    Parameters
    ----------
    folder : path
        NEYMAN_HOME.
    """
    place = recovery.start_afresh(folder.expanduser())
    emit("There was nothing to set aside." if place is None else f"What was there is now in “{place}”.")
    return 0


def _home(folder: Path) -> Path:
    """Return a folder that is a home: one with a database, or with something else that a home keeps.

    Raises
    ------
    HomeError
        It is none, so that a slip in its name is not taken for a home that lacks nothing.
    """
    home = folder.expanduser()
    if not (home / owned_files.FILE).exists() and not owned_files.stored(home):
        raise HomeError(
            f"“{home}” holds neither a database of Neyman nor copies of one. Name the folder that NEYMAN_HOME names, "
            "by default ~/.neyman."
        )
    return home
