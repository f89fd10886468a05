"""A pool with one more target, or with other answers of one: what its file does not say of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from .columns import TARGET_FIELDS, TARGETS, leaf, models, targets_column
from .pool import Pool


def with_answers(pool: Pool, model: str, answers: Sequence[str | None]) -> Pool:
    """Add a target with these answers to a pool, or give one others; what else is known of it stays.

    Parameters
    ----------
    pool : Pool
        The pool.
    model : str
        Name of the target.
    answers : sequence of str or None
        (N,) its answers, None if one is not known.
    """
    return _with(pool, model, "answer", answers)


def with_models(pool: Pool, names: Sequence[str]) -> Pool:
    """Add targets of which nothing is known, such as those that only labels name; those that the pool has stay."""
    for name in names:
        if name not in pool.targets:
            pool = _with(pool, name, "loss", [None] * pool.n_items)
    return pool


def _with(pool: Pool, model: str, field: str, values: Sequence[str | None]) -> Pool:
    columns = {
        (name, of_it): column
        for name in models(pool.table)
        for of_it in TARGET_FIELDS
        if (column := leaf(pool.table, name, of_it)) is not None
    }
    columns.pop((model, "unscored"), None)
    columns[model, field] = pa.chunked_array([pa.array(values, TARGET_FIELDS[field])])
    table = pool.table.drop_columns([TARGETS]) if TARGETS in pool.table.column_names else pool.table
    return replace(pool, source=table.append_column(TARGETS, targets_column(columns)), _cache={})
