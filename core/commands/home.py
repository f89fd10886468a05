"""`neyman home`: the ways back for a home whose database is lost; stop Neyman first."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from ..archive import copies as kept
from ..archive import recovery
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
    emit("\n".join(f"{copy.path}: {copy.title}" for copy in kept.good(folder.expanduser())))
    return 0


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
    emit(f"The database is now that of “{recovery.restore(folder.expanduser(), copy)}”.")
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
