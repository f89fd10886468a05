"""Files of NEYMAN_HOME: for their owner alone, and written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from ..errors import HomeError

FILE = "neyman.sqlite"
POOLS = "pools"
PROFILES = "profiles"
BACKUPS = "backups"
BATCHES = "batches"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_FOLDERS = (POOLS, PROFILES, BACKUPS, "logs")
_UNFINISHED = ".unfinished"
_ABANDONED = timedelta(days=1)


def make_private(folder: Path, file: str) -> None:
    """Make the folder if it does not exist, and take what it keeps from everybody but its owner.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME; 0700 from then on. One with the sticky bit (``/tmp``) is everybody's on purpose and stays as it
        is.
    file : str
        Name of its database. If that is private, so is everything else, and nothing is looked at.

    Raises
    ------
    OSError
        The folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    mode = folder.stat().st_mode
    if mode & _OTHERS and not mode & stat.S_ISVTX:
        _close(folder)
    database = folder / file
    if not database.exists() or not database.stat().st_mode & _OTHERS:
        return
    inside = [path for name in _FOLDERS for path in (folder / name, *(folder / name).rglob("*"))]
    # The database last: it says whether the others are private.
    for path in (*inside, *sorted(folder.glob(f"{file}*"), reverse=True)):
        if path.exists() and not path.is_symlink():
            _close(path)


@contextmanager
def written(path: Path, synced: bool = True) -> Iterator[Path]:
    """Write a file under another name, which becomes ``path`` when all of it is on the disk.

    Its folder is made if it does not exist. If the block fails, nothing is left. If it need not be ``synced``, a power
    cut may leave the file empty.

    Raises
    ------
    OSError
        The file cannot be made, synced or renamed.
    """
    path.parent.mkdir(exist_ok=True, mode=0o700)
    temporary = path.with_name(f".{path.stem}.{uuid.uuid4().hex}{_UNFINISHED}{path.suffix}")
    try:
        temporary.touch(mode=0o600)
        yield temporary
        # Whoever wrote it may have made it again.
        temporary.chmod(0o600)
        for place in (temporary, path.parent) if synced else ():
            _sync(place)
        os.replace(temporary, path)
        if synced:
            _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def kept_secret(folder: Path, name: str, form: re.Pattern[str], make: Callable[[], str]) -> str:
    """Return the secret that a home keeps in a file of its user's alone; make one if there is none.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    name : str
        Of the file.
    form : re.Pattern
        What matches all of a secret; a file with anything else is replaced, as is one that others could read.
    make : callable
        Makes a secret. If it cannot be written, it is another one each time.
    """
    file = folder / name
    with suppress(OSError):
        secret = file.read_text(encoding="utf-8", errors="replace").strip()
        if form.fullmatch(secret) and not file.stat().st_mode & _OTHERS:
            return secret
    secret = make()
    with suppress(OSError):
        make_private(folder, FILE)
        with written(file) as unfinished:
            unfinished.write_text(f"{secret}\n", encoding="utf-8")
    return secret


def stored(folder: Path) -> list[str]:
    """List what a home keeps outside its database: pools, profiles, backups, batches, or the log of a lost database."""
    names = [name for name in (POOLS, PROFILES, BACKUPS, BATCHES) if any((folder / name).glob("[!.]*"))]
    return [*names, f"{FILE}-wal"] if has_log(folder) else names


def has_log(folder: Path) -> bool:
    """Whether the database has a write-ahead log with changes that may not be in it yet."""
    log = folder / f"{FILE}-wal"
    return log.exists() and log.stat().st_size > 0


def identity(path: Path) -> tuple[int, int] | None:
    """Say which file lies there, by device and number; None if there is none."""
    with suppress(OSError):
        now = path.stat()
        return now.st_dev, now.st_ino
    return None


def remove_abandoned(folder: Path, now: datetime) -> None:
    """Remove what processes that were killed while they wrote left in a folder, a day after."""
    for path in folder.glob(f".*{_UNFINISHED}.*"):
        with suppress(OSError):
            if datetime.fromtimestamp(path.stat().st_mtime, now.tzinfo) < now - _ABANDONED:
                path.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _close(path: Path) -> None:
    # A file system without modes has nobody to keep out, and what is another user's stays theirs.
    with suppress(OSError):
        path.chmod(0o700 if path.is_dir() else 0o600)


# What a home keeps of how its user works, from visit to visit: prices, and the pool that was chosen last.

_PREFERENCES = "preferences.json"


@dataclass(frozen=True, slots=True)
class Preferences:
    """Names with their texts, in a file of NEYMAN_HOME.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    """

    folder: Path

    def all(self) -> dict[str, str]:
        """Return what is kept; nothing if the file is gone or cannot be read, which is no reason to stop."""
        try:
            kept = json.loads((self.folder / _PREFERENCES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(name): str(text) for name, text in kept.items()} if isinstance(kept, dict) else {}

    def save(self, changed: Mapping[str, str]) -> None:
        """Keep these texts beside the others; "" removes one.

        Raises
        ------
        HomeError
            The file cannot be written.
        """
        kept = {name: text for name, text in (self.all() | dict(changed)).items() if text}
        try:
            with written(self.folder / _PREFERENCES) as place:
                place.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
        except OSError as error:
            raise HomeError(f"“{self.folder / _PREFERENCES}” cannot be written: {error}.") from error
