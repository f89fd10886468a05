"""Filled lists that show another model's answers than those that their labels count for."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import pytest

import neyman
from core.design import Plan
from core.labels import read
from core.pool import Pool

TOWNS = ["Rome", "Oslo", "Bonn", "Lima"]
LONG = "This is a long answer about {} that a program may cut when it writes a cell of a table."


def plan_of(form: str = "{}") -> Plan:
    records = [
        {
            "id": str(n),
            "generations": ["x"],
            "targets": {
                "M": {"answer": form.format(TOWNS[n % 4])},
                "N": {"answer": form.format(TOWNS[n % 4 if n % 3 else (n + 1) % 4])},
            },
        }
        for n in range(48)
    ]
    return neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)


def doors(frame: pd.DataFrame) -> list[bytes | pd.DataFrame]:
    book = io.BytesIO()
    frame.to_excel(book, index=False)
    return [frame.to_csv(index=False).encode(), book.getvalue(), frame.to_json(orient="records").encode(), frame]


@pytest.mark.parametrize("code", [None, ""])
def test_labels_beside_the_answers_of_another_model_are_remarked(code: str | None) -> None:
    plan = plan_of()
    table = neyman.request(plan, "right-wrong", "M").assign(label="right", answers_of=code)
    unlike = sum(int(item) % 3 == 0 for item in table["item_id"])
    for content in doors(table if code == "" else table.drop(columns="answers_of")):
        said = repr(neyman.labelled(plan, content, "N"))
        assert f"Of 24 answers that this file shows, {unlike} differ from what “N” answered (item “" in said
        assert "They are those of “M”: choose it as the target." in said
        assert "that this file shows" not in repr(neyman.labelled(plan, content, "M"))


@pytest.mark.parametrize(
    "change",
    [str.upper, lambda text: f" {text}\n", lambda text: text[:60], lambda text: f"'{text}'", lambda text: f"{text}."],
)
def test_an_answer_that_a_program_writes_otherwise_is_the_same(change: Callable[[str], str]) -> None:
    plan = plan_of(LONG)
    table = neyman.request(plan, "right-wrong", "M").assign(label="right").drop(columns="answers_of")
    table["target_answer"] = table["target_answer"].map(change)
    assert "that this file shows" not in repr(neyman.labelled(plan, table, "M"))


def test_what_a_list_shows_is_read_where_a_label_names_no_target() -> None:
    content = b"item_id,label,target_answer,answers_of\na,right,'=x,\nb,right,y,t01234567\nc,,z,\n"
    assert read(content).shown == (("a", "=x"),)
