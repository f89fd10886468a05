"""The items of a kept pool, streamed: a worker never has more than a few hundred of them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import compress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...answers import parse
from ...answers.equivalence import VERDICTS
from ..faults import SurrogateError
from .spec import JobSpec

ITEM_COLUMNS = ("id", "prompt", "choices", "answer_kind", "image")
"""Columns of the pool that an item is made of."""
_BATCH = 256
_DEFAULT_KIND = "as-is"
TARGETS = "targets"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Item:
    """One item, as far as a model is asked about it.

    Parameters
    ----------
    position : int
        Its place in the pool, from 0.
    id, prompt : str
        Its name and question.
    choices : tuple of str
        Its options.
    kind : str
        Its answer kind.
    images : tuple of str
        Paths, data URLs or base64 texts.
    response : str or None
        The answer that a judge is to judge, empty if there is none; None: the model itself is to answer.
    pair : tuple of str, optional
        Two answers, of which a judge is to say whether the first entails the second; ``id`` is then the pair's key.
    """

    position: int
    id: str
    prompt: str
    choices: tuple[str, ...] = ()
    kind: str = _DEFAULT_KIND
    images: tuple[str, ...] = ()
    response: str | None = None
    pair: tuple[str, str] | None = None

    @property
    def letters(self) -> tuple[str, ...]:
        """The answers to choose from: letters, or "Answer: A" … if its kind reads no letter alone.

        Of a pair the three verdicts. Empty if it has no options, more than there are letters, or an answer kind that
        reads neither.
        """
        return VERDICTS if self.pair is not None else _letters_of(self.kind, len(self.choices))


class ItemSource:
    """The items of a job, in the Parquet file of its pool.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    spec : JobSpec
        The job.

    Attributes
    ----------
    size : int
        Number of the job's items.
    columns : list of str
        Those of :data:`ITEM_COLUMNS` that the pool has.

    Raises
    ------
    SurrogateError
        There is no such file, its items have no prompts, or some of the job's items are not in it.
    """

    def __init__(self, folder: Path, spec: JobSpec) -> None:
        if spec.grouping is not None:
            raise SurrogateError("A run that groups answers by meaning cannot be split, merged or sent as a batch.")
        self._path = pool_file(folder, spec)
        with opened(self._path) as file:
            self.size = int(file.metadata.num_rows)
            schema = file.schema_arrow
            names = set(schema.names)
        if "prompt" not in names:
            raise SurrogateError("This pool has no prompts, so there is nothing to ask. Add the column `prompt`.")
        self.columns = [name for name in ITEM_COLUMNS if name in names]
        self._judge = spec.judge
        if spec.judge is not None:
            if not _has_text(schema, spec.judge):
                raise SurrogateError(f"The pool has no answers of “{spec.judge}”, so there is nothing to judge.")
            self.columns.append(f"{TARGETS}.{spec.judge}.text")
        # A byte for each item of the pool: whether it is one of the job's.
        self._chosen = None if spec.items is None and spec.shard is None else self._choose(spec)
        if self._chosen is not None:
            self.size = sum(self._chosen)

    def items(self, settled: frozenset[int] = frozenset()) -> Iterator[Item]:
        """The items whose positions are not ``settled``, in the pool's order."""
        position = 0
        with pq.ParquetFile(self._path) as file:
            for batch in file.iter_batches(_BATCH, columns=self.columns, use_threads=False):
                for row in range(batch.num_rows):
                    if position not in settled and (self._chosen is None or self._chosen[position]):
                        # Not `take`, for which pyarrow would load pandas.
                        yield item_of(batch.slice(row, 1), position, self._judge)
                    position += 1

    def ids(self) -> Iterator[str]:
        """The ids of all items of the pool, those of other jobs too, in its order."""
        with pq.ParquetFile(self._path) as file:
            for batch in file.iter_batches(8192, columns=["id"], use_threads=False):
                yield from batch.column(0).to_pylist()

    def job_ids(self) -> Iterator[str]:
        """The ids of the job's items, in the pool's order."""
        return self.ids() if self._chosen is None else compress(self.ids(), self._chosen)

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        """The columns that items are made of, for so many places of the pool at a time, without those of other jobs."""
        start = 0
        with pq.ParquetFile(self._path) as file:
            for batch in file.iter_batches(size, columns=self.columns, use_threads=False):
                if self._chosen is None:
                    yield batch
                else:
                    yield batch.filter(pa.array([bool(one) for one in self._chosen[start : start + len(batch)]]))
                start += len(batch)

    def _choose(self, spec: JobSpec) -> bytearray:
        missing = None if spec.items is None else set(spec.items)
        chosen = bytearray(self.size)
        for position, name in enumerate(self.ids()):
            if missing is None or name in missing:
                chosen[position] = spec.shard is None or spec.shard.has(name)
            if missing is not None:
                missing.discard(name)
        if missing:
            named = ", ".join(f"“{name[:40]}”" for name in sorted(missing)[:3])
            raise SurrogateError(f"{len(missing):,} of the job's items are not in this pool, for instance {named}.")
        return chosen


def pool_file(folder: Path, spec: JobSpec) -> Path:
    """Where NEYMAN_HOME has the pool of a job."""
    return folder / "pools" / f"{spec.digest}.parquet"


def opened(path: Path) -> pq.ParquetFile:
    """Open the file of a job's pool.

    Raises
    ------
    SurrogateError
        There is no such file, or it cannot be read.
    """
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise SurrogateError("The job's pool is no longer in NEYMAN_HOME; open its file again.") from error


@cache
def _letters_of(kind: str, options: int) -> tuple[str, ...]:
    letters = LETTERS[:options]
    choices = [f"option {number}" for number in range(options)]
    for form in ("{}", "Answer: {}"):
        texts = tuple(form.format(letter) for letter in letters)
        read = tuple(parse(text, kind, choices) for text in texts)
        if len(letters) == options and read == tuple(letters):
            return texts
    return ()


def _has_text(schema: pa.Schema, target: str) -> bool:
    targets = schema.field(TARGETS).type if TARGETS in schema.names else pa.struct([])
    place = targets.get_field_index(target)
    return bool(place >= 0 and targets[place].type.get_field_index("text") >= 0)


def item_of(row: pa.RecordBatch | pa.Table, position: int, judge: str | None = None) -> Item:
    """The item in the one row of a canonical table, which stands at ``position`` in the pool.

    Parameters
    ----------
    row : RecordBatch or Table
        The row.
    position : int
        Its place.
    judge : str, optional
        The target whose answer is to be judged.
    """
    (values,) = row.to_pylist()
    response = None if judge is None else values[TARGETS][judge]["text"] or ""
    return Item(
        position,
        values["id"],
        values.get("prompt") or "",
        tuple(values.get("choices") or ()),
        values.get("answer_kind") or _DEFAULT_KIND,
        tuple(values.get("image") or ()),
        response,
    )
