"""A chat template that opens the reasoning in the prompt, as Qwen3.5's does: on, off, cut, and without an end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.pool import Pool
from core.surrogate.job.parameters import Connection, Prompting, Sampling
from core.surrogate.job.progress import JobProgress, cut_in_reasoning, progress
from core.surrogate.job.source import Item
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.trial import try_out
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import save_pool
from tests.vllm.conftest import MODELS, Serve, VllmServer, serving

TEMPLATE = str(Path(__file__).with_name("thinking.jinja"))
POOL = Pool.from_records([{"id": f"i{i}", "prompt": f"What is {i} + 3?", "answer_kind": "number"} for i in range(6)])
# The model knows no thinking: this token alone is written, without an end.
LETTER_A = '{"logit_bias": {"65": 100}%s}'


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    """The tiny surrogate behind such a template, with the parser of its reasoning."""
    pytest.importorskip("vllm")
    more = ("--chat-template", TEMPLATE, "--reasoning-parser", "qwen3", "--generation-config", "vllm")
    with serving(MODELS / "surrogate", tmp_path_factory.mktemp("vllm"), *more, "--language-model-only") as server:
        yield server


def sampled(store: Store, home: Path, server: VllmServer, **sampling: Any) -> tuple[JobProgress, list[Any]]:
    """A run, and its rows: answer, text, reasoning, why it ended, tokens, log-probability."""
    spec = JobSpec(
        save_pool(POOL, home),
        server.model,
        Connection((f"{server.url}/v1",)),
        sampling=Sampling(**{"k": 3, "presence_penalty": 0.0, "max_tokens": 60} | sampling),
        prompting=Prompting(template="{question}"),
    )
    job = store.create(spec, POOL.n_items)
    run_job(store, job, print)
    with store.database.connection() as database:
        query = "SELECT answer, text, reasoning, finish, tokens, logprob FROM surrogate_generations"
        return progress(store, job), database.execute(query).fetchall()


def test_a_model_that_is_told_not_to_think_answers(store: Store, neyman_home: Path, thinker: VllmServer) -> None:
    job, rows = sampled(store, neyman_home, thinker, thinking="off")
    assert (job.state, job.generations) == ("done", 18) and job.request is not None and not job.request.dropped
    assert {(reasoning, finish) for _, _, reasoning, finish, *_ in rows} == {(None, "stop")}
    assert sum(answer is not None for answer, *_ in rows) > 12


def test_the_answer_after_reasoning_is_read_alone(store: Store, neyman_home: Path, thinker: VllmServer) -> None:
    extra = LETTER_A % ', "thinking_token_budget": 8'
    job, rows = sampled(store, neyman_home, thinker, thinking="on", extra=extra, repetition_detection=False)
    assert (job.state, job.truncated, cut_in_reasoning(store, job.id)) == ("done", 18, 0)
    for _, text, reasoning, finish, tokens, _ in rows:
        assert set(text) == set(reasoning) == {"A"} and (finish, tokens) == ("length", 60)
        assert len(text) + len(reasoning) + len("</think>") == 60
    # A bias is in no log-probability: each further A is as improbable as the last.
    means = [logprob / len(text) for _, text, _, _, _, logprob in rows]
    assert all(mean < -1 for mean in means) and max(means) - min(means) < 3


@pytest.mark.parametrize("thinking", ["on", None])
def test_reasoning_that_the_limit_cuts_is_no_answer(
    thinking: Any, store: Store, neyman_home: Path, thinker: VllmServer
) -> None:
    job, rows = sampled(store, neyman_home, thinker, thinking=thinking, max_tokens=3)
    assert (job.state, job.truncated, job.unparsed, cut_in_reasoning(store, job.id)) == ("done", 18, 18, 18)
    assert {(answer, text, finish, logprob) for answer, text, _, finish, _, logprob in rows} == {
        (None, "", "length", None)
    }


def test_what_repeats_itself_is_ended_and_counted(store: Store, neyman_home: Path, thinker: VllmServer) -> None:
    job, rows = sampled(store, neyman_home, thinker, thinking="off", max_tokens=200, extra=LETTER_A % "")
    assert (job.state, job.truncated) == ("done", 18)
    assert {(finish, tokens) for _, _, _, finish, tokens, _ in rows} == {("repetition", 32)}


def test_a_limit_beyond_the_models_context_is_left_to_the_server(
    store: Store, neyman_home: Path, thinker: VllmServer
) -> None:
    job, rows = sampled(store, neyman_home, thinker, thinking="off", max_tokens=4_096)
    assert (job.state, len(rows)) == ("done", 18) and job.request is not None
    assert set(job.request.dropped) == {"max_tokens", "max_completion_tokens"}


def test_a_trial_says_that_nothing_followed_the_reasoning(thinker: VllmServer) -> None:
    connection = Connection((f"{thinker.url}/v1",))
    item = Item(0, "a", "What is 2 + 3?", kind="number")
    spec = JobSpec("0" * 64, thinker.model, connection, sampling=Sampling(k=2, max_tokens=60, thinking="on"))
    (trial,) = try_out(spec, item)
    assert "no answer followed" in trial.thinking_note() and not trial.refused
    (trial,) = try_out(
        JobSpec("0" * 64, thinker.model, connection, sampling=Sampling(max_tokens=60, thinking="off")), item
    )
    assert trial.thinking_note() == "The answer began without reasoning." and "tokens of answers" in trial.forecast(
        spec, 9
    )


def test_a_server_without_a_parser_refuses_a_budget(store: Store, neyman_home: Path, serve: Serve) -> None:
    job, rows = sampled(
        store, neyman_home, serve("surrogate"), thinking="on", extra='{"thinking_token_budget": 8}', max_tokens=60
    )
    assert (job.state, len(rows)) == ("done", 18) and job.request is not None
    assert set(job.request.dropped) == {"thinking_token_budget"}
