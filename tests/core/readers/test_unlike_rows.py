"""Rows that are no items, those of models, runs, steps and totals: each is read as what it is."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.readers import read_mapped
from core.readers.shape import Shape

MODELS = ("gpt-4", "llama")
# Right of the two models on six items.
RIGHT = {"gpt-4": "110110", "llama": "010001"}


def _long(names: dict[str, Any], size: int = 6) -> list[dict[str, Any]]:
    return [
        {**{name: value(n) if callable(value) else value for name, value in names.items()}, "model": model}
        | {"prediction": "A" if RIGHT[model][n % 6] == "1" else "B", "gold": "A"}
        for model in MODELS
        for n in range(size)
    ]


def _scored(names: dict[str, Any]) -> list[dict[str, Any]]:
    rights = [int(row["prediction"] == row["gold"]) for row in _long(names)]
    rows = [{key: value for key, value in row.items() if key not in ("prediction", "gold")} for row in _long(names)]
    return [{**row, "correct": right} for row, right in zip(rows, rights, strict=True)]


def _answers(model: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "correct": one == "1", **more} for n, one in enumerate(RIGHT[model])]


def _steps(right: str) -> list[dict[str, Any]]:
    return [{"action": "click", "success": True}, {"action": "go", "success": right == "1"}]


BOTH: dict[str, Any] = {
    "idx": _scored({"idx": lambda n: n}),
    "i": _scored({"i": lambda n: n}),
    "doc": _scored({"doc": lambda n: f"d{n}"}),
    "sample": _scored({"sample": lambda n: n}),
    "item in a benchmark": _scored({"benchmark": lambda n: f"b{n // 3}", "item": lambda n: n % 3}),
    "list of models": {"models": [{"name": m, "answers": _answers(m)} for m in MODELS]},
    "array of models": [{"model": m, "results": _answers(m)} for m in MODELS],
    "predictions by model": [
        {"id": n, "predictions": [{"model": m, "correct": RIGHT[m][n] == "1", "answer": "x"} for m in MODELS]}
        for n in range(6)
    ],
}
ONE: dict[str, tuple[Any, str]] = {
    "steps of an episode": (
        [{"task_id": f"t{n}", "success": one == "1", "steps": _steps("1")} for n, one in enumerate("0101")], "0101",
    ),
    "steps with rewards": (
        [{"task_id": f"t{n}", "reward": int(one), "trajectory": [{"reward": 0}, {"reward": 1 - n % 2}]}
         for n, one in enumerate("0110")], "0110",
    ),
    "tests of a task": (
        {f"t{n}": {"passed": one == "1", "tests": [{"name": f"x{k}", "passed": k > 0} for k in range(4)]}
         for n, one in enumerate("01011")}, "01011",
    ),
    "checks with ids": (
        {f"t{n}": {"passed": one == "1", "checks": [{"id": f"x{k}", "passed": True} for k in range(9)]}
         for n, one in enumerate("01011")}, "01011",
    ),
    "lists of runs": ({f"t{n}": [{"passed": one == "1"}, {"passed": True}] for n, one in enumerate("0110")}, "0110"),
    "runs within tasks": (
        {f"t{n}": {"attempts": [{"success": one == "1"}, {"success": True}]} for n, one in enumerate("01")}, "01",
    ),
    "items of subjects": (
        {name: [{"correct": k % 2 == 0} for k in range(4)] for name in ("algebra", "law")}, "10101010",
    ),
    "runs with ids of their own": (
        [{"id": f"s{n}{k}", "task_id": f"t{n}", "trial": k, "reward": float(one == "1" or k > 0)}
         for n, one in enumerate("0101") for k in range(3)], "0101",
    ),
    "metrics": (
        [{"prompt": f"Q{n}?", "response": "r", "evaluations": [{"metric": "correctness", "score": int(one)},
         {"metric": "toxicity", "score": 0}]} for n, one in enumerate("0110")], "0110",
    ),
}  # fmt: skip
REFUSED: dict[str, Any] = {
    "no id": _long({}),
    "ids of rows": [{"id": f"r{n}", **row} for n, row in enumerate(_scored({}))],
    "one after the other": _long({}, 300),
    "items without ids": [{"model": m, "results": [{"correct": True}, {"correct": False}]} for m in MODELS],
    "several answers of each": [
        {"id": n, "gold": "A", "said": [{"model": m, "output": "A"} for m in MODELS * 2]} for n in range(5)
    ],
}
ASKED: dict[str, tuple[Any, str]] = {
    "tests without a verdict on the task": (
        [{"id": f"t{n}", "tests": [{"name": f"x{k}", "passed": n % 2 == k % 2} for k in range(4)]} for n in range(5)],
        "right",
    ),
    "tasks without ids": (
        [{"timestamp": f"2025-01-0{k}T00:00:0{n}", "task": f"t{n}", "passed": (n + k) % 2}
         for k in range(1, 4) for n in range(6)], "id",
    ),
}  # fmt: skip
HEADER = ("Nr", "Question", "Expected", "Model answer", "Correct")
TOTALS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "sum and share": (("Total", "", "", "", 5), ("Accuracy", "", "", "", "62.5%")),
    "other words": (("Correct answers:", "", "", "", 5),),
    "number": ((8, "", "", "", 5),),
    "of": (("Total correct", "", "", "", "5 of 8"),),
    "four": (("Sum", "", "", "", 5), ("Mean", "", "", "", 0.625), ("SD", "", "", "", 0.48), ("Max", "", "", "", 1)),
    "without words": (("", "", "", "", 5), ("", "", "", "", "62.5%")),
}


def _content(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _table(rows: list[tuple[Any, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _pool(content: bytes) -> Pool:
    shape = Shape.of(content, "m")
    assert [doubt for doubt in shape.doubts if not doubt.is_optional] == []
    return read_mapped(content, shape.guess, "m")


def _right(pool: Pool, model: str) -> str:
    return "".join("0" if loss else "1" for loss in pool.losses(model))


@pytest.mark.parametrize("case", BOTH)
def test_each_model_has_its_own_accuracy(case: str) -> None:
    pool = _pool(_content(BOTH[case]))
    assert {model: _right(pool, model) for model in pool.targets} == RIGHT


@pytest.mark.parametrize("case", ONE)
def test_each_item_has_its_own_score(case: str) -> None:
    value, right = ONE[case]
    pool = _pool(_content(value))
    (target,) = pool.targets
    assert _right(pool, target) == right


@pytest.mark.parametrize("case", REFUSED)
def test_results_of_several_models_are_never_averaged_without_a_word(case: str) -> None:
    content = _content(REFUSED[case])
    shape = Shape.of(content, "m")
    if not any(doubt.field == "model" for doubt in shape.doubts):
        with pytest.raises(PoolError, match="the row is about the model “llama”"):
            read_mapped(content, shape.guess, "m")


@pytest.mark.parametrize("case", ASKED)
def test_what_may_be_a_part_of_an_item_is_asked_about(case: str) -> None:
    value, field = ASKED[case]
    shape = Shape.of(_content(value), "m")
    assert [doubt.field for doubt in shape.doubts] == [field]
    assert "group" not in shape.guess.fields and not shape.doubts[0].is_settled([], shape.guess.paths())


def test_few_groups_of_many_items_are_no_question() -> None:
    rows = [{"task": f"t{n % 3}", "passed": int(n % 4 > 0)} for n in range(60)]
    pool = _pool(_content(rows))
    assert len(pool.ids) == 60 and pool.targets["m"].accuracy() == 0.75


def test_a_system_of_several_models_is_read_if_its_column_is_kept() -> None:
    content = _content(REFUSED["ids of rows"])
    shape = Shape.of(content, "m")
    (doubt,) = shape.doubts
    assert doubt.is_settled([], [*shape.guess.paths(), "model"])
    assert len(read_mapped(content, shape.guess, "m").ids) == 12


@pytest.mark.parametrize("words", [(1, 0), ("Correct", "Wrong")], ids=["numbers", "words"])
@pytest.mark.parametrize("case", TOTALS)
def test_totals_below_the_items_are_no_items(case: str, words: tuple[Any, Any]) -> None:
    # Without a word, only numbers that sum up others are totals.
    words = (1, 0) if case == "without words" else words
    rows = [(n + 1, f"Q{n}?", "abcd"[n % 4], "x", words[0] if n % 3 else words[1]) for n in range(8)]
    pool = _pool(_table([HEADER, *rows, *TOTALS[case]]))
    assert _right(pool, "m") == "01101101"


@pytest.mark.parametrize(
    "last", [(9, "Q9?", "", "", 1), (9, "", "", "x", 0)], ids=["without output", "without question"]
)
def test_an_item_that_lacks_something_is_no_total(last: tuple[Any, ...]) -> None:
    rows = [(n + 1, f"Q{n}?", "abcd"[n % 4], "x", int(n % 3 > 0)) for n in range(8)]
    assert len(_pool(_table([HEADER, *rows, last])).ids) == 9


def test_headings_between_the_items_do_not_hide_the_totals() -> None:
    rows = [(n + 1, f"Q{n}?", "abcd"[n % 4], "x", int(n % 3 > 0)) for n in range(8)]
    pool = _pool(_table([HEADER, ("History",), *rows[:4], ("Math",), *rows[4:], ("Total", "", "", "", 5)]))
    assert pool.targets["m"].known() == 8 and pool.targets["m"].accuracy() == 5 / 8


LABELS = [
    {"question_id": f"q{n}", "category": "c", "subject_model": model, "label": ("incorrect", "correct")[n % 2]}
    for model in ("m-1", "m-2")
    for n in range(6)
]


@pytest.mark.parametrize("name", ["subject_model", "tested_thing"])
def test_the_model_that_a_command_names_is_no_part_of_the_id(name: str, tmp_path: Path, capsys: Any) -> None:
    rows = [{name if key == "subject_model" else key: value for key, value in row.items()} for row in LABELS]
    path = tmp_path / "labels.json"
    path.write_bytes(_content(rows))
    assert main(["pool", "map", str(path), "--target", "m:right=label", "--model", name]) == 0
    assert "12 records: 6 items" in capsys.readouterr().out


def test_a_file_of_unknown_fields_is_refused_with_a_command_that_reads_it(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "board.json"
    path.write_bytes(
        _content({f"q{n}": {"gpt-4": n % 2, "claude-3": 1 - n // 4, "tier": "ab"[n // 5]} for n in range(6)})
    )
    assert main(["pool", "map", str(path)]) == 2
    said = capsys.readouterr().err
    options = ["--target", "gpt-4:right=gpt-4", "--target", "claude-3:right=claude-3"]
    assert " ".join(options) in said
    assert main(["pool", "map", str(path), *options]) == 0
