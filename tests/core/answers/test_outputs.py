"""Outputs of models beside the answer that a person reads: hardly any is unread, and none is read wrongly."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.answers import parse
from core.readers import read_mapped
from tests.core.readers.guessed import guess

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "cases"


def outputs_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def meant(case: dict[str, Any]) -> str | None:
    """The answer that a person reads, in the spelling of its kind."""
    truth = case["truth"]
    return truth if truth is None or case["kind"] == "choice" else parse(truth, case["kind"])


OUTPUTS = outputs_of(HERE / "outputs.jsonl")


@pytest.mark.parametrize("case", OUTPUTS, ids=[case["id"] for case in OUTPUTS])
def test_no_output_is_read_wrongly(case: dict[str, Any]) -> None:
    assert parse(case["text"], case["kind"], case["choices"]) in (meant(case), None)


@pytest.mark.parametrize(
    ("path", "least", "most_wrong"),
    [
        (CASES / "answers.jsonl", {"choice": 79, "number": 38, "text": 19}, {"choice": 1, "number": 2, "text": 2}),
        (HERE / "outputs.jsonl", {"choice": 232, "number": 193, "text": 175}, {}),
    ],
    ids=["cases", "outputs"],
)
def test_hardly_any_output_is_unread(path: Path, least: dict[str, int], most_wrong: dict[str, int]) -> None:
    right, wrong = Counter[str](), Counter[str]()
    for case in outputs_of(path):
        read = parse(case["text"], case["kind"], case["choices"])
        right[case["kind"]] += read == meant(case)
        wrong[case["kind"]] += read not in (meant(case), None)
    assert all(right[kind] >= number for kind, number in least.items()), right
    assert all(wrong[kind] <= most_wrong.get(kind, 0) for kind in wrong), wrong


@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        ("base_model_run_on.jsonl", 0.65),
        ("gpt_oss_harmony.jsonl", 0.65),
        ("math_thousands_outputs.jsonl", 1.0),
        ("yes_no.csv", 1.0),
    ],
)
def test_pools_of_such_outputs_have_the_right_accuracy(name: str, accuracy: float) -> None:
    content = (CASES / name).read_bytes()
    pool = read_mapped(content, guess(content), name)
    (target,) = pool.targets
    assert 1 - pool.losses(target).mean() == pytest.approx(accuracy)
