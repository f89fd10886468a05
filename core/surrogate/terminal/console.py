"""What a command says to people, and the exit status that it ends with."""

from __future__ import annotations

import sys

from ..job.store import DONE_WITH_FAILURES

STATUSES = {"done": 0, "failed": 1, "stopped": 3, DONE_WITH_FAILURES: 4, "paused": 5}
"""Of a state in which a job ends."""
FINISHED = ("done", DONE_WITH_FAILURES)


def say(line: str) -> None:
    """Say something to people, beside what the command prints."""
    print(line, file=sys.stderr, flush=True)
