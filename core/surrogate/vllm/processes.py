"""Processes named beyond doubt: by number and start time, because a number is given out again."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process: ``host`` names its machine and boot, ``started`` is its start time in the system's words."""

    host: str
    pid: int
    started: str


def this_process() -> Process:
    """The process that asks."""
    pid = os.getpid()
    return Process(host(), pid, _started(pid) or "")


def process_of(pid: int) -> Process | None:
    """The live process with this number on this machine, None where there is none."""
    started = _started(pid)
    return None if started is None else Process(host(), pid, started)


def is_alive(process: Process) -> bool | None:
    """Whether the process still runs; None where that cannot be seen from this machine."""
    if process.host.partition("/")[0] != host().partition("/")[0]:
        return None
    return process.host == host() and _started(process.pid) == process.started


@cache
def host() -> str:
    """This machine and its boot: ``name/boot``."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{socket.gethostname()}/{boot.read_text().strip() if boot.exists() else ''}"


def _started(pid: int) -> str | None:
    """Start time of a running process; None where it has ended, a zombie (dead, but not yet reaped) included."""
    try:
        # The name in parentheses may hold blanks; what follows it does not.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields[19]
    except (OSError, IndexError):
        if Path("/proc/self/stat").exists():
            return None
    listed = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = listed.stdout.strip().partition(" ")
    return None if not state or state.startswith("Z") else started.strip()
