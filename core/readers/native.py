"""Native pools, in whatever kind of file, and benchmarks as their authors publish them."""

from __future__ import annotations

import re
from dataclasses import replace

from ..files.open import Source
from ..files.sniff import PARQUET, TABLE, WORKBOOK, Beginning
from ..pool.columns import TARGET_FIELDS, TARGETS
from ..pool.origin import Origin
from ..pool.pool import Pool
from . import csv_table, json_lines, parquet
from .benchmarks import read_benchmark
from .benchmarks import recognised as recognised_benchmark
from .native_columns import completed

_OF_A_POOL = re.compile(rf"{TARGETS}|generations(:.+)?|generation_\d+|.+:({'|'.join(TARGET_FIELDS)})")


def of_pool(source: Source, beginning: Beginning) -> Pool:
    """Read a native pool file, or a benchmark as its authors publish it."""
    benchmark = recognised_benchmark(beginning)
    if benchmark is not None:
        return read_benchmark(benchmark, [source])
    readers = {PARQUET: parquet.read, TABLE: csv_table.read, WORKBOOK: csv_table.read}
    written = beginning.container == PARQUET and parquet.is_written_pool(source)
    complete = completed(is_pool(beginning), names=not written)
    pool = readers.get(beginning.container, json_lines.read)(source, complete)
    return replace(pool, origin=Origin("a Neyman pool"))


def is_pool(beginning: Beginning) -> bool:
    """Whether a file is a benchmark, or has ids and, under native names, generations or outcomes of targets."""
    native = "id" in beginning.keys and any(_OF_A_POOL.fullmatch(key) for key in beginning.keys)
    return native or recognised_benchmark(beginning) is not None
