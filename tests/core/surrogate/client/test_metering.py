"""What a job may spend, and tokens that no server reports."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.surrogate.client.metering import MeteredClient, counted
from core.surrogate.client.replies import Reply
from core.surrogate.client.retries import RetryingClient
from core.surrogate.faults import ItemFault, JobPaused
from core.surrogate.job.events import Generation
from core.surrogate.job.parameters import Prices
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import Fake, pool_of, spec_for

BODY = {"messages": [{"role": "user", "content": "x" * 8}], "n": 2}


class Writer:
    """Stands in for a client: after a while it writes so many tokens a sample, in turn."""

    def __init__(self, *lengths: int, fault: Exception | None = None) -> None:
        self.lengths, self.fault = lengths, fault
        self.requests = self.active = self.most_active = self.tokens = 0

    async def complete(self, body: Mapping[str, Any], patient: bool) -> Reply:
        length = self.lengths[self.requests % len(self.lengths)]
        self.requests += 1
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        await asyncio.sleep(0.001)
        self.active -= 1
        if self.fault:
            raise self.fault
        samples = tuple(Generation(sample, "text", None) for sample in range(body.get("n", 1)))
        self.tokens += 10 + length * len(samples)
        return Reply(samples, "m", 10, length * len(samples))


def spend(writer: Writer, prices: Prices, requests: int, earlier: int = 0, body: Mapping[str, Any] = BODY) -> list[Any]:
    """What comes of so many requests side by side."""

    async def all_of_them() -> list[Any]:
        client = MeteredClient(cast(RetryingClient, writer), prices, earlier, 0)
        return await asyncio.gather(*(client.complete(body) for _ in range(requests)), return_exceptions=True)

    return asyncio.run(all_of_them())


def test_without_limits_all_requests_are_sent_side_by_side() -> None:
    writer = Writer(5)
    spend(writer, Prices(1.0, 1.0), 20)
    assert writer.most_active == writer.requests == 20


@pytest.mark.parametrize("limit", [20, 199, 200, 1_000])
def test_a_limit_of_tokens_is_used_up_and_not_exceeded(limit: int) -> None:
    writer = Writer(5)
    results = spend(writer, Prices(max_total_tokens=limit), 60)
    # 20 tokens a request.
    assert writer.tokens == min(limit // 20, 60) * 20
    paused = [one for one in results if isinstance(one, JobPaused)]
    assert len(paused) == 60 - min(limit // 20, 60)
    assert all(f"{limit:,} tokens" in str(one) for one in paused)


def test_a_limit_of_the_cost_counts_what_earlier_runs_cost() -> None:
    writer = Writer(5)
    prices = Prices(prompt=1e6, completion=2e6, max_cost=400.0)
    results = spend(writer, prices, 60, earlier=100)
    # A request costs 30, and 100 were spent before.
    assert writer.requests == 10
    assert "a cost of 400" in str(next(one for one in results if isinstance(one, JobPaused)))


def test_replies_of_any_length_exceed_a_limit_by_less_than_what_is_under_way() -> None:
    lengths = [random.Random(1).randrange(1, 50) for _ in range(40)]
    writer = Writer(*lengths)
    spend(writer, Prices(max_total_tokens=3_000), 200)
    assert 2_850 <= writer.tokens <= 3_000
    assert writer.most_active > 10


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    st.integers(60, 3_000),
    st.integers(1, 4),
    st.booleans(),
)
def test_one_reply_at_most_goes_beyond_a_limit_whatever_their_lengths(
    lengths: list[int], limit: int, samples: int, heeds: bool
) -> None:
    # Either the request's own limit holds, or the server charges what it charged first.
    writer = Writer(*(lengths if heeds else [max(lengths)]))
    body = BODY | {"max_tokens": 50 if heeds else 1, "n": samples}
    spend(writer, Prices(max_total_tokens=limit), 60, body=body)
    assert writer.tokens <= limit + 10 + samples * max(lengths)
    # Nor is more than the longest reply left, unless all requests were sent.
    assert writer.requests == 60 or writer.tokens >= limit - 2 * (10 + samples * max(lengths))


def test_a_server_that_ignores_the_token_limit_spends_no_more(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(tokens=33, latency=0.02)
    spec = spec_for(pool_of(60), neyman_home, server.url, max_tokens=10)
    prices = Prices(prompt=0.0, completion=100.0, max_cost=0.30)
    job = store.create(replace(spec, prices=prices), 60)
    assert run_job(store, job, lambda line: None).state == "paused"
    # Each reply costs 0.033, though 0.010 are allowed.
    now = progress(store, job)
    assert now.cost is not None and 0.26 <= now.cost <= 0.30 and server.stats()["most_active"] > 4


def test_a_request_that_fails_leaves_its_room_to_others() -> None:
    writer = Writer(5, fault=ItemFault("refused", "No."))
    results = spend(writer, Prices(max_total_tokens=20), 30)
    assert writer.requests == 30 and all(isinstance(one, ItemFault) for one in results)


def test_a_limited_job_pauses_and_goes_on_when_the_limit_is_raised(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake()
    spec = replace(spec_for(pool_of(60), neyman_home, server.url), prices=Prices(max_total_tokens=1_000))
    job = store.create(spec, 60)
    outcome = run_job(store, job, lambda line: None)
    assert outcome.state == "paused" and "1,000 tokens" in outcome.error
    paused = progress(store, job)
    # 41 tokens an item.
    assert (paused.state, paused.done, paused.failed) == ("paused", 24, 0)
    assert paused.prompt_tokens + paused.completion_tokens == 24 * 41
    assert paused.resumable
    store.revise(job, replace(spec, prices=Prices()))
    assert run_job(store, job, lambda line: None).state == "done"
    assert set(server.stats()["asked"].values()) == {1}


@pytest.mark.parametrize("logprobs", [True, False])
def test_tokens_that_the_server_does_not_report_are_counted_and_marked(
    logprobs: bool, store: Store, neyman_home: Path, fake: Fake
) -> None:
    spec = spec_for(pool_of(3), neyman_home, fake(no_usage=True, content="abcdefgh{}").url, k=2, logprobs=logprobs)
    job = store.create(spec, 3)
    assert run_job(store, job, lambda line: None).state == "done"
    now = progress(store, job)
    # Three tokens are listed a sample if log-probabilities are; otherwise nine bytes are three tokens too.
    assert now.completion_tokens == 3 * 2 * 3
    assert now.prompt_tokens > 3 * 8
    assert now.estimated_tokens == now.prompt_tokens + now.completion_tokens
    with store.database.connection() as database:
        stored = database.execute("SELECT DISTINCT tokens FROM surrogate_generations").fetchall()
    assert stored == [(3 if logprobs else None,)]


def test_tokens_that_the_server_reports_are_its_own(store: Store, neyman_home: Path, fake: Fake) -> None:
    job = store.create(spec_for(pool_of(3), neyman_home, fake().url, k=2), 3)
    run_job(store, job, lambda line: None)
    now = progress(store, job)
    assert (now.prompt_tokens, now.completion_tokens, now.estimated_tokens) == (33, 18, 0)


def test_only_what_is_missing_is_counted_here() -> None:
    text = Generation(0, "Ω" * 8, None, reasoning="because ")
    assert counted(Reply((text,), "m", 7, 0), lambda: 10) == Reply((text,), "m", 7, 6, 6)
    assert counted(Reply((text,), "m", 0, 9), lambda: 10) == Reply((text,), "m", 10, 9, 10)
