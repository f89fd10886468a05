"""The demo pool that the repository carries: complete, readable, and as accurate as its README says it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from core.answers import parse
from core.pool import Pool
from core.readers import read

DATA = Path(__file__).resolve().parents[2] / "data"
MODELS = ("surrogate", "target")


@pytest.fixture(scope="module")
def pool() -> Pool:
    return read(DATA / "demo.jsonl.gz")


@pytest.fixture(scope="module")
def truth(pool: Pool) -> list[str]:
    return [parse(answer, kind) for answer, kind in zip(pool.items["answer"], pool.items["answer_kind"], strict=True)]


def test_three_thousand_items_with_ten_generations_each(pool):
    assert pool.n_items == len(set(pool.items.index)) == 3000
    assert {len(row) for row in pool.generations} == {10}
    assert pool.notes == ()
    assert pool.items["prompt"].is_unique and pool.items["group"].nunique() == 10
    assert (DATA / "demo.jsonl.gz").stat().st_size < 4_000_000


def test_log_probabilities_are_finite_and_agree_with_each_other(pool):
    total, mean = pool.logprobs, pool.token_logprobs
    assert total.shape == mean.shape == (3000, 10)
    assert np.isfinite(total).all() and np.isfinite(mean).all() and (total <= 0).all()
    tokens = np.array([[len(text.encode()) + 1 for text in row] for row in pool.generations])  # bytes and the end token
    np.testing.assert_allclose(mean * tokens, total, atol=0.01)


def test_equal_texts_of_an_item_have_equal_log_probabilities(pool):
    for texts, scores in zip(pool.generations, pool.logprobs, strict=True):
        logprobs: dict[str, float] = {}
        for text, score in zip(texts, scores, strict=True):
            assert logprobs.setdefault(text, score) == pytest.approx(score, abs=0.01)


def test_the_surrogate_is_right_on_40_to_70_percent_and_almost_always_parsed(pool, truth):
    answers = pool.answers()
    right = np.mean([answer == true for row, true in zip(answers, truth, strict=True) for answer in row])
    unparsed = np.mean([answer is None for row in answers for answer in row])
    agreeing = (pool.classes() == 0).all(axis=1).mean()
    print(f"surrogate right {right:.1%}, unparsed {unparsed:.2%}, SE = 0 on {agreeing:.1%} of the items")
    assert 0.40 <= right <= 0.70
    assert unparsed < 0.05
    assert 0.15 <= agreeing <= 0.75


def test_the_target_is_right_on_75_to_95_percent(pool):
    (name,) = pool.targets
    losses = pool.losses(name)
    print(f"{name} right {1 - losses.mean():.1%}")
    assert set(np.unique(losses)) == {0.0, 1.0}
    assert 0.05 <= losses.mean() <= 0.25


def test_the_readme_states_what_the_pool_has(pool, truth):
    row = next(line for line in (DATA / "README.md").read_text().splitlines() if line.startswith("| All |"))
    stated = [float(value) for value in re.findall(r"[\d.]+", row)]
    (name,) = pool.targets
    surrogate = np.mean([a == t for row, t in zip(pool.answers(), truth, strict=True) for a in row])
    figures = [3000, 100 * surrogate, 100 * (1 - pool.losses(name).mean())]
    assert stated[:3] == pytest.approx(figures, abs=0.051)


@pytest.mark.parametrize("model", MODELS)
def test_the_checkpoints_are_what_servers_expect(model):
    folder = DATA / "tiny_lm" / model
    settings = json.loads((folder / "config.json").read_text())
    assert settings["architectures"] == ["Qwen2ForCausalLM"] and settings["tie_word_embeddings"] is True
    assert settings["hidden_size"] == 64 * settings["num_attention_heads"]
    assert settings["vocab_size"] == 260
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    assert tokenizer["model"]["type"] == "BPE" and tokenizer["model"]["merges"] == []
    assert len(tokenizer["model"]["vocab"]) == 256
    assert [token["id"] for token in tokenizer["added_tokens"]] == [256, 257, 258, 259]
    assert "<|user|>" in json.loads((folder / "tokenizer_config.json").read_text())["chat_template"]
    assert (folder / "model.safetensors").stat().st_size < 5_000_000
