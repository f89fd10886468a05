"""Which fields of an unknown file are what, and what is in doubt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.errors import PoolError
from core.files import foreign_names as foreign
from core.readers import FieldMap, Shape, read_mapped
from core.readers.doubt import Candidate
from core.readers.score_direction import score_statements
from tests.core.readers.guessed import guess, lines, table
from tests.core.wording import Saying


def crux(like_json: int) -> bytes:
    answers = ['{"foo": 1}' if number < like_json else f"'x{number}'" for number in range(50)]
    rows = [{"id": f"c{n}", "question": f"f({n})?", "answer": one, "output": one} for n, one in enumerate(answers)]
    return table(rows)


def test_one_answer_that_looks_like_json_is_an_answer() -> None:
    content = crux(like_json=1)
    fields = guess(content)
    assert fields.fields["answer"] == "answer"
    pool = read_mapped(content, fields, "m")
    assert pool.items["answer"].notna().all() and pool.losses("m").tolist() == [0] * 50


@pytest.mark.parametrize(("like_json", "field"), [(5, "answer"), (6, None), (44, None), (45, "answer.foo")])
def test_a_path_that_holds_less_than_nine_tenths_of_its_column_is_in_doubt(like_json: int, field: str | None) -> None:
    shape = Shape.of(crux(like_json), "m")
    assert shape.guess.fields.get("answer") == field
    doubts = [(one.field, one.candidates, one.rows) for one in shape.doubts]
    both = (Candidate("answer.foo", like_json), Candidate("answer", 50))
    assert doubts == ([] if field else [("answer", both, 50)])
    # What is in doubt is taken for nothing else.
    assert shape.guess.targets == {"m": {"text": "output"}}


def test_of_two_columns_of_one_name_the_emptier_one_is_in_doubt() -> None:
    rows = [{"question": f"{n}?", "answer": "x", "output": "y", "meta": {"answer": "z"}} for n in range(10)]
    assert guess(lines(rows)).fields["answer"] == "answer"
    rows[0].pop("answer")
    assert guess(lines(rows)).fields["answer"] == "answer"
    rows[1].pop("answer")
    (doubt,) = Shape.of(lines(rows)).doubts
    assert [(one.path, one.rows) for one in doubt.candidates] == [("answer", 8), ("meta.answer", 10)]


def test_the_command_asks_for_what_is_in_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crux.csv"
    file.write_bytes(crux(like_json=20))
    assert main(["pool", "map", str(file)]) == 2
    assert (printed := capsys.readouterr().err) == Saying("“answer.foo” in 20", "“answer” in 50", "50 rows")
    assert printed == Saying("--answer=answer.foo", "--answer=answer")
    assert main(["pool", "map", str(file), "--answer", "answer"]) == 0
    assert "50 right answers (answer)" in capsys.readouterr().out


def test_a_path_that_leads_nowhere_later_in_the_file_is_told() -> None:
    rows = [{"id": n, "answer": json.dumps({"foo": n}) if n < 250 else f"x{n}"} for n in range(300)]
    pool = read_mapped(table(rows), FieldMap({"id": "id", "answer": "answer.foo"}))
    assert any("“answer.foo”" in note and "50 of the 300" in note for note in pool.notes)


FORMS: dict[str, tuple[Callable[[int], dict[str, Any]], dict[str, Any], dict[str, dict[str, str]]]] = {
    "HumanEval": (
        lambda n: {"task_id": f"HumanEval/{n // 2}", "completion": f"return {n}", "passed": n % 3 > 0},
        {"id": "task_id", "generations": "completion"},
        {"m": {"right": "passed"}},
    ),
    "HumanEval with prompts": (
        lambda n: {"task_id": f"h{n // 2}", "prompt": f"def f{n // 2}():", "completion": f"{n}", "passed": n % 3 > 0},
        {"id": "task_id", "prompt": "prompt", "generations": "completion"},
        {"m": {"right": "passed"}},
    ),
    "tasks that are groups": (
        lambda n: {"id": f"q{n}", "task_id": f"t{n % 2}", "question": f"{n}?", "output": "x"},
        {"id": "id", "prompt": "question"},
        {"m": {"text": "output"}},
    ),
    "pairs": (
        lambda n: {"question": f"{n}?", "a": 1, "model_a_correct": n % 2, "model_b_correct": n % 3 == 0},
        {"prompt": "question"},
        {"model_a": {"right": "model_a_correct"}, "model_b": {"right": "model_b_correct"}},
    ),
    "pairs of wrong": (
        lambda n: {"question": f"{n}?", "a": 1, "gpt-4 wrong": n % 2, "claude wrong": n % 3 == 0},
        {"prompt": "question"},
        {"gpt-4": {"wrong": "gpt-4 wrong"}, "claude": {"wrong": "claude wrong"}},
    ),
    "two metrics are no models": (
        lambda n: {"question": f"{n}?", "gold": "x", "strict_accuracy": n % 2, "loose_accuracy": 1},
        {"prompt": "question", "answer": "gold"},
        {},
    ),
    "n/a": (
        lambda n: {"id": n, "question": f"{n}?", "output": "x", "correct": ["n/a", "1", "0", "NaN", "-"][n % 5]},
        {"id": "id", "prompt": "question"},
        {"m": {"text": "output", "right": "correct"}},
    ),
    "an answer beside its score": (
        lambda n: {"question": f"{n}?", "answer": "x", "correct": n % 2},
        {"prompt": "question"},
        {"m": {"text": "answer", "right": "correct"}},
    ),
    "verdicts of judges": (
        lambda n: {"model": "gpt-4t", "Llama-7B": n % 3 == 0, "GPT-4": n % 5 == 0, "topic": "law" if n % 2 else "art"},
        {"group": "topic"},
        {},
    ),
    "models and their tests": (
        lambda n: {
            "provider_id": f"m{n % 2}",
            "test": f"t{n // 2}",
            "prompt": "Why {{x}}?",
            "result": "x",
            "passed": 1,
        },
        {"id": "test", "prompt": "prompt"},
        {"m": {"text": "result", "right": "passed"}},
    ),
    "errors": (
        lambda n: {"question": f"{n}?", "output": "x", "error": n % 2},
        {"prompt": "question"},
        {"m": {"text": "output", "wrong": "error"}},
    ),
    "messages of errors": (
        lambda n: {"question": f"{n}?", "output": "x", "error": "timeout" if n % 2 else None, "correct": 1 - n % 2},
        {"prompt": "question"},
        {"m": {"text": "output", "right": "correct"}},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_fields_of_tables_are_guessed(form: str) -> None:
    row, fields, targets = FORMS[form]
    found = guess(lines([row(number) for number in range(40)]))
    assert (found.fields, found.targets) == (fields, targets)
    n_items = 20 if form.startswith("HumanEval") or found.model else 40
    if not found.is_empty:
        assert read_mapped(lines([row(number) for number in range(40)]), found, "m").n_items == n_items


def test_words_for_unknown_leave_the_score_open() -> None:
    row, *_ = FORMS["n/a"]
    content = table([row(number) for number in range(10)])
    pool = read_mapped(content, guess(content), "m")
    assert [loss if loss == loss else None for loss in pool.losses("m").tolist()] == [None, 0, 1, None, None] * 2


def test_a_score_of_wrong_is_its_loss_and_a_score_has_one_meaning() -> None:
    content = lines([{"id": n, "error": one} for n, one in enumerate([1, 0, "yes", "no", "50%", "0,25", None])])
    pool = read_mapped(content, FieldMap({"id": "id"}, {"m": {"wrong": "error"}}))
    assert [loss if loss == loss else None for loss in pool.losses("m").tolist()] == [1, 0, 1, 0, 0.5, 0.25, None]
    with pytest.raises(PoolError, match="twice, as right and as wrong"):
        FieldMap({}, {"m": {"right": "a", "wrong": "b"}})
    with pytest.raises(PoolError, match=r"1 \(wrong\), 0 or between"):
        read_mapped(lines([{"id": 1, "error": 3}]), FieldMap({"id": "id"}, {"m": {"wrong": "error"}}))


@pytest.mark.parametrize(
    ("meaning", "path", "said", "questioned"),
    [
        ("right", "error", "m has 35\u00a0% of 20 items right", True),
        ("wrong", "error", "m has 65\u00a0% of 20 items right", False),
        ("right", "incorrect", "m has 35\u00a0% of 20 items right", True),
        ("right", "test_failed", "m has 35\u00a0% of 20 items right", True),
        ("right", "correct", "m has 35\u00a0% of 20 items right", False),
        ("wrong", "correct", "m has 65\u00a0% of 20 items right", True),
    ],
)
def test_what_1_means_is_said_and_questioned_by_the_name(meaning: str, path: str, said: str, questioned: bool) -> None:
    content = lines([{"id": n, path: int(n < 7)} for n in range(20)])
    fields = FieldMap({"id": "id"}, {"m": {meaning: path}})
    pool = read_mapped(content, fields)
    (sentence,) = score_statements(fields, pool)
    assert sentence in pool.notes and f"1 in “{path}” is read as {meaning}" in sentence and said in sentence
    assert ("sounds as if 1 meant" in sentence) == questioned


@pytest.mark.parametrize(("right", "said"), [("Correct", "“Correct”"), ("yes", "“yes”"), ("1", "1")])
def test_words_that_are_read_as_right_are_named_instead_of_1(right: str, said: str) -> None:
    rows = [
        {"id": n, "question": f"{n}?", "output": f"It is {n}.", "correct": right if n < 7 else "no"} for n in range(20)
    ]
    shape = Shape.of(table(rows), "m")
    assert f"{said} in “correct” is read as right: m has 35" in bare_notes(table(rows), shape.guess)
    (score,) = [place for place in shape.places if place.path == "correct"]
    assert score.right == said
    both = [row | {"model": model} for row in rows for model in ("a", "b")]
    assert f"{said} in “correct” is read as right: a has 35" in bare_notes(table(both), guess(table(both)))


@pytest.mark.parametrize("model", ["", "model"])
def test_words_that_nobody_knows_are_one_problem_with_their_counts(model: str) -> None:
    words = ["solid"] * 9 + ["meh"] * 5 + ["dreadful"] * 2 + ["n/a", "right"]
    rows = [{"id": n, "model": "a", "output": f"It is {n}.", "judge": word} for n, word in enumerate(words)]
    fields = FieldMap({"id": "id"}, {"a": {"text": "output", "right": "judge"}}, model=model)
    with pytest.raises(PoolError) as error:
        read_mapped(table(rows), fields)
    (problem,) = error.value.problems
    assert "“solid” (9 rows), “meh” (5 rows) and “dreadful” (2 rows) are neither" in problem.message
    assert (problem.row, problem.field) == (2, "judge") and "page Judge asks which words mean pass" in problem.remedy
    with pytest.raises(PoolError, match=r"“text 0”, .* and others \(14 rows\) are neither"):
        read_mapped(
            table([{"id": n, "x": f"text {n}"} for n in range(20)]), FieldMap({"id": "id"}, {"a": {"right": "x"}})
        )


@pytest.mark.parametrize(("different", "said"), [(7, "and others (1 row) are"), (1_100, "and others (1,094 rows) are")])
def test_other_unknown_words_are_counted_once(different: int, said: str) -> None:
    """Beyond 1,000 words, “others” was named first and last."""
    content = table([{"id": n, "x": f"text {n}"} for n in range(different)])
    with pytest.raises(PoolError) as error:
        read_mapped(content, FieldMap({"id": "id"}, {"a": {"right": "x"}}))
    message = error.value.problems[0].message
    assert said in message and message.count("others") == 1


def bare_notes(content: bytes, fields: FieldMap) -> str:
    return " ".join(read_mapped(content, fields).notes)


def test_the_command_takes_a_column_in_which_1_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.csv"
    file.write_bytes(table([{"id": n, "question": f"{n}?", "error": int(n < 7)} for n in range(20)]))
    assert main(["pool", "map", str(file), "--target", "m:wrong=error"]) == 0
    printed = capsys.readouterr().out
    assert "(1 = wrong)" in printed and "65\u00a0% of 20 items right" in printed and "20 scores (error)" in printed


def test_objects_with_a_value_for_each_item_are_columns() -> None:
    samples = {f"sample_{n}": [f"a{n}", "b"] for n in range(5)}
    scores = {name: [True, False] for name in samples}
    content = json.dumps({"raw_generations": samples, "raw_scored": scores, "pass_at_1": 50.0}).encode()
    fields = guess(content)
    assert fields.fields == {"id": "key", "generations": "raw_generations"}
    assert read_mapped(content, fields).generations == [[f"a{n}", "b"] for n in range(5)]
    # A record for each key stays one, however few there are.
    few = {f"q{n}": {"question": "Why?", "answer": "x", "a": 1, "b": 2} for n in range(2)}
    assert read_mapped(json.dumps(few).encode(), guess(json.dumps(few).encode())).n_items == 2


ROLES = (foreign.PROMPT, foreign.OUTPUT, foreign.RIGHT_ANSWER, foreign.RIGHT, foreign.GROUP)


@pytest.mark.parametrize("language", foreign.LANGUAGES)
def test_columns_are_known_in_the_large_languages(language: str) -> None:
    names = [foreign.of_language(role, language)[0] for role in ROLES]
    prompt, output, answer, right, group = names
    rows = [dict(zip(names, (f"q{n}", f"a{n}", f"b{n}", n % 2, f"g{n % 3}"), strict=True)) for n in range(8)]
    rows = [{name.capitalize() + "?": value for name, value in row.items()} for row in rows]
    fields = guess(table(rows))
    shown = [f"{name.capitalize()}?" for name in names]
    assert fields.fields == {"prompt": shown[0], "answer": shown[2], "group": shown[4]}, (prompt, answer, group)
    assert fields.targets == {"m": {"text": shown[1], "right": shown[3]}}, (output, right)


@pytest.mark.parametrize(("yes", "no"), [("ja", "nein"), ("对", "错"), ("verdadero", "falso"), ("Верно", "неверно")])
def test_verdicts_are_read_in_the_large_languages(yes: str, no: str) -> None:
    rows = [{"question": f"{n}?", "output": "x", "ok?": yes if n % 2 else no} for n in range(4)]
    fields = guess(table(rows))
    assert read_mapped(table(rows), fields, "m").losses("m").tolist() == [1, 0, 1, 0]


def test_a_pool_of_questions_alone_is_warned_of_and_one_of_nothing_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.csv"
    file.write_bytes(b"topic,question\na,Why?\nb,How?\n")
    assert main(["pool", "map", str(file)]) == 0
    assert "questions alone" in capsys.readouterr().out
    file.write_bytes(b"x,y\n1,2\n3,4\n")
    assert main(["pool", "map", str(file)]) == 2
    assert "no field of this file" in capsys.readouterr().err


SOUNDS_BAD: dict[str, Callable[[int], dict[str, Any]]] = {
    "feedback[].score": lambda one: {"feedback": [{"key": "hallucination", "score": one}]},
    "evals[].value": lambda one: {"evals": [{"metric": "toxicity", "value": one}]},
    "scores.bug": lambda one: {"scores": {"bug": one}},
    "eval_jailbreak": lambda one: {"eval_jailbreak": one},
}


@pytest.mark.parametrize("path", SOUNDS_BAD)
def test_a_score_that_sounds_bad_is_asked_for_and_not_taken_as_right(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": n, "question": f"What is {n}?", "output": "a b", **SOUNDS_BAD[path](n % 2)} for n in range(20)]
    shape = Shape.of(lines(rows), "m")
    assert shape.guess.targets == {"m": {"text": "output"}}
    (doubt,) = shape.doubts
    assert [one.path for one in doubt.candidates] == [path] and "not taken as a score" in doubt.sentence
    file = tmp_path / "m.jsonl"
    file.write_bytes(lines(rows))
    assert main(["pool", "map", str(file)]) == 0
    assert f"--target MODEL:wrong={path}" in capsys.readouterr().out
    assert main(["pool", "map", str(file), "--target", f"m:wrong={path}"]) == 0
    assert "left open" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["non-toxic", "error_free", "no_hallucination"])
def test_a_fault_that_is_denied_is_good(name: str) -> None:
    rows = [{"id": n, "question": f"What is {n}?", "output": "a b", "scores": {name: n % 2}} for n in range(20)]
    assert guess(lines(rows)).targets["m"]["right"] == f"scores.{name}"


def test_scores_of_several_metrics_in_one_place_are_not_taken_together() -> None:
    names = ("correct", "fluent")
    rows = [
        {"id": n, "question": f"What is {n}?", "output": "a b", "feedback": [{"key": names[n % 2], "score": 1}]}
        for n in range(20)
    ]
    assert "right" not in guess(lines(rows)).targets["m"]


@pytest.mark.parametrize("name", ["Korrekt (1/0)", "correct (yes/no)", "Score (0-1)", "Richtig? (ja/nein)"])
def test_what_a_column_says_of_its_values_is_no_part_of_its_name(name: str) -> None:
    rows = [{"question": f"What is {n}?", "output": "x", name: str(n % 2)} for n in range(4)]
    assert Shape.of(json.dumps(rows).encode(), "m").guess.targets == {"m": {"text": "output", "right": name}}


def test_a_score_on_another_scale_is_kept_as_a_judge_s() -> None:
    rows = [{"question": f"What is {n}?", "output": "x", "score": n % 5 + 1} for n in range(8)]
    guess = Shape.of(json.dumps(rows).encode(), "m").guess
    assert guess.targets == {"m": {"text": "output"}} and guess.judges == ("score",)


PART = [{"question": f"What is {n}?", "output": "x", "correct": n % 2} for n in range(4)]


OTHER = [{"question": f"How is {n}?", "output": "y", "correct": 1} for n in range(3)]


@pytest.mark.parametrize(
    "value",
    [{"law": PART, "art": OTHER}, {"config": {"shots": [{"a": 1}]}, "results": {"law": PART, "art": OTHER}}],
    ids=["subjects", "nested"],
)
def test_every_list_of_an_object_is_read(value: Any) -> None:
    content = json.dumps(value).encode()
    guess = Shape.of(content, "m").guess
    pool = read_mapped(content, guess, "m")
    assert guess.fields["group"] == "group" and pool.items["group"].tolist() == ["law"] * 4 + ["art"] * 3
    assert pool.account is not None and pool.account.seen == 7


@pytest.mark.parametrize("deep", [False, True])
def test_lists_under_models_are_theirs(deep: bool) -> None:
    rows = [{**row, "id": n} for n, row in enumerate(PART)]
    by_model = {model: {"law": rows} if deep else rows for model in ("gpt-4", "claude-3")}
    content = json.dumps(by_model).encode()
    guess = Shape.of(content, "m").guess
    account = read_mapped(content, guess, "m").account
    assert guess.model == "model" and account is not None and (account.items, account.further) == (4, 4)


@pytest.mark.parametrize("other", ["config", "answers"])
def test_lists_of_other_records_and_of_fields_are_no_further_rows(other: str) -> None:
    more = {"name": "x", "value": 1} if other == "config" else {"question": "?", "output": "z", "correct": 0}
    content = json.dumps({"rows": PART, other: [more]}).encode()
    assert read_mapped(content, FieldMap({"prompt": "question"})).n_items == 4


def test_records_under_names_are_read_wherever_they_stand() -> None:
    value = {"meta": {"model": "gpt-4", "date": "x"}, "results": {f"q{n}": row for n, row in enumerate(PART)}}
    content = json.dumps(value).encode()
    guess = Shape.of(content, "m").guess
    assert guess.fields == {"id": "key", "prompt": "question"}
    assert read_mapped(content, guess, "m").items.index.tolist() == ["q0", "q1", "q2", "q3"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"model": "gpt-4", "date": "x"}, *PART], Saying("without any", "fields")),
        ([*PART, {"accuracy": 0.5, "total": 4}], Saying("totals", "end")),
    ],
)
def test_a_line_of_settings_or_of_totals_among_the_items_is_none(rows: list[dict[str, Any]], reason: Saying) -> None:
    content = lines(rows)
    account = read_mapped(content, Shape.of(content, "m").guess, "m").account
    assert account is not None and account.items == 4
    assert [one.reason for one in account.left_out] == [reason]
