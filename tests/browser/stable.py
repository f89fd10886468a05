"""Apps forked from a process that has imported the pages (`tests.forks`)."""

from __future__ import annotations

import importlib
import logging
import resource
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from streamlit.runtime import Runtime

from server import warm
from tests import forks

# Begins a line of the log on a page that is drawn ahead.
AHEAD = "Drawn ahead:"


@dataclass(frozen=True, slots=True)
class Forked:
    """A process that somebody else has forked, with what tests use of `subprocess.Popen`."""

    pid: int
    _process: psutil.Process = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_process", psutil.Process(self.pid))

    def poll(self) -> int | None:
        """None while it runs; nobody hears how it ended."""
        return None if self._process.is_running() else 0

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        try:
            self._process.wait(timeout)
        except psutil.TimeoutExpired:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from None
        return 0

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            self._process.send_signal(number)


def fork(arguments: list[str], environment: dict[str, str], log: Path, ahead: bool) -> Forked:
    """Fork ``serve.py`` with these arguments and environment, which writes to a log and may draw pages ahead.

    It says in its log which pages it has drawn ahead. It may open as many files as this process.
    """
    log.write_bytes(b"")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    request = {"arguments": arguments, "environment": environment, "log": str(log), "ahead": ahead, "files": files}
    return Forked(forks.fork(__name__, request))


def _visit(ahead: bool) -> Callable[..., Coroutine[Any, Any, None]]:
    """Stand in for the first visitor: say what has been drawn; draw nothing in an app that is soon ended."""
    drawn = warm.FirstVisitor.visit

    async def visit(visitor: warm.FirstVisitor, app: Runtime, *page: str) -> None:
        if ahead:
            await drawn(visitor, app, *page)
            print(AHEAD, *page, flush=True)

    return visit


def _be(request: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, request["files"])
    # mypy takes a method for what nobody may replace.
    setattr(warm.FirstVisitor, "visit", _visit(request["ahead"]))  # noqa: B010
    sys.argv = ["serve.py", *request["arguments"]]
    runpy.run_path(str(forks.ROOT / "serve.py"), run_name="__main__")


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    importlib.import_module("serve")
    warm.import_pages()
    logging.disable(logging.NOTSET)
    request = forks.requested()
    if request is not None:
        _be(request)
