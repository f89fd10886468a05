"""Logs that the tools themselves have written (``write_logs``) are read back exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.readers import ModelResults, read_results
from tests.core.readers.toy import ITEMS, SAMPLES, letter, right, text

LOGS = Path(__file__).parent / "fixtures" / "tools"
NUMBERS = range(1, len(ITEMS) + 1)
PLACES = [str(number - 1) for number in NUMBERS]
IDS = [item["id"] for item in ITEMS]


def results_of(name: str) -> ModelResults:
    return read_results({name: LOGS / name})


@pytest.mark.parametrize(
    ("name", "model", "ids"),
    [
        ("lm_eval_toy_texts.jsonl", "lm_eval_toy_texts", PLACES),
        ("inspect.eval", "mockllm/model", IDS),
        ("inspect.json.gz", "mockllm/model", IDS),
        ("promptfoo.json.gz", "toy", IDS),
        ("promptfoo.jsonl.gz", "toy", IDS),
        ("promptfoo.csv.gz", "toy", IDS),
        ("lighteval.parquet", "lighteval", PLACES),
        ("evalscope_reviews.jsonl", "toy", IDS),
    ],
)
def test_ids_samples_answers_and_scores(name: str, model: str, ids: list[str]) -> None:
    results = results_of(name)
    assert results.models == (model,) and results.samples == (SAMPLES,)
    assert results.accuracy == (sum(right(number, 0) for number in NUMBERS) / len(ITEMS),)
    pool = results.pool([model], [])
    assert pool.items.index.tolist() == ids
    assert pool.generations == [[text(number, sample) for sample in range(SAMPLES)] for number in NUMBERS]
    assert pool.answers() == [[letter(number, sample) for sample in range(SAMPLES)] for number in NUMBERS]
    pairs = zip(pool.items["prompt"], ITEMS, strict=True)
    assert all(prompt.startswith(item["question"]) for prompt, item in pairs)
    assert pool.items["answer"].tolist() == [item["answer"] for item in ITEMS]
    losses = results.pool([], [model]).losses(model)
    assert losses.tolist() == [float(not right(number, 0)) for number in NUMBERS]


def test_a_data_set_that_opencompass_asked_several_times_over() -> None:
    pool = results_of("opencompass.json").pool(["opencompass"], [])
    assert pool.items.index.tolist() == PLACES and pool.items["answer"].tolist() == [item["answer"] for item in ITEMS]
    assert pool.generations == [[text(number, sample) for sample in range(SAMPLES)] for number in NUMBERS]
    assert pool.answers() == [[letter(number, sample) for sample in range(SAMPLES)] for number in NUMBERS]
    assert pool.items["prompt"].tolist() == [item["question"] for item in ITEMS]


def test_predictions_of_evalscope_have_the_texts_of_its_reviews() -> None:
    files = {f"{kind}/toy/numbers.jsonl": LOGS / f"evalscope_{kind}.jsonl" for kind in ("predictions", "reviews")}
    both = read_results(files)
    assert both.models == ("toy",) and both.pool(["toy"], []).answers() == [
        [letter(number, sample) for sample in range(SAMPLES)] for number in NUMBERS
    ]
    alone = results_of("evalscope_predictions.jsonl").pool(["toy"], [])
    assert alone.items.index.tolist() == IDS and alone.generations == both.pool(["toy"], []).generations


def test_the_likeliest_options_of_lm_eval_are_right_where_it_says_so() -> None:
    name = "lm_eval_toy_options.jsonl"
    lines = [json.loads(line) for line in (LOGS / name).read_text(encoding="utf-8").splitlines()]
    pool = results_of(name).pool([], [name.removesuffix(".jsonl")])
    answers = pool.targets[name.removesuffix(".jsonl")].answers
    assert answers is not None and len(lines) == len(ITEMS)
    assert [answer == item["answer"] for answer, item in zip(answers, ITEMS, strict=True)] == [
        line["acc"] == 1 for line in sorted(lines, key=lambda line: line["doc_id"])
    ]
    assert pool.table.column("choices").to_pylist() == [item["choices"] for item in ITEMS]
