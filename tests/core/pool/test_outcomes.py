"""How the pool reads outcomes: the loss, or else the answer, or else the text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.errors import DesignError
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
