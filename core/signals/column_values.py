"""Any numeric column of a pool as a signal: a judge's verdict, a reward, a length, an earlier grade."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import DesignError, PoolError, Problem
from ..pool.columns import COLUMNS, TARGETS
from ..pool.pool import Pool
from ..pool.problems import shown

_NATIVE = ("prompt", "choices", "answer", "group", "image", "answer_kind")


def numeric_columns(pool: Pool) -> tuple[str, ...]:
    """Names of the pool's extra columns that hold numbers, or true and false."""
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    extras = (field for field in pool.source.schema if field.name not in COLUMNS and field.name != TARGETS)
    return tuple(field.name for field in extras if any(is_one(field.type) for is_one in kinds))


def column_values(pool: Pool, column: str | None) -> NDArray[np.float64]:
    """Read a column as numbers, (N,) float; NaN if a cell is empty.

    Parameters
    ----------
    pool : Pool
        The pool.
    column : str or None
        One of its extra columns. True and false count as 1 and 0, texts such as "0.7" as the number.

    Raises
    ------
    DesignError
        No column is named, or its values are infinite somewhere or missing everywhere.
    PoolError
        The pool has no such column, or it holds something else than numbers; the first such row is named.
    """
    extras = [name for name in pool.item_columns if name not in _NATIVE]
    if column is None:
        raise DesignError("The signal “column” needs the name of a column. Give column=…")
    if column not in pool.item_columns:
        known = f"Its own columns are {', '.join(extras)}." if extras else "It has no columns beside the native ones."
        raise PoolError(f"This pool has no column “{column}”. {known}")
    cells: pd.Series = pool.source.column(column).to_pandas()
    present = cells.notna().to_numpy(dtype=bool)
    values = _numbers(cells)
    wrong = np.flatnonzero(present & np.isnan(values))
    if wrong.size:
        first = int(wrong[0])
        raise PoolError(
            [
                Problem(
                    f"{shown(str(cells.iloc[first]), 30)} is not a number, nor are {wrong.size - 1:,} other values.",
                    first + 1,
                    column,
                    "A signal needs numbers.",
                )
            ]
        )
    if not present.any():
        raise DesignError(f"The column “{column}” is empty. Choose one that has values.")
    if np.isinf(values).any():
        raise DesignError(f"The column “{column}” is infinite for {int(np.isinf(values).sum()):,} items. Use numbers.")
    return values


def _numbers(cells: pd.Series) -> NDArray[np.float64]:
    """Cells as numbers; NaN if one is empty or cannot be read as one."""
    if pd.api.types.is_numeric_dtype(cells):
        return cells.to_numpy(dtype=np.float64, na_value=np.nan)
    texts = cells.map(lambda cell: str(cell).strip().lower() if isinstance(cell, str | bool) else None)
    texts = texts.replace({"true": "1", "false": "0"})
    return np.array(pd.to_numeric(texts, errors="coerce"), dtype=np.float64)
