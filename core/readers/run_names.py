"""Several runs of one model on the same items: told apart by the names of the runs, if their outputs differ."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ..pool.columns import TEXT
from ..pool.problems import Problems, shown
from .joining import LOSS, MODEL, RUN, TASK


def named_by_run(files: Sequence[pa.Table], problems: Problems) -> list[pa.Table]:
    """Add the name of its run to a model of which several runs answer one item differently.

    Parameters
    ----------
    files : sequence of pyarrow.Table
        Those of ``ModelOutputs``, one for each file, with a column ``run_of_model`` if the file names its run.
    problems : Problems
        Where models with several runs are noted.

    Returns
    -------
    list of pyarrow.Table
        The files in their order.
    """
    runs: dict[str, dict[str, list[int]]] = {}
    for place, file in enumerate(files):
        models, names = (_only(file, column) for column in (MODEL, RUN))
        if models is not None and names is not None:
            runs.setdefault(models, {}).setdefault(names, []).append(place)
    results = list(files)
    for model, places in runs.items():
        if len(places) > 1 and _are_others([[files[place] for place in some] for some in places.values()]):
            problems.note(f"Runs of {shown(model)} with different outputs are separate models: {len(places)}.")
            for run, some in places.items():
                for place in some:
                    results[place] = _with(files[place], MODEL, f"{model} ({run})")
    return results


def of_common_tasks(files: Sequence[pa.Table]) -> list[pa.Table]:
    """Give files that are alone in naming task and run, each by its own name, one task if they ask one model the same.

    Parameters
    ----------
    files : sequence of pyarrow.Table
        As for :func:`named_by_run`.

    Returns
    -------
    list of pyarrow.Table
        The files in their order.
    """
    results, tasks = list(files), dict[tuple[str | None, frozenset[str]], str]()
    for place, file in enumerate(files):
        task = _only(file, TASK)
        if task is not None and task == _only(file, RUN) and "prompt" in file.column_names:
            asked = frozenset(text for text in file.column("prompt").to_pylist() if text)
            task = tasks.setdefault((_only(file, MODEL), asked), task)
            results[place] = _with(file, TASK, task)
    return results


def _with(file: pa.Table, column: str, value: str) -> pa.Table:
    """Return a file with one value in all of a column."""
    values = pa.chunked_array([pa.array([value] * len(file), TEXT)])
    return file.set_column(file.column_names.index(column), column, values)


def _only(file: pa.Table, column: str) -> str | None:
    """Return the only value of a column, None if there is none."""
    values = pc.unique(file.column(column)).to_pylist() if column in file.column_names else []
    return values[0] if len(values) == 1 else None


def _are_others(runs: Sequence[Sequence[pa.Table]]) -> bool:
    """Whether an item has other outputs, or another score, in another run."""
    for column in ("generations", LOSS):
        known: dict[str, object] = {}
        for table in (table for run in runs for table in run if column in table.column_names):
            for name, value in zip(table.column("id").to_pylist(), table.column(column).to_pylist(), strict=True):
                if value is not None and known.setdefault(name, value) != value:
                    return True
    return False
