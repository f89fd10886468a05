"""The file of a profile, written from the part that each file of the folder gives: items, columns and counts."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...answers import PARSER_VERSION
from ...errors import PoolError
from ...pool.account import Filled, summed
from ...pool.columns import COLUMNS, TARGETS, Census, Loose, leaf
from ...pool.digest import BATCH, Leaf, hashes_of
from ...pool.origin import filled
from ...pool.pool import Pool
from ...pool.problems import Problems
from .folder import Folder, FolderFile, located
from .profile_file import KEY, VERSION, Content, Facts

# Types of the columns whose numbers a profile has, and what stands before their names.
NUMBERS = (pa.bool_(), pa.int64(), pa.float64())
COLUMN = "column:"


@dataclass(frozen=True, slots=True)
class Part:
    """The part that one file gave: segments of rows in Arrow files, and the facts about them.

    Parameters
    ----------
    file : FolderFile
        The file as it was.
    segments : tuple of Path
        Tables of its rows: id, hash, division, and what of group, losses, agreement and numbers it has.
    census : Census
        Of its generations and targets.
    divisions : lists of int
        Divisions of generations into meaning classes, by their numbers in the segments.
    groups : list of str or None
        Names of the groups, by their numbers in the segments.
    targets : list of str
        Names of the targets, by their numbers in the segments.
    answered : set of str
        Targets with answers or texts.
    report : dict
        Texts, parsed texts and an example by source, for the parse report.
    filled : list of lists
        What its columns filled, as `core.pool.account.Filled`.
    """

    file: FolderFile
    segments: tuple[Path, ...]
    census: Census
    divisions: list[list[int]]
    groups: list[str | None]
    targets: list[str]
    answered: set[str]
    report: dict[str, list[Any]]
    filled: list[list[Any]] = field(default_factory=list)

    @classmethod
    def load(cls, scratch: Path, file: FolderFile) -> Part | None:
        """The part of a file that was finished before by this version, if both are as they were."""
        with suppress(OSError, pa.ArrowException, ValueError, KeyError, TypeError, AttributeError):
            given = json.loads(_facts_path(scratch, file).read_text(encoding="utf-8"))
            segments = tuple(scratch / name for name in given.pop("segments"))
            census, answered = Census.of(given.pop("census")), set(given.pop("answered"))
            if given.pop("version") == VERSION and given.pop("parsers", None) == dict(PARSER_VERSION):
                part = cls(file, segments, census=census, answered=answered, **given)
                return part if part.whole else None
        return None

    @property
    def whole(self) -> bool:
        """Whether the segments can be read and have the rows of the file; raises OSError or ArrowException if not."""
        rows = 0
        for table in self.tables():
            table.validate()
            rows += table.num_rows
        return rows == self.file.rows

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows, segment by segment."""
        for segment in self.segments:
            with pa.memory_map(str(segment)) as mapped:
                yield pa.ipc.open_file(mapped).read_all()


class Draft:
    """The part of a file while it is read.

    Parameters
    ----------
    scratch : Path
        The folder in which parts are kept.
    file : FolderFile
        The file.
    """

    def __init__(self, scratch: Path, file: FolderFile) -> None:
        self._scratch, self._file = scratch, file
        # Unique, because a machine that counts as lost may still be writing.
        self._stem = f"{_facts_path(scratch, file).stem}-{secrets.token_hex(4)}"
        self._segments: list[Path] = []
        self._writer: Any = None
        self._schema: pa.Schema | None = None
        self._division: dict[tuple[int, ...], int] = {}
        self._group: dict[str | None, int] = {}
        self._targets: dict[str, int] = {}
        self._answered: set[str] = set()
        self._report: dict[str, list[Any]] = {}
        self._census = Census()
        self._filled: tuple[Filled, ...] = ()

    def add(self, loose: Loose) -> None:
        """Take the next rows; raises PoolError with what is wrong with them."""
        try:
            pool = Pool.from_loose(loose, Problems(), "")
        except PoolError as error:
            raise located(error, self._file.name) from None
        self._census.add(pool.table)
        self._filled = summed([*self._filled, *filled(pool.table, {})])
        self._count_texts(pool)
        ids = pool.source.column("id").combine_chunks()
        columns: dict[str, pa.Array] = {
            "id": ids,
            "hash": pa.array(hashes_of(ids)),
            "division": pa.array(self._divisions(pool)),
        }
        if "group" in loose.columns:
            names = loose.columns["group"].combine_chunks().dictionary_encode(null_encoding="encode")
            codes = np.array([self._group.setdefault(name, len(self._group)) for name in names.dictionary.to_pylist()])
            columns["group"] = pa.array(codes[names.indices.to_numpy()].astype(np.int32))
        for name in pool.targets:
            number = self._targets.setdefault(name, len(self._targets))
            columns[f"loss:{number}"] = pa.array(pool.losses(name))
            agreeing = _agreeing(pool, name)
            if agreeing is not None:
                self._answered.add(name)
                columns[f"same:{number}"] = pa.array(agreeing.astype(np.int16))
        for name in pool.item_columns:
            column = pool.source.column(name)
            if name not in COLUMNS and column.type in NUMBERS:
                columns[f"{COLUMN}{name}"] = column.combine_chunks()
        self._write(pa.table(columns))

    def finished(self) -> Part:
        """Close the part, so that it is taken from here after an interruption."""
        if self._writer is not None:
            self._writer.close()
        facts = {
            "segments": [segment.name for segment in self._segments],
            "divisions": [list(counts) for counts in self._division],
            "groups": list(self._group),
            "targets": list(self._targets),
            "report": self._report,
            "filled": [list(astuple(one)) for one in self._filled],
        }
        path = _facts_path(self._scratch, self._file)
        unfinished = path.with_suffix(".unfinished")
        rest = {"census": self._census.to_dict(), "answered": sorted(self._answered), "version": VERSION}
        rest["parsers"] = dict(PARSER_VERSION)
        text = json.dumps({**facts, **rest})
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
        segments = tuple(self._segments)
        facts.pop("segments")
        return Part(self._file, segments, census=self._census, answered=self._answered, **facts)  # type: ignore[arg-type]

    def _divisions(self, pool: Pool) -> NDArray[np.int32]:
        if not pool.n_generations:
            return np.full(pool.n_items, self._division.setdefault((), len(self._division)), dtype=np.int32)
        counts = pool.class_counts()
        codes = [
            self._division.setdefault(tuple(row[row > 0].tolist()), len(self._division)) for row in counts.distinct
        ]
        return np.asarray(np.array(codes, dtype=np.int32)[counts.member])

    def _count_texts(self, pool: Pool) -> None:
        for source, texts, parsed, example in pool.parse_report()[["source", "texts", "parsed", "example"]].itertuples(
            index=False, name=None
        ):
            add_report(self._report, source, texts, parsed, example)

    def _write(self, table: pa.Table) -> None:
        if self._schema != table.schema:
            if self._writer is not None:
                self._writer.close()
            self._segments.append(self._scratch / f"{self._stem}-{len(self._segments)}.arrow")
            self._schema = table.schema
            self._writer = pa.ipc.new_file(str(self._segments[-1]), table.schema)
        self._writer.write_table(table)


def _facts_path(scratch: Path, file: FolderFile) -> Path:
    state = json.dumps([file.name, file.size, file.changed])
    return scratch / f"{hashlib.sha256(state.encode()).hexdigest()[:24]}.json"


def _agreeing(pool: Pool, target: str) -> NDArray[np.int64] | None:
    """As `Pool.agreeing`, also for rows without generations; None without answers and texts."""
    fields = [leaf(pool.source, target, name) for name in ("answer", "text")]
    outputs = [np.asarray(column.is_valid()) for column in fields if column is not None]
    if not outputs:
        return None
    return pool.agreeing(target) if pool.n_generations else np.where(np.any(outputs, axis=0), 0, -1)


def add_report(report: dict[str, list[Any]], source: str, texts: int, parsed: int, example: str) -> None:
    """Add the texts of a source to a parse report."""
    row = report.setdefault(source, [0, 0, ""])
    row[:] = row[0] + int(texts), row[1] + int(parsed), row[2] or example


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
            for one in schema:
                if one.name in ("id", "hash", "place", "division"):
                    continue
                name, _, number = one.name.partition(":")
                source = f"{name}:{number_of.get(targets[int(number)])}" if name in ("loss", "same") else one.name
                if source in batch.schema.names:
                    values = batch.column(source)
                    columns[one.name] = pa.array(of_group[values.to_numpy()]) if name == "group" else values
                else:
                    columns[one.name] = _absent(name, batch.num_rows, one.type)
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
