"""Files of labels: the export of any tool, recognised by its content, as one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from core.errors import LabelError
from core.labels.formats import argilla, csv_text, label_studio, prodigy, workbook
from core.labels.formats.label_file import EXPECTED, LabelFile, called, from_rows
from core.labels.formats.list_reader import cells_problem, check_names, kind_of, read_list, status_of
from core.labels.formats.records import EMPTY, Records, Row
from core.labels.formats.tasks import CONTROL
from core.labels.rows import label_text, text_of, without_collection
from core.pool.problems import shown

_MAX_BYTES = 1024**3
_ZIP = b"PK\x03\x04"


def read(content: bytes, name: str | None = None) -> LabelFile:
    """Read a file of labels.

    Parameters
    ----------
    content : bytes
        The file. Its format is recognised by its content: a filled list (CSV, XLSX or JSON Lines), or an export from
        Label Studio (JSON, JSON_MIN or CSV), Argilla or Prodigy.
    name : str or None
        Name of the file, for messages.

    Returns
    -------
    LabelFile
        Its rows, format and notes.

    Raises
    ------
    LabelError
        If the file is damaged or holds no labels, or if records cannot be read (their rows are listed).
    """
    if len(content) > _MAX_BYTES:
        raise LabelError(f"{called(name)} is larger than 1 GiB. Keep only the columns `item_id` and `label`.")
    with without_collection():
        return _read(content, name)


def _read(content: bytes, name: str | None) -> LabelFile:
    if content.startswith(_ZIP):
        return read_list(workbook.rows_of(content), "xlsx", name)
    text = _text(content, name)
    if text.lstrip()[:1] in ("{", "["):
        records = _json(text, name)
        source, reader = _recognised(records, name)
        notes = (argilla.REMARK,) if reader is argilla.read_nested else ()
        numbered = {number: record for number, record in enumerate(records, start=1) if isinstance(record, dict)}
        others = sorted(set(range(1, len(records) + 1)) - set(numbered))
        problem = "`data` is missing." if source == "label-studio" else "The record is not an object."
        broken = [Row.broken(number, problem) for number in others]
        return from_rows([*reader(numbered), *broken], source, name, notes)
    return _csv(text, name)


def _recognised(records: Sequence[Any], name: str | None) -> tuple[str, Callable[[Records], Iterable[Row]]]:
    """Return the format of JSON records and its reader, by the keys of the first record."""
    first = records[0]
    if not isinstance(first, dict):
        raise LabelError(f"{called(name)} is JSON, but its records are not objects. {EXPECTED}")
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
    listed = ", ".join(shown(key, 30) for key in list(first)[:8])
    raise LabelError(f"{called(name)} has no labels. Its records have {listed or 'no keys'}. {EXPECTED}")


def _read_plain(records: Records) -> Iterator[Row]:
    for number, record in records.items():
        payload = record if "item_id" in record or "id" not in record else {**record, "item_id": record["id"]}
        person, note = text_of(record.get("annotator")), text_of(record.get("note"))
        row = Row.of(number, payload, label_text(record.get("label")), person, note)
        if row.problem is None:
            status = status_of(text_of(record.get("status"))) if row.status == EMPTY else row.status
            row = row._replace(status=status, kind=kind_of(text_of(record.get("kind"))))
        yield row


def _csv(text: str, name: str | None) -> LabelFile:
    table = csv_text.rows_of(text, name)
    header = [str(cell).strip() for cell in table[0]] if table else []
    if "annotation_id" in header or CONTROL in header:
        check_names(header, header, name)
        rows = {number: cells for number, cells in enumerate(table[1:], start=2) if cells}
        broken = [
            Row.broken(number, cells_problem(len(cells), len(header)))
            for number, cells in rows.items()
            if len(cells) != len(header)
        ]
        records = {n: dict(zip(header, cells, strict=True)) for n, cells in rows.items() if len(cells) == len(header)}
        return from_rows([*broken, *label_studio.read_min(records)], "label-studio-csv", name)
    return read_list(table, "csv", name)


def _json(text: str, name: str | None) -> list[Any]:
    """Return the records of JSON Lines or of one JSON document."""
    try:
        if text.lstrip().startswith("["):
            records = json.loads(text)
        else:
            records = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise LabelError(f"{called(name)} is not valid JSON{_line_of(text)}. Export it again.") from error
        records = whole if isinstance(whole, list) else [whole]
    if not records:
        raise LabelError(f"{called(name)} has no records. {EXPECTED}")
    return list(records)


def _line_of(text: str) -> str:
    """Return where JSON Lines break, " in row 7"; "" for a JSON array."""
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
        raise LabelError(f"{called(name)} is not UTF-8 text (row {row:,}). Save it as CSV (UTF-8).") from error
    if not text.strip():
        raise LabelError(f"{called(name)} is empty. {EXPECTED}")
    return text
