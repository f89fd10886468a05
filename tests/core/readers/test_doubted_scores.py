"""Scores that say the same wherever they say anything: they are asked for, and their columns are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.pool import Pool
from core.readers import Shape, read, read_mapped, read_or_shape
from tests.core.readers.guessed import lines, table

ANSWERED = [{"id": n, "prompt": f"What is {n}?", "answer": f"It is {n}."} for n in range(32)]


def doubted(content: bytes) -> tuple[Shape, Pool]:
    """Return what the mapper is asked about a file, and the pool by its guess."""
    shape = read_or_shape(content, "m")
    assert isinstance(shape, Shape)
    return shape, read_mapped(content, shape.guess, "m")


@pytest.mark.parametrize(
    ("name", "values", "meaning"),
    [("wrong", ("", 1), "wrong"), ("correct", (1, ""), "right"), ("success", ("true", "true"), "right")],
)
def test_an_answer_beside_scores_in_doubt_is_the_models(name: str, values: tuple[Any, Any], meaning: str) -> None:
    shape, pool = doubted(table([{**row, name: values[n % 2]} for n, row in enumerate(ANSWERED)]))
    assert shape.guess.targets == {"m": {"text": "answer"}} and "answer" not in shape.guess.fields
    assert [(doubt.field, doubt.candidates[0].path) for doubt in shape.doubts] == [(meaning, name)]
    assert name in pool.items and pool.items[name].notna().any()


def test_a_file_of_marks_alone_is_asked_for() -> None:
    rows = [{"id": n, "prompt": f"{n}?", "group": "ab"[n % 2], "correct": 1 if n % 3 else ""} for n in range(12)]
    shape, pool = doubted(table(rows))
    assert [doubt.field for doubt in shape.doubts] == ["right"] and "correct" in pool.items


@pytest.mark.parametrize("name", ["success", "ok?"])
@pytest.mark.parametrize("right", [False, True])
def test_a_success_of_all_first_rows_is_asked_for_and_kept(name: str, right: bool) -> None:
    rows = [{"question": f"{n}?", "output": f"It is {n}.", name: n < 300} for n in range(600)]
    rows = [{**row, "expected": "a"} for row in rows] if right else rows
    shape, pool = doubted(lines(rows))
    assert "right" not in shape.guess.targets["m"] and pool.items[name].tolist().count(True) == 300
    (doubt,) = shape.doubts
    assert doubt.field == "right" and "in all of the first 200 rows" in doubt.sentence


def test_the_command_keeps_a_column_in_doubt_unless_it_is_taken(tmp_path: Path) -> None:
    file, out = tmp_path / "m.csv", tmp_path / "pool.parquet"
    file.write_bytes(table([{**row, "success": True} for row in ANSWERED]))
    assert main(["pool", "map", str(file), "--out", str(out)]) == 0
    assert "success" in read(out).items
    assert main(["pool", "map", str(file), "--out", str(out), "--target", "m:right=success"]) == 0
    assert "success" not in read(out).items


def test_a_success_that_no_row_has_is_a_score() -> None:
    content = table([{"question": f"{n}?", "output": f"It is {n}.", "success": False} for n in range(25)])
    assert read_mapped(content, Shape.of(content, "m").guess, "m").losses("m").tolist() == [1] * 25


def test_a_success_of_all_rows_leaves_open_whether_another_score_is_meant() -> None:
    rows = [{"question": f"{n}?", "output": f"It is {n}.", "success": True, "score": n % 2} for n in range(30)]
    (doubt,) = Shape.of(lines(rows), "m").doubts
    assert not doubt.is_optional and [one.path for one in doubt.candidates] == ["success", "score"]


def test_a_german_table_of_answers_and_verdicts_has_no_right_answers() -> None:
    rows = "".join(f"{n};Was ist {n}?;Es ist {n}.;{'ja' if n < 210 else 'nein'}\n" for n in range(400))
    shape, pool = doubted(f"Nr;Frage;Antwort;ok?\n{rows}".encode())
    assert shape.guess.targets == {"m": {"text": "Antwort"}} and "ok?" in pool.items
