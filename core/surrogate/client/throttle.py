"""How many requests are under way at a time: fewer after every refusal, more again while all goes well."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from core.surrogate.faults import Halted, JobPaused

_LONGEST_WAIT = 3600.0
_FOREVER = 10 * 365 * 86_400.0
_LONGEST_PAUSE = 30.0
_RECOVERY = 200


class Throttle:
    """A limit on concurrent requests that halves on overload, and is whole again after some hundred successes.

    Parameters
    ----------
    most : int
        The limit at the start, and the largest.

    Attributes
    ----------
    limit : float
        The limit now.
    active : int
        Requests under way.
    resume_at : float
        The event loop's time from which the server wants requests again.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.active = 0
        self.resume_at = 0.0
        self._halt = asyncio.Event()
        self._cut_at = -1.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for the right to send one request, and hold it.

        Raises
        ------
        Halted
            No more requests are to be sent.
        """
        await self._enter()
        try:
            yield
        finally:
            self.active -= 1
            self._wake()

    def succeeded(self) -> None:
        """Let the limit grow: a request was answered."""
        self.limit = min(float(self.most), self.limit + max(1.0 / self.limit, self.most / _RECOVERY))
        self._wake()

    def overloaded(self, wait: float | None = None) -> None:
        """Halve the limit, once for requests sent together, and wait as many seconds as the server asks for.

        Raises
        ------
        JobPaused
            The server asks to wait for more than an hour.
        """
        moment = asyncio.get_running_loop().time()
        if moment > self._cut_at + 0.5:
            self._cut_at = moment
            self.limit = max(1.0, self.limit / 2)
        if wait and wait > _LONGEST_WAIT:
            until = datetime.now().astimezone() + timedelta(seconds=min(wait, _FOREVER))
            raise JobPaused(f"The server asks to wait until {until:%Y-%m-%d %H:%M}. Resume the job then.")
        if wait:
            self.resume_at = max(self.resume_at, moment + wait)

    def halt(self) -> None:
        """Let no more requests be sent: whoever waits for one gives up."""
        self._halt.set()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)

    async def rest(self, seconds: float) -> None:
        """Wait before another try, until requests are halted at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halt.wait()

    async def _enter(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            if self._halt.is_set():
                raise Halted
            if self.active >= int(self.limit):
                turn = loop.create_future()
                self._waiting.append(turn)
                await turn
            elif (wait := self.resume_at - loop.time()) > 0:
                # Not all at the same moment.
                await self.rest(wait * (1 + 0.1 * random.random()))
            else:
                self.active += 1
                return

    def _wake(self) -> None:
        for _ in range(int(self.limit) - self.active):
            while self._waiting:
                turn = self._waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    break


def pause(attempt: int, backoff: float) -> float:
    """Seconds to wait before another try.

    Parameters
    ----------
    attempt : int
        Tries so far.
    backoff : float
        Seconds that double with every try, with jitter so that requests do not come back in step.
    """
    return min(_LONGEST_PAUSE, backoff * 2.0**attempt) * (0.5 + random.random() / 2)
