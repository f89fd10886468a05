"""A canonical table as a native pool file: JSON Lines (plain or gzipped) or Parquet."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import PoolError
from .columns import TARGETS

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
_BLOCK = 4096
_GROUP_BYTES = 4_000_000


def write(table: pa.Table, path: Path) -> None:
    """Write a table in the format that the suffix of ``path`` names; raises as :func:`write_pieces`."""
    write_pieces([table], path)


def write_pieces(pieces: Iterable[pa.Table], path: Path) -> None:
    """Write a table that comes in pieces, with no more than a few megabytes of them in memory.

    The file takes its place when it is whole: an earlier one stays until then, and stays if writing fails.

    Parameters
    ----------
    pieces : iterable of pyarrow.Table
        The rows of a canonical table in order, at least one; all with its columns.
    path : Path
        The file, with a suffix of ``SUFFIXES``.

    Raises
    ------
    PoolError
        The path has another suffix.
    OSError
        The file cannot be written.
    """
    suffix = _suffix(path)
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if suffix == ".parquet":
            _write_parquet(pieces, temporary)
        else:
            _write_lines(pieces, temporary, suffix == ".jsonl.gz")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_named(pieces: Iterable[pa.Table], path: Path) -> None:
    """Write pieces to a file that a person named; whatever keeps it from being written is a PoolError."""
    try:
        write_pieces(pieces, path)
    except OSError as error:
        raise unwritable(path, error) from error


def check_path(path: Path) -> None:
    """Refuse a path that :func:`write` could not write to.

    Raises
    ------
    PoolError
        It has another suffix, is a folder, or its folder is missing or read-only.
    """
    _suffix(path)
    check_place(path)


def check_place(path: Path) -> None:
    """Refuse a path where no file could be written; raises PoolError as :func:`check_path`, but for the suffix."""
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise PoolError(f"“{path}” is a folder. Name a file in it.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> PoolError:
    """The error of a file that cannot be written, as a sentence."""
    reason = error.strerror or str(error)
    return PoolError(f"“{path}” cannot be written ({reason}). Name a file in a folder that has room and is yours.")


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    raise PoolError(f"Pools are written as {', '.join(SUFFIXES)}. “{path.name}” has another suffix.")


def _write_parquet(pieces: Iterable[pa.Table], path: Path) -> None:
    groups = _groups(pieces)
    first = next(groups)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as file:
        for group in chain([first], groups):
            file.write_table(group)
            pa.default_memory_pool().release_unused()


def _write_lines(pieces: Iterable[pa.Table], path: Path, zipped: bool) -> None:
    with path.open("wb") as raw:
        if zipped:
            # Neither time nor name in the header: the same pool gives the same file.
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as file:
                file.writelines(line for piece in pieces for line in lines(piece))
        else:
            raw.writelines(line for piece in pieces for line in lines(piece))


def _groups(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Join pieces to row groups of a size that is quick to read."""
    group: list[pa.Table] = []
    size = 0
    for piece in pieces:
        group.append(piece)
        size += piece.nbytes
        if size >= _GROUP_BYTES:
            yield pa.concat_tables(group)
            group, size = [], 0
    if group:
        yield pa.concat_tables(group)


def lines(table: pa.Table) -> Iterator[bytes]:
    """Write the items as JSON Lines, without absent values."""
    for start in range(0, table.num_rows, _BLOCK):
        for row in table.slice(start, _BLOCK).to_pylist():
            yield json.dumps(_without_nulls(row), ensure_ascii=False).encode() + b"\n"


def _without_nulls(row: dict[str, Any]) -> dict[str, Any]:
    record = {name: value for name, value in row.items() if value is not None}
    if TARGETS in record:
        outcomes = {
            model: {name: value for name, value in outcome.items() if value is not None}
            for model, outcome in record[TARGETS].items()
        }
        record[TARGETS] = {model: outcome for model, outcome in outcomes.items() if outcome}
    return record
