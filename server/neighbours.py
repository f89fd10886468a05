"""Whether other people can log in to this machine, and so open what answers at its own address."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Protocol

WARNING = (
    "Other people have accounts on this machine and can open this address. To keep them out, start Neyman with --token "
    "(make run TOKEN=1)."
)
# Numbers of accounts that are people's, not the system's: from the first to the last. Then comes "nobody".
_FIRST, _LAST = (501 if sys.platform == "darwin" else 1000), 65_533
_NO_SHELLS = ("nologin", "false", "sync", "shutdown", "halt", "git-shell")
# Homes that are looked at; there may be thousands, on a file server.
_MOST = 200


class Login(Protocol):
    """An entry of the list of accounts, as `pwd.getpwall` has it."""

    @property
    def pw_uid(self) -> int:
        """Its number."""

    @property
    def pw_dir(self) -> str:
        """Its home."""

    @property
    def pw_shell(self) -> str:
        """Shells that a login starts."""


def has_several_people(accounts: Iterable[Login] | None = None, home: Path | None = None) -> bool:
    """Whether at least two people have accounts here.

    An account is a person's if its number is no system account's, its shell lets people log in, and its home exists.
    Accounts of a directory service, which the list need not name, are known by the homes that they own.

    Parameters
    ----------
    accounts : iterable of Login, optional
        By default those of this machine.
    home : Path, optional
        The home of whoever asks, beside which others have theirs; by default that of this process.
    """
    if accounts is None:
        import pwd

        accounts = pwd.getpwall()
    people = {one.pw_uid for one in accounts if _logs_in(one)}
    with suppress(OSError, RuntimeError):
        beside = (home or Path.home()).parent
        with os.scandir(beside) as folders:
            owners = [folder.stat(follow_symlinks=False).st_uid for folder in islice(folders, _MOST) if folder.is_dir()]
        people |= {owner for owner in owners if _FIRST <= owner <= _LAST or owner > _LAST + 2}
    return len(people) > 1


def _logs_in(account: Login) -> bool:
    shell = Path(account.pw_shell).name
    person = _FIRST <= account.pw_uid <= _LAST or account.pw_uid > _LAST + 2
    return person and shell not in _NO_SHELLS and bool(shell) and Path(account.pw_dir).is_dir()
