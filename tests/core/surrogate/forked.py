"""Workers forked from a process that has imported the command (`tests.forks`)."""

from __future__ import annotations

import importlib
import os
import resource
import sys
from pathlib import Path

from core.surrogate import cli
from core.web import client
from tests import forks

# What a command imports only when it needs it, each fork would import again.
NEEDED = (
    "anyio._backends._asyncio",
    "core.readers",
    "core.surrogate.job.source",
    "core.surrogate.job.progress",
    "core.surrogate.worker.run",
    "h11",
    "httpcore2",
    "httpx2",
    "openai",
    "truststore",
)


def _most() -> int:
    """The most memory that this process has had, bytes."""
    return 1024 * int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    for module in NEEDED:
        importlib.import_module(module)
    # For all of them: that takes as long as a short run.
    client._certificates()
    cli._app()["resume"].assemble_argument_collection()
    request = forks.requested()
    if request is not None:
        os.setsid()
        if most := request.get("most"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        memory = request.get("memory")
        before = _most() if memory else 0
        status = cli.main(request["words"])
        if ended := request.get("status"):
            Path(ended).write_text(str(status))
        if memory:
            Path(memory).write_text(str(_most() - before))
        sys.stdout.flush()
        # Taking apart what was imported takes as long as a short run, too.
        os._exit(status)
