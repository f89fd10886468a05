"""Records (one dict per item, the native keys) → loose columns of Arrow, batch by batch.

A list is first tried as it is, at the speed of Arrow. Only if something unusual is in it (a number if a text
belongs, half a surrogate pair, a wrong type) it is walked value by value, which repairs what may be repaired and names
the rows of the rest.
"""

from __future__ import annotations

import json
import shlex
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..words import counted, listed
from .columns import ANSWER_LISTS, COLUMNS, NUMBER, NUMBERS, TARGET_FIELDS, TARGETS, TEXT, TEXTS, WEIGHT, Loose
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
        # A table has texts alone.
        return _number(float(value) if name == WEIGHT and isinstance(value, str) and value.strip() else value)
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


BATCH = 20_000
_BATCH_SIZE = 16 * 1024**2  # characters: a record may be long
MAX_ITEMS = 10_000_000
MAX_NAMES = 500  # of targets, and of extra keys: each is a column over all items
_NAMED = 6
MOST_COLUMNS = 4 * MAX_NAMES  # of a file
_EXAMPLE = 'Write for instance {"gpt-4": {"answer": "B", "loss": 0}}.'


class Records:
    """Collects records; ``loose`` hands over the columns.

    Parameters
    ----------
    problems : Problems
        Where problems are added.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._rows = array("q")
        self._batch: list[dict[str, Any]] = []
        self._size = 0
        self._sizes: list[int] = []
        self._columns: dict[str, dict[int, pa.Array]] = {}
        self._targets: dict[tuple[str, str], dict[int, pa.Array]] = {}
        self._extras: dict[str, dict[int, pa.Array]] = {}
        self._models: dict[str, bool] = {}
        self._is_full = False
        # Keys of targets that are none of theirs: how many records have one, and the first.
        self._unread: dict[str, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, record: dict[str, Any], size: int = 0) -> None:
        """Take one record; ``row`` is its 1-based place in the file, ``size`` the number of its characters there."""
        self._problems.tally.take(row)
        self._rows.append(row)
        self._batch.append(record)
        self._size += size
        if len(self._rows) > MAX_ITEMS:
            self._problems.add(f"there are more than {MAX_ITEMS:,} items.", row, remedy="Split the file.")
            self._problems.stop()
        if len(self._batch) == BATCH or self._size > _BATCH_SIZE:
            self._flush()

    def loose(self) -> Loose:
        """Return all records as columns of the native types, not yet checked against each other."""
        if self._batch:
            self._flush()
        self._problems.note(unread_keys(self._unread, list(self._targets), list(self._extras)))
        return Loose(
            columns={name: self._joined(chunks, COLUMNS[name]) for name, chunks in self._columns.items()},
            targets={path: self._joined(chunks, TARGET_FIELDS[path[1]]) for path, chunks in self._targets.items()},
            extras={name: united(chunks, self._sizes) for name, chunks in self._extras.items()},
            rows=self._rows,
        )

    def _joined(self, chunks: dict[int, pa.Array], kind: pa.DataType) -> pa.ChunkedArray:
        parts = [
            chunks[number] if number in chunks else pa.nulls(size, kind) for number, size in enumerate(self._sizes)
        ]
        return pa.chunked_array(parts, kind)

    def _flush(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        rows = self._rows[len(self._rows) - len(batch) :]
        number = len(self._sizes)
        self._sizes.append(len(batch))
        # A dict keeps the order in which the keys appear; a set would not.
        names = dict.fromkeys(name for keys in dict.fromkeys(map(tuple, batch)) for name in keys)
        for name in names:
            if name not in COLUMNS and name != TARGETS and not self._room_for(name):
                continue
            values = [record.get(name) for record in batch]
            if name in COLUMNS:
                chunk = native(name, values, COLUMNS[name], rows, self._problems)
                self._columns.setdefault(name, {})[number] = chunk
            elif name == TARGETS:
                for path, chunk in self._outcomes(values, rows).items():
                    self._targets.setdefault(path, {})[number] = chunk
            else:
                self._extras.setdefault(name, {})[number] = extra(name, values, rows, self._problems)

    def _room_for(self, name: str) -> bool:
        if name in self._extras:
            return True
        if len(self._extras) == MAX_NAMES or not _is_unicode(name):
            remedy = "Use the same keys in all rows."
            self._problems.add(f"the key {shown(name)} is one too many, or not valid Unicode.", None, name, remedy)
            return False
        return True

    def _outcomes(self, values: list[Any], rows: Sequence[int]) -> dict[tuple[str, str], pa.Array]:
        leaves: dict[tuple[str, str], list[Any]] = {}
        for position, outcomes in enumerate(values):
            if outcomes is None:
                continue
            if type(outcomes) is not dict:
                self._problems.add("targets is not an object.", rows[position], TARGETS, _EXAMPLE)
                continue
            for model, outcome in outcomes.items():
                if self._is_model(model) and type(outcome) is dict:
                    self._outcome(leaves, model, outcome, position, len(values), rows[position])
                elif type(outcome) is dict and model not in self._models:
                    self._too_many(model, rows[position])
                elif outcome is not None:
                    message = f"the outcome of {shown(model)} is not an object, or its name is not usable."
                    self._problems.add(message, rows[position], TARGETS, _EXAMPLE)
        return {
            (model, name): native(name, column, TARGET_FIELDS[name], rows, self._problems, f"targets.{model}.{name}")
            for (model, name), column in leaves.items()
        }

    def _too_many(self, model: str, row: int) -> None:
        """Refuse targets beyond the most that a pool has, once."""
        if not self._is_full:
            message = f"there are more than {MAX_NAMES:,} targets; {shown(model)} is the first beyond."
            self._problems.add(message, row, TARGETS, f"Keep up to {MAX_NAMES:,} targets in each file.")
        self._is_full = True

    def _is_model(self, name: str) -> bool:
        if name not in self._models:
            if len(self._models) == MAX_NAMES:
                return False
            self._models[name] = bool(name.strip()) and _is_unicode(name)
        return self._models[name]

    def _outcome(
        self,
        leaves: dict[tuple[str, str], list[Any]],
        model: str,
        outcome: dict[str, Any],
        position: int,
        size: int,
        row: int,
    ) -> None:
        for name, value in outcome.items():
            if value is None:
                continue
            if name not in TARGET_FIELDS:
                path = f"{TARGETS}.{model}.{name}"
                count, first = self._unread.get(path, (0, row))
                self._unread[path] = count + 1, first
            else:
                column = leaves.get((model, name))
                if column is None:
                    column = leaves[model, name] = [None] * size
                column[position] = value


def unread_keys(
    counts: Mapping[str, tuple[int, int]], known: Sequence[tuple[str, str]] = (), extras: Sequence[str] = ()
) -> str:
    """Name the keys of targets that a pool does not read, and the command that reads the first; "" for none.

    Parameters
    ----------
    counts : mapping of str to tuple of int
        For each path how many records have it, and the row of the first.
    known : sequence of (str, str)
        Targets and their fields that are read, which the command keeps.
    extras : sequence of str
        Columns that are kept, as the command does.
    """
    if not counts:
        return ""
    named = [f"{shown(path)} ({counted(count, 'item')}, from row {row} on)" for path, (count, row) in counts.items()]
    more = [f"{len(named) - _NAMED:,} more"] * (len(named) > _NAMED)
    first = next(iter(counts))
    model = first.removeprefix(f"{TARGETS}.").rpartition(".")[0]
    kept = [(name, field) for name, field in known if field != "unscored" and (name, field) != (model, "loss")]
    options = [f"--target {name}:{field}={TARGETS}.{name}.{field}" for name, field in kept]
    options += [f"--target {model}:right={first}", *(f"--column {name}" for name in extras)]
    command = " ".join(shlex.join(option.split(" ", 1)) for option in options)
    return (
        f"{listed([*named[:_NAMED], *more])} {'is' if len(named) == 1 else 'are'} not read: a target has "
        f"{listed(list(TARGET_FIELDS))}. A score is its “loss”: 0 for right, 1 for wrong. Or say what 1 means there: "
        f"“Change the fields” on page Pool, or neyman pool map FILE {command}"
    )


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
