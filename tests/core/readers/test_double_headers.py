"""Tables whose header is in two rows, and tables whose first rows look like one."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import openpyxl
import pytest

from core.files.workbooks import joined
from core.readers import Shape, read_mapped

HEADERS = {
    "groups behind other columns": (
        ["Question", "Expected", "GPT-4", "", "Claude", ""],
        ["", "", "answer", "correct", "answer", "correct"],
        ["Question", "Expected", "GPT-4 answer", "GPT-4 correct", "Claude answer", "Claude correct"],
    ),
    "one group": (
        ["id", "GPT-4", "", ""],
        ["", "answer", "correct", "reason"],
        ["id", "GPT-4 answer", "GPT-4 correct", "GPT-4 reason"],
    ),
    "a column behind groups": (
        ["id", "A", "", "B", "", "note"],
        ["", "x", "y", "x", "y", ""],
        ["id", "A x", "A y", "B x", "B y", "note"],
    ),
    "other columns named below": (
        ["", "", "GPT-4", "", "Claude", ""],
        ["Question", "Expected", "answer", "correct", "answer", "correct"],
        ["Question", "Expected", "GPT-4 answer", "GPT-4 correct", "Claude answer", "Claude correct"],
    ),
    "a group of the item's facts": (
        ["Item", "", "GPT-4", "", "Claude", ""],
        ["id", "question", "answer", "correct", "answer", "correct"],
        ["id", "question", "GPT-4 answer", "GPT-4 correct", "Claude answer", "Claude correct"],
    ),
    "a group named above each column": (
        ["Item", "Item", "GPT-4", "GPT-4", "Claude", "Claude"],
        ["id", "question", "answer", "correct", "answer", "correct"],
        ["id", "question", "GPT-4 answer", "GPT-4 correct", "Claude answer", "Claude correct"],
    ),
    "a shorter first row": (["id", "A", "", "B"], ["", "x", "y", "x", "y"], ["id", "A x", "A y", "B x", "B y"]),
}


@pytest.mark.parametrize(("first", "second", "names"), HEADERS.values(), ids=HEADERS)
def test_headers_in_two_rows_are_joined(first: list[str], second: list[str], names: list[str]) -> None:
    assert joined(first, second) == names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["id", "question", "gpt-4", ""], ["q1", "Why?", "yes", "a note"]),
        (["", "question", "gpt-4"], ["a", "Why?", "yes"]),
        (["", "question", ""], ["0", "Why?", "yes"]),
        (["id", "gpt-4", ""], ["", "0.5", "0.25"]),
        (["id", "gpt-4", "claude"], ["", "yes", "no"]),
        (["Results of May", "", ""], ["id", "question", "gpt-4"]),
        (["Results of May", "", ""], ["", "question", "gpt-4"]),
        (["id", "gpt-4", ""], ["", "yes", "yes"]),
        (["id", "", ""], ["", "", ""]),
        ([], []),
    ],
)
def test_other_rows_are_no_header_in_two_rows(first: list[str], second: list[str]) -> None:
    assert joined(first, second) is None


ROWS = [[f"What is {n}?", f"exp {n}", f"long {n}", str(int(n % 4 > 0)), f"short {n}", str(n % 2)] for n in range(20)]


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _workbook(rows: Sequence[Sequence[str]], merged: Sequence[str] = ()) -> bytes:
    stream, book = io.BytesIO(), openpyxl.Workbook()
    for row in rows:
        book.active.append([int(cell) if cell.isdecimal() else cell or None for cell in row])
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("named", ["groups behind other columns", "other columns named below"])
@pytest.mark.parametrize("form", ["CSV", "Excel", "merged", "below a title"])
def test_items_and_models_below_a_header_in_two_rows_are_all_read(form: str, named: str) -> None:
    rows = [*HEADERS[named][:2], *ROWS]
    merged = ["C1:D1", "E1:F1", *(["A1:A2", "B1:B2"] if named == "groups behind other columns" else [])]
    title = ["Results of May", "", "", "", "", ""]
    content = {
        "CSV": lambda: _csv(rows),
        "Excel": lambda: _workbook(rows),
        "merged": lambda: _workbook(rows, merged),
        "below a title": lambda: _workbook([title, *rows]),
    }[form]()
    shape = Shape.of(content, "m")
    pool = read_mapped(content, shape.guess, "m")
    accuracies = {model: target.accuracy() for model, target in pool.targets.items()}
    assert accuracies == {"GPT-4": pytest.approx(0.75), "Claude": pytest.approx(0.5)} and len(pool.ids) == 20
    assert any(f"rows {1 + (form == 'below a title')} and" in note for note in pool.notes)
