"""How many requests are under way at an address, and how long to wait."""

from __future__ import annotations

import pytest

from core.surrogate.client.load import Load, read_load
from core.surrogate.client.throttle import MOST, START, Throttle, pause
from core.surrogate.faults import JobPaused


def test_a_given_limit_halves_once_for_a_burst_and_recovers() -> None:
    throttle = Throttle(32)
    for _ in range(20):
        throttle.overloaded(1.0)
    assert throttle.limit == 16
    for _ in range(300):
        throttle.succeeded(2.0)
    assert throttle.limit == 32
    for burst in range(40):
        throttle.overloaded(3.0 + burst)
    assert throttle.limit == 1


def test_a_given_limit_is_moved_by_no_load() -> None:
    throttle = Throttle(32)
    throttle.look(Load(2, 900, 1.0, 0.0, 8), 1.0)
    assert throttle.limit == 32


def test_a_requested_wait_is_noted_and_a_long_one_pauses() -> None:
    throttle = Throttle(4)
    throttle.overloaded(10.0, 20.0)
    throttle.overloaded(11.0, 3.0)
    assert throttle.resume_at == 30.0
    with pytest.raises(JobPaused):
        throttle.overloaded(12.0, 3601.0)


class Simulated:
    """A server that works on ``fits`` requests of ``n`` sequences at a time, each of which takes a second alone.

    Its throughput grows with the requests that run up to ``best`` of them.
    """

    def __init__(self, fits: int, best: int, n: int = 1, engines: int = 1) -> None:
        self.fits, self.best, self.n, self.engines = fits, best, n, engines
        self.tokens = 0.0

    def load(self, active: int, seconds: float) -> Load:
        running = min(active, self.fits)
        self.tokens += 100 * min(running, self.best) * seconds
        cache = running / self.fits * 0.9
        return Load(self.n * running, self.n * (active - running), cache, self.tokens, self.engines)


def watched(server: Simulated, seconds: float) -> list[int]:
    """The limit, every two seconds, of somebody who has always something to send."""
    throttle, limits = Throttle(None), []
    for look in range(int(seconds / 2)):
        throttle.active = int(throttle.limit)
        throttle.look(server.load(throttle.active, 2.0), 2.0 * look)
        limits.append(int(throttle.limit))
    return limits


def test_the_limit_follows_the_queue_of_vllm() -> None:
    # The server runs 200 requests at a time: a short queue is reached, a long one is left.
    limits = watched(Simulated(fits=200, best=200), 120)
    assert limits[0] == START and max(limits) <= 300
    assert all(200 <= limit <= 300 for limit in limits[-10:])
    # Ten samples a request: the queue counts sequences.
    assert all(200 <= limit <= 300 for limit in watched(Simulated(fits=200, best=200, n=10), 120)[-10:])
    # A server that holds fewer than the first guess.
    assert all(8 <= limit <= 12 for limit in watched(Simulated(fits=8, best=8), 60)[-5:])


def test_the_limit_stops_where_more_brings_nothing_and_at_the_largest() -> None:
    limits = watched(Simulated(fits=4000, best=100), 58)
    assert limits[-1] <= 162 and max(limits) < 250
    assert watched(Simulated(fits=4000, best=4000), 120)[-1] == MOST


def test_a_server_of_many_engines_begins_with_more() -> None:
    assert watched(Simulated(fits=4000, best=4000, engines=8), 2) == [8 * START]


def test_requests_that_are_too_few_say_nothing_of_the_server() -> None:
    throttle, server = Throttle(None), Simulated(fits=4000, best=4000)
    for look in range(30):
        throttle.look(server.load(throttle.active, 2.0), 2.0 * look)
    assert throttle.limit == START


@pytest.mark.parametrize(("best", "least", "most"), [(4000, MOST, MOST), (64, 48, 110), (8, START, 2 * START)])
def test_without_a_load_answers_say_whether_more_pays(best: int, least: int, most: int) -> None:
    throttle, moment, end = Throttle(None), 0.0, 0
    limits: list[int] = []
    while end < 20_000:
        throttle.active = int(throttle.limit)
        moment += 1 / min(throttle.active, best)
        throttle.succeeded(moment)
        limits.append(int(throttle.limit))
        end += 1
    assert limits[0] == START and max(limits) <= MOST
    assert least <= sorted(limits[len(limits) // 4 :])[len(limits) * 3 // 8] <= most


def test_the_load_is_that_of_all_engines() -> None:
    text = """# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 12.0
vllm:num_requests_running{engine="1",model_name="m"} 8.0
vllm:num_requests_waiting{engine="0",model_name="m"} 3.0
vllm:num_requests_waiting{engine="1",model_name="m"} 0.0
vllm:num_requests_waiting_by_reason{engine="1",model_name="m",reason="capacity"} 5.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.5
vllm:generation_tokens_total{engine="0",model_name="m"} 1.5e+06
vllm:prompt_tokens_total{engine="0",model_name="m"} 1000.0
"""
    assert read_load(text) == Load(20, 3, 0.5, 1_501_000, 2)
    assert read_load(text.replace("kv_cache", "gpu_cache")) == Load(20, 3, 0.5, 1_501_000, 2)
    assert read_load("process_cpu_seconds_total 1.0\n<html>") is None


def test_pauses_double_vary_and_are_bounded() -> None:
    pauses = [[pause(attempt, 0.5) for _ in range(200)] for attempt in range(12)]
    assert all(0.25 * 2**a <= p <= 0.5 * 2**a for a in range(5) for p in pauses[a])
    assert all(p <= 30 for p in pauses[11])
    assert len(set(pauses[3])) > 100
