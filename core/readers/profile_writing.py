"""The file of a profile, written from what each file of the folder gave: items in the order of their ids' hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ..answers import PARSER_VERSION
from ..pool.account import Filled, summed
from ..pool.columns import COLUMNS, TARGETS, Census
from ..pool.digest import Leaf
from ..pool.ids import BATCH
from ..pool.problems import Problems
from .folder import Folder
from .profile_file import KEY, Facts
from .profile_leaves import Content
from .profile_part import COLUMN, NUMBERS, Part, add_report

# Share of the time that reading takes; the rest is sorting and writing.
READING = 0.95


@dataclass(frozen=True, slots=True)
class _Numbering:
    """The numbers that divisions into classes and groups have in the whole, by what they are."""

    division: dict[tuple[int, ...], int]
    group: dict[str | None, int]

    @classmethod
    def of(cls, parts: list[Part]) -> Self:
        numbering = cls({}, {})
        for part in parts:
            for counts in part.divisions:
                numbering.division.setdefault(tuple(counts), len(numbering.division))
            for name in part.groups:
                numbering.group.setdefault(name, len(numbering.group))
        return numbering


def write_profile(
    path: Path, folder: Folder, parts: list[Part], content: Content, progress: Callable[[float], None] | None
) -> None:
    """Write the profile of a folder.

    Parameters
    ----------
    path : Path
        Its file.
    folder : Folder
        The folder.
    parts : list of Part
        What its files gave, in their order.
    content : Content
        The leaves of all of them.
    progress : callable, optional
        Called with the share done once the ids are sorted.

    Raises
    ------
    OSError
        The profile cannot be written.
    """
    numbering = _Numbering.of(parts)
    facts = _facts(folder, parts, content.leaves(), numbering)
    hashes = np.concatenate([table.column("hash").to_numpy() for part in parts for table in part.tables()])
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    if progress is not None:
        progress((1 + READING) / 2)
    schema = _schema(facts, order.size)
    start = 0
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for rows in _rebatched(_rows(part, numbering, facts.targets, schema) for part in parts):
            end = start + rows.num_rows
            columns = {name: rows.column(name).combine_chunks() for name in rows.column_names}
            columns["hash"] = pa.array(hashes[start:end])
            columns["place"] = pa.array(order[start:end].astype(schema.field("place").type.to_pandas_dtype()))
            # One batch each, so that places are found by division.
            arrays = [_one_chunk(columns[name]) for name in schema.names]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            start = end
    path.chmod(0o600)


def _facts(folder: Folder, parts: list[Part], leaves: tuple[Leaf, ...], numbering: _Numbering) -> Facts:
    census, report = Census(), dict[str, list[Any]]()
    for part in parts:
        census.update(part.census)
        for source, row in part.report.items():
            add_report(report, source, *row)
    targets = list(dict.fromkeys(leaf.path[1] for leaf in leaves if leaf.path[0] == TARGETS))
    answered = [number for number, name in enumerate(targets) if any(name in part.answered for part in parts)]
    problems = Problems()
    census.remark({leaf.path[0] for leaf in leaves}, targets, problems)
    k = census.largest
    return Facts(
        str(folder.path),
        folder.files,
        leaves,
        [[*counts, *[0] * (k - len(counts))] for counts in numbering.division],
        census.complete,
        list(numbering.group) if any(leaf.path == ("group",) for leaf in leaves) else [],
        tuple(targets),
        tuple(answered),
        [[source, *report[source]] for source in sorted(report, key=partial(_report_rank, targets))],
        tuple(problems.notes),
        folder.whole,
        summed(Filled(*one) for part in parts for one in part.filled),
        dict(PARSER_VERSION),
    )


def _schema(facts: Facts, n_items: int) -> pa.Schema:
    types = {str(kind): kind for kind in NUMBERS}
    kinds = {leaf.path[0]: types.get(leaf.kind) for leaf in facts.leaves if leaf.path[0] not in (*COLUMNS, TARGETS)}
    extras = {f"{COLUMN}{name}": kind for name, kind in kinds.items() if kind is not None}
    fields = [
        ("id", pa.string()),
        ("hash", pa.uint64()),
        ("place", pa.uint32() if n_items < 1 << 32 else pa.int64()),
    ]
    fields += [("division", pa.int32()), *([("group", pa.int32())] if facts.groups else [])]
    fields += [(f"loss:{number}", pa.float64()) for number in range(len(facts.targets))]
    fields += [(f"same:{number}", pa.int16()) for number in facts.answered]
    return pa.schema([*fields, *extras.items()], {KEY: facts.to_json()})


def _report_rank(targets: list[str], source: str) -> tuple[int, int]:
    """Generations by number, then the truth, then targets in their order."""
    kind, _, number = source.partition(" ")
    if kind == "generation" and number.isdigit() and source not in targets:
        return 0, int(number)
    return (1, 0) if source == "truth" and source not in targets else (2, targets.index(source))


def _rows(part: Part, numbering: _Numbering, targets: Sequence[str], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of a part with the numbers of the whole."""
    of_division = np.array([numbering.division[tuple(counts)] for counts in part.divisions], dtype=np.int32)
    of_group = np.array([numbering.group[name] for name in part.groups], dtype=np.int32)
    number_of = {name: number for number, name in enumerate(part.targets)}
    for table in part.tables():
        for batch in table.to_batches():
            columns: dict[str, pa.Array] = {"id": batch.column("id")}
            columns["division"] = pa.array(of_division[batch.column("division").to_numpy()])
            for field in schema:
                if field.name in ("id", "hash", "place", "division"):
                    continue
                name, _, number = field.name.partition(":")
                source = f"{name}:{number_of.get(targets[int(number)])}" if name in ("loss", "same") else field.name
                if source in batch.schema.names:
                    values = batch.column(source)
                    columns[field.name] = pa.array(of_group[values.to_numpy()]) if name == "group" else values
                else:
                    columns[field.name] = _absent(name, batch.num_rows, field.type)
            yield pa.table(columns)


def _absent(name: str, rows: int, kind: pa.DataType) -> pa.Array:
    if name == "loss":
        return pa.array(np.full(rows, np.nan))
    if name == "same":
        return pa.array(np.full(rows, -1, dtype=np.int16))
    return pa.nulls(rows, kind)


def _rebatched(parts: Iterator[Iterator[pa.Table]]) -> Iterator[pa.Table]:
    """The rows in tables of `BATCH` rows; the last has the rest."""
    waiting, size = list[pa.Table](), 0
    for tables in parts:
        for table in tables:
            waiting.append(table)
            size += table.num_rows
            while size >= BATCH:
                whole = pa.concat_tables(waiting)
                yield whole.slice(0, BATCH)
                rest = whole.slice(BATCH)
                waiting, size = ([rest] if rest.num_rows else []), rest.num_rows
    if waiting:
        yield pa.concat_tables(waiting)


def _one_chunk(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    return column
