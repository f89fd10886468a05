"""Filled lists, from a CSV file or a workbook: a header, and one row a label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import time, timedelta
from itertools import zip_longest
from typing import Any

from ...errors import LabelError
from ...pool.problems import shown
from ...pool.sheets import DateText, Merged
from ...words import counted, listed
from ..kinds import KINDS
from ..rows import label_text, text_of
from .escaping import item_id, unescape
from .label_file import EXPECTED, LabelFile, called, from_columns
from .records import status_of

_COLUMNS = ("item_id", "id", "label", "annotator", "plan_id", "note", "answers_of", "kind", "status")
_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")
_LISTED = 5
_AGAIN = "If that is wrong, format the cell as text and type the answer again."
# What a spreadsheet may make of a label: one, several, and what to do.
_CHANGES = {
    "date": ("a date", "dates", f"A spreadsheet makes a date of an answer such as 1/2. {_AGAIN}"),
    "time": ("a time", "times", f"A spreadsheet makes a time of an answer such as 3:4. {_AGAIN}"),
    "error": ("an error", "errors", f"An error such as #N/A counts as the label. {_AGAIN}"),
    "merged": (
        "merged with another",
        "merged with another",
        "A merged cell labels only its first item. Unmerge the cells and label each row.",
    ),
}


def read_list(table: Sequence[Sequence[Any]], source: str, name: str | None) -> LabelFile:
    """Read a filled list.

    Parameters
    ----------
    table : sequence of rows
        The header, with item_id (or id), label and perhaps others of the columns below; then one row a label. Cells are
        those of `core.pool.sheets`, or text.
    source : str
        "csv" or "xlsx".
    name : str or None
        Name of the file, for messages.

    Raises
    ------
    LabelError
        If a column is missing or stands there twice, a row is longer than the header, or there are no rows.
    """
    header = [str(cell or "").strip().lower() for cell in (table[0] if table else [])]
    place = {column: header.index(column) for column in reversed(header)}
    item = place.get("item_id", place.get("id"))
    if item is None or "label" not in place:
        missing = " and ".join(f"`{c}`" for c, p in (("item_id", item), ("label", place.get("label"))) if p is None)
        listed = ", ".join(shown(column, 30) for column in header[:8] if column)
        raise LabelError(f"{called(name)} has no column {missing}. It has {listed or 'no columns'}. {EXPECTED}")
    check_names(header, _COLUMNS, name)
    width, least = len(header), max(item, place["label"]) + 1
    numbers: list[int] = []
    rows: list[Sequence[Any]] = []
    broken: list[tuple[int, str]] = []
    for number, cells in enumerate(table[1:], start=2):
        if not (len(cells) > item and cells[item]) and not any(cell is not None and cell != "" for cell in cells):
            continue
        if least <= len(cells) <= width:
            numbers.append(number)
            rows.append(cells)
        else:
            broken.append((number, cells_problem(len(cells), width)))
    columns = [values[1:] for values in zip_longest(header, *rows)]

    def column(place: int | None, read: Callable[[Any], str | None]) -> list[str | None]:
        return [None] * len(rows) if place is None else _each(columns[place], read)

    def text(value: Any) -> str | None:
        return text_of(_unescaped(value)) or None

    labels = column(place["label"], lambda value: label_text(_unescaped(value)))
    statuses = column(place.get("status"), text)
    notes = _notes(numbers, [cells[place["label"]] for cells in rows]) if source == "xlsx" else ()
    notes += _other_columns(header, columns)
    texts: dict[str, Sequence[Any]] = {
        "row": numbers,
        "item_id": column(item, lambda value: item_id(_unescaped(text_of(value) or ""))),
        "label": labels,
        "annotator": [person or "" for person in column(place.get("annotator"), text)],
        "plan_id": column(place.get("plan_id"), text),
        "note": column(place.get("note"), text),
        "status": [status_of(s, label is not None) for label, s in zip(labels, statuses, strict=True)],
        "answers_of": column(place.get("answers_of"), text),
        "kind": column(place.get("kind"), lambda value: kind_of(text(value))),
    }
    return from_columns(texts if rows else {}, broken, source, name, notes)


def kind_of(text: str | None) -> str | None:
    """Return the kind of label in a cell, None for anything else: a column of that name may be about the items."""
    return text if text in KINDS else None


def cells_problem(cells: int, names: int) -> str:
    """Return what is wrong with a row that does not fit the header."""
    return f"{counted(cells, 'cell')} under {counted(names, 'column name')}."


def check_names(header: Sequence[str], columns: Iterable[str], name: str | None) -> None:
    """Check that the columns to be read stand in the header only once.

    Raises
    ------
    LabelError
        If a column stands there several times, so that one of them would be overlooked.
    """
    twice = [column for column in dict.fromkeys(columns) if column and header.count(column) > 1]
    if twice:
        listed = " and ".join(shown(column, 30) for column in twice[:_LISTED])
        raise LabelError(f"{called(name)} has several columns {listed}: keep one of each.")


def _notes(numbers: Sequence[int], cells: Sequence[Any]) -> tuple[str, ...]:
    """Return a note for each change that a spreadsheet made to labels, with their row numbers."""
    rows: dict[str, list[int]] = {}
    for number, cell in zip(numbers, cells, strict=True):
        change = _change(cell)
        if change is not None:
            rows.setdefault(change, []).append(number)
    return tuple(_note(*_CHANGES[change], rows[change]) for change in _CHANGES if change in rows)


def _other_columns(header: Sequence[str], columns: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Return a note on columns that are called label as well, of which nothing is read."""
    filled = {
        name: sum(label_text(value) is not None for value in values)
        for name, values in zip(header, columns, strict=True)
        if name.startswith("label") and name not in _COLUMNS
    }
    names = [f"{shown(name, 30)} ({counted(labels, 'label')})" for name, labels in filled.items() if labels]
    if not names:
        return ()
    which = "Column" if len(names) == 1 else "Columns"
    are = "is" if len(names) == 1 else "are"
    return (
        f"{which} {listed(names)} {are} not read, only “label”. Give each person’s labels in a file of their "
        "own, or in rows of their own with the column annotator.",
    )


def _note(one: str, many: str, remedy: str, rows: Sequence[int]) -> str:
    listed = ", ".join(f"{row:,}" for row in rows[:_LISTED]) + (", …" if len(rows) > _LISTED else "")
    if len(rows) == 1:
        return f"1 label is {one} in this workbook (row {listed}). {remedy}"
    return f"{len(rows):,} labels are {many} in this workbook (rows {listed}). {remedy}"


def _change(cell: Any) -> str | None:
    """Return what a spreadsheet made of a label, a key of `_CHANGES`; None if it left it alone."""
    if type(cell) is DateText:
        return "date"
    if isinstance(cell, time | timedelta):
        return "time"
    if type(cell) is Merged:
        return "merged"
    return "error" if cell in _ERRORS else None


def _each(values: Sequence[Any], read: Callable[[Any], str | None]) -> list[str | None]:
    """Return ``read`` of each value, called once for equal texts."""
    known = {value: read(value) for value in set(values) if type(value) is str}
    return [known[value] if type(value) is str else read(value) for value in values]


def _unescaped(value: Any) -> Any:
    if type(value) is DateText:
        return str(value)
    return unescape(value) if isinstance(value, str) and value.startswith("'") else value
