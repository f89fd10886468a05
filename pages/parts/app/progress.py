"""A progress bar with rate and time left, for everything that takes over a second."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.archive import listening
from pages.parts.app import session

_PAUSE = 0.2
# Before that much is done, and so many seconds are over, nobody knows how long the rest takes.
_KNOWN_SHARE, _KNOWN_AFTER = 0.1, 2.0


@dataclass(slots=True)
class Bars:
    """Where a run's bars stand."""

    slot: DeltaGenerator | None = None


def place() -> None:
    """Make the place of a run's bars, once a page: if one comes and goes, all below is made again in the browser."""
    session.held(Bars).slot = st.empty()


class Progress:
    """Context manager that is called with the share done, in [0, 1]; nothing is drawn in the first moment."""

    def __init__(self, label: str, total: float, unit: str) -> None:
        self._label, self._total, self._unit = label, total, unit
        self._slot = session.held(Bars).slot or st.empty()
        self._drawn = False
        self._started = self._shown = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, share: float) -> None:
        """Show the share that is done, in [0, 1], with the rate and the time left."""
        moment = time.monotonic()
        if moment - self._shown < _PAUSE:
            return
        self._shown = moment
        elapsed = max(moment - self._started, 1e-3)
        self._drawn = True
        text = f"{self._label}: {said(share, elapsed, self._total, self._unit)}"
        self._slot.progress(min(max(share, 0.0), 1.0), text=text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._slot.empty()


@contextmanager
def reading(content: bytes) -> Iterator[None]:
    """Show how much of a file has been read, in megabytes, while this is open."""
    with Progress("Reading the file", len(content) / 1e6, "MB") as progress, listening(progress):
        yield


def said(share: float, elapsed: float, total: float, unit: str) -> str:
    """The share that is done, with the rate and the time left once enough is done to know them.

    Parameters
    ----------
    share : float
        In [0, 1].
    elapsed : float
        Seconds, above 0.
    total : float
        All that is to be done, in ``unit``, a plural.
    """
    if share < _KNOWN_SHARE or elapsed < _KNOWN_AFTER:
        return f"{share:.0%}"
    rate, left = share * total / elapsed, elapsed * (1 - share) / share
    return f"{share:.0%} · {rate:,.{1 if rate < 10 else 0}f} {unit}/s · {left:,.0f} s left"
