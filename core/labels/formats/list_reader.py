"""A filled list as a table, of a CSV file or a workbook: a header, and a row for each label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import time, timedelta
from itertools import zip_longest
from typing import Any

from openpyxl.cell.cell import ERROR_CODES

from core.errors import LabelError
from core.labels.formats.escaping import item_id, unescape
from core.labels.formats.label_file import EXPECTED, TOLD, LabelFile, called, from_columns
from core.labels.formats.records import EMPTY, STATUSES, label_text, text_of
from core.labels.formats.workbook import DateText, Merged
from core.labels.kinds import KINDS
from core.pool.problems import shown

_COLUMNS = ("item_id", "id", "label", "annotator", "plan_id", "note", "answers_of", "kind", "status")
_AGAIN = "format the cell as text and type the answer again."
# What a spreadsheet may make of a label, and what to do.
_REMARKS = {
    "a date": f"{{}}: a spreadsheet makes one of an answer such as 1/2. If it was none, {_AGAIN}",
    "a time": f"{{}}: a spreadsheet makes one of an answer such as 3:4. If it was none, {_AGAIN}",
    "an error": f"{{}}, such as #N/A, and counts as it stands. If it is no answer, {_AGAIN}",
    "merged with another": "{}: what is seen there is the label of the first item alone. Give each row its own.",
}


def read_list(table: Sequence[Sequence[Any]], source: str, name: str | None) -> LabelFile:
    """A list with the columns item_id, label and maybe others of `_COLUMNS`; the header is row 1."""
    header = [str(cell or "").strip().lower() for cell in (table[0] if table else [])]
    place = {column: header.index(column) for column in reversed(header)}
    item = place.get("item_id", place.get("id"))
    if item is None or "label" not in place:
        lacking = " and ".join(f"“{c}”" for c, p in (("item_id", item), ("label", place.get("label"))) if p is None)
        told = ", ".join(shown(column, 30) for column in header[:8] if column)
        raise LabelError(f"{called(name)} has no column {lacking} (it has {told or 'none'}): {EXPECTED}")
    check_names(header, _COLUMNS, name)
    width, least = len(header), max(item, place["label"]) + 1
    numbers: list[int] = []
    kept: list[Sequence[Any]] = []
    broken: list[tuple[int, str]] = []
    for number, cells in enumerate(table[1:], start=2):
        if not (len(cells) > item and cells[item]) and not any(cell is not None and cell != "" for cell in cells):
            continue
        if least <= len(cells) <= width:
            numbers.append(number)
            kept.append(cells)
        else:
            broken.append((number, f"there are {len(cells)} cells under {width} names."))
    found = [values[1:] for values in zip_longest(header, *kept)]

    def column(place: int | None, read: Callable[[Any], str | None]) -> list[str | None]:
        return [None] * len(kept) if place is None else _each(found[place], read)

    def text(value: Any) -> str | None:
        return text_of(_open(value)) or None

    labels = column(place["label"], lambda value: label_text(_open(value)))
    notes = _remarks(numbers, [cells[place["label"]] for cells in kept]) if source == "xlsx" else ()
    columns: dict[str, Sequence[Any]] = {
        "row": numbers,
        "item_id": column(item, lambda value: item_id(_open(text_of(value) or ""))),
        "label": labels,
        "annotator": [person or "" for person in column(place.get("annotator"), text)],
        "plan_id": column(place.get("plan_id"), text),
        "note": column(place.get("note"), text),
        "status": [
            why_none(said) if label is None else ""
            for label, said in zip(labels, column(place.get("status"), text), strict=True)
        ],
        "answers_of": column(place.get("answers_of"), text),
        "kind": column(place.get("kind"), lambda value: kind_of(text(value))),
    }
    return from_columns(columns if kept else {}, broken, source, name, notes)


def kind_of(text: str | None) -> str | None:
    """The kind of label that a list says, None for anything else: a column of that name may be about the items."""
    return text if text in KINDS else None


def why_none(text: str | None) -> str:
    """Why a row has no label, as a list says it; empty, where it says nothing known."""
    return text if text in STATUSES else EMPTY


def _remarks(numbers: Sequence[int], cells: Sequence[Any]) -> tuple[str, ...]:
    """Remarks on labels that a spreadsheet made something else of; ``cells`` of labels, ``numbers`` of their rows."""
    told: dict[str, list[int]] = {}
    for number, cell in zip(numbers, cells, strict=True):
        what = _made_of(cell)
        if what is not None:
            told.setdefault(what, []).append(number)
    return tuple(_REMARKS[what].format(_rows(told[what], what)) for what in _REMARKS if what in told)


def _made_of(cell: Any) -> str | None:
    """What a spreadsheet made of a label, a key of `_REMARKS`; None where it left it."""
    if type(cell) is DateText:
        return "a date"
    if isinstance(cell, time | timedelta):
        return "a time"
    if type(cell) is Merged:
        return "merged with another"
    return "an error" if cell in ERROR_CODES else None


def _rows(rows: Sequence[int], what: str) -> str:
    """“2 labels are dates in this workbook (rows 2, 4)”."""
    told = ", ".join(f"{row:,}" for row in rows[:TOLD]) + (", …" if len(rows) > TOLD else "")
    plural = what if " with " in what else what.partition(" ")[2] + "s"
    are, where = (f"label is {what}", "row") if len(rows) == 1 else (f"labels are {plural}", "rows")
    return f"{len(rows):,} {are} in this workbook ({where} {told})"


def _each(values: Sequence[Any], read: Callable[[Any], str | None]) -> list[str | None]:
    """``read`` of each value, called once for equal texts."""
    known = {value: read(value) for value in set(values) if type(value) is str}
    return [known[value] if type(value) is str else read(value) for value in values]


def _open(value: Any) -> Any:
    if type(value) is DateText:
        return str(value)
    return unescape(value) if isinstance(value, str) and value.startswith("'") else value


def check_names(header: Sequence[str], needed: Iterable[str], name: str | None) -> None:
    """Raise :class:`LabelError` where a column that is read stands there twice: one of them would not be seen."""
    twice = [column for column in dict.fromkeys(needed) if column and header.count(column) > 1]
    if twice:
        told = " and ".join(shown(column, 30) for column in twice[:TOLD])
        raise LabelError(f"{called(name)} has several columns {told}: leave one of each.")
