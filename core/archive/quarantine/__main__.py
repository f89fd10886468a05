"""The helper, which loads what readers need once, and its readers: forks that read one file within limits and end.

A message on the standard input, a socket, brings the channel of a new reader. The reader sends its process id, waits
for its job and its two files, sends a line with each per cent of the file that it has read, its answer, and ends.
Without a channel to come, the helper ends.
"""

from __future__ import annotations

import ctypes
import gc
import json
import math
import os
import signal
import socket
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pyarrow as pa

from ...errors import NeymanError
from ...files.open import listening
from .helper import FORKS, MEMORY, READERS, of_error

_THREADS = 2
_PR_SET_PDEATHSIG = 1
# M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of mallopt, in bytes.
_ALLOCATOR = ((-1, 1024**3), (-2, 16 * 1024**2), (-3, 32 * 1024**2))
_MESSAGE = 65_536


def main() -> None:
    """Start a reader for every channel that comes."""
    _reuse_memory()
    # Arrow's own pool reserves address space by the gigabyte.
    pa.set_memory_pool(pa.system_memory_pool())
    # Readers share these pages for as long as nobody writes to them.
    gc.freeze()
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(fileno=0) as requests:
        while channels := socket.recv_fds(requests, 1, 1)[1]:
            with socket.socket(fileno=channels[0]) as channel:
                if not FORKS or not os.fork():
                    requests.close()
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    _end_with_helper()
                    _read(channel)


def _read(channel: socket.socket) -> NoReturn:
    """Read the file that the channel brings, and end this process."""
    try:
        channel.sendall(b"%d\n" % os.getpid())
        message, files, _, _ = socket.recv_fds(channel, _MESSAGE, 2)
        while message and not message.endswith(b"\n"):
            message += channel.recv(_MESSAGE)
        if message:
            pa.set_cpu_count(_THREADS)
            with listening(lambda share: channel.sendall(b"%d\n" % (100 * share))):
                answer = _answer(json.loads(message), *files)
            channel.sendall(json.dumps(answer).encode())
            # Now: the system closes the channel only after it has freed the memory.
            channel.shutdown(socket.SHUT_WR)
    finally:
        # Taking apart what was read may take as long as reading it.
        os._exit(0)


def _end_with_helper() -> None:
    """Have Linux end this process with the one that forked it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _reuse_memory() -> None:
    """Have the C library of Linux keep what was freed rather than give it back and take it again."""
    with suppress(OSError, TypeError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, size in _ALLOCATOR:
            mallopt(option, size)


def _answer(job: Mapping[str, Any], file: int, result: int) -> dict[str, Any]:
    release = _confine(job["memory"], job["seconds"])
    try:
        crossing = READERS[job["kind"]](Path(f"/dev/fd/{file}"), job["name"], job["options"])
        # Arrow's own stream: a file of Python's would have every column copied into bytes first.
        with pa.OSFile(f"/dev/fd/{result}", "wb") as stream, pa.ipc.new_file(stream, crossing.table.schema) as writer:
            writer.write_table(crossing.table)
        return {"rest": crossing.rest}
    except NeymanError as error:
        release()
        return of_error(error)
    except MemoryError:
        release()
        return {"stopped": MEMORY}
    except OSError as error:
        release()
        return {"system": str(error)}
    except Exception:
        release()
        return {"unexpected": traceback.format_exc()}


def _confine(memory: int, seconds: float) -> Callable[[], None]:
    """Limit this process from now on; returns what lifts the limit of memory, for the answer."""
    try:
        import resource
    except ImportError:
        return lambda: None
    # Should nobody be left to end it.
    signal.alarm(2 * math.ceil(seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = before = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + memory, most))
    return lambda: resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    main()
