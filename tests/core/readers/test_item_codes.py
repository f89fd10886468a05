"""Ids that are short codes in a first column; rows that repeat one, lack a question, or say an unknown verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import FieldMap, read_mapped
from tests.core.readers.guessed import guess, table
from tests.core.wording import Saying

CODES = [("item", "MQ-{:04}"), ("ticket", "T{}"), ("case", "c{}"), ("Ident", "x{}"), ("number", "{}"), ("ref", "r/{}")]
VERDICTS = FieldMap({"prompt": "question"}, columns=("verdict",))


def rows(name: str = "case", code: str = "c{}") -> list[dict[str, Any]]:
    """Forty verdicts, of which one is “maybe”, and one is about no question."""
    asked = [{name: code.format(n), "question": f"What is {n}?", "verdict": "right"} for n in range(1, 41)]
    asked[8]["verdict"], asked[14]["question"] = "maybe", ""
    return asked


@pytest.mark.parametrize(("name", "code"), CODES)
def test_a_first_column_of_codes_is_the_id_and_the_rows_that_repeat_one_are_named(name: str, code: str) -> None:
    given = rows(name, code)
    found = guess(table(given))
    assert found.fields == {"id": name, "prompt": "question"}
    assert read_mapped(table(given), found).ids[2] == code.format(3)
    given[20][name] = code.format(5)
    with pytest.raises(PoolError) as caught:
        read_mapped(table(given), guess(table(given)))
    assert [(one.row, one.field) for one in caught.value.problems] == [(22, "id")]
    # A repeated code makes no samples of what was said.
    answered = table([{**row, "output": f"It is {n}."} for n, row in enumerate(given)])
    assert "generations" not in guess(answered).fields


def test_conversations_are_items_only_if_none_has_several_turns() -> None:
    given = rows("conversation", "c{}")
    assert guess(table(given)).fields["id"] == "conversation"
    given[20]["conversation"] = "c5"
    found = guess(table(given))
    assert "id" not in found.fields and read_mapped(table(given), found).ids.size == 40


def test_codes_that_repeat_after_the_first_rows_are_refused_with_a_way_out() -> None:
    given = [{"ref": f"r{n % 250}", "question": f"What is {n}?", "output": f"It is {n}."} for n in range(300)]
    with pytest.raises(PoolError) as caught:
        read_mapped(table(given), guess(table(given)))
    assert caught.value.total == 50
    assert caught.value.problems[0].remedy == Saying("different items", "“number of the row”")


def test_codes_that_repeat_for_each_of_several_models_are_read_with_the_model() -> None:
    given = [
        {"ref": f"r{n}", "question": f"What is {n}?", "model": model, "response": f"It is {n}.", "correct": n % 2}
        for model in ("one", "two")
        for n in range(250)
    ]
    fields = guess(table(given))
    with pytest.raises(PoolError, match=r"row 252, model: the row is about the model “two”.*--model model --id PATH"):
        read_mapped(table(given), fields)
    named = replace(fields, fields={**fields.fields, "id": "ref"}, model="model")
    assert read_mapped(table(given), named).ids.size == 250
    assert guess(table(given[:150])).fields["id"] == "ref"


def test_several_rows_without_a_question_are_named_in_the_plural() -> None:
    given = rows()
    given[20]["question"] = ""
    assert (
        Saying("empty in 2 rows", "Fill them", "items without their questions")
        in read_mapped(table(given), VERDICTS).notes
    )


def test_codes_without_a_question_are_no_question() -> None:
    found = guess(table([{"item": f"MQ-{n:04}", "gold": f"{n % 7} or so", "ok": bool(n % 3)} for n in range(40)]))
    assert found.fields == {"id": "item", "answer": "gold"}
    judged = [{"dialog": f"c{n:04}", "llm_grade": ("pass", "fail")[n % 2]} for n in range(40)]
    assert guess(table(judged)).fields == {"id": "dialog"}


def test_a_column_called_chat_that_holds_texts_is_the_question() -> None:
    texts = [{"chat": f"What is {n}?", "output": f"It is {n}."} for n in range(40)]
    assert guess(table(texts)).fields == {"prompt": "chat"}


@pytest.mark.parametrize("name", ["item", "sample", "record"])
def test_what_is_called_as_codes_and_holds_none_is_no_id(name: str) -> None:
    texts = [{name: f"What is {n} and {n}?", "output": f"It is {n}."} for n in range(40)]
    assert guess(table(texts)).fields == {"prompt": name}
    groups = [{name: f"g{n % 9}", "question": f"What is {n}?", "output": f"It is {n}."} for n in range(40)]
    assert "id" not in guess(table(groups)).fields


def test_a_word_among_the_verdicts_and_a_row_without_a_question_are_named() -> None:
    found = guess(table(rows()))
    assert "verdict" in found.columns and found.lacks == Saying("questions and a judge’s verdicts alone")
    notes = read_mapped(table(rows()), VERDICTS).notes
    assert Saying("“verdict”", "row 10", "“maybe”") in notes and Saying("“question” is empty in row 16") in notes
    # A preview of the first items says the same.
    assert set(read_mapped(table(rows()), VERDICTS, most=3).notes) >= {note for note in notes if "row 1" in note}
    words = [{**row, "verdict": f"grade {n % 5}"} for n, row in enumerate(rows())]
    empty = [{**row, "question": row["question"] if n < 9 else ""} for n, row in enumerate(words)]
    assert not [note for note in read_mapped(table(empty), VERDICTS).notes if "verdict" in note or "empty" in note]
