"""Stored generations → the pool with them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from core.pool.columns import COLUMNS, NUMBERS, TARGET_FIELDS, TARGETS, TEXT, TEXTS, Loose, leaf, models
from core.pool.pool import Pool
from core.pool.problems import Problems
from core.surrogate.faults import SurrogateError
from core.surrogate.job.store import Store


def pool_with(store: Store, pool: Pool, job: str) -> Pool:
    """The pool with a surrogate's generations, or a target's answers, from a job.

    Generations replace those the pool had, with their log-probabilities where all of an item have them, and without
    the models' reasoning. For a target see :func:`pool_with_targets`.

    Raises
    ------
    SurrogateError
        The job belongs to another pool, or has no generations yet.
    """
    if store.row(job).spec.target is not None:
        return pool_with_targets(store, pool, [job])
    texts, logprobs, token_logprobs = _lists(store, pool, job)
    loose = _loose(pool)
    loose.columns.pop("generation_answers", None)
    loose.columns["generations"] = pa.chunked_array([pa.array(texts, TEXTS)])
    loose.columns["logprobs"] = pa.chunked_array([pa.array(logprobs, NUMBERS)])
    loose.columns["token_logprobs"] = pa.chunked_array([pa.array(token_logprobs, NUMBERS)])
    return Pool.from_loose(loose, Problems(), pool.name)


def pool_with_targets(store: Store, pool: Pool, jobs: Iterable[str]) -> Pool:
    """The pool with the answers of several jobs, one after another; the pool itself for none.

    A target's name is the job's, by default the model's. Where a job answered an item, its text replaces an earlier
    answer or loss of the target; elsewhere they stay.

    Raises
    ------
    SurrogateError
        A job belongs to another pool, or has no generations yet.
    """
    loose, names = _loose(pool), []
    for job in jobs:
        spec = store.row(job).spec
        names.append(spec.target or spec.model)
        texts = [texts and texts[0] for texts in _lists(store, pool, job)[0]]
        fresh = pa.chunked_array([pa.array(texts, TEXT)])
        for part, kind in TARGET_FIELDS.items():
            old = loose.targets.get((names[-1], part), pa.chunked_array([pa.nulls(pool.n_items, kind)]))
            new = fresh if part == "text" else pa.scalar(None, kind)
            loose.targets[names[-1], part] = pc.if_else(fresh.is_valid(), new, old)
    return Pool.from_loose(loose, Problems(), pool.name) if names else pool


def _lists(store: Store, pool: Pool, job: str) -> list[list[Any]]:
    """Texts, log-probabilities and mean ones of a job, a list for each item; None where it has nothing."""
    row = store.row(job)
    if row.digest != pool.digest:
        raise SurrogateError(f"The job {row.id} belongs to another pool.")
    columns: list[list[Any]] = [[None] * pool.n_items for _ in range(3)]
    texts, logprobs, token_logprobs = columns
    query = (
        "SELECT position, text, logprob, token_logprob FROM surrogate_generations WHERE job = ?"
        " ORDER BY position, sample"
    )
    with store.database.connection() as database:
        for position, samples in groupby(database.execute(query, (row.number,)), key=lambda sample: sample[0]):
            _, texts[position], *numbers = zip(*samples, strict=True)
            logprobs[position], token_logprobs[position] = (None if None in sums else sums for sums in numbers)
    if not any(texts):
        raise SurrogateError(f"The job {row.id} has no generations yet.")
    return columns


def _loose(pool: Pool) -> Loose:
    """The columns of a pool, to be put together anew."""
    table = pool.table
    leaves = {(model, part): leaf(table, model, part) for model in models(table) for part in TARGET_FIELDS}
    return Loose(
        columns={name: table.column(name) for name in COLUMNS if name in table.column_names},
        targets={path: column for path, column in leaves.items() if column is not None},
        extras={name: table.column(name) for name in table.column_names if name not in (*COLUMNS, TARGETS)},
    )
