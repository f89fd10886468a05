"""Which address a request goes to, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from core.surrogate.client.http import Client
from core.surrogate.client.replies import Reply
from core.surrogate.client.retries import RetryingClient, pause
from core.surrogate.faults import Halted, ItemFault, JobPaused, ServerGone, SurrogateError, TransientFault
from core.surrogate.job.events import Generation
from core.surrogate.job.parameters import Connection

ANSWER = Reply((Generation(0, "text", None),), "m", 1, 1)
UNREACHABLE = TransientFault("unreachable", "The server cannot be reached.")


class Scripted:
    """An address that answers until it has a fault, after so many milliseconds."""

    def __init__(self, fault: Exception | None = None, milliseconds: float = 1.0) -> None:
        self.url = f"http://host-{id(self)}:8000/v1"
        self.fault, self.seconds = fault, milliseconds / 1000
        self.sent = self.answered = self.active = self.most = 0

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        self.sent += 1
        self.active += 1
        self.most = max(self.most, self.active)
        try:
            await asyncio.sleep(self.seconds)
            if self.fault is not None:
                raise self.fault
            self.answered += 1
            return ANSWER
        finally:
            self.active -= 1

    async def vllm_version(self) -> str | None:
        return None


def client_of(*scripted: Scripted, **connection: Any) -> RetryingClient:
    settings = {"backoff": 0.001, "patience": 0.05, "concurrency": 4} | connection
    return RetryingClient([cast(Client, one) for one in scripted], Connection(**settings))


async def answers_to(client: RetryingClient, requests: int) -> list[Any]:
    return await asyncio.gather(*(client.complete({}) for _ in range(requests)), return_exceptions=True)


def test_no_more_than_the_limit_are_under_way_and_all_get_their_turn() -> None:
    async def scenario() -> tuple[int, int]:
        server = Scripted()
        client = client_of(server, concurrency=8)
        tasks = [asyncio.create_task(client.complete({})) for _ in range(200)]
        await asyncio.sleep(0)
        for task in tasks[20:40]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert client.active == 0
        return server.most, sum(result is ANSWER for result in results)

    assert asyncio.run(scenario()) == (8, 180)


def test_a_requested_wait_is_kept_by_all() -> None:
    async def scenario() -> tuple[float, int]:
        loop = asyncio.get_running_loop()
        server = Scripted(TransientFault("rate limit", "slower", 0.2))
        client, began = client_of(server, concurrency=1), loop.time()
        requests = asyncio.create_task(answers_to(client, 5))
        while not server.sent or server.active:
            await asyncio.sleep(0.001)
        server.fault = None
        await requests
        return loop.time() - began, server.sent

    seconds, sent = asyncio.run(scenario())
    assert seconds >= 0.2 and sent == 6


def test_requests_go_where_the_fewest_are_under_way() -> None:
    async def scenario() -> list[int]:
        scripted = [Scripted(milliseconds=100) for _ in range(3)]
        requests = asyncio.create_task(answers_to(client_of(*scripted, concurrency=8), 15))
        await asyncio.sleep(0.02)
        active = [one.active for one in scripted]
        await requests
        return active

    assert asyncio.run(scenario()) == [5, 5, 5]


def test_nothing_changes_how_many_are_under_way() -> None:
    faults = [TransientFault(kind, "no") for kind in ("server error", "timeout", "rate limit")]

    async def scenario() -> int:
        server = Scripted()
        client = client_of(server, concurrency=8, attempts=100)
        for server.fault in faults:
            requests = asyncio.create_task(answers_to(client, 8))
            await asyncio.sleep(0.01)
            server.fault = None
            await requests
        server.most = 0
        await answers_to(client, 40)
        return server.most

    assert asyncio.run(scenario()) == 8


def test_a_fast_address_answers_more_than_a_slow_one() -> None:
    async def scenario() -> tuple[int, int]:
        fast, slow = Scripted(milliseconds=2), Scripted(milliseconds=20)
        await answers_to(client_of(fast, slow), 300)
        return fast.answered, slow.answered

    fast, slow = asyncio.run(scenario())
    assert fast + slow == 300 and fast > 3 * slow


@pytest.mark.parametrize(
    "fault",
    [
        UNREACHABLE,
        TransientFault("server error", "500"),
        TransientFault("connection", "cut"),
        TransientFault("rate limit", "slower", 600.0),
        TransientFault("rate limit", "slower", 7200.0),
        TransientFault("not found", "no such model"),
        SurrogateError("The server refuses the key."),
        ItemFault("refused", "no", final=False),
    ],
    ids=lambda fault: getattr(fault, "kind", "key"),
)
def test_one_address_that_fails_does_not_fail_a_request(fault: Exception) -> None:
    async def scenario() -> tuple[list[Any], Scripted]:
        good, bad = Scripted(), Scripted(fault)
        return await answers_to(client_of(bad, good), 200), bad

    results, bad = asyncio.run(scenario())
    assert results == [ANSWER] * 200
    if isinstance(fault, TransientFault) and fault.kind != "connection":
        assert bad.sent < 40


def test_an_address_that_is_back_is_asked_again_by_one_request_first() -> None:
    async def scenario() -> tuple[int, int]:
        good, bad = Scripted(), Scripted(UNREACHABLE)
        client = client_of(good, bad, patience=60.0)
        await answers_to(client, 40)
        bad.most = 0
        await asyncio.sleep(0.05)
        await answers_to(client, 40)
        trials, bad.fault = bad.most, None
        while not bad.answered:
            await answers_to(client, 4)
        await answers_to(client, 40)
        return trials, bad.most

    trials, most = asyncio.run(scenario())
    assert trials == 1 and most == 4


@pytest.mark.parametrize(
    ("faults", "error"),
    [
        ([UNREACHABLE, UNREACHABLE], ServerGone),
        ([UNREACHABLE, SurrogateError("The server refuses the key.")], SurrogateError),
        ([SurrogateError("a"), SurrogateError("b")], SurrogateError),
        ([TransientFault("rate limit", "slower", 7200.0), SurrogateError("The key.")], JobPaused),
    ],
)
def test_the_run_ends_when_all_addresses_fail(faults: list[Exception], error: type[Exception]) -> None:
    results = asyncio.run(answers_to(client_of(*map(Scripted, faults)), 6))
    assert all(isinstance(result, error) for result in results)


def test_what_an_address_refuses_another_may_answer_but_not_a_third() -> None:
    async def scenario() -> tuple[Any, int]:
        scripted = [Scripted(ItemFault("too long", "256 tokens")) for _ in range(3)]
        (result,) = await answers_to(client_of(*scripted), 1)
        return result, sum(one.sent for one in scripted)

    result, sent = asyncio.run(scenario())
    assert isinstance(result, ItemFault) and sent == 2


def test_an_address_that_is_set_aside_is_said_once_and_shown() -> None:
    async def scenario() -> tuple[list[str], str]:
        said: list[str] = []
        bad = Scripted(UNREACHABLE)
        clients = [cast(Client, one) for one in (Scripted(), bad)]
        client = RetryingClient(clients, Connection(backoff=0.001, concurrency=4), said.append)
        await answers_to(client, 100)
        return [line.replace(bad.url, "URL") for line in said], client.trouble

    (said,), trouble = asyncio.run(scenario())
    assert said.startswith("URL is set aside") and said.endswith("The server cannot be reached.")
    assert trouble == "1 of 2 addresses answer"


def test_after_a_halt_whoever_waits_gives_up() -> None:
    async def scenario() -> list[Any]:
        client = client_of(Scripted(milliseconds=50), Scripted(milliseconds=50), concurrency=1)
        requests = asyncio.create_task(answers_to(client, 5))
        await asyncio.sleep(0.01)
        client.halt()
        return await requests

    results = asyncio.run(scenario())
    assert results[:2] == [ANSWER, ANSWER] and all(isinstance(result, Halted) for result in results[2:])


def test_pauses_double_vary_and_are_bounded() -> None:
    pauses = [[pause(attempt, 0.5) for _ in range(200)] for attempt in range(12)]
    assert all(0.25 * 2**a <= p <= 0.5 * 2**a for a in range(5) for p in pauses[a])
    assert all(p <= 30 for p in pauses[11])
    assert len(set(pauses[3])) > 100
