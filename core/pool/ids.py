"""Ids of more items than Python's own texts have room for: looked up in a mapped file, and found by their hashes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
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
