"""Trying again: what is tried how often, how long nobody may answer, and what is shown meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from core.surrogate.client.http import Client
from core.surrogate.client.replies import Reply
from core.surrogate.client.retries import RetryingClient
from core.surrogate.faults import Halted, ItemFault, JobPaused, ServerGone, SurrogateError, TransientFault
from core.surrogate.job.events import Generation
from core.surrogate.job.parameters import Connection

ANSWER = Reply((Generation(0, "text", None),), "m", 1, 1)
NOT_FOUND = TransientFault("not found", "The server does not know the model.")
UNREACHABLE = TransientFault("unreachable", "The server cannot be reached.")


class Script:
    """A client that plays what it is given: answers, faults, and seconds to wait before the next of them."""

    def __init__(self, *plays: Reply | Exception | float) -> None:
        self.plays = list(plays)
        self.sent = 0

    async def complete(self, body: Any) -> Reply:
        self.sent += 1
        while isinstance(play := self.plays.pop(0), float):
            await asyncio.sleep(play)
        if isinstance(play, Exception):
            raise play
        return play


def playing(script: Script, use: Callable[[RetryingClient], Awaitable[Any]], **connection: Any) -> Any:
    settings = {"backoff": 0.001, "patience": 0.2, "concurrency": 1} | connection

    async def scenario() -> Any:
        return await use(RetryingClient([cast(Client, script)], Connection(**settings)))

    return asyncio.run(scenario())


def test_patience_counts_from_the_first_refused_connection() -> None:
    # The first answer takes longer than the patience lasts.
    script = Script(0.3, TransientFault("timeout", "late"), 0.3, UNREACHABLE, ANSWER)
    assert playing(script, lambda client: client.complete({})) == ANSWER
    refused = ItemFault("refused", "no", False)

    async def between(client: RetryingClient) -> Reply:
        with pytest.raises(ItemFault):
            await client.complete({})
        return await client.complete({})

    # A refusal is a sign of life.
    assert playing(Script(UNREACHABLE, refused, 0.3, UNREACHABLE, ANSWER), between) == ANSWER
    with pytest.raises(ServerGone):
        playing(Script(UNREACHABLE, 0.3, UNREACHABLE), lambda client: client.complete({}))


def test_a_server_that_is_away_is_asked_ever_more_rarely() -> None:
    script = Script(*[UNREACHABLE] * 99)
    with pytest.raises(ServerGone):
        playing(script, lambda client: client.complete({}), backoff=0.01, patience=0.4)
    # After three, pauses of 0.04 to 0.08 seconds.
    assert 4 < script.sent <= 14


def test_a_single_not_found_is_tried_again_and_more_concern_the_job() -> None:
    assert playing(Script(NOT_FOUND, ANSWER), lambda client: client.complete({})) == ANSWER
    script = Script(*[NOT_FOUND] * 9)
    with pytest.raises(SurrogateError, match="does not know"):
        playing(script, lambda client: client.complete({}))
    assert script.sent == 2

    async def later(client: RetryingClient) -> None:
        await client.complete({})
        await client.complete({})

    # Where it did answer, all attempts are made.
    script = Script(ANSWER, *[NOT_FOUND] * 9)
    with pytest.raises(SurrogateError, match="does not know"):
        playing(script, later, attempts=4)
    assert script.sent == 5


def test_a_wait_that_the_server_asks_for_is_shown() -> None:
    async def shown(client: RetryingClient) -> str:
        request = asyncio.create_task(client.complete({}))
        while not client.trouble:
            await asyncio.sleep(0.001)
        request.cancel()
        return client.trouble

    before = datetime.now()
    words = playing(Script(TransientFault("rate limit", "slower", 120.0), ANSWER), shown)
    expected = {f"{before + timedelta(minutes=minutes):%H:%M}" for minutes in (2, 3)}
    assert words.startswith("the server asks to wait until ") and words[-5:] in expected


def test_a_wait_of_more_than_an_hour_pauses_the_job() -> None:
    for wait in (3_601.0, 1e300):
        with pytest.raises(JobPaused, match=r"asks to wait until \d{4}-"):
            playing(
                Script(TransientFault("rate limit", "slower", wait), ANSWER),
                lambda client: client.complete({}),
            )


def test_after_a_halt_nothing_is_sent_and_what_is_under_way_arrives() -> None:
    script = Script(0.1, ANSWER, ANSWER)

    async def halted(client: RetryingClient) -> list[Any]:
        requests = [asyncio.create_task(client.complete({})) for _ in range(3)]
        await asyncio.sleep(0.01)
        client.halt()
        return await asyncio.gather(*requests, return_exceptions=True)

    first, *others = playing(script, halted)
    assert first == ANSWER and [type(other) for other in others] == [Halted, Halted]
    assert script.sent == 1


def test_a_halt_ends_pauses_and_waits() -> None:
    for fault in (TransientFault("rate limit", "slower", 600.0), TransientFault("connection", "cut")):

        async def halted(client: RetryingClient) -> Any:
            request = asyncio.create_task(client.complete({}))
            await asyncio.sleep(0.02)
            client.halt()
            async with asyncio.timeout(5):
                return await request

        with pytest.raises(Halted):
            playing(Script(fault, ANSWER), halted, backoff=60.0)


def test_tries_are_counted_by_request() -> None:
    script = Script(*[TransientFault("server error", "500")] * 9)
    with pytest.raises(ItemFault) as fault:
        playing(script, lambda client: client.complete({}), attempts=3)
    assert (fault.value.kind, fault.value.final, script.sent) == ("no answer", False, 3)
