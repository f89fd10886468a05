"""Progress of reading a file, reported to a listener."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, BinaryIO

# Most steps in which one pass over a file is reported.
STEPS = 100
_LEAST = 512
_LISTENER: ContextVar[Callable[[float], None] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[float], None]) -> Iterator[None]:
    """Call a function with the share of the file that has been read, in [0, 1], while this is open."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report(share: float) -> None:
    """Tell whoever is listening the share of the file that has been read, in [0, 1]."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(share)


class Position:
    """The place that one pass over a file has reached; called with it, in the unit of ``total``.

    Parameters
    ----------
    total : int
        The end; 0 if it is not known, and then nothing is reported.
    """

    def __init__(self, total: int) -> None:
        self._total, self._step = total, max(1, total // STEPS)
        self._next: float = self._step if total else math.inf

    def __call__(self, place: int) -> None:
        """Report the share up to a place, if it is a step further."""
        if place >= self._next:
            self._next = place + self._step
            report(min(1.0, place / self._total))


class Passage(io.RawIOBase):
    """A packed file that reports how much of it has been read, whatever that becomes when it is unpacked.

    Parameters
    ----------
    file : binary file
        What is read.
    total : int
        Its size in bytes.
    """

    def __init__(self, file: BinaryIO, total: int) -> None:
        self._file, self._reach = file, Position(total)
        # The unpacker asks for more at once than a small file has.
        self._part = max(_LEAST, total // STEPS)

    def readable(self) -> bool:
        """Whether this can be read."""
        return True

    def seekable(self) -> bool:
        """Whether another place can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer, and report the place after them; return how many there are."""
        data = self._file.read(min(len(buffer), self._part))
        buffer[: len(data)] = data
        self._reach(self._file.tell())
        return len(data)

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to another place of the file."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """Return the place that is read next."""
        return self._file.tell()
