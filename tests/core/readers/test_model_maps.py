"""Items under the names of models, runs or groups, each a map by the names of the items."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import Shape, read, read_or_shape

IDS = [f"q{n}" for n in range(12)]
# Two models are right on 6 and on 4 of 12 items, and never say the same there.
RIGHT = [[n % 2 for n in range(12)], [int(n % 3 == 0) for n in range(12)]]
SAID = ["ABCD" * 3, "BADC" * 3]
Names = tuple[str, str]


def _records(place: int, **more: Any) -> dict[str, dict[str, Any]]:
    return {one: {"answer": SAID[place][n], "correct": bool(RIGHT[place][n]), **more} for n, one in enumerate(IDS)}


def _scores(place: int) -> dict[str, int]:
    return dict(zip(IDS, RIGHT[place], strict=True))


def _turned(maps: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one: {name: some[one] for name, some in maps.items()} for one in IDS}


def _both(names: Names, of: Any) -> dict[str, Any]:
    return {name: of(place) for place, name in enumerate(names)}


FORMS = {
    "records": lambda names: _both(names, _records),
    "records under results": lambda names: {"date": "today", "results": _both(names, _records)},
    "records with a question": lambda names: _both(names, lambda place: _records(place, question="Which?", gold="A")),
    "output and what was read from it": lambda names: _both(names, lambda place: _records(place, output="So be it.")),
    "models under each item": lambda names: _turned(_both(names, _records)),
    "numbers as names": lambda names: _both(names, lambda at: dict(enumerate(_records(at).values()))),
    "scores": lambda names: _both(names, _scores),
    "scores under each item": lambda names: _turned(_both(names, _scores)),
    "words": lambda names: _both(names, lambda at: {one: ["fail", "pass"][n] for one, n in _scores(at).items()}),
    "a mean beside the scores": lambda names: _both(names, lambda at: {"accuracy": 0.5 - at / 6, **_scores(at)}),
    "a mean beside the map": lambda names: _both(names, lambda at: {"accuracy": 0.5 - at / 6, "items": _scores(at)}),
    "a mean beside a list": lambda names: _both(names, lambda at: {"accuracy": 0.5 - at / 6, "correct": RIGHT[at]}),
    "means apart": lambda names: {
        "totals": _both(names, lambda at: {"accuracy": 0.5}),
        "by item": _both(names, _scores),
    },
    "a record and its mean each": lambda names: [
        {"model": name, "accuracy": 0.5 - at / 6, "results": _scores(at)} for at, name in enumerate(names)
    ],
    "a record with its scores each": lambda names: [
        {"model": name, "accuracy": 0.5 - at / 6, **_scores(at)} for at, name in enumerate(names)
    ],
    "a record each": lambda names: [{"model": name, "results": _scores(at)} for at, name in enumerate(names)],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", [("model_a", "model_b"), ("gpt-4", "llama"), ("org/gpt-4.1", "llama-3.1-8b")])
def test_maps_of_models_are_targets_and_no_model_is_the_right_answer(form: str, names: Names) -> None:
    """What the first model said was read as the right answer, or models were read as items."""
    pool = read(json.dumps(FORMS[form](names)).encode())
    assert (pool.n_items, tuple(pool.targets)) == (12, names)
    assert [pool.losses(name).mean() for name in names] == pytest.approx([1 / 2, 2 / 3])
    assert ("answer" in pool.table.column_names) is (form == "records with a question")


@pytest.mark.parametrize("rest", [IDS[:9], ["z1", "z2", "z3", "z4"]], ids=["fewer", "others"])
def test_models_need_not_have_the_same_items(rest: list[str]) -> None:
    """The model with fewer items was left out, or each item became a field."""
    asked = {one: {**record, "question": f"What of {one}?"} for one, record in _records(0).items()}
    other = {one: {"answer": "A", "correct": True, "question": f"What of {one}?"} for one in rest}
    pool = read(json.dumps({"gpt-4": asked, "llama": other}).encode())
    assert pool.n_items == len({*IDS, *rest})
    assert [pool.targets[name].known() for name in ("gpt-4", "llama")] == [12, len(rest)]
    assert pool.table["prompt"].to_pylist() == [f"What of {one}?" for one in dict.fromkeys([*IDS, *rest])]


def test_answers_in_each_line_under_the_names_of_models_are_theirs() -> None:
    rows = [
        {"case": one, "question": f"What of {one}?", **record}
        for one, record in _turned(_both(("gpt-4.1", "o3"), _records)).items()
    ]
    shape = read_or_shape("\n".join(map(json.dumps, rows)).encode())
    assert isinstance(shape, Shape) and "answer" not in shape.guess.fields
    assert shape.guess.targets == {
        name: {"text": f"{name}.answer", "right": f"{name}.correct"} for name in ("gpt-4.1", "o3")
    }


def test_maps_of_runs_are_runs_and_of_subjects_are_groups() -> None:
    runs = read(json.dumps({f"run_{place}": _records(place) for place in range(2)}).encode())
    assert (
        runs.n_items == 12 and runs.notes[0] == "12 items × 2 runs. Where one answer is needed, the first run counts."
    )
    maps = {
        name: {one: {**record, "question": f"{name} {one}?"} for one, record in _records(at).items()}
        for at, name in enumerate(("physics", "law"))
    }
    pool = read(json.dumps(maps).encode())
    assert pool.n_items == 24 and pool.group_names == ("physics", "law")


@pytest.mark.parametrize("of", [_records, _scores], ids=["records", "scores"])
def test_maps_of_anything_else_with_the_same_items_are_asked_about(of: Any) -> None:
    """Nothing tells whether they are models, runs or groups."""
    content = json.dumps(_both(("alpha", "beta"), of)).encode()
    with pytest.raises(PoolError):
        read(content)
    shape = read_or_shape(content)
    assert isinstance(shape, Shape) and (shape.doubts or shape.guess.lacks)


@pytest.mark.parametrize(
    "value",
    [
        {
            name: {"temperature": {"value": 1, "unit": "x"}, "top": {"value": 2, "unit": "x"}}
            for name in ("gpt-4", "o3")
        },
        {name: {"mmlu": 0.8, "gsm8k": 0.7, "arc": 0.9} for name in ("gpt-4", "o3")},
    ],
    ids=["settings", "totals"],
)
def test_settings_and_totals_of_models_are_no_items(value: Any) -> None:
    with pytest.raises(PoolError):
        read(json.dumps(value).encode())
