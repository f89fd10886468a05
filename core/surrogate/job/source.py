"""The items of a kept pool, streamed: a worker never holds more than a few hundred of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.surrogate.faults import SurrogateError

_BATCH = 256
_COLUMNS = ("id", "prompt", "choices", "answer_kind", "image")
DEFAULT_KIND = "as-is"


@dataclass(frozen=True, slots=True)
class Item:
    """One item as the surrogate is asked it; ``position`` is its place in the pool, from 0."""

    position: int
    id: str
    prompt: str
    choices: tuple[str, ...] = ()
    kind: str = DEFAULT_KIND
    images: tuple[str, ...] = ()


class Source:
    """The items of the pool in a Parquet file with the native columns.

    Raises
    ------
    SurrogateError : there is no such file, or its items have no prompts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with pq.ParquetFile(path) as file:
                self.size = int(file.metadata.num_rows)
                names = set(file.schema_arrow.names)
        except (OSError, pa.ArrowException) as error:
            raise SurrogateError("The job's pool is not in NEYMAN_HOME any more; open its file again.") from error
        if "prompt" not in names:
            raise SurrogateError(
                "The items of this pool have no prompts, so there is nothing to ask; add the key “prompt”."
            )
        self._columns = [name for name in _COLUMNS if name in names]

    def items(self, wanted: Callable[[int], bool] = lambda position: True) -> Iterator[Item]:
        """The items whose position is ``wanted``, in the pool's order."""
        position = 0
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(_BATCH, columns=self._columns, use_threads=False):
                places = [row for row in range(batch.num_rows) if wanted(position + row)]
                if places:
                    chosen = batch.take(pa.array(places)) if len(places) < batch.num_rows else batch
                    yield from items_of(chosen, [position + row for row in places])
                position += batch.num_rows

    def positions(self, ids: Sequence[str]) -> set[int]:
        """Positions of the items with these ids.

        Raises
        ------
        SurrogateError : some are not in the pool; the first of them are named.
        """
        missing, found, start = set(ids), set(), 0
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(8192, columns=["id"], use_threads=False):
                for row, name in enumerate(batch.column(0).to_pylist()):
                    if name in missing:
                        missing.remove(name)
                        found.add(start + row)
                start += batch.num_rows
        if missing:
            named = ", ".join(f"“{name[:40]}”" for name in sorted(missing)[:3])
            raise SurrogateError(f"{len(missing):,} of the wanted items are not in this pool, for instance {named}.")
        return found


def items_of(rows: pa.RecordBatch | pa.Table, positions: Sequence[int]) -> Iterator[Item]:
    """The items in rows of a canonical table; ``positions`` are their places in the pool."""
    for position, row in zip(positions, rows.to_pylist(), strict=True):
        yield Item(
            position,
            row["id"],
            row.get("prompt") or "",
            tuple(row.get("choices") or ()),
            row.get("answer_kind") or DEFAULT_KIND,
            tuple(row.get("image") or ()),
        )
