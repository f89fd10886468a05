"""The child process, seen from here: started ahead of its one job, watched, and ended whatever happens."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[3]
MEMORY, TIME, ENDED = "memory", "time", "ended"
_PAUSE = 0.05
_PART = 65_536
# What a reader that is still starting has yet to load.
_LIBRARIES = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What reading one file may take.

    Parameters
    ----------
    memory : int, default 1.5 GiB
        Bytes of memory, beside those of an idle reader. The system enforces it where it can (``RLIMIT_AS``). Elsewhere
        the resident memory is looked at twenty times a second.
    seconds : float, default 120
        Time from the moment at which the reader has the file.
    """

    memory: int = 3 * 1024**3 // 2
    seconds: float = 120.0


class HelperStopped(Exception):
    """The child gave no answer; ``reason`` is ``MEMORY``, ``TIME`` or ``ENDED``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Helper:
    """A child process that reads one file and ends."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __package__],
                cwd=ROOT,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.end = weakref.finalize(self, _end, self._process, self._channel)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def answer(self, job: Mapping[str, Any], files: tuple[int, int], limits: ReadLimits) -> dict[str, Any]:
        """Hand over a job, and wait for what the child says of it.

        Parameters
        ----------
        job : mapping
            For ``core.archive.quarantine.__main__``, as JSON.
        files : (int, int)
            Descriptors of the file to read, and of the one for the result.
        limits : ReadLimits
            What it may take.

        Returns
        -------
        dict
            The child's answer.

        Raises
        ------
        HelperStopped
            It gave none within the limits.
        """
        answer, idle = bytearray(), self._resident()
        try:
            socket.send_fds(self._channel, [json.dumps(job).encode() + b"\n"], files)
            self._channel.settimeout(_PAUSE)
            # Without a clock: what a busy machine adds to a pause is not the file's fault.
            for _ in range(math.ceil(limits.seconds / _PAUSE)):
                try:
                    part = self._channel.recv(_PART)
                except TimeoutError:
                    if self._resident() > idle + _LIBRARIES + limits.memory:
                        raise HelperStopped(MEMORY) from None
                    continue
                answer += part
                if not part:
                    said: dict[str, Any] = json.loads(answer)
                    return said
        except (OSError, ValueError):
            # What is killed by the system, or aborts for want of memory, leaves no answer or half of one.
            raise HelperStopped(ENDED) from None
        raise HelperStopped(TIME)

    def _resident(self) -> int:
        with suppress(psutil.Error):
            return int(psutil.Process(self._process.pid).memory_info().rss)
        return 0


def _end(process: subprocess.Popen[bytes], channel: socket.socket) -> None:
    channel.close()
    process.kill()
    process.wait()
