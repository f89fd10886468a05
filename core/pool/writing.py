"""A canonical table as a native pool file: JSON Lines (plain or gzipped) or Parquet."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import PoolError
from core.pool.columns import TARGETS

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
_BLOCK = 4096


def write(table: pa.Table, path: Path) -> None:
    """Write a table in the format that the suffix of ``path`` names.

    Parameters
    ----------
    table : pyarrow.Table
        A canonical table.
    path : Path
        The file, with a suffix of ``SUFFIXES``.

    Raises
    ------
    PoolError
        The path has another suffix.
    """
    name = path.name.lower()
    if name.endswith(".parquet"):
        pq.write_table(table, path, compression="zstd")
    elif name.endswith(".jsonl"):
        with path.open("wb") as file:
            file.writelines(lines(table))
    elif name.endswith(".jsonl.gz"):
        # Neither time nor name in the header: the same pool gives the same file.
        with path.open("wb") as raw, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as file:
            file.writelines(lines(table))
    else:
        raise PoolError(f"Pools are written as {', '.join(SUFFIXES)}. “{path.name}” has another suffix.")


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
