"""Making the profile of a folder (`core.readers.profile_file`): each file is read once, some thousand rows at a time.

What a file gave is kept until the profile is whole. Profiling again after an interruption takes it from there, and
reads finished files for their digest alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import PoolError, Problem
from core.pool.columns import COLUMNS, TARGETS, Census, Loose, leaf, without_empty_lists
from core.pool.digest import Leaf, LeafHashes
from core.pool.ids import BATCH, hashes_of
from core.pool.pool import Pool
from core.pool.problems import Problems, shown
from core.readers.folder import Folder, FolderFile, located
from core.readers.profile_file import KEY, VERSION, Facts, ProfileFile

_NUMBERS = (pa.bool_(), pa.int64(), pa.float64())
_COLUMN = "column:"
# Share of the time that reading takes; the rest is sorting and writing.
_READING = 0.95
# Candidates for doubled ids that are looked at.
_MOST = 10_000


def profile(path: Path, out: Path, progress: Callable[[float], None] | None = None) -> ProfileFile:
    """Profile a folder of Parquet files.

    Memory grows with the number of items by some 20 bytes each while ids are sorted, and not with their texts.

    Parameters
    ----------
    path : Path
        The folder, or a single file.
    out : Path
        The profile's file. It takes its place when it is whole.
    progress : callable, optional
        Called now and then with the share done, in [0, 1].

    Returns
    -------
    ProfileFile

    Raises
    ------
    PoolError
        The folder cannot be used as a pool, with file and row.
    OSError
        The profile cannot be written.
    """
    folder = Folder.of(path.resolve())
    with _alone(out):
        return _profiled(folder, out, progress)


def read_ahead(folder: Folder, out: Path, file: FolderFile) -> None:
    """Read one file of a folder ahead of `profile`, which then reads it for the digest alone.

    Several processes may do so at once, each for another file, on every machine that reaches both places.

    Parameters
    ----------
    folder : Folder
        The folder.
    out : Path
        The profile's file, which `profile` will make.
    file : FolderFile
        One of its files.

    Raises
    ------
    PoolError
        The file cannot be used, with its row: `profile` will say the same.
    OSError
        What was read cannot be written.
    """
    scratch = _scratch(out)
    if _Part.kept(scratch, file) is not None:
        return
    draft = _Draft(scratch, file)
    for loose in folder.batches(file):
        draft.add(loose)
        pa.default_memory_pool().release_unused()
    draft.finished()


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Wait until no other process makes the same profile."""
    path = out.with_name(f".{out.name}.lock")
    while True:
        with path.open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Whoever held it before has removed it, and a third may have made another.
            if not _is_at(lock.fileno(), path):
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _profiled(folder: Folder, out: Path, progress: Callable[[float], None] | None) -> ProfileFile:
    scratch = _scratch(out)
    content, parts, done = _Content(), list[_Part](), 0
    for file in folder.files:
        part = _Part.kept(scratch, file)
        draft = None if part is not None else _Draft(scratch, file)
        for loose in folder.batches(file):
            if draft is not None:
                draft.add(loose)
            content.add(loose, file)
            done += loose.size
            if progress is not None:
                progress(_READING * done / folder.rows)
            pa.default_memory_pool().release_unused()
        parts.append(part or draft.finished())  # type: ignore[union-attr]
        _check_generations(parts, folder)
    temporary = out.with_name(f".{out.name}.{os.getpid()}.unfinished")
    try:
        _write(temporary, folder, parts, content, progress)
        made = ProfileFile(temporary)
        _check_ids(made)
        folder.check()
        os.replace(temporary, out)
    finally:
        temporary.unlink(missing_ok=True)
    shutil.rmtree(scratch, ignore_errors=True)
    return ProfileFile(out)


class _Content:
    """The leaves of the content so far, as if all rows were in one file."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[str, ...], LeafHashes] = {}
        self._kinds: dict[tuple[str, ...], tuple[pa.DataType, str]] = {}
        self._valued: set[tuple[str, ...]] = set()
        self._rows = 0

    def add(self, loose: Loose, file: FolderFile) -> None:
        columns: dict[tuple[str, ...], pa.ChunkedArray] = {
            **{(name,): column for name, column in {**loose.columns, **loose.extras}.items()},
            **{(TARGETS, *path): column for path, column in loose.targets.items()},
        }
        for path, column in columns.items():
            if pa.types.is_null(column.type):
                continue
            values = without_empty_lists(column) if pa.types.is_list(column.type) else column
            kind, where = self._kinds.setdefault(path, (values.type, file.name))
            if kind != values.type:
                message = f"this column has values of another type ({values.type}) than in {where} ({kind})."
                problem = Problem(message, field=".".join(path), remedy="Give it one type.", file=file.name)
                raise PoolError([problem])
            if path not in self._hashes:
                self._hashes[path] = LeafHashes(path, kind)
                self._skip(path, self._rows)
            self._hashes[path].add(values)
            if values.null_count < len(values):
                self._valued.add(path)
        self._rows += loose.size
        for path in self._hashes.keys() - columns.keys():
            self._skip(path, loose.size)
        for path, column in columns.items():
            if path in self._hashes and pa.types.is_null(column.type):
                self._skip(path, loose.size)

    def leaves(self) -> tuple[Leaf, ...]:
        """Those of the columns with a value, in the order of a canonical table."""
        order = {name: number for number, name in enumerate((*COLUMNS, TARGETS))}
        paths = [path for path in self._hashes if path in self._valued]
        models = list(dict.fromkeys(path[1] for path in paths if path[0] == TARGETS))
        fields = ["text", "answer", "loss"]
        places = {path: number for number, path in enumerate(paths)}

        def rank(path: tuple[str, ...]) -> tuple[int, int, int]:
            if path[0] == TARGETS:
                return order[TARGETS], models.index(path[1]), fields.index(path[2])
            return order.get(path[0], len(order)), places[path], 0

        return tuple(leaf for path in sorted(paths, key=rank) for leaf in self._hashes[path].leaves())

    def _skip(self, path: tuple[str, ...], rows: int) -> None:
        """Hash rows without a value."""
        for start in range(0, rows, BATCH):
            nulls = pa.nulls(min(BATCH, rows - start), self._kinds[path][0])
            self._hashes[path].add(pa.chunked_array([nulls]))


@dataclass(frozen=True, slots=True)
class _Part:
    """What one file gave: segments of rows in Arrow files, and the facts about them."""

    file: FolderFile
    segments: tuple[Path, ...]
    census: Census
    divisions: list[list[int]]
    groups: list[str | None]
    targets: list[str]
    answered: set[str]
    report: dict[str, list[Any]]

    @classmethod
    def kept(cls, scratch: Path, file: FolderFile) -> _Part | None:
        """The part of a file that was finished before by this version, where both are as they were."""
        with suppress(OSError, pa.ArrowException, ValueError, KeyError, TypeError, AttributeError):
            given = json.loads(_facts_path(scratch, file).read_text(encoding="utf-8"))
            segments = tuple(scratch / name for name in given.pop("segments"))
            census, answered = Census.of(given.pop("census")), set(given.pop("answered"))
            if given.pop("version") == VERSION:
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
        for segment in self.segments:
            with pa.memory_map(str(segment)) as mapped:
                yield pa.ipc.open_file(mapped).read_all()


class _Draft:
    """The part of a file while it is read."""

    def __init__(self, scratch: Path, file: FolderFile) -> None:
        self._scratch, self._file = scratch, file
        # Unique, because a machine that was given up may go on writing.
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

    def add(self, loose: Loose) -> None:
        """Take the next rows; raises PoolError with what is wrong with them."""
        try:
            pool = Pool.from_loose(loose, Problems(), "")
        except PoolError as error:
            raise located(error, self._file.name) from None
        self._census.add(pool.table)
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
            if name not in COLUMNS and column.type in _NUMBERS:
                columns[f"{_COLUMN}{name}"] = column.combine_chunks()
        self._write(pa.table(columns))

    def finished(self) -> _Part:
        """Close the part, so that it is taken from here after an interruption."""
        if self._writer is not None:
            self._writer.close()
        facts = {
            "segments": [segment.name for segment in self._segments],
            "divisions": [list(counts) for counts in self._division],
            "groups": list(self._group),
            "targets": list(self._targets),
            "report": self._report,
        }
        path = _facts_path(self._scratch, self._file)
        unfinished = path.with_suffix(".unfinished")
        rest = {"census": self._census.to_dict(), "answered": sorted(self._answered), "version": VERSION}
        text = json.dumps({**facts, **rest})
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
        segments = tuple(self._segments)
        facts.pop("segments")
        return _Part(self._file, segments, census=self._census, answered=self._answered, **facts)  # type: ignore[arg-type]

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
            _add_report(self._report, source, texts, parsed, example)

    def _write(self, table: pa.Table) -> None:
        if self._schema != table.schema:
            if self._writer is not None:
                self._writer.close()
            self._segments.append(self._scratch / f"{self._stem}-{len(self._segments)}.arrow")
            self._schema = table.schema
            self._writer = pa.ipc.new_file(str(self._segments[-1]), table.schema)
        self._writer.write_table(table)


def _scratch(out: Path) -> Path:
    """The folder of the parts of a profile that is not whole yet."""
    scratch = out.with_name(f".{out.name}.parts")
    scratch.mkdir(exist_ok=True, mode=0o700)
    return scratch


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


def _add_report(report: dict[str, list[Any]], source: str, texts: int, parsed: int, example: str) -> None:
    row = report.setdefault(source, [0, 0, ""])
    row[:] = row[0] + int(texts), row[1] + int(parsed), row[2] or example


def _check_generations(parts: list[_Part], folder: Folder) -> None:
    """Refuse the last file where its items have another number of generations than those before."""
    # A file without rows says nothing of generations.
    first, last = next((part for part in parts if part.file.rows), parts[-1]), parts[-1]
    if not last.file.rows or first.census.largest == last.census.largest:
        return
    message = f"items have up to {last.census.largest} generations here, and {first.census.largest} in {{}}."
    problem = Problem(
        message.format(first.file.name),
        field="generations",
        remedy="Give all files the same number of generations.",
        file=last.file.name,
    )
    raise PoolError([problem])


def _write(
    path: Path, folder: Folder, parts: list[_Part], content: _Content, progress: Callable[[float], None] | None
) -> None:
    census, report = Census(), dict[str, list[Any]]()
    division: dict[tuple[int, ...], int] = {}
    group: dict[str | None, int] = {}
    for part in parts:
        census.update(part.census)
        for source, row in part.report.items():
            _add_report(report, source, *row)
        for counts in part.divisions:
            division.setdefault(tuple(counts), len(division))
        for name in part.groups:
            group.setdefault(name, len(group))
    leaves = content.leaves()
    targets = list(dict.fromkeys(leaf.path[1] for leaf in leaves if leaf.path[0] == TARGETS))
    answered = [number for number, name in enumerate(targets) if any(name in part.answered for part in parts)]
    problems = Problems()
    census.remark({leaf.path[0] for leaf in leaves}, targets, problems)
    k = census.largest
    facts = Facts(
        str(folder.path),
        folder.files,
        leaves,
        [[*counts, *[0] * (k - len(counts))] for counts in division],
        census.complete,
        list(group) if any(leaf.path == ("group",) for leaf in leaves) else [],
        tuple(targets),
        tuple(answered),
        [[source, *report[source]] for source in sorted(report, key=partial(_report_rank, targets))],
        tuple(problems.notes),
        folder.whole,
    )
    hashes = np.concatenate([table.column("hash").to_numpy() for part in parts for table in part.tables()])
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    if progress is not None:
        progress((1 + _READING) / 2)
    types = {str(kind): kind for kind in _NUMBERS}
    kinds = {leaf.path[0]: types.get(leaf.kind) for leaf in leaves if leaf.path[0] not in (*COLUMNS, TARGETS)}
    extras = {f"{_COLUMN}{name}": kind for name, kind in kinds.items() if kind is not None}
    fields = [
        ("id", pa.string()),
        ("hash", pa.uint64()),
        ("place", pa.uint32() if order.size < 1 << 32 else pa.int64()),
    ]
    fields += [("division", pa.int32()), *([("group", pa.int32())] if facts.groups else [])]
    fields += [(f"loss:{number}", pa.float64()) for number in range(len(targets))]
    fields += [(f"same:{number}", pa.int16()) for number in answered]
    schema = pa.schema([*fields, *extras.items()], {KEY: facts.to_json()})
    start = 0
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for rows in _rebatched(_rows(part, division, group, targets, schema) for part in parts):
            end = start + rows.num_rows
            columns = {name: rows.column(name).combine_chunks() for name in rows.column_names}
            columns["hash"] = pa.array(hashes[start:end])
            columns["place"] = pa.array(order[start:end].astype(schema.field("place").type.to_pandas_dtype()))
            # One batch each, so that places are found by division.
            arrays = [_one_chunk(columns[name]) for name in schema.names]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            start = end
    path.chmod(0o600)


def _report_rank(targets: list[str], source: str) -> tuple[int, int]:
    """Generations by number, then the truth, then targets in their order."""
    kind, _, number = source.partition(" ")
    if kind == "generation" and number.isdigit() and source not in targets:
        return 0, int(number)
    return (1, 0) if source == "truth" and source not in targets else (2, targets.index(source))


def _rows(
    part: _Part,
    division: dict[tuple[int, ...], int],
    group: dict[str | None, int],
    targets: list[str],
    schema: pa.Schema,
) -> Iterator[pa.Table]:
    """The rows of a part with the numbers of the whole."""
    of_division = np.array([division[tuple(counts)] for counts in part.divisions], dtype=np.int32)
    of_group = np.array([group[name] for name in part.groups], dtype=np.int32)
    own = {name: number for number, name in enumerate(part.targets)}
    for table in part.tables():
        for batch in table.to_batches():
            columns: dict[str, pa.Array] = {"id": batch.column("id")}
            columns["division"] = pa.array(of_division[batch.column("division").to_numpy()])
            for field in schema:
                if field.name in ("id", "hash", "place", "division"):
                    continue
                name, _, number = field.name.partition(":")
                source = f"{name}:{own.get(targets[int(number)])}" if name in ("loss", "same") else field.name
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
    held, size = list[pa.Table](), 0
    for tables in parts:
        for table in tables:
            held.append(table)
            size += table.num_rows
            while size >= BATCH:
                whole = pa.concat_tables(held)
                yield whole.slice(0, BATCH)
                rest = whole.slice(BATCH)
                held, size = ([rest] if rest.num_rows else []), rest.num_rows
    if held:
        yield pa.concat_tables(held)


def _one_chunk(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    return column


def _check_ids(made: ProfileFile) -> None:
    """Refuse ids that occur twice: only where hashes are equal, ids are compared."""
    hashes = made.array("hash")
    same = np.flatnonzero(hashes[1:] == hashes[:-1])
    if not same.size:
        return
    places = made.array("place").astype(np.int64)
    first: dict[str, int] = {}
    repeated = []
    candidates = np.unique(np.r_[same[:_MOST], same[:_MOST] + 1])
    for place in np.sort(places[candidates]).tolist():
        item = made.ids[place]
        if item in first:
            repeated.append((item, place))
        else:
            first[item] = place
    problems = Problems()
    for item, place in repeated:
        file, row = made.folder.place(place)
        before, before_row = made.folder.place(first[item])
        where = f"row {before_row} of {before}" if before != file else f"row {before_row}"
        problems.add(
            f"the id {shown(item)} is already used in {where}.", row, "id", "Give every item its own id.", file
        )
    problems.stop()
