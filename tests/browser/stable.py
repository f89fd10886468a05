"""Apps, and steps of `tests.pages.hardships`, forked from a process that has imported the pages (`tests.forks`)."""

from __future__ import annotations

import importlib
import logging
import os
import resource
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from streamlit.runtime import Runtime

from server import warm
from tests import forks

# Begins a line of the log on a page that is drawn ahead.
AHEAD = "Drawn ahead:"
# What an app imports once it runs.
_LATER = (
    "anyio._backends._asyncio",
    "streamlit.web.server.starlette.starlette_agent_routes",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)


@dataclass(frozen=True, slots=True)
class Forked:
    """A process that somebody else has forked, with what tests use of `subprocess.Popen`."""

    _process: psutil.Process
    _ended: Path

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """None while it runs, then how it ended."""
        return None if self._process.is_running() else self._status()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        try:
            self._process.wait(timeout)
        except psutil.TimeoutExpired:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from None
        return self._status()

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            self._process.send_signal(number)

    def _status(self) -> int:
        """As it says itself; one that says nothing was killed."""
        return int(self._ended.read_text()) if self._ended.exists() else -signal.SIGKILL


def fork(arguments: list[str], environment: dict[str, str], log: Path, ahead: bool) -> Forked:
    """Fork ``serve.py`` with these arguments and environment, which writes to a log and may draw pages ahead.

    It says in its log which pages it has drawn ahead. It may open as many files as this process.
    """
    ended, files = log.with_name("status"), resource.getrlimit(resource.RLIMIT_NOFILE)
    log.write_bytes(b"")
    ended.unlink(missing_ok=True)
    request = {"arguments": arguments, "environment": environment, "log": str(log), "ahead": ahead, "files": files}
    return Forked(forks.fork(__name__, request | {"status": str(ended)}), ended)


def imported_first(folder: Path) -> list[str]:
    """The modules that an app has imported before its first page."""
    listed = folder / "modules"
    asked = {"modules": str(listed), "environment": dict(os.environ), "log": os.devnull}
    forks.fork(__name__, asked).wait(60)
    return listed.read_text().split()


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
    status: Any = 0
    try:
        runpy.run_path(str(forks.ROOT / "serve.py"), run_name="__main__")
    except BaseException as ended:
        status = (ended.code or 0) if isinstance(ended, SystemExit) else 1
        raise
    finally:
        Path(request["status"]).write_text(str(status))


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    importlib.import_module("serve")
    warm.import_first()
    first = " ".join(sys.modules)
    warm.import_pages()
    for module in _LATER:
        importlib.import_module(module)
    logging.disable(logging.NOTSET)
    request = forks.requested()
    if request is None:
        pass
    elif listed := request.get("modules"):
        Path(listed).write_text(first)
    elif "step" in request:
        importlib.import_module("tests.pages.hardships").be(request)
    else:
        _be(request)
