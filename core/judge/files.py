"""Reading a file of outputs with a judge's verdicts, of whatever tool or table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..pool.pool import Pool
from ..readers import FieldMap, Shape, read_mapped, read_or_shape
from ..readers.field_names import is_reason


def read_with_judge(path: str | Path, judge: str, *others: str, name: str | None = None) -> Pool:
    """Read a pool that keeps a judge's verdicts, its reasons, and the risk.

    Parameters
    ----------
    path : path
        A pool, a log of an evaluation tool, or a table with a column of this name.
    judge : str
        The column or target with the verdicts.
    *others : str
        Columns of other judges.
    name : str, optional
        What the pool is called; by default the file's name without its endings.

    Raises
    ------
    PoolError
        The file cannot be read.
    """
    read = read_or_shape(path, name)
    if isinstance(read, Pool):
        return read
    return read_mapped(path, with_judge(read, judge, *others), name)


def with_judge(shape: Shape, judge: str, *others: str) -> FieldMap:
    """Return the guess at a table's fields, with the judges' columns, their reasons and the risk kept as they are."""
    paths, guess = [place.path for place in shape.places], shape.guess
    own = tuple(one for one in (judge, *others) if one in paths)
    if judge not in paths:
        return guess
    fields = {field: path for field, path in guess.fields.items() if not {*own} & {field, *guess.parts(field)}}
    targets = {
        model: rest
        for model, one in guess.targets.items()
        if (rest := {field: path for field, path in one.items() if path not in own})
    }
    taken = {
        part for field in fields for part in ((fields[field],) if isinstance(fields[field], str) else fields[field])
    }
    kept = [path for path in paths if path not in own and path not in taken and (is_reason(path) or path == "risk")]
    rest_of = tuple(path for path in guess.judges if path not in (*own, *kept))
    return replace(guess, fields=fields, targets=targets, columns=(*own, *kept), judges=rest_of)
