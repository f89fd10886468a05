"""Columns without a known name: verdicts in words, columns of 0 and 1 as models, numbered columns as samples."""

from __future__ import annotations

from typing import Any

import pytest

from core.readers import FieldMap, Shape, read_mapped, read_or_shape
from tests.core.readers.guessed import guess, table
from tests.core.wording import Saying

MODELS = ("alpha-70b", "beta-7b", "gamma-13b")
ASKED = [{"nr": str(n), "question": f"What is {n} and {n}?"} for n in range(40)]


def asked(**columns: Any) -> list[dict[str, Any]]:
    """Rows with a question, and what a function says of each number under every name."""
    return [row | {name: of(n) for name, of in columns.items()} for n, row in enumerate(ASKED)]


def verdict(n: int) -> str:
    return "right" if n % 3 else "wrong"


@pytest.mark.parametrize("name", ["result", "output", "bot answer"])
@pytest.mark.parametrize("other", ["", "maybe"])
def test_words_of_verdicts_are_a_score_and_no_output(name: str, other: str) -> None:
    rows = asked(**{name: verdict})
    rows[4][name] = other
    assert guess(table(rows)).targets == {"m": {"right": name}}


@pytest.mark.parametrize("other", ["expected", "gold_label", "truth", "label", "human", "true_label", "key"])
def test_words_of_verdicts_are_an_output_if_another_column_holds_such_too(other: str) -> None:
    rows = asked(prediction=verdict, **{other: lambda n: "right" if n % 4 else "wrong"})
    assert guess(table(rows)).targets["m"]["text"] == "prediction"


@pytest.mark.parametrize("score", ["is_correct", "answer_passed", "human", "judge", "human_label"])
def test_words_of_verdicts_beside_a_score_of_0_and_1_are_an_output(score: str) -> None:
    rows = asked(output=verdict, **{score: lambda n: int(n % 4 > 0)})
    assert guess(table(rows)).targets["m"]["text"] == "output"


def test_a_leaderboard_of_question_ids_is_read_as_one() -> None:
    columns = {name: (lambda n, place=place: int(n % (place + 2) > 0)) for place, name in enumerate(MODELS)}
    rows = [{"qid": row["nr"]} | {name: row[name] for name in MODELS} for row in asked(**columns)]
    pool = read_or_shape(table(rows), "m")
    assert not isinstance(pool, Shape) and tuple(pool.targets) == MODELS


@pytest.mark.parametrize("named", ["ticket", "exam code"])
def test_three_columns_of_0_and_1_are_models_if_nothing_else_is_a_score(named: str) -> None:
    columns = {name: (lambda n, place=place: int(n % (place + 2) > 0)) for place, name in enumerate(MODELS)}
    rows = [{named: f"T{row['nr']}"} | {name: row[name] for name in MODELS} for row in asked(**columns)]
    found = guess(table(rows))
    assert found.targets == {name: {"right": name} for name in MODELS} and not found.lacks
    assert read_mapped(table(rows), found, "m").losses(MODELS[0]).mean() == 0.5
    for more in ("human_ok", "judge", "grade"):
        assert guess(table([{**row, more: n % 5} for n, row in enumerate(rows)])).targets.keys().isdisjoint(MODELS)
    same = [row | {MODELS[0]: 1} for row in rows]
    assert not guess(table(same)).targets
    few = [{name: row[name] for name in (named, *MODELS[:2])} for row in rows]
    assert not guess(table(few)).targets


def mini(k: int) -> Any:
    return lambda n: n + (k * n % 5 == 0)


@pytest.mark.parametrize("names", [("urgent", "weekend", "needs_math"), ("en", "de", "fr"), ("borealis", "luna", "s")])
def test_columns_of_0_and_1_that_are_not_called_as_models_are_named(names: tuple[str, ...]) -> None:
    flags = {name: (lambda n, place=place: int(n % (place + 2) > 0)) for place, name in enumerate(names)}
    for more in ({}, {"gold": lambda n: f"It is {n}."}):
        shape = Shape.of(table(asked(**more, **flags)), "m")
        assert not shape.guess.targets and shape.remarks(shape.guess) == (
            Saying("3 columns", *map("“{}”".format, names)),
        )
    with_one = Shape.of(table(asked(**flags, **{MODELS[0]: lambda n: n % 2})), "m")
    assert [*with_one.guess.targets] == [MODELS[0]] and with_one.scores == names
    chosen = FieldMap({"prompt": "question"}, {name: {"right": name} for name in names})
    assert not with_one.remarks(chosen)


def test_one_flag_that_is_called_as_a_family_of_models_by_chance_is_no_model() -> None:
    names = ("solar", "wind", "hydro")
    flags = {name: (lambda n, place=place: int(n % (place + 2) > 0)) for place, name in enumerate(names)}
    shape = Shape.of(table([{"ref": f"r{n}"} | {name: of(n) for name, of in flags.items()} for n in range(40)]), "m")
    assert not shape.guess.targets and shape.scores == names
    commands = {f"command_{k}": mini(k) for k in range(1, 6)}
    assert "generations" not in guess(table(asked(**commands, big_answer=lambda n: n))).fields


@pytest.mark.parametrize("form", ["mini_{}", "mini {}", "small-{}", "qwen7b_{}"])
def test_numbered_columns_of_short_answers_are_samples(form: str) -> None:
    names = tuple(form.format(k) for k in range(1, 6))
    found = guess(table(asked(**{name: mini(k) for k, name in enumerate(names, 1)}, big_answer=lambda n: n)))
    assert found.fields["generations"] == names and found.targets == {"m": {"text": "big_answer"}}


@pytest.mark.parametrize("form", ["Sample {}", "generation_{}", "sample-{}"])
def test_lettered_columns_of_samples_are_samples(form: str) -> None:
    names = tuple(form.format(letter) for letter in "ABCD")
    columns = {name: mini(k) for k, name in enumerate(names, 1)}
    found = guess(table(asked(**{"Our bot answered": lambda n: n}, **columns)))
    assert found.fields["generations"] == names and found.targets == {"m": {"text": "Our bot answered"}}


@pytest.mark.parametrize("stem", ["Answer", "Option", "Response", "Bot", "System", "Run", "Rater"])
def test_other_lettered_columns_are_no_samples_of_one_model(stem: str) -> None:
    columns = {f"{stem} {letter}": mini(k) for k, letter in enumerate("ABCD", 1)}
    shape = Shape.of(table(asked(**columns, expected=lambda n: n)), "m")
    assert "generations" not in shape.guess.fields
    # What may be of one model, and nothing else takes, is named if it often agrees.
    assert bool(shape.unused_samples(shape.guess)) == (stem == "Run")


OTHERS = [
    "hint",
    "rater",
    "score",
    "model",
    "turn",
    "v",
    "likert",
    "criterion",
    "q",
    "x",
    "distractor",
    "ending",
    "alt",
]
OTHERS += [
    "wrong_answer",
    "worker",
    "student_answer",
    "review",
    "factor",
    "metric",
    "agent",
    "system",
    "baseline",
]


@pytest.mark.parametrize("stem", OTHERS)
def test_numbered_columns_of_something_else_are_no_samples(stem: str) -> None:
    names = [f"{stem}_{k}" for k in range(1, 6)]
    columns = {name: mini(k) for k, name in enumerate(names, 1)}
    for other in ("big_answer", "expected"):
        shape = Shape.of(table(asked(**columns, **{other: lambda n: n})), "m")
        assert "generations" not in shape.guess.fields
        assert stem in ("q", "x") or not shape.unused_samples(shape.guess)


def test_versions_by_their_numbers_are_asked_about() -> None:
    said = {f"v{k}": (lambda n, k=k: f"It is {n + (k * n % 5 == 0)}.") for k in range(1, 4)}
    shape = Shape.of(table(asked(**said, expected=lambda n: f"It is {n}.")), "m")
    assert "generations" not in shape.guess.fields and not shape.unused_samples(shape.guess)
    assert {*said} <= {one.path for doubt in shape.doubts for one in doubt.candidates} | {*shape.guess.targets}


def test_other_numbered_columns_are_named_only_if_they_often_agree() -> None:
    alike = {f"luna_{k}": (lambda n, k=k: f"It is {n + (k * n % 5 == 0)}.") for k in range(1, 4)}
    shape = Shape.of(table(asked(**alike, big_answer=lambda n: f"It is {n}.")), "m")
    assert "generations" not in shape.guess.fields and shape.unused_samples(shape.guess) == Saying("“luna_1”")
    apart = {f"luna_{k}": (lambda n, k=k: f"It is {n + k}.") for k in range(1, 4)}
    shape = Shape.of(table(asked(**apart, big_answer=lambda n: f"It is {n}.")), "m")
    assert not shape.unused_samples(shape.guess)


def test_numbered_columns_that_may_be_samples_are_named() -> None:
    said = {f"mini_{k}": (lambda n, k=k: f"It is {n}, said for the {k}th time.") for k in range(1, 4)}
    shape = Shape.of(table(asked(**said, big_answer=lambda n: f"It is {n}.")), "m")
    assert "generations" not in shape.guess.fields
    assert shape.unused_samples(shape.guess) == Saying("“mini_1” to “mini_3”", "samples")
    assert shape.unused_samples(FieldMap({"prompt": "question", "generations": tuple(said)})) == ""
