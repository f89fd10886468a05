"""The demo's models, served by vLLM, answer as they did when the demo pool was made."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from core.answers import parse
from tests.conftest import ROOT
from tests.vllm.conftest import Serve

DEMO = ROOT / "data" / "demo.jsonl.gz"
N_ITEMS = 100
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
    return pool[:: len(pool) // N_ITEMS][:N_ITEMS]


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
