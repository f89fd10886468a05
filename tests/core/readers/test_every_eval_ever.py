"""Records of every_eval_ever."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results
from tests.core.readers.json_lines import lines


def instance(name: str, texts: list[str], score: float, **other: Any) -> dict[str, Any]:
    marked = {"turn_idx": 0, "source": "output.raw", "extraction_method": "regex", "is_terminal": True}
    return {
        "schema_version": "0.2.2",
        "evaluation_id": "e",
        "model_id": "org/m",
        "evaluation_name": "colours",
        "sample_id": name,
        "interaction_type": "single_turn",
        "input": {"raw": f"Which {name}?", "reference": ["blue"], "choices": ["red", "blue"]},
        "output": {"raw": texts},
        "messages": None,
        "answer_attribution": [{**marked, "extracted_value": text} for text in texts],
        "evaluation": {"score": score, "is_correct": score > 0.5},
        "metadata": {"subject": "art"},
        **other,
    }


def test_records_of_every_eval_ever() -> None:
    content = lines(
        instance("a", ["B", "red"], 1.0), instance("b", ["A", "A"], 0.0),
        instance("a", ["B", "red"], 0.0, evaluation_result_id="f1"),
        instance("a", ["B"], 1.0, evaluation_name="shades", input={"raw": "Other?", "reference": []}),
    )  # fmt: skip
    pool = read_results({"x_samples.jsonl": content}).pool(["org/m"], [])
    assert pool.items.index.tolist() == ["colours:a", "colours:b", "shades:shades:a"]
    assert pool.answers() == [["B", "A"], ["A", "A"], ["B"]] and pool.items["answer"].tolist()[:2] == ["B", "B"]
    assert any("“colours f1”" in note for note in pool.notes)
    results = read_results({"x": lines(instance("a", ["B"], 1.0), instance("b", ["A"], 0.0))})
    assert results.accuracy == (0.5,) and results.pool([], ["org/m"]).losses("org/m").tolist() == [0, 1]


def test_answers_that_a_tool_has_read_are_right_however_they_are_spelled() -> None:
    given = {"raw": "Which?", "reference": ["Dark Blue"], "choices": None}
    said = [instance(name, [text], 2.0, input=given) for name, text in (("a", "dark blue."), ("b", "Red"))]
    for one in said:
        one["evaluation"] = {"score": None, "is_correct": None}
        one["output"] = {"raw": ["I say: " + one["answer_attribution"][0]["extracted_value"]]}
    results = read_results({"s.jsonl": lines(*said)})
    assert results.accuracy == (0.5,) and results.pool([], ["org/m"]).losses("org/m").tolist() == [0, 1]


def test_conversations_of_every_eval_ever_end_with_the_answer_and_totals_have_no_items() -> None:
    talk = [
        {"turn_idx": n, "role": role, "content": text}
        for n, (role, text) in enumerate([("user", "?"), ("assistant", "B"), ("tool", "x"), ("assistant", "A")])
    ]
    pool = read(lines(instance("a", [], 0.0, output=None, messages=talk)))
    assert pool.targets["org/m"].texts == ["A"]
    totals = {"schema_version": "0.2.2", "evaluation_id": "e", "evaluation_results": [], "model_info": {"id": "m"}}
    with pytest.raises(PoolError, match="no items"):
        read(json.dumps(totals, indent=2).encode())
    with pytest.raises(PoolError) as caught:
        read(lines(instance("a", ["B"], 1.0), instance("b", ["B"], 1.0, input=None)))
    assert [problem.row for problem in caught.value.problems] == [2]
