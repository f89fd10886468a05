"""Processes forked from one that has imported what they use, which takes longer than to start one.

A module that makes them is run by ``python -m``: it reads a request a line, forks a process for it, and writes that
one's id. It ends with its input; the others stay.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]


@functools.cache
def _parent(module: str) -> subprocess.Popen[str]:
    parent = subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    # It ends with its input; `communicate` closes both pipes.
    atexit.register(parent.communicate)
    return parent


def fork(module: str, request: dict[str, Any]) -> psutil.Process:
    """Fork a process of the one that runs this module. A request has at least an environment and a log.

    It stands still until it can be named here: one that has ended has no name any more.
    """
    parent = _parent(module)
    assert parent.stdin is not None and parent.stdout is not None
    parent.stdin.write(json.dumps(request) + "\n")
    parent.stdin.flush()
    forked = psutil.Process(int(parent.stdout.readline()))
    while forked.status() != psutil.STATUS_STOPPED:
        time.sleep(0.0005)
    forked.resume()
    return forked


def requested() -> dict[str, Any] | None:
    """The request of a process, in the forked one, with its log as output; None at the end, in the parent itself."""
    gc.freeze()
    # Processes that ended are forgotten at once, so that nobody takes them for running ones.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            os.kill(os.getpid(), signal.SIGSTOP)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            request = dict[str, Any](json.loads(line))
            with open(os.devnull, "rb") as nothing, open(request["log"], "ab") as log:
                for stream, file in enumerate((nothing, log, log)):
                    os.dup2(file.fileno(), stream)
            os.environ.clear()
            os.environ.update(request["environment"])
            return request
        print(pid, flush=True)
    return None
