"""The exchange format, which every engine writes, and the folders that it may stand in.

item             id of the item
sample           number of the generation among the item's k, from 0
text, reasoning  what the model said, and its reasoning if there is any
answer           the parsed answer; null if there is none
finish           why it ended, in the server's word
tokens           number of its tokens
logprob          Σ log p of its tokens, nats; token_logprob: their mean
seed             the seed that was sent for it; null if none was
work             hex digest of what was asked and how (:attr:`core.surrogate.job.spec.JobSpec.work`)

Rows may come in any order and in any number of files. A file's schema carries the job (key ``neyman.job``, JSON): its
address and the name of its key's variable, but no key.
"""

from __future__ import annotations

import posixpath
import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import fs

from ..errors import PoolError
from ..pool import writing
from .faults import SurrogateError
from .job.events import GENERATION_COLUMNS, Generation
from .job.request import RequestFormat
from .job.source import Item, ItemSource
from .job.spec import JobSpec, hash_of
from .job.store import Store


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder.

    Parameters
    ----------
    url : str
        A path, or an address with a scheme.

    Raises
    ------
    SurrogateError
        Of every method: the place cannot be reached.
    """

    url: str

    def __truediv__(self, name: str) -> Place:
        return Place(f"{self.url.rstrip('/')}/{name}")

    def __str__(self) -> str:
        return self.url

    def absolute(self) -> Place:
        """The same place, whatever folder a process works in."""
        return self if "://" in self.url else Place(str(Path(self.url).expanduser().absolute()))

    def resolve(self) -> tuple[fs.FileSystem, str]:
        """The file system, and the path in it."""
        try:
            named = "://" in self.url
            system, path = fs.FileSystem.from_uri(self.url) if named else (fs.LocalFileSystem(), self.absolute().url)
            return system, path
        except (OSError, pa.ArrowException, ValueError) as error:
            raise SurrogateError(f"“{self.url}” cannot be reached ({error}).") from error

    def files(self, suffix: str) -> list[Place]:
        """The files below the folder whose names end so, in order; none if there is no folder."""
        system, path = self.resolve()
        try:
            infos = system.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=True))
        except OSError as error:
            raise SurrogateError(f"“{self.url}” cannot be read ({error}).") from error
        names = (info.path[len(path) :].lstrip("/") for info in infos if info.type == fs.FileType.File)
        return [self / name for name in sorted(names) if name.endswith(suffix) and "/." not in f"/{name}"]

    def fetch(self, path: Path) -> None:
        """Copy the file to one on this machine."""
        system, source = self.resolve()
        try:
            with system.open_input_stream(source) as stream, path.open("wb") as file:
                shutil.copyfileobj(stream, file)
        except OSError as error:
            raise SurrogateError(f"“{self.url}” cannot be read ({error}).") from error

    def write(self, table: pa.Table) -> None:
        """Write a table as Parquet; the file takes its place when it is whole."""
        system, path = self.resolve()
        folder, name = posixpath.split(path)
        # Processes of several machines may have the same number.
        temporary = posixpath.join(folder, f".{name}.{uuid.uuid4().hex}.part")
        try:
            system.create_dir(folder, recursive=True)
            pq.write_table(table, temporary, filesystem=system, compression="zstd")
            system.move(temporary, path)
        except (OSError, pa.ArrowException) as error:
            raise SurrogateError(f"“{self.url}” cannot be written ({error}).") from error


SCHEMA = pa.schema(
    [
        ("item", pa.string()),
        ("sample", pa.int32()),
        ("text", pa.string()),
        ("answer", pa.string()),
        ("reasoning", pa.string()),
        ("finish", pa.string()),
        ("tokens", pa.int32()),
        ("logprob", pa.float64()),
        ("token_logprob", pa.float64()),
        ("seed", pa.int64()),
        ("work", pa.string()),
    ]
)
SUFFIX = ".parquet"
ROWS, ITEMS = "rows", "items"
"""Folders of what a cluster writes: rows, and the items that its nodes read."""
_JOB = b"neyman.job"
_ROWS = 2_048
_BYTES = 2_000_000
_VALUES = attrgetter(*GENERATION_COLUMNS)


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """One row: a generation, the id of its item, and the seed that was sent for it."""

    item: str
    generation: Generation
    seed: int | None


def table_of(rows: Sequence[GenerationRow], spec: JobSpec) -> pa.Table:
    """Some rows of a job as a table."""
    work = spec.work
    values = ((row.item, *_VALUES(row.generation), row.seed, work) for row in rows)
    columns = [list(column) for column in zip(*values, strict=True)] or [[] for _ in SCHEMA]
    names = ("item", *GENERATION_COLUMNS, "seed", "work")
    by_name = dict(zip(names, columns, strict=True))
    schema = SCHEMA.with_metadata({_JOB: spec.to_json().encode()})
    return pa.table([pa.array(by_name[field.name], field.type) for field in SCHEMA], schema)


def write_part(store: Store, job: str, path: Path) -> int:
    """Write what a job has generated, a few megabytes of it in memory at a time; return the number of rows.

    Parameters
    ----------
    store, job
        Where the job is, and its id.
    path : Path
        The file, ``.parquet``. It takes its place when it is whole.

    Raises
    ------
    SurrogateError
        The job's pool is gone.
    PoolError
        The file cannot be written.
    """
    check_path(path)
    row = store.row(job)
    source = ItemSource(store.folder, row.spec)
    form = RequestFormat.complete(row.spec.sampling) if row.sent is None else RequestFormat.from_json(row.sent)
    written = 0

    def pieces() -> Iterator[pa.Table]:
        nonlocal written
        for piece in _pieces(_named(store.generations(row), source, row.spec, form)):
            written += len(piece)
            yield table_of(piece, row.spec)

    writing.write_named(pieces(), path)
    return written


def check_path(path: Path) -> None:
    """Refuse a path that :func:`write_part` could not write to.

    Raises
    ------
    PoolError
        It has another suffix, is a folder, or its folder is missing or read-only.
    """
    if path.suffix.lower() != SUFFIX:
        raise PoolError(f"Generations are written as {SUFFIX}, one row each. “{path.name}” has another suffix.")
    writing.check_path(path)


def _named(
    stored: Iterable[tuple[int, Generation]], source: ItemSource, spec: JobSpec, form: RequestFormat
) -> Iterator[GenerationRow]:
    """The rows for generations in the order of the pool."""
    ids = enumerate(source.ids())
    place, item = -1, Item(-1, "", "")
    for position, generation in stored:
        while place < position:
            place, name = next(ids)
            item = Item(place, name, "")
        yield GenerationRow(item.id, generation, form.seed(spec, item, generation.sample))


def _pieces(rows: Iterable[GenerationRow]) -> Iterator[list[GenerationRow]]:
    """Cut rows into pieces of a few megabytes, at least one."""
    piece: list[GenerationRow] = []
    size = 0
    for row in rows:
        piece.append(row)
        size += len(row.generation.text) + len(row.generation.reasoning or "")
        if len(piece) == _ROWS or size > _BYTES:
            yield piece
            piece, size = [], 0
    yield piece


class PartFile:
    """A file of rows.

    Parameters
    ----------
    place : Place
        The file.

    Attributes
    ----------
    spec : JobSpec
        The job whose rows these are.
    size : int
        How many.

    Raises
    ------
    SurrogateError
        It cannot be read, or is no such file.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        with self._open() as file:
            metadata = file.schema_arrow.metadata or {}
            if _JOB not in metadata or any(file.schema_arrow.names.count(name) != 1 for name in SCHEMA.names):
                raise SurrogateError(
                    f"“{place}” has no generations to merge. Give what `export --rows`, `run --shard` or `ray` has"
                    " written."
                )
            try:
                self.spec = JobSpec.from_json(metadata[_JOB].decode("utf-8", "replace"))
            except SurrogateError as error:
                raise SurrogateError(f"“{place}” cannot be merged. {error} Write it again.") from error
            self.size = int(file.metadata.num_rows)

    def batches(self) -> Iterator[list[GenerationRow]]:
        """The rows, some hundred at a time.

        Raises
        ------
        SurrogateError
            The file is damaged, or a row is of other work than the file, or of no item or sample of its job.
        """
        work = self.spec.work
        with self._open() as file:
            for batch in file.iter_batches(_ROWS, columns=SCHEMA.names, use_threads=False):
                typed = self._typed(batch)
                columns: dict[str, list[Any]] = typed.to_pydict()
                if columns["work"].count(work) != len(typed):
                    raise SurrogateError(f"“{self.place}” mixes rows of several runs. Write a file for each run.")
                self._check(typed)
                generations = map(Generation, *(columns[name] for name in GENERATION_COLUMNS))
                yield list(map(GenerationRow, columns["item"], generations, columns["seed"]))

    def hashes(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int32]]]:
        """(n,) hashes of the items, and numbers of the samples, some thousand rows at a time."""
        with self._open() as file:
            for batch in file.iter_batches(16 * _ROWS, columns=["item", "sample"], use_threads=False):
                typed = self._typed(batch)
                self._check(typed)
                items = typed.column("item").dictionary_encode()
                hashes = np.fromiter(map(hash_of, items.dictionary.to_pylist()), np.uint64)
                yield hashes[items.indices.to_numpy()], typed.column("sample").to_numpy()

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows in the types of the format; numbers that cannot be right are unknown, as those of a server are."""
        fields = [field for field in SCHEMA if field.name in batch.schema.names]
        try:
            columns = {field.name: batch.column(field.name).cast(field.type) for field in fields}
        except pa.ArrowException as error:
            raise SurrogateError(f"“{self.place}” has a column of another type. Write the file again.") from error
        for name in ("logprob", "token_logprob"):
            if name in columns:
                columns[name] = pc.if_else(pc.is_finite(columns[name]), columns[name], None)
        if "tokens" in columns:
            columns["tokens"] = pc.if_else(pc.greater_equal(columns["tokens"], 0), columns["tokens"], None)
        return pa.record_batch(list(columns.values()), schema=pa.schema(fields))

    def _check(self, batch: pa.RecordBatch) -> None:
        """Refuse rows that would make an item look complete that is not."""
        k, samples = self.spec.sampling.k, batch.column("sample").to_numpy(zero_copy_only=False)
        nothing = any(
            batch.column(name).null_count for name in ("item", "sample", "text") if name in batch.schema.names
        )
        if nothing or not np.all((samples >= 0) & (samples < k)):
            raise SurrogateError(
                f"“{self.place}” has a row without an item or a text, or with a sample that is not one of 0 … {k - 1}."
                " Write the file again."
            )

    @contextmanager
    def _open(self) -> Iterator[pq.ParquetFile]:
        try:
            # Without the buffer whole columns would be read at once.
            system, path = self.place.resolve()
            with (
                system.open_input_file(path) as source,
                pq.ParquetFile(source, buffer_size=1 << 18, pre_buffer=False) as file,
            ):
                yield file
        except (OSError, pa.ArrowException, ValueError) as error:
            reason = (
                error.strerror if isinstance(error, OSError) and error.strerror else "it is not a complete Parquet file"
            )
            raise SurrogateError(f"“{self.place}” cannot be read ({reason}).") from error
