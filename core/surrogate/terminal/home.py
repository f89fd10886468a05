"""The home that a command works in, and the status that it ends with."""

from __future__ import annotations

import os
from pathlib import Path

from ...words.console import say
from ..job.spec import shard_of
from ..job.store import DONE_WITH_FAILURES, Store

STATUSES = {"done": 0, "failed": 1, "stopped": 3, DONE_WITH_FAILURES: 4, "paused": 5}
"""Exit status by the state in which a job ends."""
FINISHED = ("done", DONE_WITH_FAILURES)


def open_home() -> Store:
    """Open NEYMAN_HOME."""
    return Store(_folder())


def open_shard(name: str | None) -> Store:
    """Open the folder of NEYMAN_HOME that a shard has to itself, so that no two machines write one database."""
    shard = shard_of(name, os.environ)
    if shard is not None and name is None:
        say(f"Shard {shard}, from Slurm's array.")
    return Store(_folder() if shard is None else shard.home(_folder()))


def _folder() -> Path:
    return Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()
