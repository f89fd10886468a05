"""Steps of `bench.hardship` forked from a process that has imported the pages (`tests.browser.stable`)."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench import hardship
from tests import forks
from tests.browser import stable

_LOGS = count()


class Step:
    """A step in a process of its own, with what `bench.hardship` uses of `subprocess.Popen`."""

    def __init__(self, log: Path, *words: str) -> None:
        self._log, self._ended, self._read = log, log.with_suffix(".status"), 0
        self._process = forks.fork(
            stable.__name__,
            {"step": words, "environment": dict(os.environ), "log": str(log), "status": str(self._ended)},
        )
        self.stdout = SimpleNamespace(readline=self._line)

    def _line(self) -> str:
        """The next line that it says, "" at its end."""
        while True:
            running = self._process.is_running()
            said = self._log.read_text()[self._read :] if self._log.exists() else ""
            if "\n" in said or not running:
                line = said.partition("\n")[0] + "\n" * ("\n" in said)
                self._read += len(line)
                return line
            time.sleep(0.002)

    def send_signal(self, number: signal.Signals) -> None:
        """Signal the step, which is the child of the process that waits for it."""
        if self._process.is_running():
            for step in self._process.children():
                step.send_signal(number)

    def communicate(self) -> None:
        """Wait for its end."""
        self._process.wait()

    @property
    def returncode(self) -> int:
        """How it ended, as `subprocess` has it."""
        return int(self._ended.read_text())


def starter(folder: Path) -> Callable[..., Step]:
    """`hardship._start`, with the logs in a folder."""
    return lambda *words: Step(folder / f"step-{next(_LOGS)}", *words)


def _mount_alone() -> None:
    """Mounts of this process end with it, as under ``unshare --map-root-user --mount``."""
    ids = {"uid_map": f"0 {os.getuid()} 1", "setgroups": "deny", "gid_map": f"0 {os.getgid()} 1"}
    users, mounts = 0x10000000, 0x00020000
    if ctypes.CDLL(None, use_errno=True).unshare(users | mounts):
        raise OSError(ctypes.get_errno(), "no mounts of its own")
    for name, one in ids.items():
        Path(f"/proc/self/{name}").write_text(one)


def be(request: dict[str, Any]) -> None:
    """Be a step, and whoever waits for it."""
    if step := os.fork():
        ended = os.waitstatus_to_exitcode(os.waitpid(step, 0)[1])
        Path(request["status"]).write_text(str(ended))
        os._exit(0)
    sys.argv = ["hardship", *request["step"]]
    if request["step"][0] == "full":
        _mount_alone()
    hardship.work()
