"""vLLM in NEYMAN_HOME: installed by a separate process, which can be watched and cancelled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

import psutil

from ..faults import SurrogateError
from ..job.process import Process, detached, is_alive
from ..job.spec import outer_homes
from .launch import PYTHON_VARIABLE, vllm_python

REQUIREMENT = "vllm==0.32.0"
"""The requirement that is installed, as in requirements/gpu.txt."""
GIGABYTES = 12
"""Space on the disk that it takes, roughly, with what pip downloads for it."""
_GRACE = 10.0


@dataclass(frozen=True, slots=True)
class Installation:
    """The state of the installation in a home.

    Parameters
    ----------
    state : {"none", "running", "ended", "done"}
        Never begun; at work; ended before vLLM was in place, by an error or by somebody; in place.
    log : Path
        What it printed; there is no such file before it begins.
    python : Path
        The interpreter of its environment.
    """

    state: str
    log: Path
    python: Path


def installation(home: Path) -> Installation:
    """Return how the installation of vLLM in a home stands."""
    folder = _folder(home)
    log, python = folder / "install.log", folder / "environment" / "bin" / "python"
    if _done(home).exists() and python.exists():
        return Installation("done", log, python)
    process = _process(home)
    if process is not None and is_alive(process) is not False:
        return Installation("running", log, python)
    return Installation("ended" if log.exists() else "none", log, python)


def install(home: Path, requirement: str = REQUIREMENT) -> None:
    """Begin to install vLLM into a home, or go on with what an earlier installation left; it outlives this process.

    Parameters
    ----------
    home : Path
        NEYMAN_HOME.
    requirement : str
        What pip installs; several requirements have blanks between them.

    Raises
    ------
    SurrogateError
        It is being installed already, NEYMAN_VLLM_PYTHON names another Python, or the disk has too little space.
    """
    if os.environ.get(PYTHON_VARIABLE):
        raise SurrogateError(
            f"{PYTHON_VARIABLE} names the Python that runs vLLM. Unset it, or install vLLM for that Python."
        )
    if installation(home).state == "running":
        raise SurrogateError("vLLM is being installed already.")
    folder = _folder(home)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    free = shutil.disk_usage(folder).free / 1e9
    if free < GIGABYTES and not (folder / "environment").exists():
        raise SurrogateError(
            f"vLLM takes about {GIGABYTES} GB, and the disk of NEYMAN_HOME has {free:.0f} GB free. Free some space, or"
            f" set {PYTHON_VARIABLE} to a Python that has vLLM."
        )
    log = folder / "install.log"
    log.unlink(missing_ok=True)
    script = str(Path(__file__).with_name("installer.py"))
    words = [sys.executable, "-P", script, str(folder / "environment"), str(_done(home)), *requirement.split()]
    process = detached(words, log, folder, os.environ | {"PYTHONUNBUFFERED": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    if process is not None:
        _record(home).write_text(json.dumps(astuple(process)), encoding="utf-8")


def cancel_installation(home: Path) -> None:
    """End the installation in a home, with all its processes; what was downloaded serves the next one."""
    process = _process(home)
    if process is None or not is_alive(process):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        # Nothing else is in its group.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        deadline = time.monotonic() + _GRACE
        while time.monotonic() < deadline and _has_members(process.pid):
            time.sleep(0.05)


def serving_python(home: Path) -> str:
    """Return the interpreter that runs vLLM for a home.

    NEYMAN_VLLM_PYTHON wins; then comes the one that :func:`install` has put into the home, or into the home around that
    of a shard; then the one that runs this.
    """
    if not os.environ.get(PYTHON_VARIABLE):
        for folder in (home, *outer_homes(home)):
            found = installation(folder)
            if found.state == "done":
                return str(found.python)
    return vllm_python()


def _folder(home: Path) -> Path:
    return home.resolve() / "vllm"


def _done(home: Path) -> Path:
    return _folder(home) / "installed"


def _record(home: Path) -> Path:
    return _folder(home) / "installing.json"


def _process(home: Path) -> Process | None:
    """The process that installs, or installed last; None if there was none."""
    try:
        return Process(*json.loads(_record(home).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _has_members(group: int) -> bool:
    """Whether a process of this group still runs."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False
