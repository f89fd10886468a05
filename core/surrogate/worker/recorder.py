"""From the event loop to the database: what arrives is stored within a blink, many rows a transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from ..job.claim import Claim
from ..job.events import Event

_Result = TypeVar("_Result")
_LINGER = 0.05
_ROOM = 1_000


class Recorder:
    """Stores events in the background; whoever puts them faster than they are stored waits.

    Parameters
    ----------
    claim : Claim
        Its connection is used from one thread only, so that a slow disk never stops the requests.
    """

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._events: list[Event] = []
        self._storing: asyncio.Future[None] | None = None
        self._something = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    async def put(self, event: Event) -> None:
        """Hand an event over."""
        await self._room.wait()
        self._events.append(event)
        self._something.set()
        if len(self._events) >= _ROOM:
            self._room.clear()

    async def run(self) -> None:
        """Store what arrives, for ever; raises what the store raises."""
        while True:
            await self._something.wait()
            await asyncio.sleep(_LINGER)
            await self.flush()

    async def flush(self) -> None:
        """Store what is there, and wait for what is being stored.

        Whoever waits may be cancelled; the events are stored all the same, and the next flush raises what went wrong.
        """
        await self._settle()
        events, self._events = self._events, []
        self._something.clear()
        if events:
            self._storing = asyncio.ensure_future(self.call(partial(self._claim.add, events)))
            await self._settle()
        self._room.set()

    async def _settle(self) -> None:
        if self._storing is not None:
            await asyncio.shield(self._storing)
            self._storing = None

    async def call(self, function: Callable[[], _Result]) -> _Result:
        """Run a function on the claim in the recorder's thread, after the calls before it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()
