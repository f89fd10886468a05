"""Which right answers an unknown file has, and how outputs meet them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.readers import Shape, read_mapped
from tests.core.readers.guessed import guess, lines, table

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


WHOLE = [f'{{"due_date": "2024-02-{day}"}}' for day in range(10, 16)]
SEVERAL = [f'{{"supply": "0.{n}", "delivery": "0.{n}7"}}' for n in range(1, 7)]


@pytest.mark.parametrize(
    "texts", [WHOLE, [f"[{n}.5]" for n in range(6)], [["a", "b"] if n % 2 else f"[{n}]" for n in range(6)]], ids=str
)
def test_a_right_answer_that_is_json_is_one(texts: list[Any]) -> None:
    content = lines([{"question": f"Which? {n}", "ideal": text} for n, text in enumerate(texts)])
    fields = guess(content)
    assert fields.fields["answer"] == "ideal"
    said = [text[0] if isinstance(text, list) else text for text in texts]
    assert read_mapped(content, fields, "m").items["answer"].tolist() == said


@pytest.mark.parametrize("as_text", [True, False])
def test_of_a_right_answer_with_several_parts_none_is_taken_for_the_whole(as_text: bool) -> None:
    rows = [{"question": f"Which? {n}", "ideal": one if as_text else json.loads(one)} for n, one in enumerate(SEVERAL)]
    shape = Shape.of(lines(rows), "m")
    (doubt,) = shape.doubts
    parts = ["ideal.supply", "ideal.delivery"]
    assert "answer" not in shape.guess.fields and [one.path for one in doubt.candidates][-2:] == parts
    named = [{**row, "ideal": {"note": "x", "text": f"A{n}", "source": "y"}} for n, row in enumerate(rows)]
    assert guess(lines(named)).fields["answer"] == "ideal.text"


def test_a_question_is_in_most_rows_and_groups_have_several() -> None:
    rows: list[dict[str, Any]] = [{"task": f"Add {n} to {n}, please.", "gold": str(n)} for n in range(24)]
    rows[0]["bugs"] = {"bugged_input": "a text"}
    assert guess(lines(rows)).fields == {"prompt": "task", "answer": "gold"}
    rows = [{**row, "task": f"adding {n % 3}"} for n, row in enumerate(rows)]
    assert guess(lines(rows)).fields == {"answer": "gold", "group": "task"}


@pytest.mark.parametrize(
    ("right", "said", "share"),
    [("01234", "1234", 0), ("00501", "501", 0), ("01234", "01234", 1), ("025", "25", 1), ("0", "0.0", 1)],
)
def test_codes_with_zeros_in_front_are_no_numbers(right: str, said: str, share: float) -> None:
    """A ZIP code without its zero was right."""
    rows = [{"id": n, "question": f"Which of {n} is it?", "gold": right, "output": said} for n in range(12)]
    content = table(rows)
    assert read_mapped(content, guess(content), "m").targets["m"].accuracy() == share


def test_aliases_of_right_answers_are_no_samples() -> None:
    rows = [
        {"id": f"q{n}", "question": f"{n}?", "answer": {"value": f"red {n}", "aliases": [f"red {n}", f"rouge {n}"]}}
        for n in range(12)
    ]
    fields = guess(lines(rows))
    assert fields.fields["answer"] == "answer.aliases"
    assert "generations" not in fields.fields and not fields.targets


@pytest.mark.parametrize("name", [":", "--", "123", "…"])
def test_names_without_words_are_no_right_answers(name: str) -> None:
    rows = [
        {"id": f"q{n}", "prompt": f"{n}?", "answer": f"{n}", name: ["a", "b"], "x": {name: False}} for n in range(3)
    ]
    assert guess(lines(rows)).fields["prompt"] == "prompt"


@pytest.mark.parametrize("cell", ['["Kyiv", "Kiev"]', "['Kyiv', 'Kiev']", "[“Kyiv”, “Kiev”]", ' ["Kyiv","Kiev"]'])
@pytest.mark.parametrize("name", ["gold", "answer", "reference"])
def test_a_cell_may_list_several_right_answers(cell: str, name: str) -> None:
    rows = [
        {"id": n, "question": f"Q{n}?", name: f"Rome {n}" if n % 3 else cell, "pred": f"Rome {n}" if n % 3 else "Kiev"}
        for n in range(12)
    ]
    file = table(rows)
    pool = read_mapped(file, guess(file), "m")
    (model,) = pool.targets
    assert pool.losses(model).tolist() == [0.0] * 12
    assert pool.table.column("answer").to_pylist()[:2] == ["Kyiv", "Rome 1"]


def test_lists_of_letters_and_lists_that_models_write_are_one_right_answer() -> None:
    for cell, said in (('["A", "C"]', "A"), ('["Rome", "Oslo"]', 'I say ["Rome"]')):
        rows = [{"id": n, "question": f"Q{n}?", "gold": cell, "pred": said} for n in range(12)]
        file = table(rows)
        pool = read_mapped(file, guess(file), "m")
        assert set(pool.table.column("answer").to_pylist()) == {cell}
        assert not any((pool.losses(model) == 0).any() for model in pool.targets)
