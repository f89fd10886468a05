"""A canonical table in a Parquet file that never changes, and its lists: read and verified when looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeGuard, TypeVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import PoolError
from .digest import Leaf, LeafHashes, kinds, leaves

Element = TypeVar("Element")
_BLOCK = 4096


class ArrowSequence(Sequence[Element], Generic[Element]):
    """A read-only list over an Arrow column.

    Indexing gives one Python value, a slice another sequence (no copy); iteration converts block by block. Equal to any
    sequence with the same values.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The values.
    absent : callable
        Makes the value that stands for a null.
    """

    __slots__ = ("_absent", "_column")

    def __init__(self, column: pa.ChunkedArray, absent: Callable[[], Any] = lambda: None) -> None:
        self._column = column
        self._absent = absent

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._column)

    @overload
    def __getitem__(self, index: int) -> Element: ...
    @overload
    def __getitem__(self, index: slice) -> ArrowSequence[Element]: ...
    def __getitem__(self, index: int | slice) -> Element | ArrowSequence[Element]:
        """One value, or another sequence for a slice."""
        if isinstance(index, slice):
            return ArrowSequence(self._column[index], self._absent)
        value: Element = self._read(self._column[index].as_py())
        return value

    def __iter__(self) -> Iterator[Element]:
        """All values, block by block."""
        for start in range(0, len(self), _BLOCK):
            for value in self._column.slice(start, _BLOCK).to_pylist():
                yield self._read(value)

    def __eq__(self, other: object) -> bool:
        """Whether ``other`` is a sequence of the same values."""
        if isinstance(other, (str, bytes)) or not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the number of values, and the first of them."""
        return f"<{len(self):,} values, first {list(self[:1])!r}>"

    def _read(self, value: Any) -> Any:
        return self._absent() if value is None else value


def several(cell: object) -> TypeGuard[Sequence[Any]]:
    """Whether a cell of a frame holds several values, as lists of a pool's file do."""
    return isinstance(cell, list | np.ndarray)


_BUFFER = 1 << 18
# The same field of so many targets is read at once that it has about so many values: to open the file for each of
# thousands of targets takes minutes. Texts may be long.
_TOGETHER = {pa.float64(): 4_000_000, pa.bool_(): 4_000_000}
_FEW_TOGETHER = 20_000
_CHANGED = "its content was changed since it was saved."
_DAMAGED = (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError)


class StoredTable:
    """The columns of a kept pool, with the methods of ``pyarrow.Table`` that a pool needs.

    Parameters
    ----------
    path : Path
        The file.
    recorded : sequence of Leaf
        Its leaves as they were when the file was written.
    n_items : int
        Number of items, N.
    refused : callable
        Makes the error to raise from a sentence that says what is wrong with the file.

    Raises
    ------
    PoolError
        There is no such file, it cannot be read, or it has other columns or another number of items. Its content is
        compared when a column is read for the first time.
    """

    def __init__(self, path: Path, recorded: Sequence[Leaf], n_items: int, refused: Callable[[str], PoolError]) -> None:
        self.leaves = tuple(recorded)
        self.num_rows = n_items
        self._path = path
        self._refused = refused
        self._read: dict[tuple[str, ...], pa.ChunkedArray] = {}
        self._recorded = {leaf.path: leaf for leaf in recorded}
        try:
            with pq.ParquetFile(path, memory_map=True) as file:
                self.schema: pa.Schema = file.schema_arrow
                size = file.metadata.num_rows
        except _DAMAGED as error:
            raise refused(f"{error}.") from error
        if size != n_items or sorted(kinds(self.schema)) != sorted((leaf.path, leaf.kind) for leaf in recorded):
            raise refused(_CHANGED)

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, in the order of the file."""
        return list(self.schema.names)

    def column(self, name: str) -> pa.ChunkedArray:
        """Read a column; a struct is read with all its fields.

        Raises
        ------
        PoolError
            The file cannot be read any more, or its content is not the one that was written.
        """
        return self.leaf((name,))

    def leaf(self, path: tuple[str, ...]) -> pa.ChunkedArray:
        """Read a column, or a field of a struct and none of its other fields; raises as :meth:`column`."""
        if path not in self._read:
            # One that cannot be read is refused when it is looked at itself.
            with suppress(*_DAMAGED):
                self._read |= self._beside(path)
        if path not in self._read:
            try:
                self._read[path] = self._verified(path)
            except _DAMAGED as error:
                raise self._refused(f"{error}.") from error
        return self._read[path]

    def select(self, names: Sequence[str]) -> pa.Table:
        """Read some columns as a table; raises as :meth:`column`."""
        return pa.table({name: self.column(name) for name in names})

    def pieces(self, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Read some columns, so many rows at a time; nothing of them stays in memory.

        Raises
        ------
        PoolError
            The file cannot be read any more, or (after the last piece) its content is not the one that was written.
        """
        hashes = {name: LeafHashes((name,), self.schema.field(name).type) for name in names}
        try:
            # Without the buffer whole columns would be read at once.
            with pq.ParquetFile(self._path, buffer_size=_BUFFER, pre_buffer=False) as file:
                for batch in file.iter_batches(rows, columns=list(names), use_threads=False):
                    batch.validate(full=True)
                    piece = pa.table({name: _as_lists(pa.chunked_array([batch.column(name)])) for name in names})
                    for name, column in hashes.items():
                        column.add(piece.column(name))
                    yield piece
        except _DAMAGED as error:
            raise self._refused(f"{error}.") from error
        recorded = {leaf for leaf in self.leaves if leaf.path[0] in hashes}
        if {leaf for column in hashes.values() for leaf in column.leaves()} != recorded:
            raise self._refused(_CHANGED)

    def _beside(self, path: tuple[str, ...]) -> dict[tuple[str, ...], pa.ChunkedArray]:
        """Read a field of a target and the same field of the next targets, those that are as they were written."""
        name, *rest = path
        if len(rest) != 2:
            return {}
        model, field = rest
        targets = self.schema.field(name).type
        kind = targets.field(model).type.field(field).type
        count = _TOGETHER.get(kind, _FEW_TOGETHER) // max(1, self.num_rows)
        first = targets.get_field_index(model)
        paths = [(name, targets.field(place).name, field) for place in range(first, targets.num_fields)[:count]]
        wanted = {one for one in paths if one in self._recorded and one not in self._read}
        if len(wanted) < 2:
            return {}
        with pq.ParquetFile(self._path, memory_map=True) as file:
            table = file.read(columns=[".".join(one) for one in paths if one in wanted])
        table.validate(full=True)
        column = table.column(name)
        read = {
            (name, target.name, child.name): values
            for target, outcome in zip(column.type, column.flatten(), strict=True)
            for child, values in zip(target.type, outcome.flatten(), strict=True)
        }
        return {one: read[one] for one in wanted if leaves(one, read[one]) == (self._recorded[one],)}

    def _verified(self, path: tuple[str, ...]) -> pa.ChunkedArray:
        with pq.ParquetFile(self._path, memory_map=True) as file:
            # Columns that share a dotted name with this one come along, and are left aside.
            table = file.read(columns=[".".join(path)])
        table.validate(full=True)
        values = table.column(path[0])
        if path[1:]:
            values = pc.struct_field(values, list(path[1:]))
        recorded = {leaf for leaf in self.leaves if leaf.path[: len(path)] == path}
        if set(leaves(path, values)) != recorded:
            raise self._refused(_CHANGED)
        return _as_lists(values)


def _as_lists(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with the values of its lists called "item", which Parquet calls "element"."""
    if pa.types.is_list(values.type):
        return values.cast(pa.list_(pa.field("item", values.type.value_type)))
    return values
