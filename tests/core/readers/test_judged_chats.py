"""Grades and preferences of judges: MT-bench and AlpacaEval."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from core.readers import read_outputs, read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.scored import LOGS, NUMBERS, QUESTIONS, losses_of, results_of
from tests.core.readers.toy import ITEMS, right, text


def test_a_grade_of_mt_bench_counts_as_its_tenth() -> None:
    results = results_of("mt_bench_single.jsonl")
    # The judge gives 10 to a right answer, 2 to another, and none to the last question's.
    given = {
        model: [10 if right(number, sample + 2 * turn) else 2 for turn in (0, 1) for number in NUMBERS[:-1]]
        for model, sample in (("toy", 0), ("toy-again", 1))
    }
    accuracy = dict(zip(results.models, results.accuracy, strict=True))
    assert accuracy == {model: pytest.approx(sum(some) / len(some) / 10) for model, some in given.items()}
    assert any("no score" in note and "4" in note for note in results.notes)


def test_questions_answers_and_references_of_mt_bench_are_those_that_the_judge_saw() -> None:
    pool = results_of("mt_bench_single.jsonl").pool(["toy", "toy-again"], [])
    ids = [f"{80 + number}:{turn}" for turn in (1, 2) for number in NUMBERS]
    rows = {row["id"]: row for row in pool.table.to_pylist()}
    assert sorted(rows) == sorted(ids)
    for number, item in enumerate(ITEMS, start=1):
        first, second = rows[f"{80 + number}:1"], rows[f"{80 + number}:2"]
        assert first["prompt"] == item["question"] and second["prompt"] == f"{item['question']}\n\nAre you sure?"
        assert first["generations"] == [text(number, 0), text(number, 1)]
        assert second["generations"] == [text(number, 2), text(number, 3)]
        reference = f"ANSWER: {item['answer']}" if number % 2 else None
        assert (first["reference"], second["reference"]) == (reference, reference)


def pair(question: int, first: str, second: str, **other: Any) -> dict[str, Any]:
    winners = {"g1_winner": first, "g2_winner": second}
    return {"question_id": question, "model_1": "a", "model_2": "b", **winners, "judge": ["j", "p"], "turn": 1, **other}


def test_pairs_of_mt_bench_are_shares_of_wins() -> None:
    log = [json.loads(line) for line in (LOGS / "mt_bench_pair.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = [
        0.5 if one["g1_winner"] != one["g2_winner"] else float(one["g1_winner"] == "model_1")
        for one in log
    ]  # fmt: skip
    results = results_of("mt_bench_pair.jsonl")
    assert results.models == ("toy",) and results.accuracy == (pytest.approx(sum(expected) / len(expected)),)
    content = lines(
        pair(1, "model_1", "model_1"), pair(2, "model_2", "model_2"), pair(3, "model_1", "model_2"),
        pair(4, "tie", "model_1"), pair(5, "tie", "tie"), pair(6, "error", "model_1"),
    )  # fmt: skip
    assert losses_of(content) == [0, 1, 0.5, 0.5, 0.5, None]
    several = lines(pair(1, "model_1", "model_1"), pair(1, "model_2", "model_2", model_2="c"))
    assert read_results({"log": several}).models == ("a against b", "a against c")


def test_grades_of_other_judges_are_left_out_and_other_scales_unknown() -> None:
    single = {"question_id": 1, "model": "m", "judge": ["j", "p"], "user_prompt": "?", "judgment": "", "turn": 1}
    outputs = read_outputs(lines({**single, "score": 8}, {**single, "score": 1, "judge": ["k", "p"]}), "log")
    assert outputs.table.column("loss").to_pylist() == [pytest.approx(0.2)]
    assert any("by judges other than “j”" in note for note in outputs.notes)
    assert losses_of(lines({**single, "score": 80})) == [None]


def test_preferences_of_alpaca_eval_are_shares_of_wins() -> None:
    results = results_of("alpaca_eval.json")
    pairs = [(right(number, 0), right(number, 1)) for number in NUMBERS]
    wins = [{(True, True): 0.5, (True, False): 1.0, (False, True): 0.0}.get(one) for one in pairs]
    losses = results.pool([], ["toy"]).losses("toy")
    assert np.array_equal(losses, [np.nan if win is None else 1 - win for win in wins], equal_nan=True)
    assert results.pool([], ["toy"]).items["prompt"].tolist() == QUESTIONS
    assert results.pool([], ["toy"]).targets["toy"].texts == [text(number, 0) for number in NUMBERS]
    assert any("“toy-again”" in note for note in results.notes)


def test_weighted_preferences_draws_and_outputs_alone() -> None:
    row = {"output_1": "a", "output_2": "b", "generator_1": "base", "generator_2": "m"}
    rows = [{**row, "instruction": str(n), "preference": one} for n, one in enumerate((1.25, 0, 2, None, 7))]
    assert losses_of(json.dumps(rows).encode()) == [0.75, 0.5, 0, None, None]
    outputs = [{"instruction": str(n), "output": "b", "generator": "m"} for n in range(2)]
    results = read_results({"outputs.json": json.dumps(outputs).encode()})
    assert results.models == ("m",) and results.samples == (1,) and results.accuracy[0] != results.accuracy[0]
