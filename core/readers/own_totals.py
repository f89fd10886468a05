"""Neyman's own means beside totals that a tool reports, and the values that are read as right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import PoolError, Problem
from ..pool.account import ToolTotal
from ..pool.columns import TARGETS
from ..pool.pool import Pool
from ..words import counted, listed, per_cent
from .joining import LOSS, MODEL, TASK, UNSCORED, values_of
from .model_outputs import ModelOutputs
from .model_results import ModelResults
from .total_shapes import Stated

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


def beside_stated(pool: Pool, stated: Stated | None, listed_items: int) -> Pool:
    """Return a pool of one target with what the file states of it: in the account if it agrees, or as the first note.

    Parameters
    ----------
    pool : Pool
        What was read of the list in the file.
    stated : Stated or None
        The totals beside the list.
    listed_items : int
        Records in the list.

    Raises
    ------
    PoolError
        The file states another share, of more items than it lists.
    """
    if stated is None or pool.account is None or len(pool.targets) > 1:
        return pool
    name, target = next(iter(pool.targets.items()), ("", None))
    own = target.accuracy() if target is not None and target.known() else None
    total = ToolTotal(name, stated.metric, stated.share, own, digits=stated.digits)
    is_part = stated.size is not None and stated.size > listed_items
    says = f"The file says that it is about {stated.size:,} items and lists {listed_items:,}." if is_part else ""
    if total.agrees:
        known = pool.account.with_totals([total]) if total.is_compared and not is_part else pool.account
        return replace(pool, account=known, notes=(*filter(None, [says]), *pool.notes))
    if is_part:
        raise PoolError(
            [
                Problem(
                    f"the file lists only a part of its items. {says} {total.words}",
                    remedy="Choose the file of the same run that has all items. If you want this part alone, save its "
                    "list as a separate file.",
                )
            ]
        )
    return replace(pool, notes=(f"{total.words} Check which is right before you use either.", *pool.notes))


def own_totals(totals: Iterable[ToolTotal], files: Sequence[ModelOutputs]) -> tuple[ToolTotal, ...]:
    """Compute the means to compare with reported totals of files without scores.

    Parameters
    ----------
    totals : iterable of ToolTotal
        Totals that tools report; those that have a mean already are skipped.
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
            keys = [(name, task or "") for name, task in zip(names, values_of(table, TASK), strict=True)]
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


# The values read as right in files of results, in a sentence with the share of each model that follows.

_MOST_NAMED = 3
_UNKNOWN = (float("nan"), 0)
# How the place of a score ends that names what is right there.
IS_RIGHT = " is right"
_BY_ANSWERS = "An output is right if its parsed answer is the right answer"


def with_right_shares(results: ModelResults, files: Sequence[ModelOutputs]) -> ModelResults:
    """Say for each score of the files what is read as right, and which share of the items that is.

    Parameters
    ----------
    results : ModelResults
        The results.
    files : sequence of ModelOutputs
        The files that they are made of. A format that declares no score says itself what its scores mean, or has none.

    Returns
    -------
    ModelResults
        With a note for each score, and one for outputs that are compared with right answers.
    """
    rules: dict[str, dict[str, tuple[float, int]]] = {}
    known_formats = [(file.origin, file) for file in files if file.origin is not None and file.origin.format]
    # Scores may stand in another file of the run than the outputs; nothing is compared then.
    scored = {(origin.format, model) for origin, file in known_formats for model in _models(file, LOSS)}
    known_of = {model: results.known(model) for model in results.models}
    are_answers = any(_has(file, "answer") for file in files)
    for origin, file in known_formats:
        for model in _models(file, LOSS) if "loss" in origin.fields else ():
            column = origin.fields["loss"]
            rule = f"A score of 1, “yes” or “correct” counts as right (score: {column})"
            if results.has_shares(model):
                rule = f"A score between 0 and 1 counts as that share of right (score: {column})"
            rule = f"Scores are in {column}" if column.endswith(IS_RIGHT) else rule
            rules.setdefault(rule, {})[model] = known_of.get(model, _UNKNOWN)
        for model in _models(file, "generations") if are_answers else ():
            known = known_of.get(model, _UNKNOWN)
            known = known if known[1] else _parsed(file, model)
            if (origin.format, model) not in scored and known[1]:
                rules.setdefault(_BY_ANSWERS, {})[model] = known
    notes = []
    for rule, shares in rules.items():
        said = share_words({model: known for model, known in shares.items() if known[1]})
        notes.append(f"{rule}{': ' if said else ''}{said}.")
    return replace(results, notes=(*results.notes, *notes))


def _parsed(file: ModelOutputs, model: str) -> tuple[float, int]:
    losses = parsed_losses(file.table.filter(pc.equal(file.table.column(MODEL), model)), 1)
    return (1 - float(losses.mean()), losses.size) if losses.size else _UNKNOWN


def share_words(shares: Mapping[str, tuple[float, int]]) -> str:
    """Say which share of how many items each model has right; of many models, from which to which."""
    if len(shares) > _MOST_NAMED:
        least, most = (per_cent(end(share for share, _ in shares.values())) for end in (min, max))
        return f"{len(shares)} models have {least} to {most} of their items right"
    return listed(
        [f"{model} has {per_cent(share)} of {counted(n, 'item')} right" for model, (share, n) in shares.items()]
    )


def _has(file: ModelOutputs, column: str) -> bool:
    return column in file.table.column_names and file.table.column(column).null_count < file.table.num_rows


def _models(file: ModelOutputs, column: str) -> list[str]:
    """List the models that have anything in a column."""
    if column not in file.table.column_names:
        return []
    names = pc.unique(file.table.filter(file.table.column(column).is_valid()).column(MODEL)).to_pylist()
    return [name for name in names if name]
