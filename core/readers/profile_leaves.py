"""The leaves of a folder's content, as if all rows were in one file."""

from __future__ import annotations

import pyarrow as pa

from ..errors import PoolError, Problem
from ..pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, Loose, without_empty_lists
from ..pool.digest import Leaf, LeafHashes
from ..pool.ids import BATCH
from .folder import FolderFile


class Content:
    """The leaves of the content so far, as if all rows were in one file."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[str, ...], LeafHashes] = {}
        self._kinds: dict[tuple[str, ...], tuple[pa.DataType, str]] = {}
        self._valued: set[tuple[str, ...]] = set()
        self._rows = 0

    def add(self, loose: Loose, file: FolderFile) -> None:
        """Add the columns of the next rows."""
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
                message = f"this column has the type {values.type} here, and {kind} in {where}."
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
        fields = list(TARGET_FIELDS)
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
