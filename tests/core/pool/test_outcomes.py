"""How the pool reads outcomes: the loss, or else the answer, or else the text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import DesignError, PoolError
from core.readers import read
from tests.core.pool.conftest import pool_of


@pytest.mark.parametrize(
    ("outcome", "loss"),
    [
        ({"loss": 0.25, "answer": "B", "text": "B"}, 0.25),
        ({"answer": "B", "text": "A"}, 1.0),
        ({"answer": "A"}, 0.0),
        ({"answer": "blue"}, 1.0),
        ({"text": "The answer is (A)."}, 0.0),
        ({"text": "No idea"}, 1.0),
        ({"loss": True}, 1.0),
        ({}, np.nan),
    ],
)
def test_loss_wins_over_answer_and_answer_over_text(outcome: dict[str, Any], loss: float) -> None:
    item = {"answer": "A", "choices": ["red", "blue"], "answer_kind": "choice"}
    pool = pool_of({**item, "targets": {"m": outcome}}, {**item, "targets": {"m": {"loss": 0}}})
    np.testing.assert_array_equal(pool.losses("m"), [loss, 0])


def test_the_truth_of_a_choice_may_be_the_text_of_an_option() -> None:
    item = {"choices": ["red", "blue"], "answer_kind": "choice", "answer": "blue"}
    assert pool_of({**item, "targets": {"m": {"answer": "B"}}}).losses("m").tolist() == [0]


def test_without_a_readable_truth_the_loss_is_unknown() -> None:
    pool = pool_of(
        {"answer": "18", "targets": {"m": {"answer": "18"}}, "answer_kind": "number"},
        {"targets": {"m": {"answer": "18"}}, "answer_kind": "number"},
        {"answer": "unknown", "targets": {"m": {"answer": "18"}}, "answer_kind": "number"},
    )
    np.testing.assert_array_equal(pool.losses("m"), [0, np.nan, np.nan])


def test_a_parser_may_be_named_for_truths_and_outputs() -> None:
    pool = pool_of({"answer": "#### 18", "targets": {"m": {"text": "So it is 18.0"}}})
    assert pool.losses("m").tolist() == [1]
    assert pool.losses("m", "number").tolist() == [0]
    with pytest.raises(DesignError, match="no answer kind “roman”"):
        pool.losses("m", "roman")


def test_a_benchmarks_truth_is_a_bare_letter() -> None:
    item = {"answer": "A", "answer_kind": "gpqa", "choices": ["x", "y", "z", "w"]}
    pool = pool_of(
        {**item, "targets": {"m": {"answer": "A"}}},
        {**item, "targets": {"m": {"text": "Answer: A"}}},
        {**item, "targets": {"m": {"text": "A"}}},
    )
    assert pool.losses("m").tolist() == [0, 0, 1]


def classes_of(record: dict[str, Any], parser: str | None = None) -> tuple[list[int], int]:
    pool = pool_of(record)
    return pool.classes(parser)[0].tolist(), int(pool.target_classes("m", parser)[0])


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ({"answer": "B"}, 0),
        ({"answer": "green"}, 1),
        ({"answer": "A", "text": "B"}, 3),
        ({"text": "The answer is (C)."}, 1),
        ({"text": "no idea"}, 2),
        ({"answer": "D"}, 3),
        ({"answer": ""}, 2),
        ({"loss": 1}, -1),
    ],
)
def test_the_class_of_a_target_s_answer(outcome: dict[str, Any], expected: int) -> None:
    item = {"choices": ["red", "blue", "green", "grey"], "answer_kind": "choice"}
    item["generations"] = ["B", "C", "none of these", "The answer is (B)"]
    assert classes_of({**item, "targets": {"m": outcome}}) == ([0, 1, 2, 0], expected)


def test_classes_of_a_target_follow_the_parser() -> None:
    item = {"generations": ["it is 7.0", "8"], "targets": {"m": {"answer": "$7"}}}
    assert classes_of(item) == ([0, 1], 2)
    assert classes_of(item, "number") == ([0, 1], 0)


def test_parsed_generations_meet_the_target_s_answer() -> None:
    item = {"choices": ["x", "y"], "answer_kind": "mmlu-pro", "generations": ["So B.", "?"]}
    item["generation_answers"] = ["B", None]
    assert classes_of({**item, "targets": {"m": {"answer": "B"}}}) == ([0, 1], 0)
    assert classes_of({**item, "targets": {"m": {"text": "?"}}}) == ([0, 1], 1)


def test_answers_that_a_tool_has_read_meet_those_of_the_target_however_they_are_spelled() -> None:
    def item(kind: str, read: list[str | None], answer: str) -> dict[str, Any]:
        outcome = {"targets": {"m": {"answer": answer}}}
        return {"answer_kind": kind, "generations": ["x"] * 3, "generation_answers": read, **outcome}

    pool = pool_of(
        item("text", ["Rome", "Paris", None], "PARIS"),
        item("number", ["1,000", "7", "1e3"], "1000"),
        item("text", ["Rome", None, "?"], "!"),
    )
    assert pool.target_classes("m").tolist() == [1, 0, 1]
    assert pool.agreeing("m").tolist() == [1, 1, 1]


def test_meanings_decide_the_classes_unless_a_parser_is_named() -> None:
    item = {"generations": ["Paris", "the city of Paris", "Rome"], "generation_answers": ["x", "y", "z"]}
    item["meanings"] = ["Paris", "Paris", None]
    pool = pool_of(
        {**item, "targets": {"m": {"text": "It is Paris", "meaning": "Paris"}, "other": {"text": "y"}}},
        {"generations": ["Paris", "Rome", "Rome"], "targets": {"m": {"text": "Rome", "meaning": "Paris"}}},
    )
    assert pool.classes().tolist() == [[0, 0, 1], [0, 1, 1]]
    assert pool.classes("as-is").tolist() == [[0, 1, 2], [0, 1, 1]]
    assert pool.answers()[0] == ["Paris", "Paris", None]
    # The second item's meanings are gone, and with them the one of the target's answer.
    assert pool.target_classes("m").tolist() == [0, 1]
    # What no judge has placed is found among the answers as they are spelled.
    assert pool.target_classes("other").tolist() == [0, -1]
    assert pool.target_classes("m", "as-is").tolist() == [3, 1]


def test_items_without_generations_or_answers_have_classes_too() -> None:
    pool = pool_of(
        {"generations": ["A", "B"], "targets": {"m": {"answer": "B"}}},
        {"targets": {"m": {"answer": "B"}}},
        {"generations": ["A"]},
    )
    assert pool.target_classes("m").tolist() == [1, 0, -1]
    assert not pool.target_classes("m").flags.writeable


def test_classes_of_a_target_need_the_target_and_generations() -> None:
    with pytest.raises(PoolError, match="no target “x”"):
        pool_of({"generations": ["A"]}).target_classes("x")
    with pytest.raises(PoolError, match="no generations"):
        pool_of({"targets": {"m": {"answer": "B"}}}).target_classes("m")


@pytest.mark.parametrize("file", ["exams-gpt35-k10.jsonl", "gsm8k-committee10.jsonl", "blink-vlm-committee10.jsonl"])
def test_equal_answers_are_one_class_on_real_pools(real_pool: Callable[[str], Path], file: str) -> None:
    pool = read(real_pool(file))
    for name, target in pool.targets.items():
        answers, classes = target.answers, pool.target_classes(name)
        assert answers is not None
        for row, given, answer, label in zip(pool.classes(), pool.answers(), answers, classes, strict=True):
            same = [(answer or "").strip() == (other or "") for other in given]
            assert [c == label for c in row if c >= 0] == same or answer is None
