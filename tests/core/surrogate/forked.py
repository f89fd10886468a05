"""A process that has imported the command, and forks a worker for each line of its input: what it runs, and in what.

A worker of the app is a Python of its own, which takes half a second to import what it needs.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import Any

import core.surrogate.worker.run
from core.surrogate.cli import main


def reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def work(words: list[str], environment: dict[str, str], log: int) -> None:
    """Be the worker, with its log as output, and end."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(log, stream)
        os.environ.clear()
        os.environ.update(environment)
        status = main(words)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def fork(words: list[str], environment: dict[str, str], log: str) -> int:
    opened = os.open(log, os.O_WRONLY | os.O_APPEND)
    pid = os.fork()
    if not pid:
        work(words, environment, opened)
    os.close(opened)
    return pid


if __name__ == "__main__":
    assert core.surrogate.worker.run
    gc.freeze()
    signal.signal(signal.SIGCHLD, reap)
    for line in sys.stdin:
        job: dict[str, Any] = json.loads(line)
        print(fork(**job), flush=True)
