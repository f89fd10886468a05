"""Labels that come back: any tool's export, told by its content, as one table."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import pandas as pd

from core._collection import without_collection
from core._problems import shown
from core.errors import LabelError
from core.labels import argilla, label_studio, prodigy, workbook
from core.labels.escaping import item_id, unescape
from core.labels.records import EMPTY, Row, is_reserved, label_text, text_of
from core.labels.tasks import CONTROL

# The columns of a list.
_READ = ("item_id", "id", "label", "annotator", "plan_id", "note", "answers_of")
COLUMNS = ("row", "item_id", "label", "annotator", "plan_id", "note", "status", "answers_of")
_MAX_BYTES = 1024**3
_MAX_CELL = 2**27
_TOLD = 5
_ZIP = b"PK\x03\x04"
# The first record of a CSV file, and what stands in quotes.
_QUOTED = re.compile(r'(?:^|(?<=[,;\t]))"(?:[^"]|"")*+"')
_HEADER = re.compile(rf"(?:{_QUOTED.pattern}|[^\r\n])*+")
_LINE_END = re.compile(r"\r\n?|\n")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_EXPECTED = "a filled list (CSV, XLSX, JSON Lines), or an export of Label Studio, Argilla or Prodigy, is expected."


@dataclass(frozen=True, slots=True, eq=False)
class Returned:
    """What a file of labels holds.

    ``rows``: a row for each label or missing label: row (number of the record in the file), item_id, label (as given;
    None where there is none), annotator ("" = unnamed), plan_id (None = not said), note, status ("" or why there is no
    label: empty, cancelled, rejected, ignored, discarded, draft, several), answers_of (code of the target whose answers
    were judged; None = not said). ``source``: the format; ``notes``: remarks.
    """

    rows: pd.DataFrame
    source: str
    notes: tuple[str, ...] = ()


def read(content: bytes, name: str | None = None) -> Returned:
    """Read a file of labels; its format is told by its content.

    Parameters
    ----------
    name : of the file, for messages.

    Raises
    ------
    LabelError : the file is damaged or something else, or records cannot be read (their rows are named).
    """
    if len(content) > _MAX_BYTES:
        raise LabelError(f"{_called(name)} is larger than 1 GiB: keep only the columns item_id and label.")
    with without_collection():
        return _read(content, name)


def _read(content: bytes, name: str | None) -> Returned:
    if content.startswith(_ZIP):
        return _listed(workbook.rows_of(content), "xlsx", name)
    text = _text(content, name)
    if text.lstrip()[:1] in ("{", "["):
        records = _json(text, name)
        source, reader = _recognised(records, name)
        notes = (argilla.REMARK,) if reader is argilla.read_nested else ()
        return _returned(reader(records), source, name, notes)
    return _csv(text, name)


def _returned(rows: Iterable[Row], source: str, name: str | None, notes: tuple[str, ...] = ()) -> Returned:
    found = list(rows)
    broken = [(row.row, row.problem) for row in found if row.problem is not None]
    whole = [row[:-1] for row in found if row.problem is None]
    columns = dict(zip(COLUMNS, zip(*whole, strict=True), strict=True)) if whole else {}
    return _made(columns, broken, source, name, notes)


def _made(
    columns: Mapping[str, Sequence[Any]],
    broken: Sequence[tuple[int, str]],
    source: str,
    name: str | None,
    notes: tuple[str, ...] = (),
) -> Returned:
    """What was read, from its columns (of `COLUMNS`; none where there are no rows) and the rows that cannot be."""
    if broken:
        told = "; ".join(f"row {row:,}: {problem}" for row, problem in broken[:_TOLD]).replace(".;", ";")
        more = f" ({len(broken) - _TOLD:,} more rows like these.)" if len(broken) > _TOLD else ""
        raise LabelError(f"{_called(name)} cannot be read: {told}{more} Nothing was taken from it.")
    if not columns:
        raise LabelError(f"{_called(name)} has no rows: {_EXPECTED}")
    people = columns["annotator"]
    reserved = sorted(person for person in set(people) if is_reserved(person))
    if reserved:
        columns = {**columns, "annotator": ["" if person in reserved else person for person in people]}
        told = " and ".join(shown(person, 30) for person in reserved)
        notes += (f"Nobody can be called {told}: these labels count as labels without a name.",)
    frame = pd.DataFrame({column: pd.Series(values, dtype=object) for column, values in columns.items()})
    return Returned(frame.astype({"row": "int64"}), source, notes)


def _recognised(records: Sequence[Any], name: str | None) -> tuple[str, Callable[[Sequence[Any]], Iterable[Row]]]:
    """The format of JSON records, by the keys of the first."""
    first = records[0]
    if not isinstance(first, dict):
        raise LabelError(f"{_called(name)} is JSON, but its records are no objects: {_EXPECTED}")
    keys = set(first)
    if isinstance(first.get("data"), dict):
        return "label-studio", label_studio.read_tasks
    if isinstance(first.get("fields"), dict) or isinstance(first.get("responses"), dict):
        return "argilla", argilla.read_nested
    if "_server_id" in keys or any(".responses" in key for key in keys):
        return "argilla", argilla.read_flat
    if keys & {"_task_hash", "_input_hash", "accept"}:
        return "prodigy", prodigy.read_tasks
    if "annotation_id" in keys or {"annotator", "lead_time"} <= keys:
        return "label-studio-min", label_studio.read_min
    if keys & {"item_id", "id"} and any("label" in record for record in records if isinstance(record, dict)):
        return "jsonl", _read_plain
    told = ", ".join(shown(key, 30) for key in list(first)[:8])
    raise LabelError(f"{_called(name)} is no file of labels (its records have the keys {told or 'none'}): {_EXPECTED}")


def _read_plain(records: Sequence[Any]) -> Iterator[Row]:
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            yield Row.broken(number, "this is not an object.")
            continue
        payload = record if "item_id" in record or "id" not in record else {**record, "item_id": record["id"]}
        person, note = text_of(record.get("annotator")), text_of(record.get("note"))
        yield Row.of(number, payload, label_text(record.get("label")), person, note)


def _csv(text: str, name: str | None) -> Returned:
    head = _HEADER.match(text)
    first = _QUOTED.sub("", head[0] if head else "")
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(_MAX_CELL)
    text, mark = _marked_returns(text)
    table: list[list[Any]] = []
    try:
        table.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        # What was read before the error is in the table.
        row = len(table) + 1
        message = f"{_called(name)} has broken quoting in row {row:,} ({error}): save it anew as CSV (UTF-8)."
        raise LabelError(message) from error
    if mark:
        table = [[cell.replace(mark, "\r") for cell in cells] for cells in table]
    header = [str(cell).strip() for cell in table[0]] if table else []
    if "annotation_id" in header or CONTROL in header:
        _check_names(header, header, name)
        return _returned(_from_label_studio(table, header), "label-studio-csv", name)
    return _listed(table, "csv", name)


def _marked_returns(text: str) -> tuple[str, str]:
    """The text with a mark for each carriage return that ends no line, and the mark; "" where there is none.

    Some programs write one inside a cell without quotes.
    """
    end = _LINE_END.search(text)
    if end is None or end[0] == "\r" or not _LONE_RETURN.search(text):
        return text, ""
    mark = next(char for char in map(chr, range(0xE000, 0xF900)) if char not in text)
    return _LONE_RETURN.sub(mark, text), mark


def _check_names(header: Sequence[str], needed: Iterable[str], name: str | None) -> None:
    """Raise :class:`LabelError` where a column that is read stands there twice: one of them would not be seen."""
    twice = [column for column in dict.fromkeys(needed) if column and header.count(column) > 1]
    if twice:
        told = " and ".join(shown(column, 30) for column in twice[:_TOLD])
        raise LabelError(f"{_called(name)} has several columns {told}: leave one of each.")


def _from_label_studio(table: list[list[Any]], header: list[str]) -> Iterator[Row]:
    records = []
    for number, cells in enumerate(table[1:], start=2):
        if not cells:
            continue
        if len(cells) != len(header):
            yield Row.broken(number, f"there are {len(cells)} cells under {len(header)} names.")
            continue
        records.append(dict(zip(header, cells, strict=True)))
    yield from (row._replace(row=row.row + 1) for row in label_studio.read_min(records))


def _listed(table: Sequence[Sequence[Any]], source: str, name: str | None) -> Returned:
    """A list with the columns item_id, label and maybe annotator, note, plan_id, answers_of; the header is row 1."""
    header = [str(cell or "").strip().lower() for cell in (table[0] if table else [])]
    place = {column: header.index(column) for column in reversed(header)}
    item = place.get("item_id", place.get("id"))
    if item is None or "label" not in place:
        lacking = " and ".join(f"“{c}”" for c, p in (("item_id", item), ("label", place.get("label"))) if p is None)
        told = ", ".join(shown(column, 30) for column in header[:8] if column)
        raise LabelError(f"{_called(name)} has no column {lacking} (it has {told or 'none'}): {_EXPECTED}")
    _check_names(header, _READ, name)
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
    dated = [numbers[row] for row, cells in enumerate(kept) if type(cells[place["label"]]) is workbook.DateText]
    columns: dict[str, Sequence[Any]] = {
        "row": numbers,
        "item_id": column(item, lambda value: item_id(_open(text_of(value) or ""))),
        "label": labels,
        "annotator": [person or "" for person in column(place.get("annotator"), text)],
        "plan_id": column(place.get("plan_id"), text),
        "note": column(place.get("note"), text),
        "status": [EMPTY if label is None else "" for label in labels],
        "answers_of": column(place.get("answers_of"), text),
    }
    return _made(columns if kept else {}, broken, source, name, _of_dates(dated))


def _of_dates(rows: Sequence[int]) -> tuple[str, ...]:
    """A remark on labels that are dates, which a spreadsheet makes of answers such as 1/2; ``rows``: theirs."""
    if not rows:
        return ()
    told = ", ".join(f"{row:,}" for row in rows[:_TOLD]) + (", …" if len(rows) > _TOLD else "")
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
    if type(value) is workbook.DateText:
        return str(value)
    return unescape(value) if isinstance(value, str) and value.startswith("'") else value


def _json(text: str, name: str | None) -> list[Any]:
    """The records of JSON Lines or of one JSON array."""
    try:
        if text.lstrip().startswith("["):
            records = json.loads(text)
        else:
            records = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise LabelError(f"{_called(name)} is not JSON{_line_of(text)}: export it again.") from error
        records = whole if isinstance(whole, list) else [whole]
    if not records:
        raise LabelError(f"{_called(name)} has no records: {_EXPECTED}")
    return list(records)


def _line_of(text: str) -> str:
    """Where JSON Lines break, " in row 7"; "" for a whole document."""
    if text.lstrip().startswith("["):
        return ""
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            json.loads(line.strip() or "0")
        except (ValueError, RecursionError):
            return f" in row {number:,}"
    return ""


def _text(content: bytes, name: str | None) -> str:
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise LabelError(f"{_called(name)} is not UTF-8 text (row {row:,}): save it as CSV (UTF-8).") from error
    if not text.strip():
        raise LabelError(f"{_called(name)} is empty: {_EXPECTED}")
    return text


def _called(name: str | None) -> str:
    return shown(name, 60) if name else "The file"
