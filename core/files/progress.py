"""Progress of reading a file, reported to a listener."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Most steps in which one pass over a file is reported.
STEPS = 100
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
