"""Neyman's own means for totals that a tool reports of outputs without scores: answers are parsed and compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..pool.columns import TARGETS
from ..pool.pool import Pool
from ..pool.tool_totals import ToolTotal
from .joining import LOSS, MODEL, TASK, UNSCORED
from .model_outputs import ModelOutputs
from .model_results import ModelResults

_NEEDED = ("generations", "answer")
_READ = ("choices", "answer_kind", "generation_answers")
_NAME = "own"


def compared(results: ModelResults, files: Sequence[ModelOutputs]) -> ModelResults:
    """Put the totals that tools report beside Neyman's.

    Parameters
    ----------
    results : ModelResults
        The results.
    files : sequence of ModelOutputs
        The files that they are made of, and those that have totals alone.

    Returns
    -------
    ModelResults
        With the totals in its account.
    """
    if results.account is None:
        return results
    reports = [one.account for one in files if one.refusal is not None and one.account is not None]
    account = results.account.with_totals(total for one in reports for total in one.totals)
    return replace(results, account=account.with_totals(own_totals(account.totals, files)))


def own_totals(totals: Iterable[ToolTotal], files: Sequence[ModelOutputs]) -> tuple[ToolTotal, ...]:
    """Compute what is to stand beside totals whose files have no scores.

    Parameters
    ----------
    totals : iterable of ToolTotal
        What tools report; those that stand beside a mean already are left aside.
    files : sequence of ModelOutputs
        What was read.

    Returns
    -------
    tuple of ToolTotal
        A mean for each total whose model and task are among the outputs without scores; all samples count.
    """
    results, tables, totals = list[ToolTotal](), _without_scores(files), list(totals)
    tasks = {total.task for total in totals if total.own is None}
    for total in totals:
        if total.own is None and total.reported is not None:
            named = {key: table for key, table in tables.items() if key[0] == total.model} or tables
            chosen = named.get((total.model, total.task)) or _only([t for k, t in named.items() if k[1] == total.task])
            # A tool may call a task otherwise here and there, if it is the only one.
            chosen = chosen or (_only(list(named.values())) if len(tasks) == 1 else None)
            share = None if chosen is None else _share_right(chosen)
            if share is not None:
                results.append(replace(total, reported=None, own=share))
    return tuple(results)


def _only(tables: Sequence[pa.Table]) -> pa.Table | None:
    return tables[0] if len(tables) == 1 else None


def _without_scores(files: Sequence[ModelOutputs]) -> dict[tuple[str, str], pa.Table]:
    """Return the outputs of each model and task that have right answers, and no scores."""
    tables: dict[tuple[str, str], list[pa.Table]] = {}
    for file in files:
        table = file.table
        if {*_NEEDED, LOSS} <= set(table.column_names) and table.column(LOSS).null_count == len(table):
            names = table.column(MODEL).to_pylist()
            tasks = table.column(TASK).to_pylist() if TASK in table.column_names else [None] * len(table)
            keys = [(name, task or "") for name, task in zip(names, tasks, strict=True)]
            for key in dict.fromkeys(keys):
                rows = pa.array([one == key for one in keys])
                tables.setdefault(key, []).append(table.filter(rows))
    return {key: some[0] for key, some in tables.items() if len(some) == 1}


def _share_right(table: pa.Table) -> float | None:
    """Parse every sample as the pool does, and compare it with the right answer."""
    known = parsed_losses(table)
    return 1 - float(known.mean()) if known.size else None


def parsed_losses(table: pa.Table, samples: int | None = None) -> NDArray[np.float64]:
    """Parse outputs as the pool does, and compare them with the right answers.

    Parameters
    ----------
    table : pyarrow.Table
        Outputs with right answers. Others have no losses, nor have those that somebody scored and left open.
    samples : int, optional
        How many samples of each item count, by default all.

    Returns
    -------
    ndarray of float
        The losses that are known.
    """
    if not set(_NEEDED) <= set(table.column_names):
        return np.empty(0)
    if UNSCORED in table.column_names:
        table = table.filter(pc.invert(pc.fill_null(table.column(UNSCORED), False)))
    columns = [name for name in (*_NEEDED, *_READ) if name in table.column_names]
    rows = enumerate(table.select(columns).to_pylist())
    records = [one for place, row in rows for one in _records(place, row)[:samples]]
    losses = Pool.from_records(records).losses(_NAME) if records else np.empty(0)
    return np.asarray(losses[np.isfinite(losses)], dtype=np.float64)


def _records(place: int, row: dict[str, Any]) -> list[dict[str, Any]]:
    texts, answers = row["generations"] or [], row.get("generation_answers")
    facts = {name: row[name] for name in ("answer", "choices", "answer_kind") if row.get(name) is not None}
    outcomes = [{"text": text} if answers is None else {"answer": answers[n] or ""} for n, text in enumerate(texts)]
    return [{"id": f"{place} {n}", **facts, TARGETS: {_NAME: outcome}} for n, outcome in enumerate(outcomes)]
