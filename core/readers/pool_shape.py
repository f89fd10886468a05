"""A pool as a table whose fields may be chosen again, as those of any other file."""

from __future__ import annotations

import io
import math

import pyarrow as pa
import pyarrow.parquet as pq

from ..pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, leaf
from ..pool.pool import Pool
from .field_map import TEXT, WRONG, FieldMap, Paths
from .shape import Shape

_LOSS, _UNSCORED = "loss", "unscored"


def table_of(pool: Pool) -> bytes:
    """Write a pool as Parquet with one column for each field of a target, such as ``gpt-4:text``.

    Losses between 0 and 1 stand in ``gpt-4:loss``, empty if nobody scored the output.
    """
    table = pool.table
    names = [name for name in table.column_names if name != TARGETS]
    columns = {name: table.column(name) for name in names}
    for model in pool.targets:
        for field in TARGET_FIELDS:
            values = leaf(table, model, field)
            if values is not None and field not in (_LOSS, _UNSCORED):
                columns[_column(model, field)] = values
        if leaf(table, model, _LOSS) is not None or leaf(table, model, _UNSCORED) is not None:
            losses = [None if math.isnan(one) else one for one in pool.losses(model).tolist()]
            columns[_column(model, _LOSS)] = pa.array(losses, pa.float64())
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, compression="zstd")
    return stream.getvalue()


def shape_of(content: bytes, pool: Pool) -> Shape:
    """Return the shape of such a table, with the fields as the pool has them in place of a guess.

    Parameters
    ----------
    content : bytes
        What `table_of` wrote.
    pool : Pool
        The pool.
    """
    shape = Shape.of(content, pool.name)
    names = set(pool.source.column_names)
    fields: dict[str, Paths] = {name: name for name in COLUMNS if name in names}
    targets: dict[str, dict[str, str]] = {}
    for model in pool.targets:
        known = {field: _column(model, field) for field in TARGET_FIELDS if leaf(pool.source, model, field) is not None}
        is_scored = known.pop(_LOSS, None) or known.pop(_UNSCORED, None)
        known.pop(_UNSCORED, None)
        if TEXT not in known and "answer" in known:
            known[TEXT] = known.pop("answer")
        if is_scored:
            losses = pool.losses(model)
            is_share = not bool(((losses < 0) | (losses > 1)).any())
            known[WRONG if is_share else _LOSS] = _column(model, _LOSS)
        targets[model] = known
    others = tuple(name for name in pool.source.column_names if name not in fields and name != TARGETS)
    return Shape(shape.places, FieldMap(fields, targets, others), pool.name, (), shape.scores, shape.names)


def _column(model: str, field: str) -> str:
    return f"{model}:{field}"
