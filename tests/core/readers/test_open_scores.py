"""Scores that are missing stay unknown: words are not compared in their place."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.pool.writing import write
from core.readers import Shape, read, read_mapped, read_results

N = 20


def mapped(score: Any, as_table: bool = False) -> Pool:
    """Read N items, of which the odd ones have this score, the first one 0 and the others 1."""
    said = {"expected": "yes sure", "output": "yes surely"}
    rows = [{"id": n, "question": f"What is {n} now?", **said, "correct": int(n > 0)} for n in range(N)]
    rows = [row | ({"correct": score} if row["id"] % 2 else {}) for row in rows]
    content = "\n".join(map(json.dumps, rows))
    if as_table:
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        content = text.getvalue()
    return read_mapped(content.encode(), Shape.of(content.encode(), "m").guess, "m")


def inspect(values: list[Any], scorer: str = "m") -> bytes:
    samples = [
        {
            "id": number,
            "epoch": 1,
            "input": f"Q{number}",
            "target": "Paris",
            "output": {"completion": "It is Paris."},
            "scores": {scorer: {"value": value}},
        }
        for number, value in enumerate(values)
    ]
    header = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
    return json.dumps({**header, "results": {}, "samples": samples}).encode()


@pytest.mark.parametrize(("score", "as_table"), [("n/a", True), ("", True), (None, False), (float("nan"), False)])
def test_a_missing_score_of_a_mapped_field_stays_unknown_and_the_sentence_counts_the_others(
    score: Any, as_table: bool
) -> None:
    pool = mapped(score, as_table)
    assert np.isnan(pool.losses("m")).tolist() == [False, True] * (N // 2)
    assert any("m has 90\xa0% of 10 items right" in note for note in pool.notes)


@pytest.mark.parametrize("values", [["C", None] * 3, [1, 7, 10], ["A", "B", "A"]])
def test_an_output_that_a_scorer_left_open_is_not_compared(values: list[Any]) -> None:
    pool = read(inspect(values), "log.json")
    assert [None if loss != loss else loss for loss in pool.losses("m")] == [
        0 if one == "C" else None for one in values
    ]
    assert pool.items["answer"].tolist() == ["Paris"] * len(values)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_open_scores_stay_open_when_the_pool_is_written_read_and_put_together(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pool{suffix}"
    pool = mapped("n/a")
    write(pool.table, path)
    again = read(path)
    assert again.digest == pool.digest
    results = read_results({path.name: path})
    joined = results.pool([], ["m"])
    for one in (again, joined):
        np.testing.assert_array_equal(one.losses("m"), pool.losses("m"))
    assert results.accuracy == (0.9,)


def test_outputs_that_nobody_scored_are_compared_as_ever() -> None:
    rows = [{"id": str(n), "answer": "4", "targets": {"m": {"text": str(n)}}} for n in range(3, 6)]
    pool = read("\n".join(map(json.dumps, rows)).encode(), "m")
    assert pool.losses("m").tolist() == [1, 0, 1]


def test_a_mark_that_is_no_truth_value_is_named_with_its_row() -> None:
    row = {"id": "a", "answer": "4", "targets": {"m": {"text": "4", "unscored": "perhaps"}}}
    with pytest.raises(PoolError, match="“perhaps” is not true or false"):
        read(json.dumps(row).encode(), "m")
