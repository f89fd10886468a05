"""The folder in which a public app keeps what visitors bring: gone with its server, or when the next one starts."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "neyman-visits-"


@contextmanager
def folder_of_visits() -> Iterator[Path]:
    """Make the folder, which this process holds by a lock; remove it in the end, and first what others left.

    A server that is killed leaves its folder behind. Its lock is free then.
    """
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{_PREFIX}*"):
        _remove_if_left(left)
    folder = Path(tempfile.mkdtemp(prefix="neyman-new-"))
    held = _lock(folder)
    # Under its name only once it is locked: whoever starts at the same moment leaves it alone.
    folder = folder.rename(place / f"{_PREFIX}{folder.name.rpartition('-')[2]}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder of visits whose server has ended; others may put what they like beside it."""
    with suppress(OSError):
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and (held := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)


def _lock(folder: Path) -> int | None:
    """Lock a folder until the process ends; None if another process holds it, or the file system has no locks."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
