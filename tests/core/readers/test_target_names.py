"""What targets are called whose columns are chosen by hand."""

from __future__ import annotations

import pytest

from core.readers import target_names


@pytest.mark.parametrize("column", ["answer of gpt-small", "my model's answer", "model-v1", "results.gpt-4.output"])
def test_a_target_is_called_like_the_column_of_its_answers(column: str) -> None:
    assert target_names([{"text": column, "right": "ok"}], "versions", "versions.csv") == [column]


@pytest.mark.parametrize(
    "column",
    [
        *("answer", "Output", "response", "prediction", "completion", "model_answer", "modelOutput", "Antwort"),
        *("answer_1", "outputs[0].text", "LLM response", "final answer", "data.response", "messages[reply]"),
    ],
)
def test_a_column_that_says_nothing_leaves_a_single_target_the_name_of_the_file(column: str) -> None:
    assert target_names([{"text": column}], "versions", "versions.csv") == ["versions"]
    assert target_names([{"text": column}, {}], "versions", "versions.csv") == ["versions", "target 2"]


def test_two_targets_are_never_called_like_the_file() -> None:
    outcomes = [{"text": "answer"}, {"text": "model-v2"}, {"right": "correct"}]
    assert target_names(outcomes, "versions", "versions.csv") == ["answer", "model-v2", "correct"]


def test_a_single_target_keeps_the_model_that_a_column_names_and_the_file_if_it_has_a_score_alone() -> None:
    assert target_names([{"text": "said"}], "gpt-4o", "versions.csv") == ["gpt-4o"]
    assert target_names([{"right": "scores.match"}], "versions", "versions.csv") == ["versions"]
    assert target_names([{}], "versions", "versions.csv") == ["versions"]
