"""Workers forked from a process that has imported the command (`tests.forks`)."""

from __future__ import annotations

import os
import sys

import core.surrogate.worker.run
from core.surrogate.cli import main
from tests import forks

if __name__ == "__main__":
    assert core.surrogate.worker.run
    request = forks.requested()
    if request is not None:
        os.setsid()
        sys.exit(main(request["words"]))
