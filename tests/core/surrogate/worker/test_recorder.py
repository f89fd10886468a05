"""Nothing that arrived is lost between the event loop and the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, cast

import pytest

from core.surrogate.faults import StorageError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event
from core.surrogate.worker.pipeline import Recorder


class SlowClaim:
    """Takes events, but not before it is allowed to."""

    def __init__(self) -> None:
        self.allowed = threading.Event()
        self.stored: list[int] = []
        self.error: Exception | None = None

    def add(self, events: Sequence[Event]) -> None:
        self.allowed.wait(30)
        if self.error is not None:
            raise self.error
        self.stored += [event.position for event in events]


def recorder_of(claim: SlowClaim) -> Recorder:
    return Recorder(cast(Claim, cast(Any, claim)))


async def handed_on(recorder: Recorder) -> None:
    """Wait until the recorder has taken all events to store them."""
    async with asyncio.timeout(60):
        while recorder._events:
            await asyncio.sleep(0.01)


def test_a_cancelled_flush_still_stores_what_it_took_and_only_once() -> None:
    claim = SlowClaim()

    async def scenario() -> None:
        recorder = recorder_of(claim)
        # Something else is being written, so that the events wait for their turn.
        other = asyncio.ensure_future(recorder.call(lambda: claim.allowed.wait(30)))
        running = asyncio.create_task(recorder.run())
        for position in range(5):
            await recorder.put(Event(position))
        await handed_on(recorder)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await recorder.put(Event(5))
        claim.allowed.set()
        await recorder.flush()
        await other
        recorder.close()

    asyncio.run(scenario())
    assert claim.stored == [0, 1, 2, 3, 4, 5]


def test_an_error_after_a_cancelled_flush_is_told_by_the_next() -> None:
    claim = SlowClaim()
    claim.error = StorageError("full")

    async def scenario() -> None:
        recorder = recorder_of(claim)
        await recorder.put(Event(0))
        flushing = asyncio.create_task(recorder.flush())
        await handed_on(recorder)
        flushing.cancel()
        await asyncio.gather(flushing, return_exceptions=True)
        claim.allowed.set()
        with pytest.raises(StorageError):
            await recorder.flush()
        recorder.close()

    asyncio.run(scenario())


def test_whoever_is_faster_than_the_disk_waits() -> None:
    claim = SlowClaim()

    async def scenario() -> int:
        recorder = recorder_of(claim)
        put = 0

        async def produce() -> None:
            nonlocal put
            for position in range(5000):
                await recorder.put(Event(position))
                put += 1

        running, producing = asyncio.create_task(recorder.run()), asyncio.create_task(produce())
        # As many as there is room for, and those that are being stored.
        async with asyncio.timeout(60):
            while put < 1000:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        waiting = put
        claim.allowed.set()
        await producing
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await recorder.flush()
        recorder.close()
        return waiting

    assert asyncio.run(scenario()) < 5000
    assert claim.stored == list(range(5000))
