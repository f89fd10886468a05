"""Rows of files of any shape, each a dict: JSON Lines, JSON in the shapes that people write it, tables and Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import PoolError, Problem
from ..files.foreign_names import plain_key
from ..files.jsontext import MAX_ARRAY_VALUES, BadJson, NotJson, StrictDecoder, decoded, records_of, several_of
from ..files.open import MAX_ARRAY, Source
from ..files.sniff import ARRAY, OBJECT, PARQUET, TABLE, WORKBOOK, ZIP, Beginning
from ..files.tables import MAX_COLUMNS
from ..pool.problems import Problems, RecordTally, shown
from ..words import listed
from .archive_files import FILE, Bundle
from .chats import folded
from .csv_table import headed
from .field_names import NAMES
from .joined_files import beside, joined
from .json_records import FileRow, array, lines
from .nested_records import (
    KEY,
    NoItem,
    are_scored,
    by_item,
    lists_of,
    named_records,
    records_by_model,
    rows_of_arrays,
    rows_of_groups,
    rows_of_maps,
    rows_of_models,
    runs_of,
)
from .total_shapes import GroupNumbers, ItemNumbers, Stated, is_total_label
from .totals import refuse_totals
from .verdicts import number

_BATCH = 1_024
# Most rows of totals, and fewest items.
_SUMS, _ITEMS = 6, 3
_LABEL = 60
# What kind of record a line is, and what totals are called there; a line of so few keys is a heading.
_KINDS = frozenset({"_type", "type", "kind", "record_type"})
_SUMMARIES = frozenset({"summary", "aggregate", "aggregates", "total", "totals", "overall", "metrics", "run_summary"})
_FEW_KEYS = 2
# A column without a name is one if so many rows have a value there.
_FEWEST_CELLS = 2


def rows_of(source: Source, problems: Problems) -> Iterator[FileRow]:
    """Read row by row: place from 1 (of a table's file: the header is row 1) and values by name, without empty cells.

    Rows that are messages of chats are put together (`core.readers.chats`).
    An object of one record each (``{"q1": {…}, "q2": {…}}``) has their names as ``key``; pandas' orientations
    ``split`` and ``columns`` are read as the tables they are.
    """
    problems.note(source.remark)
    rows = _without_subtotals(_rows_of(source, problems), problems)
    return folded(_without_sums_of_models(_without_sums(rows, problems), problems), problems)


def _rows_of(source: Source, problems: Problems) -> Iterator[FileRow]:
    beginning = Beginning.of(source)
    if beginning.container == ZIP:
        yield from _of_zip(source, problems)
    elif beginning.container in (TABLE, WORKBOOK):
        header, rows = headed(source, problems)
        for name in sorted(name for name, times in Counter(header).items() if name and times > 1):
            problems.add(f"there are two columns {shown(name)}.", field=name, remedy="Rename one of them.")
        unnamed = dict.fromkeys((place for place, name in enumerate(header) if place and not name), 0)
        for row, cells in rows:
            for place in unnamed:
                unnamed[place] += place < len(cells) and cells[place] != ""
            if cells == header:
                problems.tally.leave_out("rows that repeat the header", row)
            elif len(cells) > len(header):
                message = f"the row has {len(cells)} cells, the header {len(header)}."
                problems.add(message, row, remedy="Quote cells that contain the delimiter or a line break.")
            else:
                yield row, {key: cell for key, cell in zip(header, cells, strict=False) if key and cell != ""}
        problems.note(_of_unnamed(unnamed))
    elif beginning.container == PARQUET:
        yield from enumerate(problems.tally.records(_of_parquet(source)), start=1)
    else:
        is_array = beginning.container == ARRAY
        records = _of_array(source, problems) if is_array else _of_json(source, beginning, problems)
        yield from _without_summaries(_checked(records, problems), problems)


def _without_summaries(rows: Iterable[FileRow], problems: Problems) -> Iterator[FileRow]:
    """Leave out records that call themselves totals, and have no text that the records before them have."""
    known, rows_before, of_a_kind = set[str](), 0, 0
    for row, values in rows:
        kinds = {key for key, one in values.items() if key in _KINDS and str(one).strip().lower() in _SUMMARIES}
        # A kind that items have too may be that of an item.
        apart = rows_before >= _ITEMS and of_a_kind < _FEW_KEYS
        shared = {key for key in known & values.keys() if not apart or number(values[key]) is None}
        if known and kinds and not shared:
            problems.tally.leave_out("records of totals", row)
            continue
        rows_before, of_a_kind = rows_before + 1, of_a_kind + (not _KINDS.isdisjoint(values))
        known |= values.keys() - (_KINDS if len(values) > _FEW_KEYS or known else values.keys())
        yield row, values


def _of_unnamed(filled: Mapping[int, int]) -> str:
    """Name the columns behind the first that have values and no name, by their places from 0; "" for none."""
    places = [str(place + 1) for place, rows in filled.items() if rows >= _FEWEST_CELLS]
    if not places:
        return ""
    if len(places) == 1:
        return f"Column {places[0]} has no name in the first row, so it is not read. Name it to use it."
    return f"Columns {listed(places)} have no names in the first row, so they are not read. Name them to use them."


def _without_subtotals(rows: Iterable[FileRow], problems: Problems) -> Iterator[FileRow]:
    """Leave out totals above and between items: a label such as “Subtotal”, and numbers, where items have texts."""
    last: Mapping[str, Any] = {}
    held = list[FileRow]()
    for row, values in rows:
        if _may_sum_up(values, last) and len(held) < _SUMS:
            held.append((row, values))
            continue
        texts = {name for name, value in values.items() if isinstance(value, str) and number(value) is None}
        for other, some in held:
            if texts - some.keys():
                problems.tally.leave_out("rows of totals between the items", other)
            else:
                yield other, some
        held, last = [], values
        yield row, values
    yield from held


def _may_sum_up(row: Mapping[str, Any], last: Mapping[str, Any]) -> bool:
    """Whether a row has a label of totals as its name, numbers, and no text but those of the row before it."""
    labels = [name for name, value in row.items() if isinstance(value, str) and len(value) <= _LABEL]
    labels = [name for name in labels if is_total_label(row[name])]
    if not labels:
        return False
    others = {name: value for name, value in row.items() if name not in labels and value != last.get(name)}
    if len(labels) != 1 or plain_key(labels[0]) in (*NAMES["answer"], *NAMES["output"]) or not others:
        return False
    return not any(number(value) is None or plain_key(name) in NAMES["id"] for name, value in others.items())


def _without_sums(rows: Iterable[FileRow], problems: Problems) -> Iterator[FileRow]:
    """Leave out totals in the last few rows, which lack texts that all others have (`ItemNumbers.are_summed_up`)."""
    texts: list[str] | None = None
    items, held = ItemNumbers({}), list[FileRow]()
    for row, values in rows:
        if len(values) == 1 and number(next(iter(values.values()))) is None:
            # A heading of the rows below, or a file of one column.
            yield from held
            held.clear()
            yield row, values
            continue
        if texts is None:
            items = ItemNumbers(values)
            # An item has its number in a first column of numbers, too.
            texts = [*dict.fromkeys([*items.worded, *list(values)[:1]])]
        lacks = any(one not in values for one in texts)
        held.append((row, values))
        if lacks and len(held) <= _SUMS and items.are_summed_up(values):
            continue
        if lacks or len(held) > 1:
            texts = [one for one in texts if all(one in some for _, some in held)]
        for _, some in held if texts else ():
            items.add(some)
        yield from held
        held.clear()
    if items.size < max(_ITEMS, len(held)):
        yield from held
        return
    for row, _ in held:
        problems.tally.leave_out("rows of totals at the end", row)


def _without_sums_of_models(rows: Iterable[FileRow], problems: Problems) -> Iterator[FileRow]:
    """Leave out totals of each model in the last rows of a table with a row for each item and model."""
    groups, held = GroupNumbers({}), list[FileRow]()
    begun = False
    for row, values in rows:
        groups, begun = groups if begun else GroupNumbers(values), True
        held.append((row, values))
        if groups.may_sum_up(values):
            continue
        for _, some in held:
            groups.add(some)
        yield from held
        held.clear()
    if not held or not groups.are_summed_up([values for _, values in held]):
        yield from held
        return
    for row, _ in held:
        problems.tally.leave_out("rows of totals at the end", row)


def _of_zip(source: Source, problems: Problems) -> Iterator[FileRow]:
    """Read the rows of the files of one shape in a zip, in the order of their names, and count them through."""
    bundle = _without_totals(Bundle.of(source))
    chosen = bundle.table()
    if copies := chosen.copies:
        named = listed(list(map(shown, copies)))
        problems.note(f"Files of the zip with the content of another one are read once, without {named}.")
        chosen = chosen.without(copies)
    if not chosen.files:
        raise bundle.refusal("holds items")
    chosen, further = joined(bundle, chosen, lambda file: rows_of(file.source, Problems()))
    for name in chosen.skipped:
        problems.tally.skip(name)
    for one in further:
        problems.note(one.remark)
    before = 0
    for file, name in zip(chosen.files, chosen.names(), strict=True):
        whole = _object(file.source) if chosen.is_one_each else None
        records = rows_of(file.source, problems) if whole is None else problems.tally.records([(1, whole)])
        for place, row in _counted_on(beside(records, further), problems.tally, before):
            yield place, {FILE: name, **row} if len(chosen.files) > 1 else row
            before = place
        before = max(before, problems.tally.last)


def _counted_on(records: Iterator[FileRow], tally: RecordTally, before: int) -> Iterator[FileRow]:
    """Count the rows of a file on from so many before it, those too of which it is said meanwhile what they are."""
    while True:
        tally.before = before
        try:
            record = next(records, None)
        finally:
            tally.before = 0
        if record is None:
            return
        yield before + record[0], record[1]


def _without_totals(bundle: Bundle) -> Bundle:
    """Skip the files of a zip that have totals of a run alone; raises their error if there is no other."""
    refused: dict[str, PoolError] = {}
    for file in bundle.files:
        try:
            refuse_totals(file.source, file.beginning, is_alone=False)
        except PoolError as error:
            refused[file.source.name] = error
    if refused and len(refused) == len(bundle.files):
        raise next(iter(refused.values()))
    return bundle.without(refused)


def _object(source: Source) -> dict[str, Any] | None:
    """Decode a file that is one object; None for any other."""
    try:
        value = StrictDecoder(lenient=True).decode(decoded(source.content(MAX_ARRAY)), MAX_ARRAY_VALUES)
    except BadJson:
        return None
    return value if isinstance(value, dict) else None


def _checked(values: Iterable[tuple[int, Any]], problems: Problems) -> Iterator[FileRow]:
    for row, value in values:
        if isinstance(value, dict) and len(value) > MAX_COLUMNS:
            message = f"there are more than {MAX_COLUMNS:,} keys."
            problems.add(message, row, remedy="Keep those that Neyman reads: id, prompt, answer, outputs, models.")
            problems.stop()
        elif isinstance(value, dict):
            yield row, value
        else:
            problems.add("the row is not a JSON object.", row, remedy="Write one object a row.")


def _of_array(source: Source, problems: Problems) -> Iterator[tuple[int, Any]]:
    if (rows := _of_models(source)) is not None:
        yield from _numbered(rows, problems)
        return
    for row, _, value in array(source.content(MAX_ARRAY), problems, StrictDecoder(lenient=True)):
        yield row, value


def _of_models(source: Source) -> list[Any] | None:
    """Decode an array of which each element has the items of one model or group; None for any other."""
    decoder = StrictDecoder(lenient=True)
    try:
        first = next(decoder.elements(decoded(source.content(MAX_ARRAY)), MAX_ARRAY_VALUES), None)
        return _whole(source, decoder) if first is not None and _holds_items(first[2]) else None
    except (BadJson, PoolError):
        return None


def _of_json(source: Source, beginning: Beginning, problems: Problems) -> Iterator[tuple[int, Any]]:
    decoder = StrictDecoder(lenient=True)
    with source.opened() as file:
        first = file.readline(MAX_ARRAY)
    try:
        record = decoder.decode(decoded(first)) if beginning.container == OBJECT else None
    except BadJson:
        record = None
    if isinstance(record, dict):
        inner = _records(record)
        if inner is not None and _is_only_line(source):
            problems.tally.stated = Stated.of(record)
            yield from _numbered(inner, problems)
        elif _holds_items(record) and (rows := _of_groups([one for *_, one in records_of(source, decoder)])):
            yield from _numbered(rows, problems)
        else:
            yield from ((row, value) for row, _, value in lines(source, problems, decoder))
        return
    try:
        value = _whole(source, decoder)
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy)
        return
    if value is None:
        yield from ((row, value) for row, _, value in lines(source, problems, decoder))
        return
    rows = value if isinstance(value, list) else _records(value)
    problems.tally.stated = Stated.of(value) if rows is not None and isinstance(value, dict) else None
    yield from _numbered(rows if rows is not None else [value], problems)


def _holds_items(record: Any) -> bool:
    """Whether a record has the items of one model or group."""
    return _of_groups([record]) is not None


def _of_groups(records: list[Any]) -> list[Any] | None:
    """Return the items of records that have those of one model or group each; None for others, and damaged ones."""
    damaged = any(isinstance(record, BadJson) for record in records)
    return None if damaged else rows_of_models(records) or rows_of_groups(records)


def _whole(source: Source, decoder: StrictDecoder) -> Any:
    """Decode a file that is one value, None if it is objects one after another; raises `BadJson` for any other."""
    try:
        return decoder.decode(decoded(source.content(MAX_ARRAY)), MAX_ARRAY_VALUES)
    except NotJson:
        if several_of(source, decoder) is None:
            raise
        return None


def _numbered(records: list[Any], problems: Problems) -> Iterator[tuple[int, Any]]:
    records = _of_groups(records) or records
    for row, record in enumerate(problems.tally.records(records), start=1):
        if isinstance(record, NoItem):
            problems.tally.leave_out(record, row)
        else:
            yield row, record


def _is_only_line(source: Source) -> bool:
    """Whether nothing follows the first line."""
    with source.opened() as file:
        file.readline(MAX_ARRAY)
        return not any(not line.isspace() for line in iter(lambda: file.readline(MAX_ARRAY), b""))


def _records(value: Any) -> list[Any] | None:
    """Return the records in an object: a table of pandas', its lists of records, or one record a key; else None."""
    if not isinstance(value, dict):
        return None
    names, data = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, names), row, strict=False)) for row in data]
    columns = list(value.values())
    if len(columns) > 1 and all(isinstance(column, list) for column in columns):
        plain = not any(isinstance(one, dict) for column in columns for one in column)
        if plain and len(set(map(len, columns))) == 1 and len(columns[0]) > 1:
            return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    if (of_maps := rows_of_arrays(value) or rows_of_maps(value)) is not None:
        return of_maps
    if columns and all(isinstance(column, dict) and column for column in columns):
        keys = list(columns[0])
        if all(key.isdecimal() for key in keys) and all(list(column) == keys for column in columns):
            return [{name: column[key] for name, column in value.items()} for key in keys]
    if (by_name := by_item(value) or rows_of_models(records_by_model(value))) is not None:
        return by_name
    if (runs := runs_of(value)) is not None:
        return runs
    listed = lists_of(value)
    keyed = named_records(value)
    if listed is not None and (keyed is None or (_size(listed) >= len(keyed) and not are_scored(keyed))):
        return listed
    if keyed is None and len(columns) > 1 and all(isinstance(one, dict) and one for one in columns):
        return [{KEY: key, **record} for key, record in value.items()]
    return keyed


def _size(rows: list[Any]) -> int:
    return sum(not isinstance(row, NoItem) for row in rows)


def _as_written(table: pa.Table) -> pa.Table:
    """Return a table whose dates and times are texts, as in ISO 8601, and whose decimals are numbers."""
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pa.types.is_decimal(field.type):
            column = column.cast(pa.float64())
        elif pa.types.is_timestamp(field.type):
            days = pc.all(pc.equal(pc.floor_temporal(column, unit="day"), column)).as_py()
            seconds = pc.floor_temporal(column, unit="second").cast(pa.timestamp("s", field.type.tz))
            column = pc.strftime(seconds, format="%Y-%m-%d" if days is not False else "%Y-%m-%d %H:%M:%S")
        elif pa.types.is_date(field.type) or pa.types.is_time(field.type):
            column = column.cast(pa.string())
        table = table.set_column(place, field.name, column)
    return table


def _of_parquet(source: Source) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(pa.BufferReader(source.data) if source.path is None else str(source.path)) as file:
            for batch in file.iter_batches(_BATCH):
                yield from _as_written(pa.Table.from_batches([batch])).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"the Parquet file is damaged ({shown(str(error), 80)})."
        raise PoolError([Problem(message, remedy="Write or download it again.")]) from None
