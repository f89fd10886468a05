"""Lists of Python values → Arrow arrays of a native column, or of an extra one.

A list is first tried as it is, at the speed of Arrow. Only if something unusual is in it (a number if a text
belongs, half a surrogate pair, a wrong type) it is walked value by value, which repairs what may be repaired and names
the rows of the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import ANSWER_LISTS, NUMBER, NUMBERS, TEXT, TEXTS
from .problems import Problems, shown

_NOT_FAST = (pa.ArrowException, TypeError, ValueError, OverflowError)
_EXACT_INTEGER = 2**53
_PLAIN: dict[frozenset[type], pa.DataType] = {
    frozenset({bool}): pa.bool_(),
    frozenset({int}): pa.int64(),
    frozenset({float}): NUMBER,
    frozenset({int, float}): NUMBER,
    frozenset({str}): TEXT,
}


def native(
    name: str, values: list[Any], kind: pa.DataType, rows: Sequence[int], problems: Problems, label: str | None = None
) -> pa.Array:
    """Convert the values of a native column.

    Numbers among texts become their decimal strings, a lone half of a surrogate pair becomes U+FFFD (in an id it is a
    problem), NaN among texts is null. What cannot be converted is null in the result and a problem of its row.

    Parameters
    ----------
    name : str
        The column.
    values : list
        The values.
    kind : pyarrow.DataType
        A type of ``COLUMNS`` or ``TARGET_FIELDS``.
    rows : sequence of int
        Places of the values in the file, from 1.
    problems : Problems
        Where problems are added.
    label : str, optional
        Name of the column in problems.

    Returns
    -------
    pyarrow.Array
        Of the type ``kind``.
    """
    if name == "image":
        values = [[value] if type(value) is str else value for value in values]
    array = _fast(values, kind)
    if array is None:
        walked = [
            _checked(value, kind, name, row, label or name, problems) for row, value in zip(rows, values, strict=True)
        ]
        array = pa.array(walked, kind)
    return with_empty_texts(name, array, problems)


def extra(name: str, values: Sequence[Any], rows: Sequence[int], problems: Problems) -> pa.Array:
    """Convert the values of an extra column: to bool, int64, double or string if all are such, else to JSON texts.

    JSON texts are marked by the type large_string until :func:`united` brings the batches of a column together.
    """
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    values = [None if value != value else value for value in values]  # NaN stands for "missing"
    kinds = frozenset(map(type, values)) - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    array = _fast(values, _PLAIN[kinds]) if kinds in _PLAIN else None
    if array is not None and (array.type != NUMBER or pc.all(pc.is_finite(array)).as_py()):
        return array
    texts = []
    for row, value in zip(rows, values, strict=True):
        try:
            texts.append(_json(value))
        except (RecursionError, ValueError):
            problems.add("the value is nested too deeply.", row, name, "Flatten it or leave it out.")
            texts.append(None)
    return pa.array(texts, pa.large_string())


def united(chunks: dict[int, pa.Array], sizes: Sequence[int]) -> pa.ChunkedArray:
    """Join the batches of an extra column (``chunks``: batch number → array; absent = all null).

    Batches of whole and of decimal numbers become decimal ones; any other mixture becomes JSON texts.
    """
    kinds = {chunk.type for chunk in chunks.values()} - {pa.null()}
    if kinds == {pa.int64(), NUMBER} and all(_exact(chunk) for chunk in chunks.values()):
        kind = NUMBER
    else:
        kind = pa.large_string() if len(kinds) > 1 else next(iter(kinds), pa.null())
    parts = []
    for number, size in enumerate(sizes):
        chunk = chunks.get(number)
        if chunk is None or chunk.type == pa.null():
            chunk = pa.nulls(size, kind)
        elif chunk.type != kind:
            texts = kind == pa.large_string()
            chunk = pa.array([_json(value) for value in chunk.to_pylist()], kind) if texts else chunk.cast(kind)
        parts.append(chunk.cast(TEXT) if kind == pa.large_string() else chunk)
    return pa.chunked_array(parts)


def with_empty_texts(name: str, array: pa.Array, problems: Problems) -> pa.Array:
    """Replace nulls inside the lists of a column with empty texts, and note it.

    Left alone: lists of answers, where a null is "no answer".
    """
    if array.type != TEXTS or name in ANSWER_LISTS:
        return array
    texts = array.flatten()
    if not texts.null_count:
        return array
    problems.note(f"Some {name} are null; they are read as empty texts.")
    counts = pc.fill_null(pc.list_value_length(array), 0)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(counts)])
    return pa.ListArray.from_arrays(offsets, pc.fill_null(texts, ""), type=TEXTS, mask=array.is_null())


def _fast(values: Sequence[Any], kind: pa.DataType) -> pa.Array | None:
    # Arrow would take a text for a list of its characters.
    if pa.types.is_list(kind) and any(type(value) is str for value in values):
        return None
    try:
        return pa.array(values, kind)
    except _NOT_FAST:
        return None


def _checked(value: Any, kind: pa.DataType, name: str, row: int, label: str, problems: Problems) -> Any:
    try:
        return _converted(value, kind, name)
    except UnicodeEncodeError:
        problems.add(f"{shown(value, 30)} has half of a surrogate pair.", row, label, "Write it as valid Unicode.")
        return None
    except _NOT_FAST:
        expected, remedy = _EXPECTED[kind]
        problems.add(f"{shown(str(value), 30)} is not {expected}.", row, label, remedy)
        return None


def _converted(value: Any, kind: pa.DataType, name: str) -> Any:
    if value is None:
        return None
    if kind == TEXT:
        return _text(value, strict=name == "id")
    if kind == NUMBER:
        return _number(value)
    if pa.types.is_boolean(kind):
        return _truth(value)
    if not isinstance(value, (list, tuple)):
        raise TypeError
    element = _number if kind == NUMBERS else _text
    return [None if part is None else element(part) for part in value]


def _text(value: Any, strict: bool = False) -> str | None:
    if isinstance(value, str):
        # Two ids that differ in nothing else would become one.
        whole = "strict" if strict else "surrogatepass"
        return value.encode("utf-16-le", whole).decode("utf-16-le", "replace")
    if isinstance(value, bool) and not strict:
        return "true" if value else "false"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return None if value != value else str(value)
    raise TypeError


def _number(value: Any) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError


def _truth(value: Any) -> bool:
    """Read true or false, also as the words that a table has for them."""
    known = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(known, bool):
        raise TypeError
    return known


_TRUTHS = {"true": True, "false": False}
# What a value should be, and the remedy.
_EXPECTED = {
    TEXT: ("a text", 'Write it in quotes, for instance "B".'),
    TEXTS: ("a list of texts", 'Write a list such as ["A", "B", "A"].'),
    NUMBER: ("a number", "Write a number without quotes, or leave it out."),
    NUMBERS: ("a list of numbers", "Write a list of numbers such as [-1.2, -0.7]."),
    pa.bool_(): ("true or false", "Write true or false without quotes, or leave it out."),
}


def _exact(chunk: pa.Array) -> bool:
    largest = pc.max(pc.abs(chunk)).as_py() if chunk.type == pa.int64() else 0
    return largest is None or largest <= _EXACT_INTEGER


def _json(value: Any) -> str | None:
    """Canonical JSON text of a value; null stays null."""
    if value is None:
        return None
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
