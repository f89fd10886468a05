"""Workers forked from a process that has imported the command (`tests.forks`)."""

from __future__ import annotations

import importlib
import os
import resource
import sys
from pathlib import Path

from core.surrogate.cli import main
from tests import forks

# What a command imports only when it needs it, each fork would import again.
NEEDED = (
    "anyio._backends._asyncio",
    "core.readers",
    "core.surrogate.job.pairs",
    "core.surrogate.job.progress",
    "core.surrogate.worker.run",
    "httpx2",
)

if __name__ == "__main__":
    for module in NEEDED:
        importlib.import_module(module)
    request = forks.requested()
    if request is not None:
        os.setsid()
        if most := request.get("most"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        status = main(request["words"])
        if ended := request.get("status"):
            Path(ended).write_text(str(status))
        sys.exit(status)
