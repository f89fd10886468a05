"""Native Parquet: the same columns as JSON Lines; targets as a struct of structs (or a JSON text).

The wide columns of CSV (``generation_1`` …, ``<model>:loss``) are understood too; nulls at the end of a row's
generations are generations that it does not have.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import PoolError, Problem
from ..files.jsontext import BadJson, decode
from ..files.open import Source
from ..pool.columns import COLUMNS, OTHERWISE, TARGET_FIELDS, TARGETS, TEXT, Completion, Loose, as_it_is, lengths
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.records import MAX_NAMES, Records, extra, native, united, unread_keys, with_empty_texts
from .csv_table import LISTS, NUMBERED, check_names, in_sequence, outcome_of, without_end

MAX_MEMORY = 3 * 1024**3
_BATCH = 8_192
DAMAGED = (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, MemoryError, NotImplementedError)


def read(source: Source, complete: Completion = as_it_is) -> Pool:
    """Read a pool; see ``core.readers.read``. ``complete`` adds to its columns."""
    problems = Problems()
    try:
        table = _table(source)
    except DAMAGED as error:
        message = f"the Parquet file is damaged{_needs(error)} ({shown(str(error), 100)})."
        raise PoolError([Problem(message, remedy="Write or download it again.")]) from None
    if "id" not in table.column_names:
        names = ", ".join(table.column_names[:20]) or "none"
        remedy = f"Rename the column that identifies items. {OTHERWISE}"
        problems.add(f"there is no column “id”; the columns are: {names}.", remedy=remedy)
        problems.stop()
    try:
        loose = loose_columns(table, problems)
    except DAMAGED as error:
        message = f"the columns cannot be read{_needs(error)} ({shown(str(error), 100)})."
        raise PoolError([Problem(message, remedy="Keep only the columns that Neyman reads.")]) from None
    problems.tally.take_all(table.num_rows)
    return Pool.from_loose(complete(loose, problems), problems, source.name)


def is_written_pool(source: Source) -> bool:
    """Whether Neyman wrote this Parquet file, so that its columns are called what they are.

    Neyman compresses with zstd and adds no metadata of pandas, which what others write with the same library has.
    """
    origin = pa.BufferReader(source.data) if source.path is None else str(source.path)
    try:
        with pq.ParquetFile(origin) as file:
            facts, has_rows = file.metadata, file.metadata.num_row_groups
            known = (facts.metadata or {}).keys() & {b"pandas", b"huggingface"}
            packed = has_rows and facts.row_group(0).column(0).compression == "ZSTD"
            return bool(packed and not known and facts.created_by.startswith("parquet-cpp-arrow"))
    except DAMAGED:
        return False


def _needs(error: BaseException) -> str:
    return ", or takes more memory than there is" if isinstance(error, MemoryError) else ""


def _table(source: Source) -> pa.Table:
    origin = pa.BufferReader(source.data) if source.path is None else str(source.path)
    # Without the buffer whole columns would be in memory as they are stored, too.
    with pq.ParquetFile(origin, buffer_size=1 << 18, pre_buffer=False) as file:
        names = file.schema_arrow.names
        if len(set(names)) < len(names) or len(names) > MAX_NAMES + len(COLUMNS):
            raise ValueError("two columns of the same name, or too many columns")
        groups = (file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups))
        if sum(groups) > MAX_MEMORY:
            raise ValueError(f"more than {MAX_MEMORY // 1024**3} GiB when unpacked")
        batches, size = [], 0
        for batch in file.iter_batches(batch_size=_BATCH):
            size += batch.nbytes
            if size > MAX_MEMORY:
                raise ValueError(f"more than {MAX_MEMORY // 1024**3} GiB when unpacked")
            batches.append(batch)
        table = pa.Table.from_batches(batches, file.schema_arrow)
    table.validate(full=True)
    return table


def loose_columns(table: pa.Table, problems: Problems) -> Loose:
    """Convert the columns of a Parquet file to native ones; rows of problems count from 1."""
    loose = Loose()
    check_names(table.column_names, problems)
    numbered: dict[str, dict[str, pa.ChunkedArray]] = {}
    for name in table.column_names:
        column, outcome, parts = _decoded(table.column(name)), outcome_of(name), NUMBERED.fullmatch(name)
        if name in COLUMNS:
            loose.columns[name] = _native(name, column, COLUMNS[name], problems)
        elif name == TARGETS:
            loose.targets |= _targets(column, problems)
        elif outcome:
            model, field = outcome
            label = f"targets.{model}.{field}"
            loose.targets[outcome] = _native(field, column, TARGET_FIELDS[field], problems, label)
        elif parts:
            numbered.setdefault(parts[1], {})[parts[2]] = column
        elif pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            problems.note(f"The column {shown(name)} holds bytes and is not kept.")
        elif not name.startswith("__index_level_"):
            loose.extras[name] = _extra(name, column, problems)
    # Generations first: their number is that of the answers beside them.
    for name in sorted(numbered, key=lambda name: name != "generation"):
        loose.columns[LISTS[name]] = _folded(name, numbered[name], loose, problems)
    return loose


def _folded(name: str, columns: dict[str, pa.ChunkedArray], loose: Loose, problems: Problems) -> pa.ChunkedArray:
    """Join numbered columns to one column of lists."""
    labels = in_sequence(name, list(columns), problems)
    rows = zip(*(columns[label].to_pylist() for label in labels), strict=True)
    if name == "generation_answer" and "generations" in loose.columns:
        counts = lengths(loose.columns["generations"]).tolist()
        values = [list(row[:count]) for row, count in zip(rows, counts, strict=True)]
    else:
        values = [list(without_end(row)) for row in rows]
    return pa.chunked_array([native(LISTS[name], values, COLUMNS[LISTS[name]], range(1, len(values) + 1), problems)])


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _native(
    name: str, column: pa.ChunkedArray, kind: pa.DataType, problems: Problems, label: str | None = None
) -> pa.ChunkedArray:
    if _castable(column.type, kind):
        return pa.chunked_array([with_empty_texts(name, chunk, problems) for chunk in column.cast(kind).chunks], kind)
    values = column.to_pylist()
    return pa.chunked_array([native(name, values, kind, range(1, len(values) + 1), problems, label)])


def _castable(actual: pa.DataType, kind: pa.DataType) -> bool:
    if pa.types.is_null(actual):
        return True
    if pa.types.is_boolean(kind):
        return bool(pa.types.is_boolean(actual))
    if pa.types.is_list(kind):
        is_list = pa.types.is_list(actual) or pa.types.is_large_list(actual) or pa.types.is_fixed_size_list(actual)
        return bool(is_list and _castable(actual.value_type, kind.value_type))
    if kind == TEXT:
        return bool(pa.types.is_string(actual) or pa.types.is_large_string(actual) or pa.types.is_integer(actual))
    return bool(pa.types.is_floating(actual) or (pa.types.is_integer(actual) and actual.bit_width <= 32))


def _targets(column: pa.ChunkedArray, problems: Problems) -> dict[tuple[str, str], pa.ChunkedArray]:
    kind = column.type
    if not (pa.types.is_struct(kind) and all(pa.types.is_struct(child.type) for child in kind)):
        return _outcomes(column, problems)
    leaves, unread = {}, dict[str, tuple[int, int]]()
    for model, outcome in zip(kind, column.flatten(), strict=True):
        for child, values in zip(model.type, outcome.flatten(), strict=True):
            label = f"{TARGETS}.{model.name}.{child.name}"
            if child.name not in TARGET_FIELDS:
                if known := np.flatnonzero(np.asarray(values.is_valid())).tolist():
                    unread[label] = len(known), known[0] + 1
                continue
            values = _decoded(values)
            leaves[model.name, child.name] = _native(child.name, values, TARGET_FIELDS[child.name], problems, label)
    problems.note(unread_keys(unread, list(leaves)))
    return leaves


def _outcomes(column: pa.ChunkedArray, problems: Problems) -> dict[tuple[str, str], pa.ChunkedArray]:
    """Read targets that are JSON texts, maps, or anything else, value by value."""
    records = Records(problems)
    for row, value in enumerate(column.to_pylist(), start=1):
        if isinstance(value, str):
            try:
                value = decode(value)
            except BadJson as error:
                problems.add(error.message, row, TARGETS, 'Write for instance {"gpt-4": {"loss": 0}}.')
        records.add(row, {TARGETS: dict(value) if isinstance(value, list) else value})
    return records.loose().targets


def _extra(name: str, column: pa.ChunkedArray, problems: Problems) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_temporal(kind):
        return column.cast(TEXT)
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return column
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return column.cast(pa.int64())
    if pa.types.is_floating(kind):
        numbers = column.cast(pa.float64())
        numbers = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
        if pc.all(pc.is_finite(numbers)).as_py() is not False:
            return numbers
    values = column.to_pylist()
    return united({0: extra(name, values, range(1, len(values) + 1), problems)}, [len(values)])
