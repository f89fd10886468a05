"""Files of any other shape: which column or JSON path holds the id, the prompt, the samples … of an item.

A path names keys from the outside in, ``doc.question``; ``choices[0].text`` is the first element, and
``choices[].message.content`` a list with one value of each. A column whose own name has dots is named as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import PoolError, Problem
from core.pool.columns import COLUMNS, TARGET_FIELDS, TARGETS
from core.pool.pool import Pool
from core.pool.problems import Problems, shown
from core.pool.records import Records
from core.pool.strict_json import BadJson, StrictDecoder
from core.readers._answers import kind_of
from core.readers._beginning import OBJECT, PARQUET, TABLE, Beginning
from core.readers._json import MAX_ARRAY, MAX_ARRAY_VALUES, decoded, lines
from core.readers._source import Source
from core.readers.csv_table import of_table

RIGHT = "right"
_STEP = re.compile(r"([^.\[\]]+)|\[(\d*)\]")
_LOOKED_AT = 200
_BATCH = 1_024
_DEEPEST = 6
_LISTS = frozenset({"choices", "generations", "generation_answers", "logprobs", "token_logprobs", "image"})
_YES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "right": 1.0, "pass": 1.0, "c": 1.0}
_NO = {"false": 0.0, "no": 0.0, "incorrect": 0.0, "wrong": 0.0, "fail": 0.0, "i": 0.0}
# Names that fields have elsewhere, the likeliest first.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "item_id", "question_id", "example_id", "sample_id", "instance_id", "doc_id", "uuid", "key", "index"),
    "prompt": ("prompt", "question", "input", "query", "instruction", "problem", "user_input", "text"),
    "answer": (
        "answer",
        "expected",
        "expected_output",
        "gold",
        "ground_truth",
        "reference",
        "label",
        "target",
        "ideal",
    ),
    "choices": ("choices", "options", "endings"),
    "group": ("group", "category", "subject", "topic", "domain", "task"),
    "generations": ("generations", "samples", "outputs", "responses", "completions", "predictions", "answers"),
}
_OUTPUTS = ("output", "response", "prediction", "completion", "model_output", "generation", "actual_output")
_SCORES = ("correct", "is_correct", "right", "passed", "pass", "success", "score", "accuracy", "exact_match")
_LAST = re.compile(r"[^.\[\]]+(?=[\[\].\d]*$)")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Where the fields of items are in another file.

    Parameters
    ----------
    fields : mapping of str to str
        Path of each native field (``core.pool.columns.COLUMNS``); ``generations`` may be several paths, with commas.
    targets : mapping of str to mapping
        For each model the paths of its ``text``, ``answer``, ``loss``, or of ``right`` (1, true or “correct”).
    columns : tuple of str
        Paths that are kept as columns of their own, such as a judge's score.
    """

    fields: Mapping[str, str]
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`core.errors.PoolError` for a field that there is not."""
        names = [*self.fields, *(name for one in self.targets.values() for name in one)]
        known = {*COLUMNS, *TARGET_FIELDS, RIGHT}
        unknown = [name for name in names if name not in known]
        if unknown:
            remedy = f"Use some of {', '.join(COLUMNS)}."
            raise PoolError([Problem(f"there is no field {shown(name)}.", remedy=remedy) for name in unknown])

    def paths(self) -> list[str]:
        """List every path."""
        of_targets = [path for one in self.targets.values() for path in one.values()]
        return [*(part for name in self.fields for part in self._parts(name)), *of_targets, *self.columns]

    def _parts(self, name: str) -> list[str]:
        path = self.fields[name]
        return [part.strip() for part in path.split(",")] if name == "generations" else [path]

    def record(self, source: Mapping[str, Any], row: int) -> dict[str, Any]:
        """Make the native record of one of the file's; without a path of the id, the row is the id."""
        record: dict[str, Any] = {"id": row}
        for name in self.fields:
            values = [at(source, path) for path in self._parts(name)]
            if name in _LISTS:
                parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
                record[name] = [part for part in parts if part is not None] or None
            else:
                record[name] = values[0]
        targets = {model: _outcome(source, paths) for model, paths in self.targets.items()}
        if targets:
            record[TARGETS] = targets
        return record | {path: at(source, path) for path in self.columns}


def at(source: Any, path: str) -> Any:
    """Look up a path; None where it leads nowhere."""
    if isinstance(source, Mapping) and path in source:
        return source[path]
    return _follow(source, [(key, index) for key, index in _STEP.findall(path)])


def _follow(value: Any, steps: list[tuple[str, str]]) -> Any:
    for place, (key, index) in enumerate(steps):
        if key:
            value = value.get(key) if isinstance(value, Mapping) else None
        elif not isinstance(value, list):
            return None
        elif index:
            value = value[int(index)] if int(index) < len(value) else None
        else:
            return [_follow(one, steps[place + 1 :]) for one in value]
    return value


def _outcome(source: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    outcome = {name: at(source, path) for name, path in paths.items() if name != RIGHT}
    if RIGHT in paths:
        right = _share(at(source, paths[RIGHT]))
        outcome["loss"] = None if right is None else 1 - right
    return outcome


def _share(value: Any) -> float | None:
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _YES or word in _NO:
            return _YES.get(word, 0.0)
        try:
            value = float(word)
        except ValueError:
            return None
    return float(value) if isinstance(value, (bool, int, float)) and 0 <= value <= 1 else None


def read_mapped(path_or_bytes: str | Path | bytes, fields: FieldMap, name: str | None = None) -> Pool:
    """Read a pool from a file of another shape.

    Parameters
    ----------
    path_or_bytes : str, Path or bytes
        JSON Lines, a JSON array or an object with one, CSV, TSV or Parquet.
    fields : FieldMap
        Where its fields are.
    name : str, optional
        What the pool is called.

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
    for row, value in rows_of(source, problems):
        unseen -= {path for path in unseen if at(value, path) is not None}
        record = fields.record(value, row)
        if "answer_kind" not in record and record.get("answer") is not None:
            choices = record.get("choices")
            record["answer_kind"] = kind_of(str(record["answer"]), choices if isinstance(choices, list) else None)
        records.add(row, record)
    for path in sorted(unseen):
        problems.add(f"no row has {shown(path)}.", remedy="Name a column, or a path such as doc.question.")
    return Pool.from_loose(records.loose(), problems, source.name)


def guess(path_or_bytes: str | Path | bytes, name: str | None = None) -> tuple[FieldMap, list[dict[str, Any]]]:
    """Guess where the fields are, and return the first rows.

    Parameters
    ----------
    path_or_bytes : str, Path or bytes
        As for :func:`read_mapped`.
    name : str, optional
        Name of the file, which a single output's model is called by.

    Returns
    -------
    tuple of FieldMap and list of dict
        At most 200 rows.

    Raises
    ------
    PoolError
        The file has no rows, or is damaged.
    """
    source = Source.of(path_or_bytes, name)
    problems = Problems()
    rows = [value for _, value in islice(rows_of(source, problems), _LOOKED_AT)]
    problems.stop()
    if not rows:
        raise PoolError([Problem("the file has no rows.", remedy="Choose one with an item a row.")])
    leaves = dict.fromkeys(path for row in rows for path in _leaves(row))
    fields: dict[str, str] = {}
    for native, names in _NAMES.items():
        fitting = (path for wanted in names for path in leaves if _last(path) == wanted and path not in fields.values())
        path = next((path for path in fitting if _fits(native, [at(row, path) for row in rows])), None)
        if path is not None:
            fields[native] = path
    numbered = [path for path in leaves if re.fullmatch(r"(output|response|generation|sample|completion)_?\d+", path)]
    if "generations" not in fields and len(numbered) > 1:
        fields["generations"] = ",".join(numbered)
    free = [path for path in leaves if path not in fields.values() and path not in numbered]
    target = {
        native: path
        for native, names in (("text", _OUTPUTS), (RIGHT, _SCORES))
        if (path := next((path for one in names for path in free if _last(path) == one), None)) is not None
    }
    return FieldMap(fields, {source.name: target} if target else {}), rows


def _fits(native: str, values: list[Any]) -> bool:
    known = [value for value in values if value is not None]
    if native == "id":
        keys = [str(value) for value in known if isinstance(value, (str, int)) and not isinstance(value, bool)]
        return len(keys) == len(values) == len(set(keys))
    if native in ("generations", "choices"):
        return bool(known) and all(isinstance(value, list) for value in known)
    return bool(known) and not any(isinstance(value, (list, dict)) for value in known)


def _leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[str]:
    """List the paths of texts, numbers and lists of them."""
    if isinstance(value, dict) and depth < _DEEPEST:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list) and value and isinstance(value[0], dict) and depth < _DEEPEST:
        yield from _leaves(value[0], f"{path}[]", depth + 1)
    elif path:
        yield path


def _last(path: str) -> str:
    match = _LAST.search(path)
    return match[0].lower() if match else path.lower()


def rows_of(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the rows of a table, of Parquet or of JSON one by one: place from 1, values without empty cells."""
    beginning = Beginning.of(source)
    if beginning.container == TABLE:
        rows = of_table(source, problems)
        header = [cell.strip() for cell in next(rows)[1]]
        for row, cells in rows:
            yield row, {key: cell for key, cell in zip(header, cells, strict=False) if cell != ""}
    elif beginning.container == PARQUET:
        yield from enumerate(_of_parquet(source), start=1)
    else:
        yield from _checked(_of_json(source, beginning, problems), problems)


def _checked(values: Iterable[tuple[int, Any]], problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    for row, value in values:
        if isinstance(value, dict):
            yield row, value
        else:
            problems.add("the row is no JSON object.", row, remedy="Write one object a row.")


def _of_json(source: Source, beginning: Beginning, problems: Problems) -> Iterator[tuple[int, Any]]:
    decoder = StrictDecoder(lenient=True)
    with source.opened() as file:
        first = file.readline(MAX_ARRAY)
    try:
        if beginning.container == OBJECT and isinstance(decoder.decode(decoded(first)), dict):
            alone = source.content(MAX_ARRAY).strip() == first.strip()
            if not alone or _longest_list(decoder.decode(decoded(first))) is None:
                yield from ((row, value) for row, _, value in lines(source, problems, decoder))
                return
    except BadJson:
        pass
    try:
        value = decoder.decode(decoded(source.content(MAX_ARRAY)), MAX_ARRAY_VALUES)
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy)
        return
    rows = value if isinstance(value, list) else _longest_list(value)
    yield from enumerate(rows if rows is not None else [value], start=1)


def _longest_list(value: Any, depth: int = 0) -> list[Any] | None:
    """Return the longest list of objects in an object, which holds its rows."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    lists = [one for one in value.values() if isinstance(one, list) and one and isinstance(one[0], dict)]
    deeper = [_longest_list(one, depth + 1) for one in value.values()]
    return max([*lists, *(one for one in deeper if one)], key=len, default=None)


def _of_parquet(source: Source) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(pa.BufferReader(source.data) if source.path is None else str(source.path)) as file:
            for batch in file.iter_batches(_BATCH):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"the Parquet file is damaged ({shown(str(error), 80)})."
        raise PoolError([Problem(message, remedy="Write or download it again.")]) from None
