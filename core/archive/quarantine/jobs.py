"""What the child reads of a file, and how it crosses over: a table, and the little beside it as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from core.errors import LabelError, NeymanError, PoolError, Problem
from core.labels import reader
from core.labels.formats.label_file import COLUMNS, LabelFile
from core.pool.pool import Pool
from core.readers import read
from core.readers.model_results import ModelOutputs
from core.readers.results import read_outputs

POOL, RESULTS, LABELS = "pool", "results", "labels"


class Crossing(NamedTuple):
    """What was read of a file: the table, and the rest as JSON."""

    table: pa.Table
    rest: dict[str, Any]


def of_pool(path: Path, name: str | None) -> Crossing:
    """Read a pool."""
    pool = read(path, name)
    return Crossing(pool.table, {"name": pool.name, "notes": pool.notes})


def to_pool(crossing: Crossing) -> Pool:
    """Make the pool that `of_pool` read."""
    return Pool(crossing.rest["name"], crossing.table, tuple(crossing.rest["notes"]))


def of_results(path: Path, name: str | None) -> Crossing:
    """Read one file of results; the name is the file's, which may have the model's in it."""
    read_file = read_outputs(path, name or path.name)
    return Crossing(read_file.table, {"notes": read_file.notes})


def to_results(crossing: Crossing) -> ModelOutputs:
    """Make the results that `of_results` read."""
    return ModelOutputs(crossing.table, tuple(crossing.rest["notes"]))


def of_labels(path: Path, name: str | None) -> Crossing:
    """Read a file of labels."""
    file = reader.read(path.read_bytes(), name)
    columns = {column: pa.array(file.rows[column].tolist(), pa.large_string()) for column in COLUMNS[1:]}
    return Crossing(
        pa.table({COLUMNS[0]: file.rows[COLUMNS[0]].to_numpy(), **columns}),
        {"source": file.source, "notes": file.notes},
    )


def to_labels(crossing: Crossing) -> LabelFile:
    """Make the labels that `of_labels` read."""
    columns = {name: pd.Series(crossing.table.column(name).to_pylist(), dtype=object) for name in COLUMNS}
    rows = pd.DataFrame(columns).astype({COLUMNS[0]: "int64"})
    return LabelFile(rows, crossing.rest["source"], tuple(crossing.rest["notes"]))


READERS: Mapping[str, Callable[[Path, str | None], Crossing]] = {
    POOL: of_pool,
    RESULTS: of_results,
    LABELS: of_labels,
}


def of_error(error: NeymanError) -> dict[str, Any]:
    """Write an error of a reader as JSON."""
    if not isinstance(error, PoolError | LabelError):
        return {"message": str(error), "problems": [], "total": 0}
    problems = [[one.message, one.row, one.field, one.remedy] for one in error.problems]
    # A pool's sentence follows from its problems.
    sentence = {} if isinstance(error, PoolError) else {"message": str(error)}
    return {**sentence, "problems": problems, "total": error.total}


def to_error(answer: Mapping[str, Any]) -> NeymanError:
    """Make the error that `of_error` wrote."""
    problems = [Problem(*problem) for problem in answer["problems"]]
    if "message" in answer:
        return LabelError(answer["message"], problems, answer["total"])
    return PoolError(problems, answer["total"])
