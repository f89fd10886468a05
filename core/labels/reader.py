"""Files of labels: the export of any tool, recognised by its content, as one table.

``read`` reads in the process that calls it. What comes from somebody else may be made to fill the memory:
``core.archive.quarantine`` reads it in a process with limits, as the app does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import LabelError, PoolError
from ..files.archives import is_office, only_file, opened
from ..files.jsontext import BadJson, NotJson, StrictDecoder, check_values, decode, decoded, records_of
from ..files.open import READABLE, Source
from ..files.sniff import ARRAY, OBJECT, PARQUET, ZIP, Beginning
from ..files.workbooks import MEMBER
from ..readers.tool_formats.inspect_eval import InspectLog, recognises
from ..words import counted, shown
from .formats import argilla, csv_text, inspect_log, label_studio, prodigy, workbook
from .formats.label_file import EXPECTED, LabelFile, ModelColumn, called, from_rows
from .formats.list_reader import (
    beside_criteria,
    by_person,
    cells_problem,
    check_names,
    kind_of,
    of_columns,
    read_list,
    renamed,
)
from .formats.records import SEVERAL, Records, Row, status_note, status_of
from .formats.tasks import CONTROL
from .model_pair import SHOWN
from .models import model_columns
from .rows import label_text, text_of, without_collection
from .targets import ANSWERS_OF, columns_of_criteria

_MAX_BYTES = 1024**3
# All records are in memory at once.
_MAX_VALUES = 10_000_000
_NAMED = 6
# Of zips within zips.
_DEEPEST = 3


def read(content: bytes, name: str | None = None, scorer: str | None = None) -> LabelFile:
    """Read a file of labels.

    Parameters
    ----------
    content : bytes
        The file. Its format is recognised by its content: a filled list (CSV, XLSX or JSON Lines), or an export from
        Label Studio (JSON, JSON_MIN or CSV), Argilla or Prodigy, or a graded log of Inspect.
    name : str or None
        Name of the file, for messages.
    scorer : str, optional
        Of a graded log of Inspect, the only scorer that is read, or one key of its scores ("grader.correct").

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
        return _read(content, name, scorer)


def _read(content: bytes, name: str | None, scorer: str | None) -> LabelFile:
    if not content.strip():
        raise LabelError(f"{called(name)} is empty. {EXPECTED}")
    try:
        source = _unwrapped(Source.of(content, name), name)
        read = _of_source(source, name, scorer)
        return replace(read, notes=(*filter(None, [source.remark]), *read.notes), name=name or "")
    except PoolError as error:
        raise _label_error(error, name) from None


def _of_source(source: Source, name: str | None, scorer: str | None) -> LabelFile:
    """Read a file by what it begins with."""
    if MEMBER in _members(source):
        rows, remark = workbook.rows_of(source.data)
        read = read_list(rows, "xlsx", name)
        return replace(read, notes=(*filter(None, [remark]), *read.notes))
    log = InspectLog.of(source.data)
    if log is not None:
        return from_rows(inspect_log.read_log(log, scorer), "inspect", name)
    container = Beginning.of(source).container
    if container == PARQUET:
        raise LabelError(f"{called(name)} is a Parquet file. {EXPECTED}")
    return _records(_json(source, name), name) if container in (ARRAY, OBJECT) else _csv(source, name)


def _members(source: Source) -> tuple[str, ...]:
    """Names in a zip; none of any other file. Nothing is unpacked: of a large workbook that takes long."""
    if not source.is_zip:
        return ()
    with opened(source) as archive:
        return archive.names


def _unwrapped(source: Source, name: str | None, depth: int = 0) -> Source:
    """Unpack a zip that holds one file alone; raises LabelError if it holds several, and PoolError if it is damaged."""
    if depth > _DEEPEST:
        raise LabelError(f"{called(name)} is a zip within several others. Unpack it.")
    names = _members(source)
    if not source.is_zip or MEMBER in names or recognises(Beginning(ZIP, frozenset(names))):
        return source
    if is_office(names):
        raise LabelError(f"{called(name)} is a document of an Office program. Save its sheet as XLSX or CSV (UTF-8).")
    inner = only_file(source, _MAX_BYTES)
    if inner is None:
        listed = ", ".join(shown(one, 40) for one in sorted(names)[:_NAMED])
        several = f"{called(name)} is a zip with {counted(len(names), 'file')}: {listed}"
        raise LabelError(f"{several}. Unpack it, and choose the one with the labels.")
    return _unwrapped(inner, name, depth + 1)


def _label_error(error: PoolError, name: str | None) -> LabelError:
    """Say of a file of labels what is wrong with a file."""
    first = error.problems[0]
    remedy = EXPECTED if not first.remedy or READABLE in first.remedy else first.remedy
    what = str(replace(first, remedy=remedy))
    return LabelError(f"{called(name)} cannot be read. {what[0].upper()}{what[1:]}", error.problems, error.total)


def read_records(records: Mapping[int, Any], name: str | None = None) -> LabelFile:
    """Read labels from records, such as the rows of a table, by row from 1.

    Parameters
    ----------
    records : mapping
        Row to its record, of which each is a mapping. Values are text, numbers, truth values, None or lists.
    name : str or None
        Name of the table, for messages.

    Raises
    ------
    LabelError
        As `read`.
    """
    with without_collection():
        return _records(records, name)


def _records(records: Mapping[int, Any], name: str | None) -> LabelFile:
    """Read the records of a JSON file; those that the decoder refused are `BadJson`."""
    refused = [Row.broken(row, _sentence(one)) for row, one in records.items() if isinstance(one, BadJson)]
    decoded = {row: record for row, record in records.items() if not isinstance(record, BadJson)}
    if not decoded:
        return from_rows(refused, "jsonl", name)
    first = next(iter(decoded.values()))
    if not isinstance(first, dict):
        raise LabelError(f"{called(name)} is JSON, but its records are not objects. {EXPECTED}")
    problem = "`data` is missing." if isinstance(first.get("data"), dict) else "The record is not an object."
    refused += [Row.broken(row, problem) for row, record in decoded.items() if not isinstance(record, dict)]
    objects: Mapping[int, Mapping[str, Any]] = {row: one for row, one in decoded.items() if isinstance(one, dict)}
    source, reader = _tool(first) or ("jsonl", _read_plain)
    notes: tuple[str, ...] = (argilla.REMARK,) if reader is argilla.read_nested else ()
    criteria = dict[str, str]()
    if reader is _read_plain:
        objects, remark = renamed(_by_place(objects), name)
        keys = {*next(iter(objects.values()))}
        if not keys & {"item_id", "id"} or not any(map(_has_label, objects.values())):
            listed = ", ".join(shown(key, 30) for key in list(next(iter(objects.values())))[:8])
            rows_of = 'If it maps ids to labels, write a record for each: {"item_id": "…", "label": "…"}.'
            is_one = len(objects) == 1 < len(first) and not any(isinstance(one, dict | list) for one in first.values())
            hint = (
                rows_of
                if is_one
                else by_person({key: [one.get(key) for one in objects.values()] for key in first if key in keys})
            )
            said = f"{called(name)} has no labels. Its records have {listed or 'no keys'}."
            raise LabelError(f"{said} {hint or EXPECTED}")
        criteria = columns_of_criteria(dict.fromkeys(key for one in objects.values() for key in one))
        statuses = [text_of(record.get("status")) for record in objects.values()]
        labels = [label_text(record.get("label")) for record in objects.values()]
        notes = (*_other_keys(list(objects.values())), *filter(None, [status_note(statuses, labels), remark]))
    read = from_rows([*reader(objects), *refused], source, name, notes)
    return replace(read, criteria=tuple(criteria), models=_models(objects))


def _by_place(records: Mapping[int, Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    """Return records whose keys without a name are called by their place."""
    return {
        row: {
            key if key.strip() else f"column {place} (no name)": one
            for place, (key, one) in enumerate(record.items(), 1)
        }
        for row, record in records.items()
    }


def _models(records: Records) -> tuple[ModelColumn, ...]:
    """Return the keys of records, or of the data of tasks, that may name models."""
    facts = [{**one, **data} if isinstance(data := one.get("data"), dict) else one for one in records.values()]
    keys = dict.fromkeys(key for one in facts for key, value in one.items() if isinstance(value, str | int))
    return model_columns({key: [one.get(key) for one in facts] for key in keys}, list(records))


def _tool(first: Mapping[str, Any]) -> tuple[str, Callable[[Records], Iterable[Row]]] | None:
    """Return the tool that wrote JSON records, and its reader, by the keys of the first; None for a list."""
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
    return None


def _has_label(record: object) -> bool:
    return isinstance(record, dict) and ("label" in record or bool(columns_of_criteria(record)))


def _read_plain(records: Records) -> Iterator[Row]:
    for number, given in records.items():
        criteria = columns_of_criteria(given)
        if criteria and label_text(given.get("label")) is not None:
            raise LabelError(beside_criteria(list(criteria), None))
        cells = {key.strip(): cell for key, cell in given.items()} if criteria else {}
        parts = [{**given, "label": cells[column], ANSWERS_OF: code} for column, code in criteria.items()]
        yield from (_plain_row(number, record) for record in (parts or [dict(given)]))


def _plain_row(number: int, record: Mapping[str, Any]) -> Row:
    payload = record if "item_id" in record or "id" not in record else {**record, "item_id": record["id"]}
    person, note = text_of(record.get("annotator")), text_of(record.get("note"))
    row = Row.of(number, payload, label_text(record.get("label")), person, note)
    if row.problem is not None:
        return row
    said = status_of(text_of(record.get("status")), row.label is not None)
    status = SEVERAL if row.status == SEVERAL else said
    return row._replace(status=status, kind=kind_of(text_of(record.get("kind"))))


def _other_keys(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a note on further keys that hold labels."""
    names = dict.fromkeys(key for record in records for key, value in record.items() if not isinstance(value, dict))
    criteria = columns_of_criteria(names)
    columns = {
        name.strip().lower(): [one.get(name) for one in records] for name in names if name.strip() not in criteria
    }
    read = [name for name in names if name.strip() in criteria or name == "label"]
    labels = [label_text(one.get(name)) for name in read for one in records]
    return of_columns(columns, labels, criteria)


def _csv(source: Source, name: str | None) -> LabelFile:
    first, table = csv_text.rows_of(source, name)
    header = [str(cell).strip() for cell in table[0]] if table else []
    # A list that somebody gave such a column has what Label Studio was never given.
    listed = "label" in header and not {"prompt", "target_answer", *SHOWN}.isdisjoint(header)
    if CONTROL in header or ("annotation_id" in header and not listed):
        check_names(header, header, name)
        rows = {number: cells for number, cells in enumerate(table[1:], start=first + 1) if cells}
        broken = [
            Row.broken(number, cells_problem(len(cells), len(header)))
            for number, cells in rows.items()
            if len(cells) != len(header)
        ]
        records = {n: dict(zip(header, cells, strict=True)) for n, cells in rows.items() if len(cells) == len(header)}
        read = from_rows([*broken, *label_studio.read_min(records)], "label-studio-csv", name)
        return replace(read, models=_models(records))
    return read_list(table, "csv", name, first)


def _json(source: Source, name: str | None) -> dict[int, Any]:
    """Return the records of a JSON file by row; those that are refused are `BadJson`."""
    try:
        text = decoded(source.content(_MAX_BYTES))
        check_values(text, _MAX_VALUES)
        if Beginning.of(source).container == ARRAY:
            records = {row: record for row, _, record in StrictDecoder().elements(text, _MAX_VALUES)}
        else:
            records = {row: record for row, _, record in records_of(source)}
            if isinstance(next(iter(records.values())), NotJson):
                # One object over several lines?
                records = _whole(text) or records
    except BadJson as error:
        raise LabelError(
            f"{called(name)} cannot be read. {_sentence(error)} {error.remedy or 'Export it again.'}"
        ) from None
    if not records:
        raise LabelError(f"{called(name)} has no records. {EXPECTED}")
    return records


def _whole(text: str) -> dict[int, Any] | None:
    """Decode one JSON value; None if the text is more, or not JSON."""
    try:
        return {1: decode(text, _MAX_VALUES)}
    except NotJson:
        return None
    except BadJson as error:
        return {1: error}


def _sentence(error: BadJson) -> str:
    return error.message[0].upper() + error.message[1:]
