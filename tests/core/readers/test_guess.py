"""Which fields of an unknown file are what."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.errors import PoolError
from core.pool.account import WITHOUT_OUTPUT
from core.readers import FieldMap, Shape, read_mapped
from core.readers import foreign_names as foreign
from core.readers.doubt import Candidate
from core.readers.polarity import score_statements


def table(rows: Sequence[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def guess(content: bytes) -> FieldMap:
    return Shape.of(content, "m").guess


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
    assert "filled “answer.foo” in 20 and “answer” in 50 of the first 50 rows" in (printed := capsys.readouterr().err)
    assert "--answer=answer.foo and --answer=answer" in printed
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
        lambda n: {"question": f"{n}?", "answer": "x", "strict_accuracy": n % 2, "loose_accuracy": 1},
        {"prompt": "question", "answer": "answer"},
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


CHATS: dict[str, tuple[list[dict[str, Any]], str | None, str | None]] = {
    "one question": (
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Two and two?"},
            {"role": "assistant", "content": "4"},
        ],
        "Two and two?",
        "4",
    ),
    "several turns": (
        [
            {"from": "human", "value": "Two and two?"},
            {"from": "gpt", "value": "5"},
            {"from": "human", "value": "Sure?"},
            {"from": "gpt", "value": "4"},
        ],
        "User: Two and two?\n\nAssistant: 5\n\nUser: Sure?",
        "4",
    ),
    "parts": (
        [
            {"role": "user", "content": [{"type": "text", "text": "Two and two?"}]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "4"},
            {"role": "assistant", "content": [{"type": "text", "text": "It is 4."}]},
        ],
        "Two and two?",
        "It is 4.",
    ),
}


def chats() -> bytes:
    return lines([{"id": form, "messages": messages} for form, (messages, _, _) in CHATS.items()])


@pytest.mark.parametrize("form", CHATS)
@pytest.mark.parametrize("as_text", [False, True])
def test_of_a_chat_the_last_answer_is_the_output_and_the_rest_the_prompt(form: str, as_text: bool) -> None:
    messages, prompt, reply = CHATS[form]
    chat = json.dumps(messages) if as_text else messages
    content = lines([{"id": f"c{n}", "messages": chat, "score": n % 2} for n in range(4)])
    fields = guess(content)
    assert fields.fields == {"id": "id", "prompt": "messages[prompt]"}
    assert fields.targets == {"m": {"text": "messages[reply]", "right": "score"}}
    pool = read_mapped(content, fields, "m")
    assert pool.items["prompt"].tolist() == [prompt] * 4 and pool.targets["m"].texts == [reply] * 4


def test_a_chat_that_waits_for_an_answer_is_a_prompt_as_before() -> None:
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    fields = guess(lines([{"id": f"c{n}", "messages": turns, "response": "x"} for n in range(4)]))
    assert fields.fields["prompt"] == "messages[].content" and fields.targets == {"m": {"text": "response"}}


def messages(n_chats: int) -> list[dict[str, Any]]:
    turns = [("user", "{}?"), ("assistant", "a{}"), ("user", "Sure?"), ("assistant", "b{}")]
    return [
        {"Conversation_id": f"c{n}", "Role": role, "Content": text.format(n), "rating": n % 2 if place == 3 else None}
        for n in range(n_chats)
        for place, (role, text) in enumerate(turns)
    ]


@pytest.mark.parametrize("write", [table, lines])
def test_rows_that_are_messages_are_put_together(write: Callable[[Sequence[dict[str, Any]]], bytes]) -> None:
    content = write(messages(30))
    fields = guess(content)
    assert fields.fields == {"id": "Conversation_id", "prompt": "messages[prompt]"}
    assert fields.targets == {"m": {"text": "messages[reply]"}} and fields.judges == ("rating",)
    pool = read_mapped(content, fields, "m")
    assert pool.n_items == 30 and pool.targets["m"].texts == [f"b{n}" for n in range(30)]
    assert pool.items["prompt"].iloc[2] == "User: 2?\n\nAssistant: a2\n\nUser: Sure?"
    assert pool.account is not None and (pool.account.seen, pool.account.items, pool.account.completing) == (
        120,
        30,
        90,
    )
    others = [{"id": row["Conversation_id"], "role": "nurse", "text": row["Content"]} for row in messages(3)]
    assert read_mapped(write(others), FieldMap({"prompt": "text"})).n_items == 12


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
    assert "no field of this file looks like" in capsys.readouterr().err


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
    assert [one.path for one in doubt.candidates] == [path] and "left open" in doubt.sentence
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


MESSAGE = {"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}
RESPONSES: dict[str, tuple[dict[str, Any], str]] = {
    "chat": (
        {"object": "chat.completion", "model": "gpt", "choices": [MESSAGE], "usage": {"total_tokens": 5}},
        "output.choices[].message.content",
    ),
    "text": ({"choices": [{"text": "a"}]}, "output.choices[].text"),
    "log-probabilities": (
        {"choices": [{"text": "a", "logprobs": [{"t": "x", "lp": -0.5}], "finish_reason": "stop"}]},
        "output.choices[].text",
    ),
}


@pytest.mark.parametrize("form", RESPONSES)
def test_of_a_whole_response_its_text_is_the_output(form: str) -> None:
    response, path = RESPONSES[form]
    asked = [{"role": "system", "content": "be nice"}, {"role": "user", "content": "What is it?"}]
    rows = [{"id": n, "input": {"messages": asked}, "expected": "a", "output": response} for n in range(20)]
    fields = guess(lines(rows))
    ((model, paths),) = fields.targets.items()
    assert fields.fields["prompt"] == "input.messages[].content" and paths == {"text": path}
    assert read_mapped(lines(rows), fields, "m").losses(model).tolist() == [0] * 20


def test_several_choices_of_a_response_are_samples() -> None:
    response = {"choices": [{"text": "a"}, {"text": "b"}]}
    rows = [{"id": n, "question": f"What is {n}?", "expected": "a", "output": response} for n in range(20)]
    fields = guess(lines(rows))
    assert fields.fields["generations"] == "output.choices[].text"
    assert read_mapped(lines(rows), fields, "m").generations == [["a", "b"]] * 20


@pytest.mark.parametrize(("said", "loss"), [("alpha", 0), ("A", 0), ("7", 0), ("beta", 1)])
def test_an_output_is_right_if_it_is_one_of_several_right_answers(said: str, loss: int) -> None:
    rows = [{"id": n, "question": f"What is {n}?", "gold": ["a", "7.0", "alpha"], "output": said} for n in range(20)]
    fields = guess(lines(rows))
    assert fields.fields["answer"] == "gold"
    pool = read_mapped(lines(rows), fields, "m")
    assert pool.losses("m").tolist() == [loss] * 20 and pool.items["answer"].tolist() == ["a"] * 20
    assert any("several right answers" in note for note in pool.notes)


def test_several_right_answers_that_are_free_texts_are_not_compared() -> None:
    gold = ["It is so because the sun is hot", "x"]
    rows = [{"id": n, "question": f"What is {n}?", "gold": gold, "output": "The sun heats it"} for n in range(20)]
    losses = read_mapped(lines(rows), guess(lines(rows)), "m").losses("m").tolist()
    assert all(loss != loss for loss in losses)


def test_the_label_that_stands_beside_a_score_is_no_right_answer() -> None:
    for label in ("correct", "factual"):
        given = [{"name": "correct", "score": 1, "label": label}]
        rows = [{"id": n, "question": f"What is {n}?", "output": "a", "annotations": given} for n in range(20)]
        fields = guess(lines(rows))
        assert "answer" not in fields.fields and fields.targets["m"]["right"] == "annotations[].score"


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
    assert "may be the text" in doubt.sentence and not shape.guess.targets


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


@pytest.mark.parametrize(
    "grades", [("CORRECT", "INCORRECT", "NOT_ATTEMPTED"), ("Correct", "Incorrect", "Not attempted")]
)
def test_an_output_that_was_not_attempted_is_not_right(grades: tuple[str, ...]) -> None:
    rows = [{"problem": f"Who? {n}", "answer": f"A{n}", "prediction": f"B{n}"} for n in range(6)]
    content = table([row | {"grade": grades[n % 3]} for n, row in enumerate(rows)])
    assert read_mapped(content, guess(content), "m").losses("m").tolist() == [0, 1, 1] * 2


def test_outputs_graded_by_letters_are_not_compared_word_by_word() -> None:
    rows = [{"problem": f"Who? {n}", "answer": f"A{n}", "prediction": f"B{n}"} for n in range(6)]
    plain, graded = table(rows), table([row | {"grade": "ABC"[n % 3]} for n, row in enumerate(rows)])
    assert read_mapped(plain, guess(plain), "m").losses("m").tolist() == [1] * 6
    pool = read_mapped(graded, guess(graded), "m")
    assert not pool.targets["m"].known() and pool.items["grade"].tolist() == ["A", "B", "C"] * 2
    assert any("graded by letters (“grade”)" in note for note in pool.notes)


@pytest.mark.parametrize("say", ["{}", "The answer is ({})."])
def test_right_answers_that_are_texts_of_options_meet_outputs_that_are_letters(say: str) -> None:
    options = ["red wine", "green tea", "A cat", "black hole"]
    rows = [{"question": f"Which? {n}", "choices": options, "answer": options[n % 4]} for n in range(8)]
    letters = lines([row | {"prediction": say.format("ABCD"[n % 2])} for n, row in enumerate(rows)])
    pool = read_mapped(letters, guess(letters), "m")
    assert pool.losses("m").tolist() == [0, 0, 1, 1] * 2
    assert any("the first option is A" in note for note in pool.notes)
    same = lines([row | {"prediction": row["answer"]} for row in rows])
    assert read_mapped(same, guess(same), "m").losses("m").tolist() == [0] * 8


@pytest.mark.parametrize("said", [{}, {"prediction_text": "city 1"}])
def test_answers_with_their_places_are_right_ones_and_no_samples(said: dict[str, str]) -> None:
    rows = [{"id": f"q{n}", "question": f"Which? {n}", **said} for n in range(6)]
    rows = [row | {"answers": {"text": [f"city {n}", "x"], "answer_start": [1, 2]}} for n, row in enumerate(rows)]
    fields = guess(lines(rows))
    assert fields.fields["answer"] == "answers.text" and "generations" not in fields.fields
    pool = read_mapped(lines(rows), fields, "m")
    assert pool.items["answer"].tolist() == [f"city {n}" for n in range(6)]
    assert not said or pool.losses("m").tolist() == [1, 0, 1, 1, 1, 1]


def test_an_input_that_is_mostly_empty_is_not_the_question() -> None:
    rows = [{"instruction": f"Translate {n}.", "input": "" if n else "A word", "output": f"x{n}"} for n in range(6)]
    assert guess(lines(rows)).fields["prompt"] == "instruction"
    assert guess(lines([row | {"input": "A word"} for row in rows])).fields["prompt"] == "input"


def test_right_answers_in_nested_lists_are_none() -> None:
    rows = [{"id": f"simple_{n}", "question": f"Call f. {n}", "ground_truth": [{"f": {"x": [n]}}]} for n in range(6)]
    content = lines(rows)
    fields = guess(content)
    assert "answer" not in fields.fields and read_mapped(content, fields, "m").n_items == 6


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


@pytest.mark.parametrize("rows", [[{"model": "gpt-4", "date": "x"}, *PART], [*PART, {"accuracy": 0.5, "total": 4}]])
def test_a_line_of_settings_or_of_totals_among_the_items_is_none(rows: list[dict[str, Any]]) -> None:
    content = lines(rows)
    account = read_mapped(content, Shape.of(content, "m").guess, "m").account
    assert account is not None and account.items == 4
    assert [one.reason for one in account.left_out] == ["rows without any of the fields"]


def test_several_outputs_in_a_list_are_samples_and_answers_beside_an_output_are_right() -> None:
    samples = [
        {"question_id": n, "question": f"{n}?", "output_list": ["x", "y"], "difficulty": "easy"} for n in range(4)
    ]
    assert Shape.of(json.dumps(samples).encode(), "m").guess.fields["generations"] == "output_list"
    single = [{"question": f"{n}?", "pred": [str(n)], "score": [n % 2 == 0]} for n in range(4)]
    assert Shape.of(json.dumps(single).encode(), "m").guess.targets == {"m": {"text": "pred", "right": "score"}}
    several = [{"pred": "x", "answers": ["x", "y"] if n % 2 else ["z"], "length": 100 * n} for n in range(4)]
    content = lines(several)
    guess = Shape.of(content, "m").guess
    assert (guess.fields, guess.targets) == ({"answer": "answers"}, {"m": {"text": "pred"}})
    assert read_mapped(content, guess, "m").losses("m").tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("name", ["follow_all_instructions", "resolved", "EM"])
def test_scores_of_benchmarks_are_known_by_their_names(name: str) -> None:
    rows = [{"prompt": f"{n}?", "response": "x", name: n % 2 == 0} for n in range(4)]
    assert Shape.of(json.dumps(rows).encode(), "m").guess.targets == {"m": {"text": "response", "right": name}}
