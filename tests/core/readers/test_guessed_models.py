"""Which of the fields of an unknown file are models', in columns of their own and in rows."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.errors import PoolError
from core.judge import judges, named_judge
from core.pool.account import WITHOUT_OUTPUT
from core.readers import RIGHT, TEXT, WRONG, Shape, read, read_mapped, read_or_shape
from tests.core.readers.guessed import guess, lines, table
from tests.core.wording import Saying


def rows_of_models(column: str, names: Sequence[str] = ("cl", "gpt-4")) -> list[dict[str, Any]]:
    return [
        {"id": f"q{n}", "question": f"{n} is it?", column: name, "output": f"{n} {name}", "correct": place}
        for n in range(20)
        for place, name in enumerate(names)
    ]


@pytest.mark.parametrize("column", ["model", "model_version", "deployment", "system", "engine", "agent"])
def test_rows_of_an_item_that_a_column_tells_apart_are_of_several_models(column: str) -> None:
    fields = guess(table(rows_of_models(column)))
    assert fields.model == column and fields.targets == {"m": {"text": "output", "right": "correct"}}


def test_a_column_that_is_the_same_for_all_rows_of_an_item_names_no_model() -> None:
    rows = [
        {"id": f"q{n // 2}", "question": f"{n // 2}?", "system": "AB"[n // 2 % 2], "output": f"{n}"} for n in range(20)
    ]
    assert guess(table(rows)).model == "" and guess(table(rows)).fields["generations"] == "output"


def test_a_file_of_a_zip_is_no_model_if_a_column_names_it() -> None:
    rows = rows_of_models("model", ("claude", "gpt-4"))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for place in (0, 1):
            archive.writestr(f"part{place + 1}.csv", table(rows[20 * place : 20 * place + 20]))
    shape = Shape.of(content.getvalue(), "m")
    assert shape.guess.model == "model"
    pool = read_mapped(content.getvalue(), shape.guess, "m")
    assert list(pool.targets) == ["gpt-4"] and pool.losses("gpt-4").tolist() == [0] * 20
    (note,) = (note for note in pool.notes if "read as right" in note)
    assert "gpt-4 has 100\u00a0% of 20 items right" in note and "claude has 0\u00a0% of 20 items right" in note


BESIDE: dict[str, Callable[[dict[str, dict[str, Any]]], dict[str, Any]]] = {
    "keys": lambda models: {"results": models},
    "keys with verdicts": lambda models: {
        "results": {
            name: {"output": one["output"], "verdict": ["fail", "pass"][one["correct"]]} for name, one in models.items()
        }
    },
    "a list": lambda models: {"models": [{"name": name, **one} for name, one in models.items()]},
    "keys of outputs": lambda models: {
        "outputs": {name: one["output"] for name, one in models.items()},
        "correct": {name: one["correct"] for name, one in models.items()},
    },
    "German columns": lambda models: {
        **{f"Antwort {name}": one["output"] for name, one in models.items()},
        **{f"{name} richtig?": one["correct"] for name, one in models.items()},
    },
}


@pytest.mark.parametrize("form", BESIDE)
def test_every_model_of_a_row_is_a_target(form: str) -> None:
    rows = []
    for n in range(20):
        models = {"gpt-4": {"output": "a b", "correct": n % 2}, "claude": {"output": "b c", "correct": 0}}
        rows.append({"id": n, "question": f"What is {n}?", "gold": "a b", **BESIDE[form](models)})
    fields = guess(lines(rows))
    assert {model: sorted(paths) for model, paths in fields.targets.items()} == {
        "gpt-4": ["right", "text"],
        "claude": ["right", "text"],
    }
    pool = read_mapped(lines(rows), fields, "m")
    assert pool.losses("gpt-4").tolist() == [1, 0] * 10 and pool.losses("claude").tolist() == [1] * 20


def test_outputs_under_other_keys_are_no_models() -> None:
    rows = [
        {"question": f"What is {n}?", "expected": {"output": "a"}, "actual": {"output": "b", "correct": 0}}
        for n in range(20)
    ]
    assert list(guess(lines(rows)).targets) == ["m"]


def test_outputs_that_stand_in_two_columns_by_turns_are_in_doubt() -> None:
    rows: list[dict[str, Any]] = [{"id": n, "question": f"What is {n}?"} for n in range(20)]
    rows = [row | {("output", "answer_of_bot")[n // 10]: "a b"} for n, row in enumerate(rows)]
    (doubt,) = Shape.of(lines(rows)).doubts
    assert doubt.field == "text" and [one.path for one in doubt.candidates] == ["output", "answer_of_bot"]


def test_rows_of_a_model_without_an_output_are_left_out_with_their_reason() -> None:
    rows = rows_of_models("model")
    for row in rows[2::2]:
        row |= {"output": None, "correct": None}
    account = read_mapped(lines(rows), guess(lines(rows_of_models("model"))), "m").account
    assert account is not None and (account.seen, account.items, account.further) == (40, 20, 1)
    assert [(one.reason, one.count) for one in account.left_out] == [(WITHOUT_OUTPUT, 19)]


def answers_of(header: str, *columns: str) -> bytes:
    """A table of twelve questions with right answers A to D, and a column for each text, read letter by letter."""
    rows = (",".join([f"What is {n}?", "ABCD"[n % 4], *(said[n % len(said)] for said in columns)]) for n in range(12))
    return "\n".join([header, *rows]).encode()


@pytest.mark.parametrize("models", [("gpt-4", "claude-3"), ("gpt-3.5-turbo", "human"), ("GPT-4",)])
def test_columns_called_by_models_alone_are_their_answers(models: tuple[str, ...]) -> None:
    content = answers_of(",".join(["question", "answer", *models]), *("ABC", "AB")[: len(models)])
    shape = Shape.of(content, "m")
    assert shape.guess.targets == {model: {"text": model} for model in models} and not shape.doubts
    assert read_mapped(content, shape.guess, "m").losses(models[0]).mean() == 0.75


def test_columns_called_by_models_are_texts_numbers_or_scores() -> None:
    texts = [
        {"question": f"Say {n}.", "reference": f"It is {n}", "gpt-4o": f"{n} it is", "llama-3": f"not {n}"}
        for n in "abcd"
    ]
    numbers = [{"question": f"Add {n}.", "expected": 3 * n, "gpt-4": 3 * n, "claude": n} for n in range(4)]
    scores = [{"question": f"Say {n}.", "gpt-4": n % 2, "claude-3": 0.5} for n in range(4)]
    for rows, field, models in ((texts, "text", "gpt-4o"), (numbers, "text", "gpt-4"), (scores, "right", "gpt-4")):
        guess = Shape.of(json.dumps(rows).encode(), "m").guess
        assert guess.targets[models] == {field: models} and len(guess.targets) == 2


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("question,answer,alpha,beta", ("ABC", "AB")),
        ("question,answer,gpt-4,alpha,beta,gamma", ("ABC", "AB", "BA", "CA")),
    ],
)
def test_columns_of_answers_that_nothing_names_are_in_doubt(header: str, columns: tuple[str, ...]) -> None:
    shape = Shape.of(answers_of(header, *columns), "m")
    (doubt,) = shape.doubts
    assert doubt.field == "text" and [one.path for one in doubt.candidates] == header.split(",")[2:]
    assert "each is a target" in doubt.sentence and not shape.guess.targets


def test_truth_values_beside_right_answers_that_are_such_are_in_doubt() -> None:
    rows = [{"question": f"Is {n}?", "answer": n % 2 == 0, "gpt-4": n % 3 == 0, "claude": n > 2} for n in range(8)]
    assert [one.field for one in Shape.of(json.dumps(rows).encode(), "m").doubts] == ["text"]


@pytest.mark.parametrize("name", ["model", "system", "command", "gpt-4_tokens", "claude_reason"])
def test_columns_that_only_sound_like_models_are_none(name: str) -> None:
    rows = [{"question": f"What is {n}?", "answer": "ABCD"[n % 4], name: f"text {n}"} for n in range(8)]
    assert not Shape.of(json.dumps(rows).encode(), "m").guess.targets


@pytest.mark.parametrize(
    ("columns", "field", "text"),
    [
        (("answer_matching_behavior", "answer_not_matching_behavior"), None, None),
        (("short_answer", "long_answer"), None, None),
        (("Best Answer", "Correct Answers", "Incorrect Answers"), "Best Answer", None),
        (("human_answer", "chatgpt_answer"), None, "chatgpt_answer"),
        (("long_t5_output", "gpt_output"), None, "gpt_output"),
    ],
)
def test_texts_called_by_what_is_thought_of_them_are_no_model_s(
    columns: tuple[str, ...], field: str | None, text: str | None
) -> None:
    rows = [{"question": f"Who wrote book {n}?", **{name: f"{name} {n}" for name in columns}} for n in range(8)]
    fields = guess(lines(rows))
    assert fields.fields.get("answer") == field
    texts = {paths["text"] for paths in fields.targets.values()}
    assert texts == ({text} if text else set()) | ({"long_t5_output"} & set(columns))


QUESTIONS = [{"question": f"Which policy applies to case {n}?", "right answer": "ABCD"[n % 4]} for n in range(40)]


def with_columns(*names: str, keyed: bool = True) -> bytes:
    """Questions, with right answers or without, and columns of letters or of texts."""
    rows = []
    for n, row in enumerate(QUESTIONS):
        said = {name: "ABCD"[n % (place + 2)] for place, name in enumerate(names)}
        texts = {name: f"I think that it is {one}, case {n}." for name, one in said.items()}
        rows.append({**row, **said} if keyed else {"question": row["question"], **texts})
    return table(rows)


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize(
    "name",
    ["my model’s answer", "our model's output", "what the model said", "AI says", "answer of our model", "bot replied"],
)
def test_what_a_model_said_is_known_by_who_says_it(name: str, keyed: bool) -> None:
    fields = guess(with_columns(name, keyed=keyed))
    assert fields.targets == {"m": {TEXT: name}}


@pytest.mark.parametrize("name", ["what the user said to the bot", "answer model", "what the judge said of the model"])
def test_what_people_and_judges_say_is_no_output(name: str) -> None:
    assert not guess(with_columns(name, keyed=False)).targets


@pytest.mark.parametrize("names", [("support-bot v1", "support-bot v2"), ("GPT says", "Claude says")])
@pytest.mark.parametrize("keyed", [True, False])
def test_versions_of_a_model_stand_beside_each_other(names: tuple[str, str], keyed: bool) -> None:
    assert [*guess(with_columns(*names, keyed=keyed)).targets] == [name.removesuffix(" says") for name in names]


def test_versions_of_something_are_models_if_they_answer_and_are_asked_for_if_they_may_be_anything() -> None:
    names = ("prod 2026-01", "prod 2026-03")
    assert [*guess(with_columns(*names)).targets] == [*names]
    (doubt,) = Shape.of(with_columns(*names, keyed=False), "m").doubts
    assert (doubt.field, [one.path for one in doubt.candidates]) == (TEXT, [*names])
    nested = [row | {"answers": {"helper-v1": "A", "helper-v2": "B"}} for row in QUESTIONS]
    assert [*guess(lines(nested)).targets] == ["helper-v1", "helper-v2"]


@pytest.mark.parametrize("values", [("pass", "fail"), (1, 0), ("good", "bad")])
def test_what_a_judge_says_is_kept_beside_the_output(values: tuple[object, object]) -> None:
    rows = [row | {"my model's answer": "B", "judge says": values[n % 3 > 0]} for n, row in enumerate(QUESTIONS)]
    fields = guess(table(rows))
    assert fields.targets == {"m": {TEXT: "my model's answer"}} and "judge says" in (*fields.columns, *fields.judges)


@pytest.mark.parametrize(
    ("columns", "targets"),
    [
        (("said by claude", "said by gpt"), ["claude", "gpt"]),
        (("what bot A said", "what bot B said"), ["bot A", "bot B"]),
        (("answer_by_claude", "answer_by_gpt"), ["claude", "gpt"]),
    ],
)
def test_a_model_is_called_without_the_words_around_it(columns: tuple[str, str], targets: list[str]) -> None:
    assert [*guess(with_columns(*columns)).targets] == targets


def scored(score: str, *names: str) -> bytes:
    """Rows with texts, the last ones the longest, and a score."""
    return table(
        [
            {name: f"This is number {n}{' and so on' * place}." for place, name in enumerate(names)}
            | {score: int(n % 3 > 0)}
            for n in range(40)
        ]
    )


@pytest.mark.parametrize(("score", "field"), [("correct", RIGHT), ("score", RIGHT), ("failed", WRONG)])
@pytest.mark.parametrize("names", [("claude said", "gpt said"), ("gpt output", "claude output")])
def test_one_score_beside_the_outputs_of_several_models_is_asked_for(
    score: str, field: str, names: tuple[str, str]
) -> None:
    shape = Shape.of(scored(score, "question", *names), "m")
    (doubt,) = shape.doubts
    assert (doubt.field, [one.path for one in doubt.candidates], doubt.is_optional) == (field, [score], False)
    assert doubt.sentence == f"“{score}” is the only score beside the outputs of several models."
    assert [[*paths] for paths in shape.guess.targets.values()] == [[TEXT], [TEXT]]


@pytest.mark.parametrize("names", [("support-bot v1", "support-bot v2"), ("prod 2026-01", "prod 2026-03")])
def test_one_score_beside_versions_leaves_open_what_it_is_about(names: tuple[str, str]) -> None:
    shape = Shape.of(scored("correct", "question", *names), "m")
    (doubt,) = shape.doubts
    assert (doubt.field, [one.path for one in doubt.candidates]) == (TEXT, [*names])
    assert shape.guess.targets == {"m": {RIGHT: "correct"}}


@pytest.mark.parametrize(
    ("columns", "prompt", "output"),
    [
        (
            ("ticket", "what the customer said", "what the agent replied"),
            "what the customer said",
            "what the agent replied",
        ),
        (("user said", "system said"), "user said", "system said"),
        (("system said", "user said"), "user said", "system said"),
    ],
)
def test_what_people_say_to_a_model_is_the_question(columns: tuple[str, ...], prompt: str, output: str) -> None:
    fields = guess(scored("resolved" if "ticket" in columns else "correct", *columns))
    assert fields.fields["prompt"] == prompt and fields.targets["m"][TEXT] == output


@pytest.mark.parametrize("names", [("support-bot v1", "support-bot v2"), ("gpt-4", "gpt-4-turbo")])
@pytest.mark.parametrize("verdicts", [("yes", "no"), (1, 0)])
def test_columns_of_texts_beside_verdicts_of_the_same_models_are_what_these_said(
    names: tuple[str, str], verdicts: tuple[object, object]
) -> None:
    scored = [f"{name.removeprefix('support-bot ')} correct" for name in names]
    rows = [
        {"question": f"{n} is it?"}
        | {name: f"{n} it is, says {place}." for place, name in enumerate(names)}
        | {column: verdicts[(n + place) % 3 == 0] for place, column in enumerate(scored)}
        for n in range(20)
    ]
    with pytest.raises(PoolError):  # In no format: a person says which field is what.
        read(table(rows), "bots.csv")
    fields = guess(table(rows))
    assert fields.targets == {name: {"text": name, "right": column} for name, column in zip(names, scored, strict=True)}
    assert fields.fields == {"prompt": "question"}
    # Notes on one of them are no text of its own, and other texts that bear its name leave open which one is.
    for column, known in (("notes", {"text", "right"}), ("summary", {"right"})):
        more = guess(table([row | {f"{names[0]} {column}": f"Fine, {n}."} for n, row in enumerate(rows)]))
        assert all(paths.keys() == known for paths in more.targets.values()), column


@pytest.mark.parametrize("column", ["{} reason", "{} comments", "feedback on {}", "{} reviewer", "{} annotator notes"])
def test_what_people_say_of_versions_beside_their_verdicts_is_no_output(column: str) -> None:
    """Files that are read at once became a question, and its first answer took the reasons for outputs."""
    rows = [
        {"question": f"{n} is it?"}
        | {column.format(name): f"So it is, says Ann of {place}, {n}." for place, name in enumerate(("v1", "v2"))}
        | {f"{name} correct": (n + place) % 3 > 0 for place, name in enumerate(("v1", "v2"))}
        for n in range(20)
    ]
    assert guess(table(rows)).targets == {"v1": {"right": "v1 correct"}, "v2": {"right": "v2 correct"}}
    pool = read(table(rows), "bots.csv")
    assert [*pool.targets] == ["v1", "v2"] and column.format("v1") in pool.item_columns


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("correct", "incorrect"), ("right", "wrong"), ("pass", "fail"), ("yes", "no"), (True, False), (1, 0)],
)
@pytest.mark.parametrize("names", [("{}_output", "{}_verdict"), ("{} answer", "{} expert label"), ("{}", "{}_pass")])
@pytest.mark.parametrize("models", [("v1", "v2"), ("old", "new"), ("2026-01", "2026-02")])
def test_verdicts_named_like_outputs_are_theirs_in_any_words(
    models: tuple[str, str], names: tuple[str, str], right: object, wrong: object
) -> None:
    rows = [
        {"id": n, "question": f"What is {n}?"}
        | {names[0].format(model): f"It is {n}, says {model}." for model in models}
        | {names[1].format(model): (right, wrong)[(n + place) % 3 > 0] for place, model in enumerate(models)}
        for n in range(30)
    ]
    shape = read_or_shape(table(rows), "m.csv")
    assert isinstance(shape, Shape)
    said, verdict = (tuple(name.format(model) for model in models) for name in names)
    assert shape.guess.targets == {m: {TEXT: t, RIGHT: v} for m, t, v in zip(models, said, verdict, strict=True)}
    assert not (shape.guess.columns or shape.guess.judges)
    pool = read_mapped(table(rows), shape.guess)
    assert [pool.losses(model).mean() for model in models] == pytest.approx([2 / 3, 2 / 3])


def test_verdicts_of_a_judge_and_of_people_are_no_scores_of_the_output_beside_them() -> None:
    rows = [{"question": f"{n}?", "output": f"It is {n}."} for n in range(20)]
    judged = [
        row | {"expert_verdict": "correct", "judge_verdict": ("correct", "wrong")[n % 2]} for n, row in enumerate(rows)
    ]
    fields = guess(table(judged))
    assert fields.targets == {"m": {TEXT: "output"}} and {*fields.columns} == {"expert_verdict", "judge_verdict"}
    own = [
        {"question": f"{n}?", "bot_answer": f"It is {n}.", "bot_verdict": ("right", "wrong")[n % 2]} for n in range(20)
    ]
    assert guess(table(own)).targets == {"m": {TEXT: "bot_answer", RIGHT: "bot_verdict"}}


@pytest.mark.parametrize(
    ("judge", "people"),
    [("judge_verdict", "human_verdict"), ("llm_grade", "expert_grade"), ("grader", "manual_verdict")],
)
@pytest.mark.parametrize("words", [("correct", "incorrect"), (1, 0)])
def test_a_file_of_verdicts_alone_has_a_judge_and_people_by_their_names(judge: str, people: str, words: object) -> None:
    """Both were left out; nothing said which was the judge's and which the people's."""
    assert isinstance(words, tuple)
    rows = [
        {"conversation_id": f"c{n}", people: words[n % 3 > 1] if n % 9 == 8 else None, judge: words[n % 2]}
        for n in range(60)
    ]
    shape = Shape.of(table(rows), "m")
    assert {*shape.guess.columns, *shape.guess.judges} == {judge, people} and shape.guess.judging == (judge,)
    assert not (shape.remarks(shape.guess) or shape.guess.lacks or shape.guess.targets)
    pool = read_mapped(table(rows), shape.guess)
    assert named_judge(pool) == judge and judges(pool) == (judge, people)


def test_labels_of_an_llm_and_verdicts_of_people_alone_name_no_judge() -> None:
    for names in (("llm_label", "human_label"), ("llm_score", "gold_score"), ("expert_verdict", "annotator")):
        rows = [{"id": f"c{n}"} | {name: (n + place) % 2 for place, name in enumerate(names)} for n in range(60)]
        assert not Shape.of(table(rows), "m").guess.judging


def test_verdicts_that_nothing_uses_are_named_with_what_to_do() -> None:
    rows = [{"question": f"{n}?", "v1_output": f"A {n}.", "v2_output": f"B {n}."} for n in range(20)]
    rows = [
        row | {"v1_verdict": ("right", "wrong")[n % 2], "v2_verdict": ("right", "partly")[n % 2]}
        for n, row in enumerate(rows)
    ]
    shape = Shape.of(table(rows), "m")
    assert shape.guess.targets["v1"].get(RIGHT) == "v1_verdict" and not shape.guess.columns
    assert shape.unused_verdicts(shape.guess) == Saying(
        "“v2_verdict” looks like verdicts", "not used", "target’s score"
    )
    assert shape.unused_verdicts(replace(shape.guess, columns=("v2_verdict",))) == ""
    grades = [row | {"v2_grade": "YN"[n % 2]} for n, row in enumerate(rows)]
    assert "“v2_verdict” and “v2_grade” look like" in Shape.of(table(grades)).unused_verdicts(shape.guess)
    without = replace(shape.guess, targets={"v1": {TEXT: "v1_output"}})
    assert "“v1_verdict” and “v2_verdict” look like" in shape.unused_verdicts(without)
