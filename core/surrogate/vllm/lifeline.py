"""Run a server that ends, with all its processes, when its worker is gone: ``python -P lifeline.py COMMAND …``.

The worker holds the other end of this process's standard input. When it closes, the worker is done or has ended, even
by SIGKILL, and this process ends its whole group, which the server and all its processes are in and nothing else; so it
does when the server's first process ends, which others of its processes may outlive.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

_LOOK = 0.2


def main(command: list[str]) -> None:
    """Run the command until it ends or standard input closes; then end the group, this process too."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    # Whoever asks this process to end asks the server to.
    signal.signal(signal.SIGTERM, lambda number, frame: server.terminate())
    while server.poll() is None:
        if select.select([0], [], [], _LOOK)[0] and not os.read(0, 1024):
            break
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
