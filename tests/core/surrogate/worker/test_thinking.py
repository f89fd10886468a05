"""Models that think before they answer: what is told them, what is read of them, and what has no end."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.surrogate.client.replies import read_reply
from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import Prompting, Sampling
from core.surrogate.job.progress import cut_in_reasoning, failures, progress
from core.surrogate.job.source import Item
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.trial import try_out
from core.surrogate.worker.run import JobOutcome, run_job
from tests.core.surrogate.conftest import Fake, pool_of, spec_for
from tests.core.surrogate.specs import DIGEST

ITEM = Item(0, "i0", "What is item 0?", kind="number")


def rows(store: Store) -> list[tuple[Any, ...]]:
    with store.database.connection() as database:
        query = "SELECT position, sample, answer, text, reasoning, logprob FROM surrogate_generations ORDER BY 1, 2"
        return list(database.execute(query).fetchall())


def run(store: Store, spec: JobSpec, total: int) -> tuple[JobOutcome, str]:
    job = store.create(spec, total)
    return run_job(store, job, lambda line: None), job


@pytest.mark.parametrize(
    ("sampling", "fields"),
    [
        (Sampling(), {"max_tokens": 4096}),
        (Sampling(thinking="off"), {"max_tokens": 4096, "chat_template_kwargs": {"enable_thinking": False}}),
        (
            Sampling(thinking="on"),
            {
                "max_tokens": 16_384,
                "chat_template_kwargs": {"enable_thinking": True},
                "thinking_token_budget": 12_288,
            },
        ),
        (Sampling(thinking="on", max_tokens=2_000), {"max_tokens": 2_000}),
        (Sampling(thinking="on", max_tokens=None), {}),
        (Sampling(extra='{"max_completion_tokens": 70}'), {"max_completion_tokens": 70}),
        (
            Sampling(thinking="on", extra='{"thinking_token_budget": 9}'),
            {"max_tokens": 16_384, "thinking_token_budget": 9},
        ),
        (
            Sampling(thinking="off", extra='{"chat_template_kwargs": {"tools": 1}}'),
            {"max_tokens": 4096, "chat_template_kwargs": {"tools": 1, "enable_thinking": False}},
        ),
    ],
)
def test_thinking_and_its_limits_are_sent(sampling: Sampling, fields: dict[str, Any]) -> None:
    sent = sampling.parameters()
    assert fields.items() <= sent.items()
    for name in ("max_tokens", "thinking_token_budget"):
        assert (name in sent) == (name in fields) or name in json.loads(sampling.extra)
    assert ("chat_template_kwargs" in sent) == (sampling.thinking is not None)


def test_thinking_is_set_once_and_not_of_a_base_model() -> None:
    with pytest.raises(SurrogateError, match="set twice"):
        Sampling(thinking="on", extra='{"chat_template_kwargs": {"enable_thinking": false}}')
    with pytest.raises(SurrogateError, match="no chat template"):
        JobSpec(DIGEST, "m", sampling=Sampling(thinking="off"), prompting=Prompting(base_model=True))


@pytest.mark.parametrize("parser", [False, True])
@pytest.mark.parametrize("thinking", ["on", None])
def test_reasoning_that_the_limit_cuts_is_no_answer(
    thinking: Any, parser: bool, store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(thinks=True, cut={"1": [0, 2], "2": [0, 1, 2]}, reasoning_parser=parser, answers=1)
    outcome, job = run(store, spec_for(pool_of(3), neyman_home, server.url, k=3, thinking=thinking), 3)
    assert outcome == JobOutcome("done")
    cut = {(1, 0), (1, 2), (2, 0), (2, 1), (2, 2)}
    for position, sample, answer, text, reasoning, logprob in rows(store):
        assert reasoning == "I think it is 8, or B."
        assert (answer, text) == ((None, "") if (position, sample) in cut else ("0", "So it is.\nAnswer: 0"))
        # 19 characters, the blank lines before them and the end of the turn.
        assert logprob == (None if (position, sample) in cut else pytest.approx(-0.25 * 21))
    now = progress(store, job)
    assert (now.truncated, now.unparsed, cut_in_reasoning(store, job)) == (5, 5, 5)


def test_a_text_that_the_limit_cuts_is_read_if_nothing_was_thought(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(finish="length", answers=1)
    _, job = run(store, spec_for(pool_of(2), neyman_home, server.url, k=2, max_tokens=9), 2)
    assert {row[2] for row in rows(store)} == {"0"}
    assert (progress(store, job).truncated, cut_in_reasoning(store, job)) == (4, 0)


def test_a_half_done_run_of_an_earlier_version_is_read_as_it_began(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(thinks=True, cut={"1": [0]}, answers=1, reasoning_parser=False)
    values = json.loads(spec_for(pool_of(2), neyman_home, server.url, k=1, max_tokens=None).to_json())
    for name in ("thinking", "repetition_detection"):
        del values["sampling"][name]
    del values["rules"], values["seeds"]
    spec = JobSpec.from_json(json.dumps(values))
    assert (spec.rules, spec.sampling.repetition_detection, spec.sampling.max_tokens) == (1, False, None)
    _, job = run(store, spec, 2)
    (body, _) = server.stats()["bodies"]
    assert not {"max_tokens", "repetition_detection", "chat_template_kwargs"} & body.keys()
    (whole, cut) = rows(store)
    # All tokens: six words of reasoning, its end, and the answer.
    assert whole[5] == pytest.approx(-7.0 - 0.5 - 0.25 * 21) and cut[3] == "I think it is 8, or B."
    store.revise(job, replace(spec, rules=2))
    assert store.row(job).spec.rules == 1


TOKENS = [("Hm", -1.0), ("</think>", -1.0), ("Yes", -0.5), ("<|im_end|>", -0.5)]


@pytest.mark.parametrize(
    ("message", "tokens", "logprob"),
    [
        ({"content": "Hm</think>Yes"}, TOKENS, -1.0),
        ({"content": "Yes", "reasoning": "Hm"}, TOKENS, -1.0),
        ({"content": "Yes", "reasoning_content": "Hm"}, [("Hm", -1.0), *TOKENS[2:]], -1.0),
        # The name of the token that ends the turn has the letter too.
        ({"content": "e", "reasoning": "Hm"}, [("Hm", -1.0), ("e", -0.5), ("<|im_end|>", -0.5)], -1.0),
        (
            {"content": "x</th</think>B"},
            [("x", -1.0), ("</th", -2.0), ("</thi", -1.0), ("nk>", -1.0), ("B", -0.5)],
            -0.5,
        ),
        ({"content": None, "reasoning": "Hm"}, TOKENS[:1], None),
        ({"content": "Ω", "reasoning": "Hm"}, [("Hm", -1.0), ("\ufffd", -0.5), ("\ufffd", -0.5)], None),
        ({"content": "Yes"}, TOKENS[2:], -1.0),
    ],
)
def test_log_probabilities_are_those_of_the_answer(
    message: dict[str, Any], tokens: list[tuple[str, float]], logprob: float | None
) -> None:
    content = [{"token": token, "logprob": value} for token, value in tokens]
    body = {"choices": [{"message": message, "logprobs": {"content": content}}]}
    reply = read_reply(json.dumps(body).encode())
    (completion,) = reply.completions
    assert (completion.logprob, completion.tokens) == (logprob, len(tokens))
    assert reply.sums == (sum(value for _, value in tokens),)


@pytest.mark.parametrize(
    ("thinking", "behaviour", "note"),
    [
        (None, {}, "The answer began without reasoning."),
        (None, {"thinks": True}, "The answer began with reasoning."),
        ("on", {}, "The answer began with reasoning."),
        ("off", {"thinks": True}, "The answer began without reasoning."),
        ("on", {"cut": {"0": [0, 1]}}, "the token limit cut it there, so there is no answer"),
        ("on", {"refuse": {"chat_template_kwargs": "openai"}}, "without reasoning, although thinking is on"),
        ("on", {"reasoning_parser": True, "unfinished": True}, "no answer followed. If the model does not think"),
        ("off", {"content": "<think>So</think>Answer: {}"}, "with reasoning, although thinking is off"),
    ],
)
def test_a_trial_says_whether_the_answer_began_with_reasoning(
    thinking: Any, behaviour: dict[str, Any], note: str, neyman_home: Path, fake: Fake
) -> None:
    spec = spec_for(pool_of(3), neyman_home, fake(**behaviour).url, thinking=thinking)
    (trial,) = try_out(spec, ITEM)
    assert note in trial.thinking_note()


def test_a_trial_forecasts_tokens_and_time(neyman_home: Path, fake: Fake) -> None:
    (trial,) = try_out(spec_for(pool_of(3), neyman_home, fake(tokens=50).url), ITEM)
    spec = spec_for(pool_of(3), neyman_home, trial.url)
    # 16 at a time, as the job says; two samples took 100 tokens.
    said = replace(trial, seconds=4.0).forecast(spec, 3_000)
    assert "16 at a time" in said and "about 1,500,000 tokens of answers and 12.5 minutes" in said
    assert "122,880,000 tokens and 17.1 hours" in said
    unlimited = replace(spec, sampling=Sampling(max_tokens=None))
    assert "every answer" not in replace(trial, seconds=4.0).forecast(unlimited, 3_000)
    singly = replace(trial, seconds=4.0, samples=1, completion_tokens=50, refused={"n": "no"})
    assert "about 1,500,000 tokens of answers and 2.1 hours" in singly.forecast(spec, 3_000)
    assert replace(trial, error="no").forecast(spec, 3) == ""


def test_a_budget_for_thinking_is_left_out_where_it_is_refused(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(thinks=True, reasoning_parser=False)
    outcome, job = run(store, spec_for(pool_of(4), neyman_home, server.url, k=2, thinking="on"), 4)
    request = progress(store, job).request
    assert outcome == JobOutcome("done") and request is not None
    assert set(request.dropped) == {"thinking_token_budget"} and request.parameters["max_tokens"] == 16_384


def test_a_sample_without_an_end_costs_no_other(store: Store, neyman_home: Path, fake: Fake) -> None:
    endless = ["3", "10", "21"]
    server = fake(endless=endless, latency=0.01)
    spec = spec_for(pool_of(40), neyman_home, server.url, k=4)
    spec = replace(spec, connection=replace(spec.connection, timeout=0.7, concurrency=8))
    outcome, job = run(store, spec, 40)
    assert outcome == JobOutcome("done with failures")
    now = progress(store, job)
    assert (now.done, now.failed, now.generations) == (37, 3, 40 * 4 - 3)
    for place, failed in zip((3, 10, 21), failures(store, job), strict=True):
        assert (failed.position, failed.failure.kind, failed.failure.final) == (place, "timeout", False)
        assert re.match(r"1 sample of 4 did not end within 0\.7 s \(number [1-4]\)", failed.failure.message)
    # They were asked again after all others.
    asked = [body["messages"][-1]["content"] for body in server.stats()["bodies"] if "n" not in body]
    assert all(any(f"item {item}?" in text for item in endless) for text in asked)
    assert "n" in server.stats()["bodies"][39]
    # The next run asks for the samples that lack alone.
    server.behave(endless=[])
    before = len(server.stats()["bodies"])
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    assert len(server.stats()["bodies"]) == before + 3
    assert [row[:2] for row in rows(store)] == [(item, sample) for item in range(40) for sample in range(4)]


def test_time_outs_change_no_width(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(endless=[str(item) for item in range(0, 60, 10)], latency=0.05)
    spec = spec_for(pool_of(60), neyman_home, server.url, k=2)
    spec = replace(spec, connection=replace(spec.connection, timeout=0.3, concurrency=12))
    run(store, spec, 60)
    assert server.stats()["most_active"] >= 12


def test_an_item_that_leaves_no_room_for_the_limit_is_asked_without_it(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(context=4_000)
    outcome, job = run(store, spec_for(pool_of(5), neyman_home, server.url, k=2), 5)
    assert (outcome, progress(store, job).failed) == (JobOutcome("done"), 0)
    # The limit stays for items that leave room for it.
    request = progress(store, job).request
    assert request is not None and request.parameters["max_tokens"] == 4_096
