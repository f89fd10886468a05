"""Servers that nobody should trust: what they do costs items at most, and is told in a sentence."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.surrogate.job.progress import failures, progress
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import JobRow, Store
from core.surrogate.worker.run import JobOutcome, run_job
from tests.core.surrogate.conftest import Fake, pool_of, spec_for
from tests.core.surrogate.worker.test_run import megabytes_of_a_run

LARGE = {"3": "bomb", "5": "endless"}


def run(store: Store, spec: JobSpec, total: int) -> tuple[JobOutcome, JobRow, list[str]]:
    said: list[str] = []
    job = store.create(spec, total)
    return run_job(store, job, said.append), store.row(job), said


def test_a_reply_without_an_end_costs_its_item_and_little_memory(
    store: Store, neyman_home: Path, fake: Fake, tmp_path: Path
) -> None:
    server = fake(faults=LARGE)
    spec = spec_for(pool_of(20), neyman_home, server.url, max_tokens=50, k=2)
    job = store.create(spec, 20)
    assert megabytes_of_a_run(job, tmp_path) < 120
    row = store.row(job)
    assert (row.state, row.done, row.failed) == ("done with failures", 18, 2)
    for item in failures(store, job):
        assert (item.failure.kind, item.failure.final) == ("too large", False) and "16 MB" in item.failure.message
    server.behave(faults={})
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    assert set(server.stats()["samples"].values()) == {2}


def test_of_two_servers_one_that_answers_without_an_end_costs_nothing(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    honest, liar = fake(), fake(chances={"endless": 1.0})
    spec = spec_for(pool_of(40), neyman_home, honest.url, max_tokens=50, k=2)
    spec = replace(spec, connection=replace(spec.connection, base_urls=(liar.url, honest.url), concurrency=2))
    outcome, row, said = run(store, spec, 40)
    assert (outcome, row.failed) == (JobOutcome("done"), 0)
    assert any(f"{liar.url} is set aside" in line for line in said) and len(liar.stats()["bodies"]) < 10


@pytest.mark.parametrize(
    "lie",
    [
        {"fail": {"after": 0, "status": 400, "words": "content_filter"}},
        {"fail": {"after": 0, "status": 413, "words": "The prompt is too long."}},
        {"chances": {"invalid": 1.0}},
        {"redirect": (302, "/PATH")},
        {"redirect": (307, "http://[")},
        {"usage": "many", "numbers": {"content": "none"}},
    ],
    ids=str,
)
def test_of_two_servers_one_that_lies_costs_no_item(
    lie: dict[str, Any], store: Store, neyman_home: Path, fake: Fake
) -> None:
    honest, liar = fake(), fake(**lie)
    spec = spec_for(pool_of(30), neyman_home, honest.url, k=2)
    spec = replace(spec, connection=replace(spec.connection, base_urls=(liar.url, honest.url), concurrency=4))
    outcome, row, _ = run(store, spec, 30)
    assert (outcome, row.done, row.generations) == (JobOutcome("done"), 30, 60)


def test_a_second_model_behind_the_addresses_is_told(store: Store, neyman_home: Path, fake: Fake) -> None:
    one, other = fake(latency=0.01), fake(latency=0.01, name="fake-2")
    spec = spec_for(pool_of(30), neyman_home, one.url)
    spec = replace(spec, connection=replace(spec.connection, base_urls=(one.url, other.url), concurrency=2))
    _, row, said = run(store, spec, 30)
    assert set((row.server_model or "").split(", ")) == {"fake-1", "fake-2"}
    assert sum("fake-2" in line and "fake-1" in line for line in said) == 1


@pytest.mark.parametrize(
    ("status", "place", "words"),
    [
        (301, "/v2PATH", "leaves the prompt behind"),
        (302, "PATH", "leaves the prompt behind"),
        (303, "/v1/completions", "leaves the prompt behind"),
        (307, "http://[", "only sent where you said"),
        (308, "http://host:port/v1", "which is no address"),
        (302, "\x1b[2Jhttp://", "no address"),
        (307, "PATH", "in a circle"),
        (301, "http://127.0.0.1:9/v1", "only sent where you said"),
    ],
)
def test_a_redirection_that_would_lose_the_prompt_is_a_sentence(
    status: int, place: str, words: str, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(redirect=(status, place))
    outcome, row, _ = run(store, spec_for(pool_of(30), neyman_home, server.url), 30)
    assert (outcome.state, row.generations, row.failed) == ("failed", 0, 0)
    assert words in outcome.error and outcome.error.isprintable()
    assert "Give" in outcome.error or "give" in outcome.error


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirection_at_the_same_server_is_followed_with_the_prompt(
    status: int, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(redirect=(status, "/redirectedPATH"))
    outcome, row, _ = run(store, spec_for(pool_of(3), neyman_home, server.url), 3)
    assert (outcome, row.generations) == (JobOutcome("done"), 30)


@pytest.mark.parametrize(
    "numbers",
    [
        "none",
        {"content": 7},
        {"content": [{"token": "x"}]},
        {"content": [{"token": "x", "logprob": "much"}]},
        {"content": [{"token": "x", "logprob": 1e308}, {"token": "y", "logprob": 1e308}]},
        {"content": [None]},
        {"token_logprobs": [None, -1.0]},
        {"content": [{"token": 3, "logprob": -1.0, "top_logprobs": [{"token": None}]}]},
    ],
    ids=str,
)
def test_an_answer_is_kept_whatever_the_numbers_beside_it(
    numbers: Any, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(numbers=numbers, usage={"prompt_tokens": [1], "completion_tokens": "∞"}, content="Answer: 4")
    outcome, row, _ = run(store, spec_for(pool_of(5), neyman_home, server.url, k=2), 5)
    assert (outcome, row.generations, row.requests) == (JobOutcome("done"), 10, 5)
    now = progress(store, row.id)
    # What the server does not say is counted here.
    assert now.estimated_tokens == now.prompt_tokens + now.completion_tokens > 0
    with store.database.connection() as database:
        stored = database.execute("SELECT DISTINCT answer, token_logprob > 0 FROM surrogate_generations").fetchall()
    assert stored in ([("4", None)], [("4", 0)])


def test_what_a_server_says_commands_no_terminal(store: Store, neyman_home: Path, fake: Fake) -> None:
    words = "\x1b]0;owned\x07\x1b[2J no credit \u202etidder"
    server = fake(fail={"after": 0, "status": 402, "words": words}, name="m\x1b[2J")
    outcome, row, _ = run(store, spec_for(pool_of(3), neyman_home, server.url), 3)
    assert outcome.state == "failed" and outcome.error == row.error
    assert outcome.error.isprintable() and "\\u001b]0;owned\\u0007\\u001b[2J no credit \\u202etidder" in outcome.error


FAULTS = ("429", "500", "burst", "slow", "drip", "error", "cut", "drop", "invalid", "empty", "html", "bomb", "endless")
MALFORMED = ({}, {"numbers": "none"}, {"numbers": {"content": [{"logprob": []}]}}, {"usage": [7]}, {"no_usage": True})

QUICK = 18


@pytest.mark.parametrize(
    "seed", [QUICK, *(pytest.param(seed, marks=pytest.mark.trial) for seed in range(60) if seed != QUICK)]
)
def test_whatever_servers_do_nothing_is_lost_or_doubled(seed: int, store: Store, neyman_home: Path, fake: Fake) -> None:
    dice = random.Random(seed)
    servers = []
    for _ in range(dice.randint(1, 3)):
        chances = {fault: dice.uniform(0.01, 0.06) for fault in dice.sample(FAULTS, 5)}
        servers.append(fake(chances=chances, seed=seed, retry_after="0.02", **dice.choice(MALFORMED)))
    items, k = 60, dice.choice([1, 3])
    spec = spec_for(pool_of(items), neyman_home, servers[0].url, k=k, max_tokens=20)
    urls = tuple(server.url for server in servers)
    connection = replace(spec.connection, base_urls=urls, timeout=1.0, attempts=4, concurrency=4, pause_share=1.0)
    job = store.create(replace(spec, connection=connection), items)
    stored: dict[tuple[int, int], str] = {}
    for _ in range(40):
        run_job(store, job, lambda line: None)
        rows = {(place, one.sample): one.text for place, one in store.generations(store.row(job))}
        # What is there stays as it is.
        assert stored.items() <= rows.items()
        stored = rows
        if not progress(store, job).resumable:
            break
    now = progress(store, job)
    assert (now.state, now.done, now.failed) == ("done", items, 0)
    assert stored.keys() == {(place, sample) for place in range(items) for sample in range(k)}
