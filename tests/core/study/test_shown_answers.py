"""Filled lists that show other answers or prompts than those that their labels count for."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import pytest

import neyman
from core.design import Plan
from core.errors import LabelError
from core.labels import export, read
from core.labels.formats.label_file import ShownRow
from core.labels.shown_rows import same_answer
from core.pool import Pool
from tests.core.labels.tools import TOOLS

TOWNS = ["Rome", "Oslo", "Bonn", "Lima"]
LONG = "This is a long answer about {} that a program may cut when it writes a cell of a table."


def plan_of(form: str = "{}", **more: object) -> Plan:
    records = [
        {
            "id": str(n),
            "prompt": f"Where is number {n}?",
            "generations": ["x"],
            **more,
            "targets": {
                "M": {"answer": form.format(TOWNS[n % 4])},
                "N": {"answer": form.format(TOWNS[n % 4 if n % 3 else (n + 1) % 4])},
            },
        }
        for n in range(48)
    ]
    return neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)


def tools(frame: pd.DataFrame, kind: str = "right-wrong") -> list[bytes]:
    """Return the exports of tools for a list that showed this and the labels that people gave."""
    given, plain = dict(zip(frame["item_id"], frame["label"], strict=True)), frame.drop(columns="label")
    return [fill(export(plain, form, kind), given) for form, _, fill in TOOLS]


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


def test_what_a_list_shows_is_read_beside_each_label() -> None:
    content = (
        b"item_id,label,target_answer,answers_of,prompt\na,right,'=x,,p\nb,right,y,t01234567,\nc,,z,,\nd,right,,,\n"
    )
    assert read(content).shown == (ShownRow(2, "a", None, "=x", "p"), ShownRow(3, "b", "t01234567", "y"))


def gave(**changes: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Write another text in place of what the list shows of its first item, in each of some columns."""
    return lambda table: table.assign(**{name: [text, *table[name].iloc[1:]] for name, text in changes.items()})


def alone(column: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Sort one column without the others."""
    return lambda table: table.assign(**{column: sorted(table[column])})


# What became of a filled list of “M”, and what is said of it; "" if its labels count.
CHANGES: list[tuple[Callable[[pd.DataFrame], pd.DataFrame], str]] = [
    (lambda table: table, ""),
    (gave(target_answer="Xanadu"), "1 row shows another answer than that of “M” (row "),
    (gave(target_answer="RE#UN"), "“RE#UN” in place of"),
    (alone("item_id"), "rows show the prompt of another item than their items (row "),
    (lambda table: alone("item_id")(table).drop(columns="prompt"), "rows show another answer than that of “M”"),
    (gave(prompt="Write this in other words"), ""),
    (gave(target_answer="2024-03-01"), ""),
    (gave(target_answer="#NAME?"), ""),
    (gave(target_answer="01. Mär"), ""),
    (gave(target_answer=""), ""),
    (lambda table: alone("item_id")(table).drop(columns=["prompt", "target_answer"]), ""),
]


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_a_row_that_contradicts_its_item_is_named(change: Callable[[pd.DataFrame], pd.DataFrame], said: str) -> None:
    plan = plan_of()
    table = change(neyman.request(plan, "right-wrong", "M").assign(label="right"))
    for content in (*doors(table), *(tools(table) if "target_answer" in table else ())):
        if not said:
            assert neyman.labelled(plan, content, "M").outcomes.table["value"].eq(1).all()
            continue
        with pytest.raises(LabelError) as refused:
            neyman.labelled(plan, content, "M")
        assert said in str(refused.value)
        assert "target_answer" in str(refused.value) or "sorted or moved" in str(refused.value)


def test_a_tool_s_task_beside_the_prompt_of_another_item_is_named_where_it_lists_options_too() -> None:
    plan = plan_of(choices=TOWNS)
    table = neyman.request(plan, "gold").assign(label="A")
    for content in tools(table, "gold"):
        assert neyman.labelled(plan, content, "M", "gold").estimate().n_labels == 24
    for content in tools(alone("item_id")(table), "gold"):
        with pytest.raises(LabelError, match="rows show the prompt of another item than their items"):
            neyman.labelled(plan, content, "M", "gold")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("8,574", "8574", True),
        ("3,5", "3.5", True),
        ("0.333333333", "0.3333333333333333", True),
        ("1234567", "1234568", False),
        ("557.36", "558.36", False),
        ("Paris 5", "Paris 6", False),
        ("50%", "0.5", True),
        ("a long te…", "a long text", True),
        ("a", "a long text", False),
        ("5", "-5", False),
    ],
)
def test_answers_are_the_same_however_programs_write_them(one: str, other: str, same: bool) -> None:
    assert same_answer(one, other) is same_answer(other, one) is same
