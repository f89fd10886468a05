"""Rows of a table that are headings of others or notes, and items of which most cells are empty."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import openpyxl
import pytest

from core.readers import read, read_mapped
from tests.core.readers.guessed import guess

HEADER = ["id", "question", "gold", "output"]
ROWS = [[f"q{n}", f"What is {n}?", "AB"[n % 2], "A"] for n in range(8)]


def _table(header: list[str], rows: list[list[str]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows([header, *rows])
    return file.getvalue().encode()


def _row(text: str, place: int, size: int = 4) -> list[str]:
    return ["" if one != place else text for one in range(size)]


@pytest.mark.parametrize("at", [0, 4, 8], ids=["first", "between", "last"])
@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize(
    "text", ["## Physics", "Section 2", "Chemistry", "--- hard ---", "Note: run on Monday", "Teil 3"]
)
@pytest.mark.parametrize("names", [HEADER, ["id", "prompt", "answer", "m:text"]], ids=["foreign", "pool"])
def test_headings_and_notes_are_named_and_no_items(text: str, place: int, at: int, names: list[str]) -> None:
    """They were items without an output, or an error said that their id was missing."""
    pool = read(_table(names, [*ROWS[:at], _row(text, place), *ROWS[at:]]), "m")
    assert pool.n_items == 8 and pool.targets["m"].known() == 8
    assert any(f"“{text}” in row {at + 2} is a row with one filled cell" in note for note in pool.notes)


def test_headings_of_a_file_without_ids_and_of_a_leaderboard_are_named() -> None:
    rows = [row[1:] for row in ROWS]
    content = _table(HEADER[1:], [_row("Physics", 0, 3), *rows[:4], _row("Law", 0, 3), *rows[4:]])
    pool = read_mapped(content, guess(content), "m")
    assert pool.n_items == 8 and "“Physics” in row 2 and “Law” in row 7" in " ".join(pool.notes)
    board = [[row[0], str(n % 2), "1"] for n, row in enumerate(ROWS)]
    pool = read(_table(["id", "gpt-4", "llama"], [_row("Physics", 0, 3), *board]))
    assert pool.n_items == 8 and "“Physics” in row 2" in " ".join(pool.notes)


@pytest.mark.parametrize("cells", [_row("q8", 0), ["q8", "What is 8?", "", ""], _row("What is 8?", 1)], ids=str)
def test_items_that_lack_the_other_cells_stay(cells: list[str]) -> None:
    header = ["nr", *HEADER[1:]] if cells[0] else HEADER[1:]
    rows = [[*row[len(HEADER) - len(header) :]] for row in [*ROWS, cells]]
    content = _table(header, rows)
    pool = read_mapped(content, guess(content), "m")
    assert pool.n_items == 9 and pool.targets["m"].known() == 8


@pytest.mark.parametrize("rows", [[[one] for one in "abcd"], [["a", ""], ["b", "1"], ["c", "1"], ["d", "1"]]], ids=str)
def test_tables_of_one_or_two_columns_have_no_headings(rows: list[list[str]]) -> None:
    assert read(_table(["id", "label"][: len(rows[0])], rows)).n_items == 4


def test_a_heading_in_a_workbook_is_no_item(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [HEADER, ["Physics"], *ROWS]:
        book.active.append(row)
    book.active.merge_cells("A2:D2")
    book.save(tmp_path / "m.xlsx")
    assert read(tmp_path / "m.xlsx").n_items == 8
