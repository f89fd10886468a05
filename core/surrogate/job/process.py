"""Processes named beyond doubt: by number and start time, because numbers are used again."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread

import psutil

# Hundredths of a second: outside Linux a correction of the clock shifts the start times a little.
_SLACK = 200


@dataclass(frozen=True, slots=True)
class Process:
    """A process.

    Parameters
    ----------
    host : str
        Its machine and boot, ``name/boot``.
    pid : int
        Its number there.
    started : str
        When it started, in hundredths of a second since the boot.
    """

    host: str
    pid: int
    started: str


def detached(command: Sequence[str], log: Path, folder: Path, environment: Mapping[str, str]) -> Process | None:
    """Start a process in a folder that outlives this one, and adds to a log; name it, or None if it has ended."""
    log.touch(mode=0o600)
    with log.open("ab") as written:
        started = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
    process = process_of(started.pid)
    # An ended child stays a zombie until somebody waits for it.
    Thread(target=started.wait, daemon=True).start()
    return process


def this_process() -> Process:
    """Name the process that calls this."""
    return _named(psutil.Process())


def process_of(pid: int) -> Process | None:
    """Name the process with this number on this machine; None if none runs (a zombie has ended)."""
    try:
        process = psutil.Process(pid)
        return None if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD) else _named(process)
    except psutil.Error:
        return None


def is_alive(process: Process) -> bool | None:
    """Whether the process still runs; None if that cannot be seen from this machine."""
    if process.host.partition("/")[0] != host().partition("/")[0]:
        return None
    current = process_of(process.pid)
    if process.host != host() or current is None or not process.started.isdigit():
        return False
    return abs(int(current.started) - int(process.started)) <= _SLACK


@cache
def host() -> str:
    """Name this machine and its boot, ``name/boot``."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{socket.gethostname()}/{boot.read_text().strip() if boot.exists() else ''}"


def _named(process: psutil.Process) -> Process:
    return Process(host(), process.pid, str(round(100 * (process.create_time() - psutil.boot_time()))))
