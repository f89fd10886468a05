"""Run a server and end it together with its worker: ``python guard.py COMMAND …``.

The guard reads its standard input, a pipe that the worker holds open. When the pipe closes, because the worker is done
or was killed (even by SIGKILL, which nobody can handle), the server and all its processes are ended. The server has its
own process group, which nothing else is in, and holds a pipe of the guard: if the guard is killed too, the
server ends itself (``lifeline.py``).
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from types import FrameType

_GRACE = 10.0
_LOOK = 0.5


def main(command: list[str]) -> int:
    """Run the command until it ends or standard input closes; return its exit status, −15 if it was ended."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit

    signal.signal(signal.SIGTERM, end)
    # What the server prints goes to the log, which is standard error here; standard output is for its number alone.
    # Nobody else has the writing end, so it closes with this process.
    lifeline, _ = os.pipe()
    server = subprocess.Popen(
        command,
        env=os.environ | {"NEYMAN_LIFELINE": str(lifeline)},
        stdin=subprocess.DEVNULL,
        stdout=2,
        pass_fds=[lifeline],
        start_new_session=True,
    )
    os.close(lifeline)
    try:
        print(server.pid, flush=True)
        while server.poll() is None:
            readable, _, _ = select.select([0], [], [], _LOOK)
            if readable and not os.read(0, 1024):
                return -signal.SIGTERM
        return server.returncode
    except (SystemExit, BrokenPipeError):
        return -signal.SIGTERM
    finally:
        _end(server)


def _end(server: subprocess.Popen[bytes]) -> None:
    """Ask the server to end, then end whatever is left of its group."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if server.poll() is None:
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(_GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


if __name__ == "__main__":
    sys.exit(min(abs(main(sys.argv[1:])), 255))
