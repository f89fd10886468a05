"""A job from its row to its generations, against servers that behave and servers that do not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import Connection, Sampling, Serving
from core.surrogate.job.progress import progress
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import JobRow, Store, state_of
from core.surrogate.worker.run import JobOutcome, run_job
from tests.conftest import ROOT
from tests.core.surrogate.conftest import Fake, fork, pool_of, spec_for
from tests.core.surrogate.specs import DIGEST
from tests.core.wording import Saying


def run(store: Store, spec: JobSpec, total: int) -> tuple[JobOutcome, JobRow]:
    job = store.create(spec, total)
    outcome = run_job(store, job, lambda line: None)
    return outcome, store.row(job)


def pairs(store: Store) -> list[tuple[int, int]]:
    with store.database.connection() as database:
        query = "SELECT position, sample FROM surrogate_generations ORDER BY position, sample"
        return list(database.execute(query).fetchall())


def test_every_item_gets_its_samples_once(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(tokens=4)
    outcome, row = run(store, spec_for(pool_of(100), neyman_home, server.url), 100)
    assert outcome == JobOutcome("done")
    assert pairs(store) == [(position, sample) for position in range(100) for sample in range(10)]
    assert (row.done, row.failed, row.generations, row.requests) == (100, 0, 1000, 100)
    assert (row.prompt_tokens, row.completion_tokens, row.unparsed) == (100 * 11, 100 * 40, 0)
    assert row.server_model == "fake-1"
    assert set(server.stats()["asked"].values()) == {1}


def test_log_probabilities_are_sums_and_means_over_the_sampled_tokens(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    run(store, spec_for(pool_of(2), neyman_home, fake(tokens=7).url), 2)
    with store.database.connection() as database:
        rows = database.execute(
            "SELECT DISTINCT tokens, logprob, token_logprob, finish FROM surrogate_generations"
        ).fetchall()
    assert rows == [(7, 7 * -0.25, -0.25, "stop")]


def test_the_papers_settings_are_sent_in_one_request(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake()
    run(store, spec_for(pool_of(1), neyman_home, server.url), 1)
    (body,) = server.stats()["bodies"]
    assert body.pop("messages")[-1]["content"].startswith("What is item 0?")
    assert body == {
        "model": "m",
        "n": 10,
        "temperature": 0.7,
        "top_p": 0.8,
        "top_k": 20,
        "presence_penalty": 1.5,
        "repetition_penalty": 1.0,
        "logprobs": True,
        "max_tokens": 4096,
        "repetition_detection": {"max_pattern_size": 64, "min_pattern_size": 1, "min_count": 32},
    }


@pytest.mark.parametrize("way", ["moved", "removed", "replaced"])
def test_a_home_that_is_taken_away_ends_the_run_before_more_is_paid(
    way: str, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(latency=0.05)
    spec = spec_for(pool_of(400), neyman_home, server.url, k=1)
    job = store.create(replace(spec, connection=replace(spec.connection, concurrency=2)), 400)
    elsewhere = neyman_home.with_name(f"{neyman_home.name}-elsewhere")

    def take_away() -> None:
        shutil.rmtree(neyman_home) if way == "removed" else neyman_home.rename(elsewhere)
        if way == "replaced":
            Store(neyman_home)

    threading.Timer(1.0, take_away).start()
    outcome = run_job(store, job, lambda line: None)
    assert outcome.state == "failed" and "was removed, renamed or replaced" in outcome.error
    asked = sum(server.stats()["asked"].values())
    assert 0 < asked < 300 and neyman_home.exists() == (way == "replaced")
    if way != "removed":
        # What was under way is paid for, and stored.
        row = Store(elsewhere).row(job)
        assert (row.done, row.state, row.error) == (asked, "failed", outcome.error)


def test_a_home_that_is_gone_before_the_run_begins_is_a_sentence(store: Store, neyman_home: Path, fake: Fake) -> None:
    job = store.create(spec_for(pool_of(4), neyman_home, fake().url), 4)
    shutil.rmtree(neyman_home)
    with pytest.raises(SurrogateError, match="was removed, renamed or replaced"):
        run_job(store, job, lambda line: None)


@pytest.mark.parametrize("style", ["openai", "fastapi", "plain"])
def test_exactly_what_is_refused_is_left_out(style: str, store: Store, neyman_home: Path, fake: Fake) -> None:
    refused = ("top_k", "repetition_penalty", "temperature", "logprobs", "repetition_detection")
    server = fake(refuse=dict.fromkeys(refused, style))
    spec = spec_for(pool_of(20), neyman_home, server.url, max_tokens=50)
    outcome, row = run(store, spec, 20)
    assert outcome == JobOutcome("done")
    sent = json.loads(row.sent)
    assert set(sent["dropped"]) == set(refused)
    assert sent["parameters"] == {"top_p": 0.8, "presence_penalty": 1.5, "max_tokens": 50}
    last = server.stats()["bodies"][-1]
    assert set(last) == {"model", "messages", "n", "top_p", "presence_penalty", "max_tokens"}
    # One request for each refusal, then one for each item.
    assert len(server.stats()["bodies"]) == len(refused) + 20


def test_the_newer_name_of_the_token_limit_is_found(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(refuse={"max_tokens": "openai"})
    spec = spec_for(pool_of(3), neyman_home, server.url, max_tokens=50)
    _, row = run(store, spec, 3)
    assert row.done == 3
    assert server.stats()["bodies"][-1]["max_completion_tokens"] == 50
    assert "max_tokens" not in server.stats()["bodies"][-1]


@pytest.mark.parametrize("behaviour", [{"refuse": {"n": "openai"}}, {"refuse": {"n": "fastapi"}}, {"ignore_n": True}])
def test_without_n_each_sample_is_a_request_with_a_seed_of_its_own(
    behaviour: dict[str, Any], store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(**behaviour)
    outcome, row = run(store, spec_for(pool_of(5), neyman_home, server.url, k=4), 5)
    assert outcome == JobOutcome("done")
    assert row.generations == 20
    assert pairs(store) == [(position, sample) for position in range(5) for sample in range(4)]
    later = [body for body in server.stats()["bodies"][1:] if "n" not in body]
    seeds = [(body["messages"][-1]["content"][:15], body["seed"]) for body in later if "seed" in body]
    assert len(seeds) == len(set(seeds)) >= 19
    assert "n" in json.loads(row.sent)["dropped"]


def test_a_given_seed_is_sent_and_no_two_samples_share_one(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake()
    run(store, spec_for(pool_of(4), neyman_home, server.url, seed=7, k=3), 4)
    seeds = sorted(body["seed"] for body in server.stats()["bodies"])
    assert len(seeds) == 4 and min(np.diff(seeds)) >= 3


def test_items_that_cannot_be_generated_are_recorded_and_the_run_goes_on(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    pool = pool_of(30)
    records = pool.table.to_pylist()
    records[0]["prompt"] = "TOO LONG 0"
    records[7]["prompt"] = "FORBIDDEN 7"
    pool = type(pool).from_records(records)
    server = fake()
    outcome, row = run(store, spec_for(pool, neyman_home, server.url), 30)
    assert outcome == JobOutcome("done with failures")
    assert (row.state, row.done, row.failed) == ("done with failures", 28, 2)
    with store.database.connection() as database:
        failures = database.execute("SELECT position, kind, final FROM surrogate_failures ORDER BY 1").fetchall()
    assert failures == [(0, "too long", 1), (7, "content filter", 1)]
    # Asking again would not help.
    assert run_job(store, row.id, lambda line: None) == JobOutcome("done with failures")
    assert sum("TOO LONG" in body["messages"][-1]["content"] for body in server.stats()["bodies"]) == 1


@pytest.mark.parametrize(
    ("behaviour", "sentence", "requests"),
    [
        ({"key": "right-key-123"}, "refuses the key", 1),
        # A gateway that restarts knows no model for a moment.
        ({"model": "other"}, "does not know the model “m”", 2),
    ],
)
def test_a_wrong_key_or_model_stops_at_once_with_one_sentence(
    behaviour: dict[str, Any], sentence: str, requests: int, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(**behaviour)
    outcome, row = run(store, spec_for(pool_of(50), neyman_home, server.url), 50)
    assert outcome.state == row.state == "failed"
    assert sentence in outcome.error == row.error
    assert len(server.stats()["bodies"]) == requests
    assert row.failed == 0


def test_a_server_that_fails_every_request_stops_the_job_not_the_items(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(chances={"500": 1.0})
    spec = spec_for(pool_of(500), neyman_home, server.url)
    spec = replace(spec, connection=replace(spec.connection, attempts=2))
    outcome, row = run(store, spec, 500)
    assert outcome.state == row.state == "paused"
    assert outcome.error == Saying("20 of the last 20 items", "20 no answer") and "500" in outcome.error
    assert row.failed < 100


def test_items_that_no_try_brought_are_asked_again_by_the_next_run(store: Store, neyman_home: Path, fake: Fake) -> None:
    # Half of 25 items in a row would pause the run; of these 60 about twelve fail.
    server = fake(chances={"500": 0.2})
    spec = spec_for(pool_of(60), neyman_home, server.url, k=2)
    spec = replace(spec, connection=replace(spec.connection, attempts=1))
    outcome, row = run(store, spec, 60)
    assert outcome == JobOutcome("done with failures")
    assert row.done + row.failed == 60 and row.failed > 0
    for _ in range(50):
        now = progress(store, row.id)
        if not now.resumable:
            break
        assert now.retryable == now.failed
        run_job(store, row.id, lambda line: None)
    assert (now.done, now.failed, now.generations) == (60, 0, 120)
    assert set(server.stats()["samples"].values()) == {2}


def test_bodies_that_drip_without_end_and_errors_with_status_200_are_tried_again(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(chances={"drip": 0.1, "error": 0.2})
    spec = spec_for(pool_of(40), neyman_home, server.url)
    spec = replace(spec, connection=replace(spec.connection, timeout=0.5, attempts=20))
    outcome, row = run(store, spec, 40)
    assert outcome == JobOutcome("done")
    assert (row.done, row.generations) == (40, 400)
    assert set(server.stats()["faults"]) == {"drip", "error"}


def test_nobody_at_the_address_is_told_and_the_job_can_be_resumed(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake()
    server.process.kill()
    server.process.wait()
    spec = spec_for(pool_of(3), neyman_home, server.url)
    outcome, row = run(store, replace(spec, connection=replace(spec.connection, patience=0.2)), 3)
    assert outcome.state == "failed"
    assert "cannot be reached" in outcome.error
    assert (row.failed, state_of(row)) == (0, "failed")
    port = int(server.url.split(":")[2].removesuffix("/v1"))
    fake(port=port)
    assert run_job(store, row.id, lambda line: None) == JobOutcome("done")
    assert len(pairs(store)) == 30


def test_an_address_that_dies_in_mid_run_loses_and_doubles_nothing(store: Store, neyman_home: Path, fake: Fake) -> None:
    chances = {"429": 0.05, "drop": 0.03, "cut": 0.03, "burst": 0.01}
    steady, dying = fake(chances=chances, latency=0.01), fake(chances=chances, latency=0.01, die_after=40)
    spec = spec_for(pool_of(150), neyman_home, steady.url)
    both = replace(spec.connection, base_urls=(dying.url, steady.url), attempts=20, concurrency=None)
    outcome, row = run(store, replace(spec, connection=both), 150)
    assert outcome == JobOutcome("done"), outcome
    assert not dying.process.is_running()
    assert pairs(store) == [(position, sample) for position in range(150) for sample in range(10)]
    assert (row.done, row.failed, row.generations) == (150, 0, 1500)
    assert 75 <= len(steady.stats()["asked"]) < 150


def test_one_address_with_another_key_or_model_does_not_end_the_run(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    good, locked, other = fake(), fake(key="another-key"), fake(model="other")
    spec = spec_for(pool_of(60), neyman_home, good.url)
    urls = (locked.url, other.url, good.url)
    outcome, row = run(store, replace(spec, connection=replace(spec.connection, base_urls=urls)), 60)
    assert outcome == JobOutcome("done") and row.generations == 600
    assert len(locked.stats()["bodies"]) <= 16 and sum(good.stats()["asked"].values()) == 60


@pytest.mark.parametrize(("concurrency", "most"), [(None, 64), (5, 5)])
def test_as_many_requests_are_under_way_as_was_set(
    concurrency: int | None, most: int, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(latency=0.5)
    spec = spec_for(pool_of(2 * most), neyman_home, server.url, k=1)
    outcome, _ = run(store, replace(spec, connection=replace(spec.connection, concurrency=concurrency)), 2 * most)
    assert outcome == JobOutcome("done") and server.stats()["most_active"] == most


@pytest.mark.parametrize(
    ("k", "serving", "width"),
    [(10, {}, 52), (1, {}, 512), (1, {"data_parallel": 4}, 2048), (10, {"max_num_seqs": 16}, 2), (1000, {}, 1)],
)
def test_a_server_of_our_own_is_kept_busy(k: int, serving: dict[str, int], width: int) -> None:
    spec = JobSpec(DIGEST, "m", serving=Serving("m", **serving), sampling=Sampling(k=k))
    assert spec.width == width
    assert replace(spec, connection=Connection(concurrency=3)).width == 3
    assert replace(spec, serving=None).width == 64


def test_a_worker_loads_no_more_than_it_needs() -> None:
    code = "import sys, core.surrogate.cli, core.surrogate.worker.run; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "core.surrogate.worker.run" in loaded.split()
    assert set(loaded.split()).isdisjoint({"openai", "pandas", "scipy", "openpyxl", "plotly", "PIL", "core.pool.pool"})


def megabytes_of_a_run(job: str, folder: Path) -> float:
    """Run a job in a process of its own; the most memory it had beyond what its modules take."""
    log, status, memory = (folder / name for name in ("log", "status", "memory"))
    fork(log, ["resume", job], os.environ, status=str(status), memory=str(memory)).wait(600)
    assert status.exists() and status.read_text() in ("0", "4"), log.read_text()
    return int(memory.read_text()) / 1e6


def test_many_items_against_a_hostile_server(store: Store, neyman_home: Path, fake: Fake, tmp_path: Path) -> None:
    chances = {"429": 0.05, "burst": 0.02, "slow": 0.05, "cut": 0.05, "drop": 0.05, "invalid": 0.05, "empty": 0.05}
    server = fake(chances=chances, retry_after="0.02", refuse={"repetition_penalty": "fastapi"}, tokens=2)
    pool = pool_of(300)
    records = pool.table.to_pylist()
    for position in range(5, 300, 120):
        records[position]["prompt"] = f"TOO LONG {position}"
    pool = type(pool).from_records(records)
    spec = spec_for(pool, neyman_home, server.url)
    job = store.create(replace(spec, connection=replace(spec.connection, attempts=20)), 300)
    assert megabytes_of_a_run(job, tmp_path) < 40
    row = store.row(job)
    assert (row.state, row.done, row.failed) == ("done with failures", 297, 3)
    with store.database.connection() as database:
        grouped = "SELECT position, count(*), count(DISTINCT sample) FROM surrogate_generations GROUP BY position"
        counts = database.execute(grouped).fetchall()
        failures = database.execute("SELECT position, kind FROM surrogate_failures ORDER BY position").fetchall()
    assert failures == [(position, "too long") for position in range(5, 300, 120)]
    assert {(n, distinct) for _, n, distinct in counts} == {(10, 10)}
    assert len(counts) == 297
    stats = server.stats()
    assert set(stats["faults"]) >= {"429", "500", "slow", "cut", "drop", "invalid", "empty"}
    # What arrived in full was not asked for again.
    assert set(stats["samples"].values()) == {10}
