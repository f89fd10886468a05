"""Stored generations → the pool with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from core.pool.columns import COLUMNS, NUMBERS, TARGET_FIELDS, TARGETS, TEXT, TEXTS, Loose, leaf, models
from core.pool.pool import Pool
from core.pool.problems import Problems
from core.surrogate.faults import SurrogateError
from core.surrogate.job.store import Store

_OF_GENERATIONS = ("generations", "generation_answers", "logprobs", "token_logprobs")


@dataclass(slots=True)
class _Lists:
    """A list for each item, None where it has nothing."""

    texts: list[list[str] | None] = field(default_factory=list)
    logprobs: list[list[float] | None] = field(default_factory=list)
    token_logprobs: list[list[float] | None] = field(default_factory=list)


def pool_with(store: Store, pool: Pool, job: str) -> Pool:
    """The pool with what a job brought: a surrogate's generations, or a target's answers.

    Raises
    ------
    SurrogateError : the job belongs to another pool, or has brought nothing yet.
    """
    target = store.row(job).spec.target
    return pool_with_generations(store, pool, job) if target is None else pool_with_target(store, pool, job)


def pool_with_generations(store: Store, pool: Pool, job: str) -> Pool:
    """The pool with the texts and log-probabilities of a job in place of any generations it had.

    Texts are without the models' reasoning. Log-probabilities of an item are kept where all its generations have them.
    """
    lists = _lists(store, pool, job)
    loose = _loose(pool)
    for name in _OF_GENERATIONS:
        loose.columns.pop(name, None)
    loose.columns["generations"] = pa.chunked_array([pa.array(lists.texts, TEXTS)])
    loose.columns["logprobs"] = pa.chunked_array([pa.array(lists.logprobs, NUMBERS)])
    loose.columns["token_logprobs"] = pa.chunked_array([pa.array(lists.token_logprobs, NUMBERS)])
    return Pool.from_loose(loose, Problems(), pool.name)


def pool_with_target(store: Store, pool: Pool, job: str) -> Pool:
    """The pool with the texts of a job as a target's; items the job did not answer keep what is known of the target.

    The target's name is the job's, by default the model's. An earlier answer or loss of an item gives way.
    """
    return pool_with_targets(store, pool, [job])


def pool_with_targets(store: Store, pool: Pool, jobs: Iterable[str]) -> Pool:
    """The pool with the texts of several jobs, as by `pool_with_target` one after another; the pool itself for none."""
    loose, names = _loose(pool), []
    for job in jobs:
        spec = store.row(job).spec
        names.append(spec.target or spec.model)
        texts = [None if found is None else found[0] for found in _lists(store, pool, job).texts]
        fresh = pa.chunked_array([pa.array(texts, TEXT)])
        for part, kind in TARGET_FIELDS.items():
            old = loose.targets.get((names[-1], part), pa.chunked_array([pa.nulls(pool.n_items, kind)]))
            new = fresh if part == "text" else pa.scalar(None, kind)
            loose.targets[names[-1], part] = pc.if_else(fresh.is_valid(), new, old)
    return Pool.from_loose(loose, Problems(), pool.name) if names else pool


def _lists(store: Store, pool: Pool, job: str) -> _Lists:
    row = store.row(job)
    if row.digest != pool.digest:
        raise SurrogateError(f"The job {row.id} belongs to another pool.")
    lists = _Lists()
    with store.database.connection() as database:
        for position, samples in _by_item(database, row.number):
            _fill(lists, position)
            lists.texts.append([text for text, _, _ in samples])
            for column, values in ((1, lists.logprobs), (2, lists.token_logprobs)):
                found = [sample[column] for sample in samples]
                values.append(None if None in found else found)
    if not lists.texts:
        raise SurrogateError(f"The job {row.id} has no generations yet.")
    _fill(lists, pool.n_items)
    return lists


def _by_item(database: sqlite3.Connection, number: int) -> Iterator[tuple[int, list[Any]]]:
    query = (
        "SELECT position, text, logprob, token_logprob FROM surrogate_generations WHERE job = ?"
        " ORDER BY position, sample"
    )
    for position, rows in groupby(database.execute(query, (number,)), key=lambda row: int(row[0])):
        yield position, [row[1:] for row in rows]


def _fill(lists: _Lists, size: int) -> None:
    """Make the lists ``size`` long with nothing."""
    for values in (lists.texts, lists.logprobs, lists.token_logprobs):
        values.extend([None] * (size - len(values)))


def _loose(pool: Pool) -> Loose:
    """The columns of a pool, to be put together anew."""
    table = pool.table
    leaves = {(model, part): leaf(table, model, part) for model in models(table) for part in TARGET_FIELDS}
    return Loose(
        columns={name: table.column(name) for name in COLUMNS if name in table.column_names},
        targets={path: column for path, column in leaves.items() if column is not None},
        extras={name: table.column(name) for name in table.column_names if name not in (*COLUMNS, TARGETS)},
    )
