"""The digest of a pool: SHA-256 over its canonical content, whatever file, chunks or compression it came in.

Hashed per column, in the order of the names: name, type, and three streams of the leaf values: which are present, how
long they are (lists and texts), and their bytes. Any change of a value, of an order of items, or of a name changes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

VERSION = b"neyman-pool-1"


def digest(table: pa.Table) -> str:
    """Hex SHA-256 of a canonical table (see ``core.pool.columns``)."""
    total = hashlib.sha256(VERSION)
    total.update(table.num_rows.to_bytes(8, "little"))
    for name, column in sorted(_leaves(table), key=lambda leaf: leaf[0]):
        for part in name:
            total.update(_framed(part.encode()))
        total.update(_framed(_tag(column.type)))
        total.update(_column(column))
    return total.hexdigest()


def _leaves(table: pa.Table) -> Iterator[tuple[tuple[str, ...], pa.ChunkedArray]]:
    for name in table.column_names:
        yield from _flattened((name,), table.column(name))


def _flattened(path: tuple[str, ...], column: pa.ChunkedArray) -> Iterator[tuple[tuple[str, ...], pa.ChunkedArray]]:
    if not pa.types.is_struct(column.type):
        yield path, column
        return
    for position, child in enumerate(column.type):
        yield from _flattened((*path, child.name), pc.struct_field(column, [position]))


def _tag(kind: pa.DataType) -> bytes:
    return f"list<{kind.value_type}>".encode() if pa.types.is_list(kind) else str(kind).encode()


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "little") + part


def _column(column: pa.ChunkedArray) -> bytes:
    streams = [hashlib.sha256() for _ in range(5)]
    for chunk in column.chunks:
        if pa.types.is_list(chunk.type):
            _hash_lists(chunk, streams)
        else:
            _hash_values(chunk, streams)
    return b"".join(stream.digest() for stream in streams)


def _hash_lists(chunk: pa.ListArray, streams: list[hashlib._Hash]) -> None:
    streams[3].update(_presence(chunk))
    streams[4].update(_contiguous(pc.fill_null(pc.list_value_length(chunk), 0), "<i4"))
    _hash_values(chunk.flatten(), streams)


def _hash_values(chunk: pa.Array, streams: list[hashlib._Hash]) -> None:
    present, sizes, values = streams[:3]
    present.update(_presence(chunk))
    if pa.types.is_string(chunk.type):
        # Bytes under a null are arbitrary; fill_null rewrites the array without them.
        filled = pc.fill_null(chunk, "")
        sizes.update(_contiguous(pc.binary_length(filled), "<i4"))
        values.update(_text_bytes(filled))
    else:
        zero = pa.scalar(0, pa.int8()).cast(chunk.type)
        kind = {pa.float64(): "<f8", pa.int64(): "<i8"}.get(chunk.type, "u1")
        values.update(_contiguous(pc.fill_null(chunk, zero), kind))


def _presence(chunk: pa.Array) -> memoryview:
    return _contiguous(chunk.is_valid(), "u1")


def _contiguous(array: pa.Array, kind: str) -> memoryview:
    values: NDArray[Any] = np.ascontiguousarray(array.to_numpy(zero_copy_only=False), dtype=kind)
    return values.data.cast("B")


def _text_bytes(texts: pa.StringArray) -> memoryview:
    _, offsets, data = texts.buffers()
    if data is None or len(texts) == 0:
        return memoryview(b"")
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(data)[int(ends[0]) : int(ends[-1])]
