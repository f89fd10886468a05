"""Files of any other shape: which column or JSON path holds the id, the prompt, the samples … of an item.

Paths are those of `core.readers.paths`. Rows with the same id are samples of one item, or the outputs of several
models where a path names these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import PoolError, Problem
from ..pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, TEXT, Loose
from ..pool.origin import Origin
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.records import Records
from ..words import counted
from .answers import kind_of, text_of
from .item_outputs import ItemOutputs, Output
from .joining import MODEL
from .model_outputs import ModelOutputs
from .model_results import joined
from .paths import at
from .rows import rows_of
from .source import Source

RIGHT = "right"
LOOKED_AT = 200
# Fields that several paths may make up, one value each.
SEVERAL = frozenset({"choices", "generations", "generation_answers", "image"})
_LISTS = SEVERAL | {"logprobs", "token_logprobs"}
# What must be the same in all rows of an item.
_OF_THE_ITEM = ("prompt", "choices", "answer")
_YES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "right": 1.0, "pass": 1.0, "passed": 1.0, "c": 1.0}
_NO = {"false": 0.0, "no": 0.0, "incorrect": 0.0, "wrong": 0.0, "fail": 0.0, "failed": 0.0, "i": 0.0}
_DIGITS = 4

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
        Paths that are kept as separate columns, unchanged.
    judges : tuple of str
        Paths of verdicts, scores or probabilities of other models, kept as columns of numbers.
    model : str, default ""
        Path of the name of the model that a row is about, where rows are about several: each is then a model, with the
        outcome that ``targets`` has paths for, whatever it is called there.
    """

    fields: Mapping[str, Paths]
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    model: str = ""

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
        lists = tuple(value["columns"]), tuple(value["judges"])
        return cls(fields, value["targets"], *lists, value.get("model", ""))

    def as_json(self) -> dict[str, Any]:
        """Write the map as what JSON can hold."""
        return {
            "fields": dict(self.fields),
            "targets": {model: dict(paths) for model, paths in self.targets.items()},
            "columns": self.columns,
            "judges": self.judges,
            "model": self.model,
        }

    def named(self, model: str) -> FieldMap:
        """Return the map with this name in place of a model "", as a map that is kept for other files has."""
        return replace(self, targets={name or model: paths for name, paths in self.targets.items()})

    def unnamed(self, model: str) -> FieldMap:
        """Return the map with "" in place of this name, which is that of one file."""
        return replace(self, targets={"" if name == model else name: paths for name, paths in self.targets.items()})

    def within(self, paths: Collection[str]) -> FieldMap:
        """Return the map without what none of these paths is, as for a file of which optional fields are empty."""
        fields = {name: tuple(part for part in self.parts(name) if part in paths) for name in self.fields}
        targets = {
            model: {name: path for name, path in one.items() if path in paths} for model, one in self.targets.items()
        }
        columns, judges = (tuple(path for path in some if path in paths) for some in (self.columns, self.judges))
        return FieldMap(
            {name: parts if len(parts) > 1 else parts[0] for name, parts in fields.items() if parts},
            {model: one for model, one in targets.items() if one},
            columns,
            judges,
            self.model if self.model in paths else "",
        )

    def paths(self) -> list[str]:
        """List every path."""
        of_targets = [path for one in self.targets.values() for path in one.values()]
        of_fields = [part for name in self.fields for part in self.parts(name)]
        return [*of_fields, *of_targets, *self.columns, *self.judges, *filter(None, [self.model])]

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the paths of a field, none if it has none."""
        path = self.fields.get(name, ())
        return (path,) if isinstance(path, str) else tuple(path)

    def origin(self) -> Origin:
        """Say which field of the file became what of the pool."""
        fields = {name: ", ".join(self.parts(name)) for name in self.fields}
        for model, paths in self.targets.items():
            fields |= {f"{model} · {name}": path for name, path in paths.items()}
        fields |= {"model": self.model} if self.model else {}
        columns = {path: path for path in (*self.judges, *self.columns)}
        return Origin("", fields | columns)

    def record(self, source: Mapping[str, Any], row: int, problems: Problems) -> dict[str, Any]:
        """Make the native record of one of the file's; without a path of the id, the row is the id."""
        record: dict[str, Any] = {"id": row}
        for name in self.fields:
            values = [at(source, path) for path in self.parts(name)]
            if name in _LISTS:
                parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
                record[name] = [part for part in parts if part is not None] or None
            else:
                value = _alone(values[0], name)
                # pandas writes whole numbers as decimal ones where a column has gaps.
                is_whole = name == "id" and isinstance(value, float) and value.is_integer()
                record[name] = int(value) if is_whole else value
        targets = {model: _outcome(source, paths, row, problems) for model, paths in self.targets.items()}
        if targets:
            record[TARGETS] = targets
        judged = {path: _number(at(source, path), path, row, problems) for path in self.judges}
        return record | {path: at(source, path) for path in self.columns} | judged


def _alone(value: Any, name: str) -> Any:
    """Return the only one of a list; of the texts of a prompt or an id, such as the turns of a chat, all of them."""
    if isinstance(value, list) and name in ("prompt", "id") and value and all(isinstance(part, str) for part in value):
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
    """Return the number that a value, or a word such as “correct”, stands for, of a list the mean; None for none."""
    value = _alone(value, "")
    if isinstance(value, list):
        numbers = [number(one) for one in value if one is not None]
        known = [one for one in numbers if one is not None]
        return sum(known) / len(known) if known and len(known) == len(numbers) else None
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
    the rows, a target's outcome is that of the first row that has one, and a judge's number is the mean. Of several
    models (``fields.model``) the roles are those that `ModelResults.default_split` proposes.

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
    if fields.model:
        results = joined([mapped_outputs(path_or_bytes, fields, name, most)])
        split = results.default_split()
        pool = results.pool(split.committee, split.targets, source.name)
        roles = f"Instead of a surrogate: {', '.join(split.committee) or 'none'}. Targets: {', '.join(split.targets)}."
        return replace(pool, notes=(*pool.notes, roles), origin=fields.origin())
    problems = Problems()
    records = Records(problems)
    items = _items(source, fields, problems, most)
    for row, record in _merged(items, fields, problems) if "generations" in fields.fields else items:
        records.add(row, _with_kind(record))
        if len(records) == most:
            break
    loose = _with_letters(records.loose(), fields, problems)
    if "id" not in fields.fields and most is None:
        problems.note("No field is named as the id, so items are called by the numbers of their rows.")
    return Pool.from_loose(loose, problems, source.name, fields.origin())


def mapped_outputs(
    path_or_bytes: str | Path | bytes, fields: FieldMap, name: str | None = None, most: int | None = None
) -> ModelOutputs:
    """Read the outputs of the models that the rows of a file name; parameters and errors as for `read_mapped`."""
    source = Source.of(path_or_bytes, name)
    problems = Problems()
    outputs, judged, first = (
        ItemOutputs(problems.tally),
        dict[str, list[dict[str, Any]]](),
        dict[str, tuple[int, dict[str, Any]]](),
    )
    by_prompt = "id" not in fields.fields
    for row, record in _items(source, fields, problems, most):
        model = _text(record.pop(MODEL))
        item = _text(record["prompt" if by_prompt and "prompt" in record else "id"])
        if model is None or item is None:
            problems.add(f"the row names no {'item' if item is None else 'model'}.", row, remedy="Fill the cell.")
            continue
        if item not in first and len(first) == most:
            break
        _check_item(first.setdefault(item, (row, record)), record, row, problems)
        judged.setdefault(item, []).append({path: record.pop(path, None) for path in fields.judges})
        samples = _outputs_of(record)
        outputs.add(row, _with_kind({**record, "id": item, MODEL: model}), None)
        for sample in samples:
            outputs.add(row, {"id": item, MODEL: model}, sample)
    means = {item: _means(numbers, fields.judges) for item, numbers in judged.items()}
    read = ModelOutputs.of(
        ((row, record | means[record["id"]], size) for row, record, size in outputs.records()), problems
    )
    table = read.table
    if "answer_kind" not in fields.fields and {"answer", "choices"} <= set(table.column_names):
        texts = [pc.list_flatten(table.column("generations").slice(0, LOOKED_AT))]
        for name, column in _lettered(table.column("answer"), table.column("choices"), texts, problems).items():
            table = table.set_column(table.column_names.index(name), name, column)
    return replace(read, table=table, notes=tuple(problems.notes)).accounted(problems.tally, fields.origin())


def _items(
    source: Source, fields: FieldMap, problems: Problems, most: int | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Make the native record of each row; at the end, a path that led nowhere is a problem."""
    unseen = set(fields.paths())
    rows = rows_of(source, problems)
    for row, value in rows if most is None else islice(rows, LOOKED_AT):
        unseen -= {path for path in unseen if at(value, path) is not None}
        record = fields.record(value, row, problems)
        yield row, record | {MODEL: at(value, fields.model)} if fields.model else record
    for path in sorted(unseen) if most is None else ():
        problems.add(f"no row has {shown(path)}.", remedy="Name a column, or a path such as doc.question.")


def _with_kind(record: dict[str, Any]) -> dict[str, Any]:
    if "answer_kind" in record or record.get("answer") is None:
        return record
    choices = record.get("choices")
    return record | {"answer_kind": kind_of(str(record["answer"]), choices if isinstance(choices, list) else None)}


def _outputs_of(record: dict[str, Any]) -> list[Output]:
    """Take the outputs of a row out of its record: its samples, or else the one of which the outcome is known."""
    outcomes: dict[str, dict[str, Any]] = record.pop(TARGETS, {})
    outcome = next(iter(outcomes.values()), {})
    samples, answers = record.pop("generations", None), record.pop("generation_answers", None)
    text, answer, loss = (outcome.get(name) for name in ("text", "answer", "loss"))
    if samples:
        read = map(_text, answers) if len(answers or ()) == len(samples) else [None] * len(samples)
        return [Output(_text(one) or "", of_it, loss) for one, of_it in zip(samples, read, strict=True)]
    if text is None and answer is None and loss is None:
        return []
    return [Output(_text(text) or _text(answer) or "", _text(answer), loss)]


def _text(value: Any) -> str | None:
    return text_of(value) if not isinstance(value, str) or value.strip() else None


def _means(numbers: Sequence[Mapping[str, float | None]], paths: Iterable[str]) -> dict[str, float | None]:
    """Average what each judge says of an item."""
    known = {path: [one[path] for one in numbers if one[path] is not None] for path in paths}
    return {path: sum(filter(None, values)) / len(values) if values else None for path, values in known.items()}


def _merged(
    rows: Iterable[tuple[int, dict[str, Any]]], fields: FieldMap, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Put the rows of each item together."""
    items: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for row, record in rows:
        # An item without an id is reported separately.
        items.setdefault(str(record["id"] if record["id"] is not None else f"\0{row}"), []).append((row, record))
    several = sum(len(members) > 1 for members in items.values())
    if several:
        rows_of_items = counted(sum(map(len, items.values())), "row")
        problems.note(f"Rows with the same id are samples of one item: {rows_of_items}, {counted(len(items), 'item')}.")
    for members in items.values():
        row, first = members[0]
        for other, record in members[1:]:
            problems.tally.take(other)
            _add_sample(first, record, row, other, problems)
        yield row, first | _means([record for _, record in members], fields.judges)


def _add_sample(first: dict[str, Any], record: dict[str, Any], row: int, other: int, problems: Problems) -> None:
    _check_item((row, first), record, other, problems)
    for name in ("generations", "generation_answers", "logprobs", "token_logprobs"):
        if record.get(name) is not None:
            first[name] = [*(first.get(name) or ()), *record[name]]
    for model, outcome in record.get(TARGETS, {}).items():
        known = first[TARGETS][model]
        known.update({name: value for name, value in outcome.items() if known.get(name) is None})


def _check_item(first: tuple[int, dict[str, Any]], record: dict[str, Any], row: int, problems: Problems) -> None:
    """Check that a row says the same of an item as its first row does."""
    for name in _OF_THE_ITEM:
        known = first[1].get(name)
        if record.get(name) is not None and known is not None and record[name] != known:
            remedy = "Name a field as the id that is different for each item."
            problems.add(f"the {name} is not that of row {first[0]}, which has the same id.", row, name, remedy)


def _with_letters(loose: Loose, fields: FieldMap, problems: Problems) -> Loose:
    """Replace right answers that are numbers of options by their letters, as `_lettered`."""
    if "answer_kind" in fields.fields or not {"answer", "choices"} <= loose.columns.keys():
        return loose
    texts = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    if "generations" in loose.columns:
        texts.append(pc.list_flatten(loose.columns["generations"].slice(0, LOOKED_AT)))
    columns = _lettered(loose.columns["answer"], loose.columns["choices"], texts, problems)
    return Loose({**loose.columns, **columns}, loose.targets, loose.extras, loose.rows)


def _lettered(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Replace right answers that are numbers of options by their letters.

    The numbers begin at 0 or at 1, as all of them together show. Where an answer is one of its options, or most outputs
    are numbers too, they are compared as they are.

    Returns
    -------
    dict of str to ChunkedArray
        The columns answer and answer_kind; empty where the answers stay.
    """
    known = [
        (place, one, some)
        for place, (one, some) in enumerate(zip(answer.to_pylist(), choices.to_pylist(), strict=True))
        if one is not None
    ]
    texts = [text.strip() for column in outputs for text in column.slice(0, LOOKED_AT).to_pylist() if text]
    if (
        not known
        or not all(some and one.isdecimal() and len(one) < _DIGITS and one not in some for _, one, some in known)
        or 2 * sum(text.isdecimal() for text in texts) > len(texts)
    ):
        return {}
    first = _numbered_from([(int(one), len(some)) for _, one, some in known])
    if first is None:
        problems.note("Right answers are numbers. Nothing shows whether they number the options from 0 or from 1.")
        return {}
    problems.note(f"Right answers are numbers of options, and read as letters: {first} is A.")
    letters: list[str | None] = [None] * len(answer)
    for place, one, _ in known:
        letters[place] = ascii_uppercase[int(one) - first]
    kinds = [None if one is None else "choice" for one in letters]
    return {
        name: pa.chunked_array([pa.array(one, TEXT)]) for name, one in (("answer", letters), ("answer_kind", kinds))
    }


def _numbered_from(numbers: Sequence[tuple[int, int]]) -> int | None:
    """Return the number of the first option, 0 or 1, by numbers of options and how many there are; None if unsure."""
    ranges = [first for first in (0, 1) if all(first <= one < min(size, 26) + first for one, size in numbers)]
    return ranges[0] if len(ranges) == 1 else None
