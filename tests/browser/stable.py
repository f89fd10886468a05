"""Apps forked from a process that has imported what they use, which takes longer than to start one.

``python -m tests.browser.stable`` reads a request a line, forks an app for it, and writes the app's process id. It ends
with its input; the apps stay.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import logging
import os
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

ROOT = Path(__file__).resolve().parents[2]
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


@functools.cache
def _stable() -> subprocess.Popen[str]:
    stable = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.stable"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    # It ends with its input; `communicate` closes both pipes.
    atexit.register(stable.communicate)
    return stable


def fork(arguments: list[str], environment: dict[str, str], log: Path, ahead: bool) -> Forked:
    """Fork ``serve.py`` with these arguments and environment, which writes to a log and may draw pages ahead.

    It says in its log which pages it has drawn ahead. It may open as many files as this process.
    """
    stable = _stable()
    assert stable.stdin is not None and stable.stdout is not None
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    request = {"arguments": arguments, "environment": environment, "log": str(log), "ahead": ahead, "files": files}
    stable.stdin.write(json.dumps(request) + "\n")
    stable.stdin.flush()
    return Forked(int(stable.stdout.readline()))


def _requested() -> dict[str, Any] | None:
    """The request of an app, in its process; None at the end, in the stable itself."""
    # Ended apps are forgotten at once, so that nobody takes them for running ones.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return dict(json.loads(line))
        print(pid, flush=True)
    return None


def _visit(ahead: bool) -> Callable[..., Coroutine[Any, Any, None]]:
    """Stand in for the first visitor: say what has been drawn; draw nothing in an app that is soon ended."""
    drawn = warm.FirstVisitor.visit

    async def visit(visitor: warm.FirstVisitor, app: Runtime, *page: str) -> None:
        if ahead:
            await drawn(visitor, app, *page)
            print(AHEAD, *page, flush=True)

    return visit


def _be(request: dict[str, Any]) -> None:
    with open(os.devnull, "rb") as nothing, open(request["log"], "wb") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.environ.clear()
    os.environ.update(request["environment"])
    resource.setrlimit(resource.RLIMIT_NOFILE, request["files"])
    # mypy takes a method for what nobody may replace.
    setattr(warm.FirstVisitor, "visit", _visit(request["ahead"]))  # noqa: B010
    sys.argv = ["serve.py", *request["arguments"]]
    runpy.run_path(str(ROOT / "serve.py"), run_name="__main__")


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    importlib.import_module("serve")
    warm.import_pages()
    logging.disable(logging.NOTSET)
    gc.freeze()
    request = _requested()
    if request is not None:
        _be(request)
