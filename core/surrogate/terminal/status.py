"""The exit status that a command ends with."""

from __future__ import annotations

from ..job.store import DONE_WITH_FAILURES

STATUSES = {"done": 0, "failed": 1, "stopped": 3, DONE_WITH_FAILURES: 4, "paused": 5}
"""Of a state in which a job ends."""
FINISHED = ("done", DONE_WITH_FAILURES)
