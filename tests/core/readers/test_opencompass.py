"""Predictions of OpenCompass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results
from tests.core.readers.json_lines import lines


def compass(*predictions: Any, **other: Any) -> bytes:
    rows = {
        str(place): {
            "origin_prompt": [{"role": "HUMAN", "prompt": f"What is {place % 2}?"}],
            "prediction": text,
            "gold": str(place % 2),
            **other,
        }
        for place, text in enumerate(predictions)
    }
    return json.dumps(rows, indent=4).encode()


def test_predictions_of_opencompass() -> None:
    results = read_results({"predictions/m/sums.json": compass("0", "x")})
    pool = results.pool([], ["m"])
    assert pool.targets["m"].texts == ["0", "x"] and pool.items["prompt"].tolist() == ["What is 0?", "What is 1?"]
    assert pool.items["answer"].tolist() == ["0", "1"]
    assert read(compass(["0", "1"], ["1", "1"])).answers() == [["0", "1"], ["1", "1"]]
    repeated = read(compass("0", "1", "0", "2"))
    assert repeated.answers() == [["0", "0"], ["1", "2"]]
    assert any("2 times" in note for note in repeated.notes)
    given = json.loads(compass("0", "x"))
    meanwhile = lines(*({"idx": int(place), **row} for place, row in given.items()))
    assert read_results({"predictions/m/sums.jsonl": meanwhile}).pool([], ["m"]).digest == pool.digest


def test_options_of_opencompass_and_conversations() -> None:
    options = {f"label: {letter}": {"testing input": "?", "prompt": letter, "PPL": 1.5} for letter in "AB"}
    rows = {"0": {"origin_prompt": "Which?", **options, "prediction": "B", "gold": "A"}}
    pool = read(json.dumps(rows).encode(), "m")
    assert pool.targets["m"].answers == ["B"] and pool.items["answer"].tolist() == ["A"]
    talk = [[{"role": "HUMAN", "prompt": f"And {n}?"}] for n in (1, 2)]
    rounds = {"0": {"gold": ["1", "2"], "prediction": ["one", "two"], "origin_prompt": talk}}
    pool = read(json.dumps(rows | {"0": rounds["0"]}).encode(), "m")
    assert pool.targets["m"].texts == ["two"] and pool.items.loc["0", ["prompt", "answer"]].tolist() == ["And 2?", "2"]


@pytest.mark.parametrize(
    ("content", "row"),
    [
        (json.dumps({"0": {"prediction": "x"}, "1": {}}).encode(), 2),
        (b'{"0": {"prediction": "x"}', None),
    ],
)
def test_damaged_files_of_opencompass_are_refused(content: bytes, row: int | None) -> None:
    with pytest.raises(PoolError) as caught:
        read(content)
    assert caught.value.problems[0].row == row
