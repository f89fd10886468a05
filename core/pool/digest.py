"""Digests of a pool, SHA-256 over its canonical content; and ids of more items than Python's texts have room for.

The content is hashed leaf by leaf (a column, or one field of one target): name, type, and five streams of the values:
which are present, how long they are (lists and texts), and their bytes. A digest of a pool combines its leaves in the
order of their names, so any change of a value, of the order of the items, or of a name changes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

# Items of a record batch; all but the last have as many.
BATCH = 1 << 20


class StoredIds(Sequence[str]):
    """N ids in a mapped file, with what :data:`ItemIds` need; an array of places gives an array of ids.

    Parameters
    ----------
    table : pyarrow.Table
        With the columns id, hash (ascending) and place, in batches of `BATCH` rows.
    """

    __slots__ = ("_hashes", "_ids", "_lows", "_places", "size")

    def __init__(self, table: pa.Table) -> None:
        self.size: int = table.num_rows
        self._ids = table.column("id").chunks
        self._hashes = [chunk.to_numpy() for chunk in table.column("hash").chunks]
        self._places = [chunk.to_numpy() for chunk in table.column("place").chunks]
        self._lows = np.array([hashes[0] for hashes in self._hashes], dtype=np.uint64)

    def __len__(self) -> int:
        """Return the number of ids."""
        return self.size

    def __getitem__(self, index: Any) -> Any:
        """One id, or an array of them for an array of places or a slice."""
        if isinstance(index, int | np.integer):
            place = int(index) + (self.size if index < 0 else 0)
            if not 0 <= place < self.size:
                raise IndexError(index)
            return self._ids[place // BATCH][place % BATCH].as_py()
        places = np.arange(self.size)[index] if isinstance(index, slice) else np.asarray(index)
        if places.dtype == bool:
            places = np.flatnonzero(places)
        ids = np.empty(places.size, dtype=object)
        of_batch = places // BATCH
        for batch in np.unique(of_batch).tolist():
            here = of_batch == batch
            ids[here] = self._ids[batch].take(pa.array(places[here] % BATCH)).to_pylist()
        return ids

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All ids as objects."""
        return np.asarray(self[:], dtype=dtype)

    def places(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Places of these ids, (n,) int; −1 for one that is not among them."""
        names = list(ids)
        places = np.full(len(names), -1, dtype=np.int64)
        for number, (item, value) in enumerate(zip(names, hashes_of(names).tolist(), strict=True)):
            places[number] = next((place for place in self._with_hash(value) if self[place] == item), -1)
        return places

    def _with_hash(self, value: int) -> Iterable[int]:
        """Places of the ids with a hash; there may be several."""
        target = np.uint64(value)
        batch = max(int(np.searchsorted(self._lows, target, side="left")) - 1, 0)
        while batch < len(self._lows) and self._lows[batch] <= target:
            low, high = (int(np.searchsorted(self._hashes[batch], target, side=side)) for side in ("left", "right"))
            yield from self._places[batch][low:high].tolist()
            batch += 1


def hashes_of(ids: Sequence[str] | pa.Array) -> NDArray[np.uint64]:
    """64-bit hashes of ids, (n,), the same on every machine."""
    texts = ids.to_pandas() if isinstance(ids, pa.Array) else pd.Series(list(ids), dtype=object)
    return np.asarray(pd.util.hash_array(texts.to_numpy(dtype=object), categorize=False), dtype=np.uint64)


# Item ids are str everywhere; this is an array of them, or what looks them up.
ItemIds = NDArray[np.object_] | StoredIds


def among(ids: ItemIds, some: Collection[str]) -> NDArray[np.bool_]:
    """(N,) whether an id is among some others."""
    if not isinstance(ids, StoredIds):
        return np.isin(ids, list(some))
    places = ids.places(some)
    member = np.zeros(len(ids), dtype=bool)
    member[places[places >= 0]] = True
    return member


ITEM_COLUMNS = ("id", "prompt", "choices", "image")
_POOL = b"neyman-pool-1"
_ITEMS = b"neyman-items-1"
_ITEM = b"neyman-item-1"
# 128 bits.
_HEX = 32


@dataclass(frozen=True, slots=True)
class Leaf:
    """The part of a leaf of a canonical table that a digest takes.

    Parameters
    ----------
    path : tuple of str
        Name of the column; for an outcome ``("targets", model, field)``.
    kind : str
        Type of the values, as ``"string"`` or ``"list<double>"``.
    content : bytes
        SHA-256 digests of the five streams of the values, one after the other.
    """

    path: tuple[str, ...]
    kind: str
    content: bytes


class LeafHashes:
    """The leaves of a column of a canonical table (see ``core.pool.columns``), or of a part of a struct.

    Parameters
    ----------
    path : tuple of str
        The column's name, and the names of the fields down to this part.
    kind : pyarrow.DataType
        Its type; a struct has a leaf for each of its fields.
    """

    def __init__(self, path: tuple[str, ...], kind: pa.DataType) -> None:
        self._path, self._kind = path, kind
        fields = kind if pa.types.is_struct(kind) else ()
        self._fields = [LeafHashes((*path, field.name), field.type) for field in fields]
        self._streams = [hashlib.sha256() for _ in range(5)]

    def add(self, values: pa.ChunkedArray) -> None:
        """Hash the next rows of the column."""
        if pa.types.is_struct(self._kind):
            # All fields at once: `pyarrow.compute.struct_field` looks at all others for each.
            for chunk in values.chunks:
                for field, part in zip(self._fields, chunk.flatten(), strict=True):
                    field.add(pa.chunked_array([part]))
        else:
            for chunk in values.chunks:
                (_hash_lists if pa.types.is_list(self._kind) else _hash_values)(chunk, self._streams)

    def leaves(self) -> tuple[Leaf, ...]:
        """Return the digests' leaves of the rows so far."""
        if pa.types.is_struct(self._kind):
            return tuple(leaf for field in self._fields for leaf in field.leaves())
        return (Leaf(self._path, _kind(self._kind), b"".join(stream.digest() for stream in self._streams)),)


def leaves(path: tuple[str, ...], values: pa.ChunkedArray) -> tuple[Leaf, ...]:
    """Hash a whole column; ``path`` as in :class:`LeafHashes`."""
    hashes = LeafHashes(path, values.type)
    hashes.add(values)
    return hashes.leaves()


def kinds(fields: Iterable[pa.Field], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """List path and kind of every leaf under the fields of a schema or a struct; ``above`` is the path to them."""
    for field in fields:
        path = (*above, field.name)
        if pa.types.is_struct(field.type):
            yield from kinds(field.type, path)
        else:
            yield path, _kind(field.type)


def pool_digest(content: Iterable[Leaf], n_items: int) -> str:
    """Combine all leaves of a pool; hex SHA-256."""
    return _combined(_POOL, content, n_items)


def items_digest(content: Iterable[Leaf], n_items: int) -> str:
    """Combine what people label, the leaves of ``ITEM_COLUMNS`` among these; hex SHA-256."""
    return _combined(_ITEMS, (leaf for leaf in content if leaf.path[0] in ITEM_COLUMNS), n_items)


def item_digests(table: pa.Table, of_all: str) -> NDArray[np.object_]:
    """Digest each item by itself, (N,) hex.

    Parameters
    ----------
    table : pyarrow.Table
        The canonical table.
    of_all : str
        Digest of all items, with which an item without a prompt is named by its id.
    """
    names = [name for name in ITEM_COLUMNS[1:] if name in table.column_names]
    rows = zip(*(table.column(name).to_pylist() for name in names), strict=True) if names else [()] * table.num_rows
    digests = np.empty(table.num_rows, dtype=object)
    for place, (item, row) in enumerate(zip(table.column("id").to_pylist(), rows, strict=True)):
        content = dict(zip(names, row, strict=True))
        said = {name: value for name, value in content.items() if value is not None}
        known = said if content.get("prompt") else {"pool": of_all, "id": item}
        text = json.dumps(known, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
        digests[place] = hashlib.sha256(_ITEM + text).hexdigest()[:_HEX]
    return digests


def are_row_numbers(ids: ItemIds) -> bool:
    """Whether ids count the rows of a file, from any number on: they say nothing of what is asked there."""
    first = ids[0] if len(ids) else ""
    # Longer ones count no rows, and Python refuses to read some.
    if not (first.isascii() and first.isdecimal() and len(first) <= 18):
        return False
    return all(id == str(number) for number, id in enumerate(ids, int(first)))


def _combined(version: bytes, content: Iterable[Leaf], n_items: int) -> str:
    total = hashlib.sha256(version)
    total.update(n_items.to_bytes(8, "little"))
    for leaf in sorted(content, key=lambda leaf: leaf.path):
        for part in (*leaf.path, leaf.kind):
            total.update(_framed(part.encode()))
        total.update(leaf.content)
    return total.hexdigest()


def _kind(kind: pa.DataType) -> str:
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "little") + part


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
