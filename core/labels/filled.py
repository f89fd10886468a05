"""A filled list as a table, of a CSV file or a workbook: a header, and a row for each label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from core._problems import shown
from core.errors import LabelError
from core.labels.escaping import item_id, unescape
from core.labels.judging import KINDS
from core.labels.records import EMPTY, STATUSES, label_text, text_of
from core.labels.returned import EXPECTED, TOLD, Returned, called, made
from core.labels.workbook import DateText

_COLUMNS = ("item_id", "id", "label", "annotator", "plan_id", "note", "answers_of", "kind", "status")


def listed(table: Sequence[Sequence[Any]], source: str, name: str | None) -> Returned:
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
    dated = [numbers[row] for row, cells in enumerate(kept) if type(cells[place["label"]]) is DateText]
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
    return made(columns if kept else {}, broken, source, name, _of_dates(dated))


def kind_of(text: str | None) -> str | None:
    """The kind of label that a list says, None for anything else: a column of that name may be about the items."""
    return text if text in KINDS else None


def why_none(text: str | None) -> str:
    """Why a row has no label, as a list says it; empty, where it says nothing known."""
    return text if text in STATUSES else EMPTY


def _of_dates(rows: Sequence[int]) -> tuple[str, ...]:
    """A remark on labels that are dates, which a spreadsheet makes of answers such as 1/2; ``rows``: theirs."""
    if not rows:
        return ()
    told = ", ".join(f"{row:,}" for row in rows[:TOLD]) + (", …" if len(rows) > TOLD else "")
    are, where = ("label is a date", "row") if len(rows) == 1 else ("labels are dates", "rows")
    return (
        f"{len(rows):,} {are} in this workbook ({where} {told}): a spreadsheet makes one of an answer such as 1/2. If "
        "it was none, format the cell as text and type the answer again.",
    )


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
