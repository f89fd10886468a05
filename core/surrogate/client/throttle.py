"""How many requests are under way at an address at a time, and how long to pause between tries."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..faults import JobPaused
from .load import Load

START, MOST = 32, 512
"""Requests at a time at first, for each engine of a server; and at most, if the job does not say."""
LONGEST_PAUSE = 30.0
_LONGEST_WAIT = 3600.0
_FOREVER = 10 * 365 * 86_400.0
_RECOVERY = 200
_FACTOR, _GAIN = 1.5, 1.05
_CONTENT = 30.0
_WINDOW = 3.0
_SHRINKAGE = 0.8
_FULL_CACHE = 0.95


@dataclass(frozen=True, slots=True)
class _Growth:
    """A growth that is being tried: the limit and the throughput before it."""

    limit: float
    rate: float


class Throttle:
    """The limit on requests under way at one address, and what moves it.

    Overload (too many requests, errors of the server) halves the limit, once for a burst; some hundred answers restore
    it. A time-out moves nothing: a sample that does not end is no overload. A job that sets a limit starts at it, and
    nothing else moves it. Otherwise the limit starts at 32 for each engine of the server and looks for the throughput
    of the server, up to 512:

    - If vLLM shows its load (``/metrics``), it is looked at every two seconds. While at most one sequence waits for
      20 that run, and every request that the limit allows is under way, the limit grows by half; once more than one
      waits for two that run, or the KV cache is full, it shrinks by a fifth. Between the two the server always has
      something to do, and nobody waits long.
    - Elsewhere it grows by half after each round of as many answers as the limit allows.

    A growth is kept if it brings at least 5 % more throughput (tokens a second, or answers), and taken back for half
    a minute if it does not.

    Parameters
    ----------
    most : int or None
        The limit that the job sets; None: it is looked for.

    Attributes
    ----------
    limit : float
        The limit now.
    active : int
        Requests under way.
    resume_at : float
        The event loop's time from which the server wants requests again.
    """

    def __init__(self, most: int | None) -> None:
        self.most = MOST if most is None else most
        self.limit = float(START if most is None else most)
        self.active = 0
        self.resume_at = 0.0
        self._looks = most is None
        self._whole = self.limit
        self._cut_at = -1.0
        self._growth: _Growth | None = None
        self._content_until = 0.0
        self._metered = False
        self._window: tuple[float, float] | None = None
        self._round: tuple[float, int] | None = None
        self._answers = 0

    @property
    def room(self) -> int:
        """How many more requests may be sent."""
        return max(0, int(self.limit) - self.active)

    def succeeded(self, moment: float) -> None:
        """Let the limit grow: a request was answered."""
        self._answers += 1
        if self.limit < self._whole:
            self._move(min(self._whole, self.limit + max(1.0 / self.limit, self._whole / _RECOVERY)), self._whole)
        elif self._looks and not self._metered:
            self._end_round(moment)

    def overloaded(self, moment: float, wait: float | None = None) -> None:
        """Halve the limit, once for requests sent together, and wait as many seconds as the server asks for.

        Raises
        ------
        JobPaused
            The server asks to wait for more than an hour.
        """
        if moment > self._cut_at + 0.5:
            self._cut_at = moment
            self._growth = None
            self._move(max(1.0, self.limit / 2), self._whole)
        if wait:
            self.resume_at = max(self.resume_at, moment + wait)
        if wait and wait > _LONGEST_WAIT:
            until = datetime.now().astimezone() + timedelta(seconds=min(wait, _FOREVER))
            raise JobPaused(f"The server asks to wait until {until:%Y-%m-%d %H:%M}. Resume the job then.")

    def look(self, load: Load, moment: float) -> None:
        """Move the limit by what vLLM shows of its load."""
        if not self._looks:
            return
        first, self._metered = not self._metered, True
        if first:
            self._move(min(float(self.most), max(self.limit, float(START * load.engines))))
        elif load.waiting > load.running / 2 or (load.waiting and load.cache > _FULL_CACHE):
            self._growth = self._window = None
            # What was sent before the last cut is still under way: its effect is not seen yet.
            if self.active <= int(self.limit):
                self._move(max(float(load.engines), self.limit * _SHRINKAGE))
        elif load.waiting > load.running / 20 or self.room:
            self._window = None
        elif self._window is None:
            self._window = (moment, load.tokens)
        elif moment - self._window[0] >= _WINDOW:
            began, tokens = self._window
            self._window = None
            self._step((load.tokens - tokens) / (moment - began), moment)

    def _end_round(self, moment: float) -> None:
        """Take a step once as many answers have come as the limit allows, all that time with no room left."""
        if self._round is None or self.room:
            self._round = (moment, self._answers)
        elif self._answers - self._round[1] >= self.limit:
            began, answers = self._round
            self._round = (moment, self._answers)
            self._step((self._answers - answers) / max(moment - began, 1e-9), moment)

    def _step(self, rate: float, moment: float) -> None:
        """Keep the last growth and grow again if it brought more throughput; else take it back for a while."""
        growth, self._growth = self._growth, None
        if growth is not None and rate < _GAIN * growth.rate:
            self._move(growth.limit)
            self._content_until = moment + _CONTENT
        elif moment >= self._content_until and self.limit < self.most:
            self._growth = _Growth(self.limit, rate)
            self._move(min(float(self.most), self.limit * _FACTOR))

    def _move(self, limit: float, whole: float | None = None) -> None:
        self.limit, self._whole = limit, limit if whole is None else whole
        self._round = None


def pause(attempt: int, backoff: float) -> float:
    """Seconds to wait before another try.

    Parameters
    ----------
    attempt : int
        Tries so far.
    backoff : float
        Seconds that double with every try, with jitter so that requests do not come back in step.
    """
    return min(LONGEST_PAUSE, backoff * 2.0**attempt) * (0.5 + random.random() / 2)
