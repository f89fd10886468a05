"""A canonical table in a Parquet file that never changes: columns are read, and verified, when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.errors import PoolError
from core.pool.digest import Leaf, kinds, leaves

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
            try:
                self._read[path] = self._verified(path)
            except _DAMAGED as error:
                raise self._refused(f"{error}.") from error
        return self._read[path]

    def select(self, names: Sequence[str]) -> pa.Table:
        """Read some columns as a table; raises as :meth:`column`."""
        return pa.table({name: self.column(name) for name in names})

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
        if pa.types.is_list(values.type):
            # Parquet calls the values of a list "element".
            return values.cast(pa.list_(pa.field("item", values.type.value_type)))
        return values
