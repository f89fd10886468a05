"""The helper process, seen from here: started ahead of its files, and its readers watched and ended."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from ...files.progress import report

# Where the package `core` stands, of a checkout or of an installed `neyman`.
ROOT = Path(__file__).parents[3]
_MODULE = "core.archive.quarantine"
MEMORY, TIME, ENDED, SLOW = "memory", "time", "ended", "slow"
# Seconds after which a file is slow.
QUICK = 5.0
# Elsewhere a fork may not use all of the system's libraries: the helper itself reads, one file.
FORKS = sys.platform == "linux"
_STARTING, _ENDING = 120.0, 10.0
_PAUSE = 0.05
_PART = 65_536
# What a reader maps of libraries once it uses them.
_LIBRARIES = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits on the time, memory and size of reading one file.

    Parameters
    ----------
    memory : int, default 1.5 GiB
        Bytes of memory, beside those of an idle reader. The system enforces it if it can (``RLIMIT_AS``). Elsewhere
        the resident memory is looked at twenty times a second.
    seconds : float, default 120
        Time from the moment at which the reader has the file.
    """

    memory: int = 3 * 1024**3 // 2
    seconds: float = 120.0


class HelperStopped(Exception):
    """The reader gave no answer; ``reason`` is ``MEMORY``, ``TIME``, ``ENDED`` or ``SLOW``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Helper:
    """A process that has loaded what readers need, and forks one for each file."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", _MODULE],
                cwd=ROOT,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        weakref.finalize(self, _end, self._process, self._requests)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def answer(
        self, job: Mapping[str, Any], files: tuple[int, int], limits: ReadLimits, may_go_on: Callable[[], bool]
    ) -> dict[str, Any]:
        """Hand over a job, and wait for what its reader says of it; report how much of the file it has read.

        Parameters
        ----------
        job : mapping
            For ``core.archive.quarantine.__main__``, as JSON.
        files : (int, int)
            Descriptors of the file to read, and of the one for the result.
        limits : ReadLimits
            What it may take.
        may_go_on : callable
            Asked once if the file is slow.

        Returns
        -------
        dict
            The reader's answer.

        Raises
        ------
        HelperStopped
            It gave none within the limits.
        """
        channel, theirs = socket.socketpair()
        with channel:
            try:
                with theirs:
                    socket.send_fds(self._requests, [b"\n"], [theirs.fileno()])
                channel.settimeout(_STARTING)
                reader = psutil.Process(int(channel.recv(_PART)))
            except (OSError, ValueError, psutil.Error):
                raise HelperStopped(ENDED) from None
            try:
                return _answer(channel, reader, job, files, limits, may_go_on)
            finally:
                with suppress(psutil.Error):
                    reader.kill()
                    reader.wait(_ENDING)


def _answer(
    channel: socket.socket,
    reader: psutil.Process,
    job: Mapping[str, Any],
    files: tuple[int, int],
    limits: ReadLimits,
    may_go_on: Callable[[], bool],
) -> dict[str, Any]:
    """Hand a reader its job, and wait for what it says of it."""
    answer, idle, pauses, reached = bytearray(), _resident(reader), 0, 0
    try:
        socket.send_fds(channel, [json.dumps(job).encode() + b"\n"], files)
        channel.settimeout(_PAUSE)
        # Without a clock: what a busy machine adds to a pause is not the file's fault.
        while pauses < math.ceil(limits.seconds / _PAUSE):
            if pauses == math.ceil(QUICK / _PAUSE) and not may_go_on():
                raise HelperStopped(SLOW)
            pauses += 1
            try:
                part = channel.recv(_PART)
            except TimeoutError:
                if _resident(reader) > idle + _LIBRARIES + limits.memory:
                    raise HelperStopped(MEMORY) from None
                continue
            *lines, answer = (answer + part).split(b"\n")
            if (step := max(map(int, lines), default=0)) > reached:
                # News of the file is no pause, a hundred times at most.
                reached, pauses = step, pauses - 1
                report(step / 100)
            if not part:
                said: dict[str, Any] = json.loads(answer)
                return said
    except (OSError, ValueError):
        # What is killed by the system, or aborts for want of memory, leaves no answer or half of one.
        raise HelperStopped(ENDED) from None
    raise HelperStopped(TIME)


def _resident(reader: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(reader.memory_info().rss)
    return 0


def _end(process: subprocess.Popen[bytes], requests: socket.socket) -> None:
    requests.close()
    process.kill()
    process.wait()
