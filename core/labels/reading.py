"""Labels that come back: any tool's export, told by its content, as one table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core._collection import without_collection
from core._problems import shown
from core.errors import LabelError
from core.labels import argilla, label_studio, prodigy, workbook
from core.labels.escaping import item_id, unescape
from core.labels.records import Row, is_reserved, label_text, text_of
from core.labels.tasks import CONTROL

COLUMNS = ("row", "item_id", "label", "annotator", "plan_id", "note", "status", "answers_of")
_MAX_BYTES = 1024**3
_MAX_CELL = 2**27
_TOLD = 5
_REMEMBERED = 10_000
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
    if content.startswith(b"PK"):
        return _returned(_listed(list(workbook.rows_of(content)), name), "xlsx", name)
    text = _text(content, name)
    if text.lstrip()[:1] in ("{", "["):
        records = _json(text, name)
        source, reader = _recognised(records, name)
        notes = (argilla.REMARK,) if reader is argilla.read_nested else ()
        return _returned(reader(records), source, name, notes)
    return _csv(text, name)


def _returned(rows: Iterable[Row], source: str, name: str | None, notes: tuple[str, ...] = ()) -> Returned:
    found = list(rows)
    broken = [row for row in found if row.problem is not None]
    if broken:
        told = "; ".join(f"row {row.row:,}: {row.problem}" for row in broken[:_TOLD]).replace(".;", ";")
        more = f" ({len(broken) - _TOLD:,} more rows like these.)" if len(broken) > _TOLD else ""
        raise LabelError(f"{_called(name)} cannot be read: {told}{more} Nothing was taken from it.")
    if not found:
        raise LabelError(f"{_called(name)} has no rows: {_EXPECTED}")
    reserved = sorted({row.annotator for row in found if is_reserved(row.annotator)})
    if reserved:
        found = [row._replace(annotator="") if row.annotator in reserved else row for row in found]
        told = " and ".join(shown(person, 30) for person in reserved)
        notes += (f"Nobody can be called {told}: these labels count as labels without a name.",)
    frame = pd.DataFrame([row[:-1] for row in found], columns=list(COLUMNS), dtype=object)
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
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(_MAX_CELL)
    try:
        table: list[list[Any]] = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        message = f"{_called(name)} has broken quoting ({error}): save it anew as CSV (UTF-8)."
        raise LabelError(message) from error
    header = [str(cell).strip() for cell in table[0]] if table else []
    if "annotation_id" in header or CONTROL in header:
        return _returned(_from_label_studio(table, header), "label-studio-csv", name)
    return _returned(_listed(table, name), "csv", name)


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


def _listed(table: list[list[Any]], name: str | None) -> Iterator[Row]:
    """The rows of a list with the columns item_id, label and maybe annotator, note, plan_id; the header is row 1."""
    header = [str(cell or "").strip().lower() for cell in (table[0] if table else [])]
    place = {column: header.index(column) for column in reversed(header)}
    item = place.get("item_id", place.get("id"))
    if item is None or "label" not in place:
        lacking = " and ".join(f"“{c}”" for c, p in (("item_id", item), ("label", place.get("label"))) if p is None)
        told = ", ".join(shown(column, 30) for column in header[:8] if column)
        raise LabelError(f"{_called(name)} has no column {lacking} (it has {told or 'none'}): {_EXPECTED}")
    least = max(item, place["label"]) + 1
    beyond = len(header)
    person, plan, note, judged = (place.get(c, beyond) for c in ("annotator", "plan_id", "note", "answers_of"))
    known: dict[str, str | None] = {}

    def text(cells: list[Any], column: int) -> str | None:
        value = cells[column] if column < len(cells) else None
        if type(value) is not str:
            return text_of(value) or None
        # Names and plans are the same in many rows.
        if value not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[value] = text_of(_open(value)) or None
        return known[value]

    for number, cells in enumerate(table[1:], start=2):
        if not (len(cells) > item and cells[item]) and not any(cell is not None and cell != "" for cell in cells):
            continue
        if len(cells) < least or len(cells) > len(header):
            yield Row.broken(number, f"there are {len(cells)} cells under {len(header)} names.")
            continue
        label = label_text(_open(cells[place["label"]]))
        own = item_id(_open(text_of(cells[item]) or ""))
        payload = {"item_id": own, "plan_id": text(cells, plan), "answers_of": text(cells, judged)}
        yield Row.of(number, payload, label, text(cells, person), text(cells, note))


def _open(value: Any) -> Any:
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
            json.loads(line or "0")
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
