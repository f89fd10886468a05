"""Runs whose server changes its mind: what is kept, what is asked again, and what is never paid for twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.surrogate.filled_pool import pool_with
from core.surrogate.job.progress import failures, progress
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import JobRow, Store
from core.surrogate.worker.run import JobOutcome, run_job
from tests.core.surrogate.conftest import Fake, FakeServer, pool_of, spec_for


def run(store: Store, spec: JobSpec, total: int) -> tuple[JobOutcome, JobRow]:
    job = store.create(spec, total)
    outcome = run_job(store, job, lambda line: None)
    return outcome, store.row(job)


def paid(server: FakeServer) -> int:
    """Samples that the server gave."""
    return sum(server.stats()["samples"].values())


def test_a_server_that_turns_to_refusing_fails_no_item_for_good(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(fail={"after": 30, "status": 400})
    outcome, row = run(store, spec_for(pool_of(200), neyman_home, server.url), 200)
    assert outcome.state == row.state == "paused"
    assert "items failed" in row.error and "refused" in row.error
    assert row.done >= 30 and paid(server) == row.generations == 10 * row.done
    now = progress(store, row.id)
    assert now.resumable and 0 < now.retryable == now.failed < 60
    server.behave(fail=None)
    assert run_job(store, row.id, lambda line: None) == JobOutcome("done")
    assert set(server.stats()["asked"].values()) == {1} and len(server.stats()["asked"]) == 200


def test_a_refused_n_is_halved(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(most=5)
    outcome, row = run(store, spec_for(pool_of(12), neyman_home, server.url), 12)
    assert outcome == JobOutcome("done")
    assert (row.generations, row.requests) == (120, 24)
    sent = json.loads(row.sent or "")
    assert (sent["most"], sent["dropped"]) == (5, {})
    first, *others = server.stats()["bodies"]
    assert first["n"] == 10 and {body["n"] for body in others} == {5}
    # Two requests for one item differ, so that no cache answers both alike.
    assert len({(body["messages"][-1]["content"], body["seed"]) for body in others}) == 24


@pytest.mark.parametrize("refused", [{"refuse": {"top_k": "openai"}}, {"refuse": {"n": "openai"}}])
def test_parameters_are_probed_again_when_a_server_refuses_on_the_way(
    refused: dict[str, object], store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(refuse_after=20, **refused)
    outcome, row = run(store, spec_for(pool_of(60), neyman_home, server.url, k=4), 60)
    assert outcome == JobOutcome("done")
    assert (row.generations, row.failed) == (240, 0)
    assert set(json.loads(row.sent or "")["dropped"]) == set(refused["refuse"])  # type: ignore[call-overload]
    assert paid(server) == 240


def test_parameters_are_probed_again_at_every_resume(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(refuse={"top_k": "openai"}, fail={"after": 5, "status": 401})
    outcome, row = run(store, spec_for(pool_of(20), neyman_home, server.url), 20)
    assert outcome.state == "failed" and set(json.loads(row.sent or "")["dropped"]) == {"top_k"}
    server.behave(refuse={"top_p": "openai"}, fail=None)
    said: list[str] = []
    assert run_job(store, row.id, said.append) == JobOutcome("done")
    sent = json.loads(store.row(row.id).sent or "")
    assert set(sent["dropped"]) == {"top_p"} and sent["parameters"]["top_k"] == 20
    assert any("Earlier answers" in line and "top_p" in line for line in said)


def test_choices_that_all_carry_index_0_are_ten_choices(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(index=0)
    outcome, row = run(store, spec_for(pool_of(8), neyman_home, server.url), 8)
    assert outcome == JobOutcome("done")
    assert (row.generations, row.requests, paid(server)) == (80, 8, 80)
    assert json.loads(row.sent or "")["most"] == 10


def test_one_filtered_choice_of_ten_keeps_nine(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(filtered=[3])
    pool = pool_of(6)
    outcome, row = run(store, spec_for(pool, neyman_home, server.url), 6)
    assert outcome == JobOutcome("done with failures")
    assert (row.done, row.failed, row.generations, row.requests) == (0, 6, 54, 6)
    failure = failures(store, row.id)[0].failure
    assert (failure.kind, failure.final) == ("content filter", True) and "1 of 10" in failure.message
    generations = pool_with(store, pool, row.id).generations
    assert generations is not None and {len(texts) for texts in generations} == {9}
    # Asked again, only what lacks is asked for.
    server.behave(filtered=[])
    store.retry_failed(row.id, "content filter")
    assert run_job(store, row.id, lambda line: None) == JobOutcome("done")
    assert "n" not in server.stats()["bodies"][-1] and store.row(row.id).generations == 60


def test_a_filtered_choice_does_not_cost_the_items_other_requests(store: Store, neyman_home: Path, fake: Fake) -> None:
    # Four requests for each item; the first choice of each is taken.
    server = fake(most=3, filtered=[0])
    _, row = run(store, spec_for(pool_of(5), neyman_home, server.url), 5)
    assert (row.done, row.failed, row.generations) == (0, 5, 5 * 5)


@pytest.mark.parametrize("status", [401, 402])
def test_what_is_under_way_when_a_run_ends_is_kept(status: int, store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(latency=0.1, fail={"after": 20, "status": status, "times": 1})
    outcome, row = run(store, spec_for(pool_of(70), neyman_home, server.url), 70)
    assert outcome.state == "failed"
    assert 20 < row.done < 60
    assert paid(server) == row.generations == 10 * row.done
    assert run_job(store, row.id, lambda line: None) == JobOutcome("done")
    assert set(server.stats()["samples"].values()) == {10}


def test_empty_answers_pause_the_run(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(content="<think>and so on")
    outcome, row = run(store, spec_for(pool_of(300), neyman_home, server.url), 300)
    assert outcome.state == "paused" and "are empty" in row.error
    assert 20 <= row.done < 80 and paid(server) == row.generations


def test_a_single_404_costs_nothing(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(fail={"after": 10, "status": 404, "times": 1})
    outcome, row = run(store, spec_for(pool_of(40), neyman_home, server.url), 40)
    assert outcome == JobOutcome("done")
    assert (row.done, row.retries) == (40, 1)
