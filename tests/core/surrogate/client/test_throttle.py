"""How many requests are under way, and how long to wait."""

from __future__ import annotations

import asyncio

from core.surrogate.client.throttle import Throttle, pause


def test_the_limit_halves_once_for_a_burst_and_recovers() -> None:
    async def scenario() -> tuple[float, float, float]:
        throttle = Throttle(32)
        for _ in range(20):
            throttle.overloaded()
        halved = throttle.limit
        for _ in range(300):
            throttle.succeeded()
        recovered = throttle.limit
        for _ in range(40):
            throttle._cut_at = -1.0
            throttle.overloaded()
        return halved, recovered, throttle.limit

    assert asyncio.run(scenario()) == (16.0, 32.0, 1.0)


def test_no_more_than_the_limit_are_under_way_and_all_get_their_turn() -> None:
    async def scenario() -> tuple[int, int]:
        throttle = Throttle(8)
        most = done = 0

        async def request(number: int) -> None:
            nonlocal most, done
            async with throttle.slot():
                most = max(most, throttle.active)
                await asyncio.sleep(0)
                if number == 10:
                    throttle.overloaded(0.01)
                throttle.succeeded()
            done += 1

        tasks = [asyncio.create_task(request(number)) for number in range(200)]
        for task in tasks[20:40]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert throttle.active == 0
        return most, done

    assert asyncio.run(scenario()) == (8, 180)


def test_a_requested_wait_is_kept() -> None:
    async def scenario() -> float:
        loop = asyncio.get_running_loop()
        throttle = Throttle(4)
        began = loop.time()
        throttle.overloaded(0.2)
        async with throttle.slot():
            return loop.time() - began

    assert asyncio.run(scenario()) >= 0.2


def test_pauses_double_vary_and_are_bounded() -> None:
    pauses = [[pause(attempt, 0.5) for _ in range(200)] for attempt in range(12)]
    assert all(0.25 * 2**a <= p <= 0.5 * 2**a for a in range(5) for p in pauses[a])
    assert all(p <= 30 for p in pauses[11])
    assert len(set(pauses[3])) > 100
