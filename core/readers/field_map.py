"""Files of any other shape: which column or JSON path holds the id, the prompt, the samples … of an item.

A path names keys from the outside in, ``doc.question``; ``choices[0].text`` is the first element, and
``choices[].message.content`` a list with one value of each. A column whose own name has dots is named as it is. A text
that is JSON, or what Python prints, may be entered like the value it stands for: ``inputs.question`` where a CSV cell
holds an object, and ``samples[]`` where it holds a list.

Rows with the same id are samples of one item.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import PoolError, Problem
from core.pool.columns import COLUMNS, TARGET_FIELDS, TARGETS
from core.pool.origin import Origin
from core.pool.pool import Pool
from core.pool.problems import Problems, shown
from core.pool.records import Records
from core.pool.strict_json import BadJson, StrictDecoder
from core.readers._answers import kind_of
from core.readers._rows import rows_of
from core.readers._source import Source
from core.readers.benchmarks.literals import listed
from core.words import counted

RIGHT = "right"
LOOKED_AT = 200
# Fields that several paths may make up, one value each.
SEVERAL = frozenset({"choices", "generations", "generation_answers", "image"})
_STEP = re.compile(r"([^.\[\]]+)|\[(\d*)\]")
_LISTS = SEVERAL | {"logprobs", "token_logprobs"}
# What must be the same in all rows of an item.
_OF_THE_ITEM = ("prompt", "choices", "answer")
_YES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "right": 1.0, "pass": 1.0, "passed": 1.0, "c": 1.0}
_NO = {"false": 0.0, "no": 0.0, "incorrect": 0.0, "wrong": 0.0, "fail": 0.0, "failed": 0.0, "i": 0.0}
_MAX_TEXT = 1024**2
_MAX_LITERAL = 64 * 1024

Paths = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Where the fields of items are in another file.

    Parameters
    ----------
    fields : mapping of str to str or tuple of str
        Path of each native field (``core.pool.columns.COLUMNS``); ``generations``, ``choices`` and other lists may have
        several.
    targets : mapping of str to mapping
        For each model the paths of its ``text``, ``answer``, ``loss``, or of ``right`` (1, true or “correct”; a share
        from 0 to 1). A model "" is named by each file (:meth:`named`).
    columns : tuple of str
        Paths that are kept as columns of their own, as they are.
    judges : tuple of str
        Paths of verdicts, scores or probabilities of other models, kept as columns of numbers.
    """

    fields: Mapping[str, Paths]
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`core.errors.PoolError` for a field that there is not."""
        names = [*self.fields, *(name for one in self.targets.values() for name in one)]
        known = {*COLUMNS, *TARGET_FIELDS, RIGHT}
        unknown = [name for name in names if name not in known]
        if unknown:
            remedy = f"Use some of {', '.join(COLUMNS)}."
            raise PoolError([Problem(f"there is no field {shown(name)}.", remedy=remedy) for name in unknown])

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> FieldMap:
        """Make the map that :meth:`as_json` wrote."""
        fields = {name: path if isinstance(path, str) else tuple(path) for name, path in value["fields"].items()}
        return cls(fields, value["targets"], tuple(value["columns"]), tuple(value["judges"]))

    def as_json(self) -> dict[str, Any]:
        """Write the map as what JSON can hold."""
        return {
            "fields": dict(self.fields),
            "targets": {model: dict(paths) for model, paths in self.targets.items()},
            "columns": self.columns,
            "judges": self.judges,
        }

    def named(self, model: str) -> FieldMap:
        """Return the map with this name in place of a model "", as a map that is kept for other files has."""
        return replace(self, targets={name or model: paths for name, paths in self.targets.items()})

    def unnamed(self, model: str) -> FieldMap:
        """Return the map with "" in place of this name, which is that of one file."""
        return replace(self, targets={"" if name == model else name: paths for name, paths in self.targets.items()})

    def paths(self) -> list[str]:
        """List every path."""
        of_targets = [path for one in self.targets.values() for path in one.values()]
        return [*(part for name in self.fields for part in self.parts(name)), *of_targets, *self.columns, *self.judges]

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the paths of a field, none where it has none."""
        path = self.fields.get(name, ())
        return (path,) if isinstance(path, str) else tuple(path)

    def origin(self) -> Origin:
        """Say which field of the file became what of the pool."""
        fields = {name: ", ".join(self.parts(name)) for name in self.fields}
        for model, paths in self.targets.items():
            fields |= {f"{model} · {name}": path for name, path in paths.items()}
        kept = {path: path for path in (*self.judges, *self.columns)}
        return Origin("", fields | kept)

    def record(self, source: Mapping[str, Any], row: int, problems: Problems) -> dict[str, Any]:
        """Make the native record of one of the file's; without a path of the id, the row is the id."""
        record: dict[str, Any] = {"id": row}
        for name in self.fields:
            values = [at(source, path) for path in self.parts(name)]
            if name in _LISTS:
                parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
                record[name] = [part for part in parts if part is not None] or None
            else:
                record[name] = _alone(values[0], name)
        targets = {model: _outcome(source, paths, row, problems) for model, paths in self.targets.items()}
        if targets:
            record[TARGETS] = targets
        judged = {path: _number(at(source, path), path, row, problems) for path in self.judges}
        return record | {path: at(source, path) for path in self.columns} | judged


def at(source: Any, path: str) -> Any:
    """Look up a path; None where it leads nowhere."""
    if isinstance(source, Mapping) and path in source:
        return source[path]
    steps = [(key, index) for key, index in _STEP.findall(path)]
    if isinstance(source, Mapping) and steps and steps[0][0] not in source:
        # A column with dots in its name, entered further.
        outer = next((key for key in source if path.startswith((f"{key}.", f"{key}["))), None)
        if outer is not None:
            return _follow(source[outer], _STEP.findall(path[len(outer) :]))
    return _follow(source, steps)


def entered(value: Any) -> Any:
    """Return the object or list that a text stands for, any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "[") and len(value) <= _MAX_TEXT:
        return _decoded(value)
    return value


@lru_cache(maxsize=64)
def _decoded(text: str) -> Any:
    try:
        return StrictDecoder(lenient=True).decode(text)
    except BadJson:
        pass
    if text.startswith("["):
        return listed(text)
    try:
        value = ast.literal_eval(text) if len(text) <= _MAX_LITERAL else text
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return text
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else text


def _follow(value: Any, steps: list[tuple[str, str]]) -> Any:
    for place, (key, index) in enumerate(steps):
        value = entered(value)
        if key:
            value = value.get(key) if isinstance(value, Mapping) else None
        elif not isinstance(value, list):
            return None
        elif index:
            value = value[int(index)] if int(index) < len(value) else None
        else:
            return [_follow(one, steps[place + 1 :]) for one in value]
    return value


def _alone(value: Any, name: str) -> Any:
    """Return the only one of a list; of a prompt's texts, such as the turns of a chat, all of them."""
    if isinstance(value, list) and name == "prompt" and value and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _outcome(source: Mapping[str, Any], paths: Mapping[str, str], row: int, problems: Problems) -> dict[str, Any]:
    outcome = {name: _alone(at(source, path), name) for name, path in paths.items() if name != RIGHT}
    if RIGHT in paths:
        right = _number(at(source, paths[RIGHT]), paths[RIGHT], row, problems)
        if right is not None and not 0 <= right <= 1:
            remedy = "A score of a target is 1 (right), 0 (wrong) or between; keep another number as a judge’s."
            problems.add(f"the score {right:g} is not between 0 and 1.", row, paths[RIGHT], remedy)
        outcome["loss"] = None if right is None else 1 - right
    return outcome


def number(value: Any) -> float | None:
    """Return the number that a value, or a word such as “correct”, stands for; None where it stands for none."""
    value = _alone(value, "")
    if isinstance(value, str):
        word = value.strip().lower()
        try:
            return _YES.get(word, _NO.get(word)) if word in _YES or word in _NO else float(word)
        except ValueError:
            return None
    return float(value) if isinstance(value, (bool, int, float)) else None


def _number(value: Any, path: str, row: int, problems: Problems) -> float | None:
    if value is None or value == []:
        return None
    known = number(value)
    if known is None:
        remedy = "Use numbers, true and false, or words such as “correct” and “wrong”."
        problems.add(f"{shown(str(value), 30)} is neither a number nor a verdict.", row, path, remedy)
    return None if known is None or known != known else known


def read_mapped(
    path_or_bytes: str | Path | bytes, fields: FieldMap, name: str | None = None, most: int | None = None
) -> Pool:
    """Read a pool from a file of another shape.

    Rows with the same id are samples of one item where the map has ``generations``: their samples stand in the order of
    the rows, a target's outcome is that of the first row that has one, and a judge's number is the mean.

    Parameters
    ----------
    path_or_bytes : str, Path or bytes
        JSON Lines, a JSON array or an object with one, CSV, TSV or Parquet.
    fields : FieldMap
        Where its fields are.
    name : str, optional
        What the pool is called.
    most : int, optional
        Read no more items than these, of the first 200 rows: a preview.

    Returns
    -------
    Pool

    Raises
    ------
    PoolError
        With every problem; a path that leads nowhere in any row is one.
    """
    source = Source.of(path_or_bytes, name)
    problems = Problems()
    records = Records(problems)
    unseen = set(fields.paths())
    rows = rows_of(source, problems)
    mapped = _seen(rows if most is None else islice(rows, LOOKED_AT), unseen)
    items = _mapped(mapped, fields, problems)
    for row, record in _merged(items, fields, problems) if "generations" in fields.fields else items:
        if "answer_kind" not in record and record.get("answer") is not None:
            choices = record.get("choices")
            record["answer_kind"] = kind_of(str(record["answer"]), choices if isinstance(choices, list) else None)
        records.add(row, record)
        if len(records) == most:
            break
    for path in sorted(unseen) if most is None else ():
        problems.add(f"no row has {shown(path)}.", remedy="Name a column, or a path such as doc.question.")
    return replace(Pool.from_loose(records.loose(), problems, source.name), origin=fields.origin())


def _seen(rows: Iterable[tuple[int, dict[str, Any]]], unseen: set[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for row, value in rows:
        unseen -= {path for path in unseen if at(value, path) is not None}
        yield row, value


def _mapped(
    rows: Iterable[tuple[int, dict[str, Any]]], fields: FieldMap, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    for row, value in rows:
        yield row, fields.record(value, row, problems)


def _merged(
    rows: Iterable[tuple[int, dict[str, Any]]], fields: FieldMap, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Put the rows of each item together."""
    items: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for row, record in rows:
        # An item without an id is a problem of its own.
        items.setdefault(str(record["id"] if record["id"] is not None else f"\0{row}"), []).append((row, record))
    several = sum(len(members) > 1 for members in items.values())
    if several:
        rows_of_items = counted(sum(map(len, items.values())), "row")
        problems.note(f"Rows with the same id are samples of one item: {rows_of_items}, {counted(len(items), 'item')}.")
    for members in items.values():
        row, first = members[0]
        for other, record in members[1:]:
            _add_sample(first, record, row, other, problems)
        for path in fields.judges:
            known = [record[path] for _, record in members if record[path] is not None]
            first[path] = sum(known) / len(known) if known else None
        yield row, first


def _add_sample(first: dict[str, Any], record: dict[str, Any], row: int, other: int, problems: Problems) -> None:
    for name in _OF_THE_ITEM:
        if record.get(name) is not None and first.get(name) is not None and record[name] != first[name]:
            remedy = "Name a field as the id that is different for each item."
            problems.add(f"the {name} is not that of row {row}, which has the same id.", other, name, remedy)
    for name in ("generations", "generation_answers", "logprobs", "token_logprobs"):
        if record.get(name) is not None:
            first[name] = [*(first.get(name) or ()), *record[name]]
    for model, outcome in record.get(TARGETS, {}).items():
        known = first[TARGETS][model]
        known.update({name: value for name, value in outcome.items() if known.get(name) is None})
