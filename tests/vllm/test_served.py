"""A vLLM server that others started: the demo's models answer as when the demo was made, and runs ask it everything."""

from __future__ import annotations

import gzip
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answers import parse
from core.archive import Archive
from core.pool import Pool
from core.surrogate import control
from core.surrogate.client import http
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.parameters import VERDICT_SAMPLING, Connection, Grouping, Prompting, Sampling, Shot
from core.surrogate.job.progress import progress
from core.surrogate.job.source import Item
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.meaning import judged_meanings
from core.surrogate.trial import try_out
from core.surrogate.worker.run import run_job
from tests.conftest import ROOT
from tests.vllm.conftest import Serve
from tests.vllm.runs import CREATED, N_ITEMS, SAMPLING, compare, ended, every_sample, rows, spec_for, until

DEMO = ROOT / "data" / "demo.jsonl.gz"
N_ASKED = 100
PAPER = {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "max_tokens": 192, "logprobs": True}
USER, ASSISTANT = 257, 258


@dataclass(frozen=True, slots=True)
class Answers:
    """Samples of one model: their texts (N items of k), and the mean log-probability of the tokens of each, (N, k)."""

    texts: list[list[str]]
    token_logprobs: np.ndarray | None = None

    def parsed(self, items: list[dict[str, Any]]) -> list[list[str | None]]:
        return [[parse(t, item["answer_kind"]) for t in texts] for item, texts in zip(items, self.texts, strict=True)]

    def right(self, items: list[dict[str, Any]]) -> np.ndarray:
        """(N,) the share of each item's samples that are right."""
        truth = [parse(item["answer"], item["answer_kind"]) for item in items]
        return np.array(
            [np.mean([a == t for a in answers]) for answers, t in zip(self.parsed(items), truth, strict=True)]
        )


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    """Every so many items of the demo pool, so that all families of tasks are among them."""
    with gzip.open(DEMO, "rt", encoding="utf-8") as lines:
        pool = [json.loads(line) for line in lines]
    return pool[:: len(pool) // N_ASKED][:N_ASKED]


@pytest.fixture(scope="module")
def bundled(items: list[dict[str, Any]]) -> Answers:
    """The surrogate's samples as the demo pool has them."""
    return Answers([item["generations"] for item in items], np.array([item["token_logprobs"] for item in items]))


@pytest.fixture(scope="module")
def served(items: list[dict[str, Any]], serve: Serve) -> Answers:
    """Fresh samples of the surrogate from vLLM, ten of each item in one request."""
    server = serve("surrogate")

    def ask(number: int) -> list[dict[str, Any]]:
        return list(server.chat(items[number]["prompt"], n=10, seed=number, **PAPER)["choices"])

    with ThreadPoolExecutor(16) as threads:
        values = list(threads.map(ask, range(len(items))))
    texts = [[choice["message"]["content"] for choice in choices] for choices in values]
    logprobs = [[np.mean([t["logprob"] for t in c["logprobs"]["content"]]) for c in choices] for choices in values]
    return Answers(texts, np.array(logprobs))


@pytest.mark.parametrize("model", ["surrogate", "target"])
def test_prompt_is_tokenised_as_in_training(model: str, items: list[dict[str, Any]], serve: Serve) -> None:
    server = serve(model)
    questions = [item["prompt"] for item in items[::5]]
    # In training a prompt was the bytes of the question between two marks; byte-level BPE must not merge or drop any.
    spelled = [[USER, *question.encode(), ASSISTANT] for question in questions]
    chats = [[{"role": "user", "content": question}] for question in questions]
    assert [server.post("tokenize", {"messages": chat})["tokens"] for chat in chats] == spelled
    counted = [server.chat(question, max_tokens=1)["usage"]["prompt_tokens"] for question in questions]
    assert counted == [len(tokens) for tokens in spelled]


def test_nearly_every_sample_is_parsed(served: Answers, items: list[dict[str, Any]]) -> None:
    assert all(len(texts) == 10 for texts in served.texts)
    unparsed = np.mean([answer is None for answers in served.parsed(items) for answer in answers])
    assert unparsed < 0.05


def test_surrogate_is_right_as_often_as_in_the_demo(
    served: Answers, bundled: Answers, items: list[dict[str, Any]]
) -> None:
    ours, theirs = served.right(items), bundled.right(items)
    # Both have ten independent samples of the same chance p of being right, per item: a variance of p(1-p)/10 each.
    chance = (ours + theirs) / 2
    standard_error = np.sqrt(np.sum(2 * chance * (1 - chance) / 10)) / len(items)
    assert 0.2 < theirs.mean() < 0.9
    assert abs(ours.mean() - theirs.mean()) < 4 * standard_error


def test_log_probabilities_are_those_of_the_demo(served: Answers, bundled: Answers) -> None:
    # Of the model itself, before temperature, top-p and top-k, and with the end token: the demo has them so.
    assert served.token_logprobs is not None
    assert bundled.token_logprobs is not None
    gaps = served.token_logprobs.mean(axis=1) - bundled.token_logprobs.mean(axis=1)
    assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / np.sqrt(len(gaps))


def test_spaces_survive(served: Answers, bundled: Answers) -> None:
    texts = [text for texts in served.texts for text in texts]
    answers = [text for text in texts if "Answer:" in text]
    assert len(answers) > 0.9 * len(texts)
    assert [text for text in answers if "Answer: " not in text] == []
    spaces = [np.mean([text.count(" ") for samples in a.texts for text in samples]) for a in (served, bundled)]
    assert spaces[0] == pytest.approx(spaces[1], rel=0.1)


def test_target_is_right_as_often_as_in_the_demo(items: list[dict[str, Any]], serve: Serve) -> None:
    server = serve("target")
    with ThreadPoolExecutor(16) as threads:
        replies = list(threads.map(lambda item: server.chat(item["prompt"], seed=1, **PAPER)["choices"], items))
    ours = Answers([[choice["message"]["content"] for choice in choices] for choices in replies]).right(items)
    theirs = Answers([[t["text"] for t in item["targets"].values()] for item in items]).right(items)
    # One sample each: the squared difference of an item has the variance 2p(1-p) of that difference as its mean.
    standard_error = np.sqrt(np.sum((ours - theirs) ** 2)) / len(items)
    assert theirs.mean() > 0.6
    assert abs(ours.mean() - theirs.mean()) <= 4 * standard_error


def test_stored_log_probabilities_are_those_that_vllm_reports(
    store: Store, neyman_home: Path, demo: Pool, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies: list[bytes] = []
    read_reply = http.read_reply
    monkeypatch.setattr(http, "read_reply", lambda content, secrets: bodies.append(content) or read_reply(content))
    server = serve("surrogate")
    small = Pool("demo", demo.table.slice(0, 30))
    connection = Connection((f"{server.url}/v1",), concurrency=1)
    job = store.create(spec_for(small, neyman_home, model=server.model, connection=connection), 30)
    assert run_job(store, job, lambda line: None).state == "done"
    stored = rows(store)
    assert len(bodies) == 30
    # One request at a time, in the pool's order.
    for position, body in enumerate(map(json.loads, bodies)):
        assert len(body["choices"]) == SAMPLING.k
        for choice in body["choices"]:
            reported = [token["logprob"] for token in choice["logprobs"]["content"]]
            text, logprob, mean, tokens = stored[position, choice["index"]]
            assert text == choice["message"]["content"]
            assert tokens == len(reported) > 1
            assert logprob == pytest.approx(sum(reported), abs=1e-9)
            assert mean == pytest.approx(sum(reported) / len(reported), abs=1e-9)
    generated = pool_with(store, small, job)
    assert generated.logprobs is not None and demo.logprobs is not None
    # The same answer to the same question has the same log-probability in the demo, whose model this is.
    assert demo.generations is not None and generated.generations is not None
    pairs = [
        (generated.logprobs[i, s], demo.logprobs[i, list(demo.generations[i]).index(text)])
        for i, texts in enumerate(generated.generations)
        for s, text in enumerate(texts)
        if text in demo.generations[i]
    ]
    assert len(pairs) > 50
    assert np.median(np.abs(np.subtract(*np.transpose(pairs)))) < 0.01


def test_a_killed_worker_is_resumed_and_nothing_is_asked_twice_that_had_arrived(
    store: Store, neyman_home: Path, demo: Pool, serve: Serve
) -> None:
    server = serve("surrogate")
    connection = Connection((f"{server.url}/v1",), concurrency=8)
    job = control.start(store, spec_for(demo, neyman_home, model=server.model, connection=connection))
    until(store, job, lambda job_progress: job_progress.done >= 40)
    os.kill(store.row(job).pid, signal.SIGKILL)
    lost = until(store, job, ended)
    assert lost.state == "lost" and lost.done < N_ITEMS
    before = rows(store)
    control.resume(store, job)
    done = until(store, job, ended)
    assert (done.state, done.done, done.failed) == ("done", N_ITEMS, 0)
    after = rows(store)
    assert set(after) == every_sample()
    assert {key: after[key] for key in before} == before
    assert done.requests == N_ITEMS
    compare(pool_with(store, demo, job), demo)


def test_vllm_holds_answers_to_letters_and_continues_texts(serve: Serve) -> None:
    server = serve("surrogate")
    connection = Connection((f"{server.url}/v1",))
    item = Item(0, "a", "What is 2 + 3?", ("five", "six", "nine"), "gpqa")
    plain = JobSpec("0" * 64, server.model, connection, sampling=Sampling(k=2, presence_penalty=0.0, max_tokens=40))
    (limited,) = try_out(replace(plain, prompting=Prompting(letters_only=True)), item)
    assert limited.text in ("Answer: A", "Answer: B", "Answer: C") and limited.text.endswith(limited.answer or "?")
    assert {"structured_outputs", "n", "logprobs", "seed"} <= set(limited.taken) and not limited.refused
    shown = Prompting(base_model=True, shots=(Shot("What is 1 + 1?", "2"),))
    (continued,) = try_out(replace(plain, prompting=shown), replace(item, choices=(), kind="number"))
    assert not continued.error and "logprobs" in continued.taken


def test_a_real_judge_groups_answers(store: Store, neyman_home: Path, serve: Serve) -> None:
    server = serve("surrogate")
    records = [{"id": str(i), "prompt": f"{i} + 1 =", "generations": ["2", "two", "3", "2"]} for i in range(4)]
    pool = Pool.from_records(records, "open")
    # The model reads 256 bytes at most.
    prompting = Prompting(template="{question} {first} or {second}?", letters_only=True)
    connection = Connection((f"{server.url}/v1",))
    digest = Archive(neyman_home).pools.save(pool, CREATED)
    spec = JobSpec(
        digest, server.model, connection, sampling=VERDICT_SAMPLING, prompting=prompting, grouping=Grouping()
    )
    expected = control.workload(pool, spec, store)
    job = store.create(spec, expected.requests)
    assert run_job(store, job, print).state == "done"
    # The model knows no meanings, but vLLM holds it to the three words.
    state = progress(store, job)
    said = {text for text, *_ in rows(store).values()}
    assert (state.done, state.unparsed, state.requests) == (24, 0, 24), said
    assert state.prompt_tokens + state.completion_tokens <= (expected.most_tokens or 0)
    assert judged_meanings(store, pool, spec).undecided == 0
    assert control.workload(pool, spec, store).requests == 0


def test_vllm_takes_everything_the_paper_sets(store: Store, neyman_home: Path, demo: Pool, serve: Serve) -> None:
    server = serve("surrogate")
    small = Pool("demo", demo.table.slice(0, 3))
    spec = JobSpec(
        Archive(neyman_home).pools.save(small, CREATED),
        server.model,
        Connection((f"{server.url}/v1",)),
        sampling=Sampling(max_tokens=64, seed=5),
    )
    job = store.create(spec, 3)
    assert run_job(store, job, lambda line: None).state == "done"
    state = progress(store, job)
    assert state.request is not None and state.request.dropped == {} and state.request.most == 10
    assert dict(state.request.parameters) == SAMPLING.parameters() | {"presence_penalty": 1.5, "max_tokens": 64}


def test_an_item_that_does_not_fit_is_recorded_and_the_run_goes_on(
    store: Store, neyman_home: Path, serve: Serve
) -> None:
    server = serve("surrogate")
    pool = Pool.from_records(
        [{"id": "long", "prompt": "What is 1 + 1? " * 400}, {"id": "short", "prompt": "What is 1 + 1?"}]
    )
    digest = Archive(neyman_home).pools.save(pool, CREATED)
    spec = JobSpec(digest, server.model, Connection((f"{server.url}/v1",)), sampling=SAMPLING)
    job = store.create(spec, 2)
    assert run_job(store, job, lambda line: None).state == "done with failures"
    state = progress(store, job)
    assert (state.done, state.failed) == (1, 1)
    with store.database.connection() as database:
        assert database.execute("SELECT position, kind FROM surrogate_failures").fetchall() == [(0, "too long")]


def test_an_unknown_model_is_told_in_one_sentence(store: Store, neyman_home: Path, demo: Pool, serve: Serve) -> None:
    server = serve("surrogate")
    spec = spec_for(demo, neyman_home, model="no-such-model", connection=Connection((f"{server.url}/v1",)))
    outcome = run_job(store, store.create(spec, N_ITEMS), lambda line: None)
    assert outcome.state == "failed"
    assert "does not know the model “no-such-model”" in outcome.error
