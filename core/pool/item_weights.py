"""Weights of items, such as their traffic: how much each counts in an accuracy.

They come from a column of numbers, or from shares of groups: of a share of q per cent, each of the N_g items of the
group has the weight q/N_g. An item of weight 0 counts for nothing and leaves the pool.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import PoolError, Problem
from ..words import counted, listed, per_cent
from .columns import COLUMNS, NUMBER, TARGETS, WEIGHT, check_weights, with_weight
from .problems import Problems, shown
from .stored import StoredTable

# Parts of names of columns that may be weights, as plain words.
_LIKE = {"weight", "weights", "traffic", "frequency", "freq", "importance", "count", "counts", "volume", "volumes"}
_LIKE |= {"share", "shares", "requests", "hits", "views", "visits", "calls", "impressions", "occurrences", "popularity"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
COUNT_BY = "Items count by"
_HEAVY = 0.1
# Shares that people round may miss 100 by so much, in points.
_ROUNDING = 0.5


def mean_one(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Weights above 0 with a mean of 1, (N,), read-only; None if all are equal."""
    if weights.min() == weights.max():
        return None
    scaled = np.asarray(weights / weights.mean(), dtype=np.float64)
    scaled.setflags(write=False)
    return scaled


def weighted(source: pa.Table, by: str | Mapping[str, float] | None, group: str) -> tuple[pa.Table, str, int]:
    """Return a pool's columns with weights or without, what they are, and how many items of weight 0 are left out.

    Parameters and errors as of `core.pool.Pool.weighted`.
    """
    names = [name for name in source.column_names if name != WEIGHT]
    if by is None:
        return source.select(names), "", 0
    if isinstance(by, str):
        weights, note = _of_column(source, by), f"{COUNT_BY} the column {shown(by)}."
    else:
        weights, note = _of_shares(source, by, group)
    problems, column = Problems(), pa.chunked_array([weights])
    check_weights(column, lambda position: position + 1, problems)
    problems.stop()
    columns = {name: source.column(name) for name in names} | {WEIGHT: column}
    native = [name for name in COLUMNS if name in columns]
    table = with_weight(pa.table({name: columns[name] for name in (*native, *(n for n in names if n not in native))}))
    return table, note, source.num_rows - table.num_rows


def _of_column(source: pa.Table, name: str) -> pa.Array:
    if name not in source.column_names or name == TARGETS:
        known = listed([shown(one) for one in source.column_names if one != TARGETS])
        raise PoolError(f"This pool has no column {shown(name)}. Its columns are {known}.")
    cells = source.column(name).to_pandas()
    numbers = _numbers(cells)
    wrong = np.flatnonzero(np.isnan(numbers) & cells.notna().to_numpy(dtype=bool))
    if wrong.size:
        said = "Weights are numbers, at least 0."
        faults = [
            Problem(f"{shown(str(cells.iloc[place]), 30)} is not a number.", place + 1, name, said) for place in wrong
        ]
        raise PoolError(faults, total=wrong.size)
    return pa.array(numbers, NUMBER, from_pandas=True)


def _of_shares(source: pa.Table, shares: Mapping[str, float], group: str) -> tuple[pa.Array, str]:
    """Weights by shares of groups in per cent, and what they are, in a sentence."""
    if group not in source.column_names:
        raise PoolError(f"The items of this pool have no {shown(group)}, so shares of groups say nothing.")
    of_item = source.column(group).to_pandas().astype(object).where(lambda one: one.notna(), "").astype(str)
    sizes = of_item.value_counts()
    foreign = [shown(name) for name in shares if name not in sizes]
    if foreign:
        known = listed([shown(str(name)) for name in sizes.index[:12]])
        raise PoolError(f"No item is in the group {listed(foreign)}. The groups are {known}.")
    given = pd.Series(dict(shares), dtype=np.float64)
    if not np.isfinite(given).all() or (given < 0).any():
        raise PoolError("A share of a group must be at least 0 per cent.")
    total, rest = float(given.sum()), sizes.drop(list(shares))
    left = 100 - total
    if left < -_ROUNDING or (rest.empty and left > _ROUNDING):
        raise PoolError(f"The shares add up to {total:g} per cent. Give shares that add up to 100.")
    weight = given / sizes[list(shares)]
    if not rest.empty:
        weight = pd.concat([weight, pd.Series(max(left, 0.0) / rest.sum(), index=rest.index)])
    said = listed([f"{shown(name)} {share:g} %" for name, share in shares.items()])
    others = "" if rest.empty else f", {counted(rest.size, 'other group')} together {max(left, 0.0):g} %"
    return pa.array(of_item.map(weight).to_numpy(dtype=np.float64)), f"{COUNT_BY} shares of groups: {said}{others}."


def _numbers(cells: pd.Series) -> NDArray[np.float64]:
    """Numbers of cells, also of texts such as "0.7"; NaN for any other."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def weight_notes(table: pa.Table | StoredTable) -> tuple[str, ...]:
    """Say how much the heaviest items count; or, without weights, which columns look like some and are not used."""
    if WEIGHT in table.column_names:
        weights = mean_one(table.column(WEIGHT).to_numpy())
        if weights is None:
            return ()
        heavy = np.sort(weights)[::-1][: max(1, round(_HEAVY * weights.size))].sum() / weights.size
        return (f"Items count by their weights: the heaviest {per_cent(_HEAVY)} have {per_cent(heavy)} of all weight.",)
    named = [shown(one.name) for one in table.schema if one.name not in (*COLUMNS, TARGETS) and _may_be(table, one)]
    if not named:
        return ()
    looks = "looks like a weight and is" if len(named) == 1 else "look like weights and are"
    return (f"{listed(named)} {looks} not used: every item counts the same. Weights of items are given on page Pool.",)


def _may_be(table: pa.Table | StoredTable, column: pa.Field) -> bool:
    """Whether a column is called like a weight and has numbers, at least 0, that differ."""
    if not {word.lower() for word in _WORDS.findall(column.name)} & _LIKE or pa.types.is_nested(column.type):
        return False
    values = _numbers(table.column(column.name).to_pandas())
    return bool(np.isfinite(values).all() and values.min() >= 0 and values.min() < values.max())
