"""Which address a request goes to, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from core.surrogate.client.addresses import Address, Addresses
from core.surrogate.client.http import Client
from core.surrogate.client.load import Load
from core.surrogate.client.replies import Reply
from core.surrogate.client.retries import RetryingClient
from core.surrogate.faults import Halted, ItemFault, JobPaused, ServerGone, SurrogateError, TransientFault
from core.surrogate.job.events import Generation
from core.surrogate.job.parameters import Connection

ANSWER = Reply((Generation(0, "text", None),), "m", 1, 1)
UNREACHABLE = TransientFault("unreachable", "The server cannot be reached.")


class Scripted:
    """An address that answers until it has a fault, after so many milliseconds."""

    def __init__(self, fault: Exception | None = None, milliseconds: float = 1.0, load: Load | None = None) -> None:
        self.url = f"http://host-{id(self)}:8000/v1"
        self.fault, self.seconds, self._load = fault, milliseconds / 1000, load
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

    async def load(self) -> Load | None:
        return self._load

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


def test_a_requested_wait_is_kept() -> None:
    async def scenario() -> float:
        loop = asyncio.get_running_loop()
        addresses = Addresses([cast(Client, Scripted())], Connection(concurrency=4), lambda line: None)
        async with addresses.slot() as address:
            address.throttle.overloaded(began := loop.time(), 0.2)
        async with addresses.slot():
            return loop.time() - began

    assert asyncio.run(scenario()) >= 0.2


def test_requests_go_where_the_load_is_least_for_its_limit() -> None:
    async def scenario() -> list[int]:
        scripted = [Scripted() for _ in range(3)]
        addresses = Addresses([cast(Client, one) for one in scripted], Connection(concurrency=8), lambda line: None)
        addresses._all[2].throttle.limit = 4.0
        slots = [addresses.slot() for _ in range(15)]
        for slot in slots:
            await slot.__aenter__()
        return [address.throttle.active for address in addresses._all]

    assert asyncio.run(scenario()) == [6, 6, 3]


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


def test_the_width_follows_the_load_of_every_address() -> None:
    async def scenario() -> tuple[int, int]:
        scripted = [Scripted(load=Load(0, 0, 0.0, 0.0, 4)), Scripted()]
        client = client_of(*scripted, concurrency=None)
        before = client.width
        adapting = asyncio.create_task(client.adapt())
        await asyncio.wait_for(client.wider_than(before), 5)
        adapting.cancel()
        return before, client.width

    assert asyncio.run(scenario()) == (64, 4 * 32 + 32)


def test_after_a_halt_whoever_waits_gives_up() -> None:
    async def scenario() -> list[Any]:
        client = client_of(Scripted(milliseconds=50), Scripted(milliseconds=50), concurrency=1)
        requests = asyncio.create_task(answers_to(client, 5))
        await asyncio.sleep(0.01)
        client.halt()
        await client.wider_than(10**6)
        return await requests

    results = asyncio.run(scenario())
    assert results[:2] == [ANSWER, ANSWER] and all(isinstance(result, Halted) for result in results[2:])


def test_an_address_with_room_that_is_set_aside_waits_for_its_trial() -> None:
    async def scenario() -> tuple[float | None, float | None]:
        address = Address(cast(Client, Scripted()), 4)
        address.set_aside(10.0, 1.0)
        resting = address.wait(10.0)
        address.throttle.active = 1
        return resting, address.wait(10_000.0)

    resting, busy = asyncio.run(scenario())
    assert resting is not None and 1.0 <= resting <= 2.0
    assert busy is None
