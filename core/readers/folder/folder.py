"""A folder of Parquet files as the one pool that their rows are, in the order of the files' names.

Nothing here holds more than a few thousand rows in memory. Each file has the columns of a native Parquet file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ...errors import PoolError, Problem
from ...pool.columns import COLUMNS, TARGETS, Loose
from ...pool.problems import Problems, shown
from ..csv_table import LISTS, NUMBERED, outcome_of
from ..parquet import DAMAGED, loose_columns

SUFFIX = ".parquet"
ROWS = 16_384
# Without the buffer whole columns would be read at once.
_BUFFER = 1 << 18
# What rows of generations have (`core.surrogate.parts`), and pools have not.
_GENERATION_ROWS = {"item", "sample", "work"}


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of a folder, as it was when it was looked at.

    Parameters
    ----------
    name : str
        Its path in the folder.
    size : int
        Bytes.
    changed : int
        Nanoseconds of its last change.
    rows : int
        Number of items.
    """

    name: str
    size: int
    changed: int
    rows: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of Parquet files.

    Parameters
    ----------
    path : Path
        The folder.
    files : tuple of FolderFile
        Its files, in the order of their names.
    whole : bool
        Whether these are all; a single file may lie beside others.
    """

    path: Path
    files: tuple[FolderFile, ...]
    whole: bool = True

    @classmethod
    def of(cls, path: Path) -> Folder:
        """Look at the files of a folder and of those in it, but for names that begin with a dot or an underscore.

        The path of a file stands for that file alone.

        Raises
        ------
        PoolError
            There are none, one is no Parquet file, or they have different columns.
        """
        whole = path.is_dir()
        path, names = (path, _names(path)) if whole else (path.parent, [path.name])
        if not names:
            remedy = "Convert its files to Parquet, or open one of them."
            raise PoolError([Problem(f"the folder “{path}” has no Parquet files.", remedy=remedy)])
        files, problems, first = list[FolderFile](), Problems(), set[str]()
        for name in names:
            state = os.stat(path / name)
            try:
                with _opened(path / name) as file:
                    columns, rows = set(file.schema_arrow.names), int(file.metadata.num_rows)
            except DAMAGED as error:
                problems.add(
                    f"this is not a complete Parquet file ({shown(str(error), 80)}).", file=name, remedy=_AGAIN
                )
                continue
            files.append(FolderFile(name, state.st_size, state.st_mtime_ns, rows))
            native = {_native(column) for column in columns} & COLUMNS.keys()
            if "id" not in native:
                message, remedy = _without_id(columns)
                problems.add(message, remedy=remedy, file=name)
            elif not first:
                first = native
            elif native != first:
                message = _other_columns(native, first, files[0].name)
                problems.add(message, remedy="Give all files the same native columns.", file=name)
        problems.stop()
        if not any(file.rows for file in files):
            raise PoolError([Problem(f"the files in “{path}” have no rows.", remedy="Write one item a row.")])
        return cls(path, tuple(files), whole)

    @staticmethod
    def state(path: Path) -> tuple[tuple[str, int, int], ...]:
        """Name, size in bytes and time of the last change in ns of each file of a folder; opens none of them."""
        states = [(name, os.stat(path / name)) for name in _names(path)]
        return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)

    @property
    def rows(self) -> int:
        """Number of items, N."""
        return sum(file.rows for file in self.files)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Place in the pool of each file's first row, and N, (F + 1,)."""
        return np.cumsum([0, *(file.rows for file in self.files)], dtype=np.int64)

    def place(self, position: int) -> tuple[str, int]:
        """The file of the item at a place, and its row there from 1."""
        number = int(np.searchsorted(self.starts, position, side="right")) - 1
        return self.files[number].name, position - int(self.starts[number]) + 1

    def check(self, files: Iterable[FolderFile] | None = None) -> None:
        """Refuse files (by default all, and any new one) that are not as they were; raises PoolError."""
        if files is None and self.whole and (new := set(_names(self.path)) - {file.name for file in self.files}):
            raise self.changed(min(new), "was added")
        for file in self.files if files is None else files:
            try:
                state = os.stat(self.path / file.name)
            except OSError:
                raise self.changed(file.name, "is gone") from None
            if (state.st_size, state.st_mtime_ns) != (file.size, file.changed):
                raise self.changed(file.name, "was changed")

    def changed(self, name: str, what: str) -> PoolError:
        """The error of a file that is not the one that was profiled."""
        remedy = f"Profile “{self.path}” again, or start the app again, which does so."
        return PoolError([Problem(f"the file {what} since the folder was profiled.", remedy=remedy, file=name)])

    def batches(self, file: FolderFile, names: Collection[str] | None = None, rows: int = ROWS) -> Iterator[Loose]:
        """Read a file, some thousand rows at a time, as a reader delivers them.

        Parameters
        ----------
        file : FolderFile
            One of the folder's.
        names : sequence of str, optional
            Native columns or extras to read; by default all.
        rows : int
            Rows at a time.

        Raises
        ------
        PoolError
            The file is damaged, or values are not what they should be, with their rows.
        """
        start = 0
        for batch in self._raw(file, names, rows):
            yield self.loose(file, batch, start)
            start += batch.num_rows
        if start != file.rows:
            raise self.changed(file.name, "was changed")

    def loose(self, file: FolderFile, table: pa.Table, start: int) -> Loose:
        """Convert rows of a file that begin at ``start``; raises as :meth:`batches`."""
        problems = Problems()
        with damage(file.name):
            loose = loose_columns(table, problems)
        try:
            problems.stop()
        except PoolError as error:
            raise located(error, file.name, start) from None
        loose.rows = range(start + 1, start + 1 + table.num_rows)
        return loose

    def take(self, file: FolderFile, rows: NDArray[np.int64], names: Collection[str] | None = None) -> Loose:
        """Look up rows of a file, ascending from 0, and read no others' row groups; names as in :meth:`batches`."""
        pieces = []
        with damage(file.name), _opened(self.path / file.name) as opened:
            columns = _raw_columns(opened.schema_arrow.names, names)
            sizes = [opened.metadata.row_group(group).num_rows for group in range(opened.num_row_groups)]
            ends = np.cumsum(sizes)
            of_group = np.searchsorted(ends, rows, side="right")
            if rows.size and rows[-1] >= file.rows:
                raise self.changed(file.name, "was changed")
            for group in np.unique(of_group).tolist():
                chosen, start = rows[of_group == group] - (ends[group] - sizes[group]), 0
                for batch in opened.iter_batches(ROWS, row_groups=[group], columns=columns, use_threads=True):
                    here = chosen[(chosen >= start) & (chosen < start + batch.num_rows)] - start
                    if here.size:
                        pieces.append(batch.take(pa.array(here)))
                    start += batch.num_rows
                    if start > chosen[-1]:
                        break
            schema = pa.schema([field for field in opened.schema_arrow if columns is None or field.name in columns])
            table = pa.Table.from_batches(pieces, pieces[0].schema if pieces else schema)
        return self.loose(file, table, 0)

    def unpacked(self, names: Sequence[str]) -> int:
        """Bytes of some columns in memory, about."""
        total = 0
        for file in self.files:
            with damage(file.name), _opened(self.path / file.name) as opened:
                columns = set(_raw_columns(opened.schema_arrow.names, names) or ())
                groups = (opened.metadata.row_group(number) for number in range(opened.num_row_groups))
                chunks = (group.column(place) for group in groups for place in range(group.num_columns))
                total += sum(
                    chunk.total_uncompressed_size
                    for chunk in chunks
                    if any(chunk.path_in_schema == one or chunk.path_in_schema.startswith(f"{one}.") for one in columns)
                )
        return total

    def _raw(self, file: FolderFile, names: Collection[str] | None, rows: int) -> Iterator[pa.Table]:
        self.check([file])
        with damage(file.name), _opened(self.path / file.name) as opened:
            columns = _raw_columns(opened.schema_arrow.names, names)
            for batch in opened.iter_batches(rows, columns=columns, use_threads=False):
                batch.validate(full=True)
                yield pa.Table.from_batches([batch])


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Raise what is wrong with a file as :class:`core.errors.PoolError`."""
    try:
        yield
    except DAMAGED as error:
        raise PoolError(
            [Problem(f"the file is damaged ({shown(str(error), 100)}).", remedy=_AGAIN, file=name)]
        ) from None


def located(error: PoolError, name: str, shift: int = 0) -> PoolError:
    """The same problems, as those of a file whose first rows were ``shift`` others."""
    moved = (replace(one, file=name, row=None if one.row is None else one.row + shift) for one in error.problems)
    return PoolError(moved, error.total)


def _names(path: Path) -> list[str]:
    """The Parquet files in a folder and below, ascending."""
    files = (one.relative_to(path) for one in path.rglob("*") if one.suffix.lower() == SUFFIX and one.is_file())
    return sorted(one.as_posix() for one in files if not any(part.startswith((".", "_")) for part in one.parts))


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    with pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
        yield file


def _native(column: str) -> str:
    """The native column that a column of a file is, or is a part of; its own name for an extra."""
    numbered = NUMBERED.fullmatch(column)
    if numbered:
        return LISTS[numbered[1]]
    return TARGETS if outcome_of(column) else column


def _raw_columns(columns: Sequence[str], names: Collection[str] | None) -> list[str] | None:
    """Columns of a file that these native ones and extras are made of."""
    if names is None:
        return None
    # Answers in numbered columns are as many as the generations beside them.
    chosen = {*names, *(("generations",) if "generation_answers" in names else ())}
    return [column for column in columns if _native(column) in chosen]


def _without_id(columns: set[str]) -> tuple[str, str]:
    """Return the fault of a file without ids, and its remedy."""
    if columns >= _GENERATION_ROWS:
        remedy = "Bring them into the pool with `python -m neyman surrogate merge`, or move them elsewhere."
        return "this file has generations, one a row, and no items.", remedy
    names = ", ".join(sorted(columns)[:20]) or "none"
    return f"there is no column “id”; the columns are: {names}.", "Rename the column that identifies items."


def _other_columns(native: set[str], first: set[str], name: str) -> str:
    missing = sorted(first - native)
    if missing:
        return f"there is no column “{missing[0]}”, which {name} has."
    return f"there is a column “{min(native - first)}”, which {name} does not have."


_AGAIN = "Write or download it again."
