"""Lists of a pool that stay in Arrow and become Python objects only if they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeGuard, TypeVar, overload

import numpy as np
import pyarrow as pa

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
