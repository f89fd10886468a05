"""The command that installs vLLM: what the installer prints, as it comes, and how it ended."""

from __future__ import annotations

import time

from ...words.console import say
from ..faults import SurrogateError
from ..job.progress import log_tail
from ..job.store import Store
from ..vllm.installation import REQUIREMENT, Installation, cancel_installation, install, installation
from .home import STATUSES, open_home

_LOOK = 0.5


def install_vllm(*, requirement: str = REQUIREMENT) -> int:
    """Install vLLM into NEYMAN_HOME; repeated, it goes on.

    Parameters
    ----------
    requirement : str
        For pip.
    """
    store = open_home()
    install(store.folder, requirement)
    try:
        now = _followed(store)
    except KeyboardInterrupt:
        cancel_installation(store.folder)
        say("Cancelled. The same command goes on with what was downloaded.")
        return STATUSES["stopped"]
    if now.state != "done":
        raise SurrogateError(f"vLLM was not installed; the log is {now.log}. Its end: {log_tail(now.log, 3)}")
    say(f"vLLM is installed. Runs with --serve use {now.python}")
    return STATUSES["done"]


def _followed(store: Store) -> Installation:
    """Say what the installer prints until it has ended; return how."""
    with installation(store.folder).log.open(encoding="utf-8", errors="replace") as log:
        while True:
            now = installation(store.folder)
            for line in log:
                say(line.rstrip())
            if now.state != "running":
                return now
            time.sleep(_LOOK)
