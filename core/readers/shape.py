"""The shape of a file that no reader recognizes: its paths, what they hold, and which field each is likely to be."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import PoolError, Problem
from ..files.open import Source, stem
from ..files.sniff import TABLE, WORKBOOK, Beginning
from ..pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, leaf
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..words import counted, listed
from . import field_map
from .chats import PROMPT, REPLY, is_answered
from .doubt import Doubt
from .field_map import WRONG, FieldMap, Paths
from .field_names import NAMES, WORDS, keys_of, words_of
from .file_rows import rows_of
from .first_rows import LOOKED_AT, FirstRows
from .guess import Guess
from .judge_columns import verdict_like
from .model_names import is_model
from .paths import PathTree, at, entered, name_of
from .side_by_side import may_be_samples, numbered_like_samples
from .verdicts import right_words

TRUTH, NUMBER, TEXT, LIST, OBJECT = "truth value", "number", "text", "list", "object"
_DEEPEST = 8
_MOST_PATHS, _MOST_NAMED = 1_000, 8
_EXAMPLE = 60
# So many keys, each in so small a share of the rows, are names of parts of single items.
_MANY_KEYS, _FEW = 8, 0.2
_LISTED, _NAMED = 3, 20


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A path of a file and what is there.

    Parameters
    ----------
    path : str
        The path.
    kind : str
        `TRUTH`, `NUMBER`, `TEXT`, `LIST` or `OBJECT`, as in most of the first rows.
    example : str
        Its first value, shortened.
    rows : int
        How many of the first rows have a value there.
    right : str
        What stands for 1 if all are verdicts: 1, or words such as “correct”; "" otherwise.
    is_numeric : bool
        Whether all are numbers or truth values.
    is_verdict : bool
        Whether they look like verdicts, and no field that is guessed says the same.
    is_sample : bool
        Whether the path is one of several that look like samples by their numbers.
    """

    path: str
    kind: str
    example: str
    rows: int = 0
    right: str = ""
    is_numeric: bool = False
    is_verdict: bool = False
    is_sample: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """The structure of a file's first rows.

    Parameters
    ----------
    places : tuple of FieldPath
        Every path that has a value, in the order of the file.
    guess : FieldMap
        Which of them the fields of items are likely to be.
    model : str
        What a single target is called: as a column that names one model, or else as the file.
    doubts : tuple of Doubt
        Fields that the guess leaves out, because several paths have their name.
    scores : tuple of str
        Columns of 0 and 1 that may be models' results, or flags of the items.
    names : str
        Hex SHA-256 of the set of all names, those of empty columns too: files with the same are similar.
    by_choices : tuple of str
        Columns that the guess takes for answers of models because they share the letters of options.
    """

    places: tuple[FieldPath, ...]
    guess: FieldMap
    model: str
    doubts: tuple[Doubt, ...] = ()
    scores: tuple[str, ...] = ()
    names: str = ""
    by_choices: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the sorted paths and their kinds: equal for files of the same tool and settings."""
        pairs = sorted((place.path, place.kind) for place in self.places if not place.path.endswith((PROMPT, REPLY)))
        return sha256(json.dumps(pairs).encode()).hexdigest()

    @property
    def is_plain(self) -> bool:
        """Whether nothing is guessed beyond fields that a native pool has under the same name.

        Columns that are called by models are no such fields, nor are columns of which nobody knows any.
        """
        fields, paths = self.guess.fields, {place.path for place in self.places}
        named = all(self.guess.parts(name) == (name,) for name in fields)
        others = paths - {part for name in fields for part in self.guess.parts(name)}
        known = paths & COLUMNS.keys() | fields.keys()
        unknown = bool(others) and known <= {"id", "group"}
        # What sounds like faults is often another fact of a pool, and a pool's answers are right ones.
        own = [doubt for doubt in self.doubts if doubt.is_of_answers and doubt.candidates[0].path == doubt.field]
        settled = not self.guess.targets and all(doubt.sounds or doubt in own for doubt in self.doubts)
        return named and settled and not unknown and not any(map(is_model, others))

    def unused_samples(self, fields: FieldMap) -> str:
        """Name the columns that look like samples if a map has no use for any, with what to do; "" for none."""
        names = [place.path for place in self.places if place.is_sample]
        if not names or "generations" in fields.fields or not {*names}.isdisjoint(fields.paths()):
            return ""
        return (
            f"{shown(names[0])} to {shown(names[-1])} look like samples and are not used. Choose them as the samples "
            "of the surrogate if they are answers of a cheap model to the same question."
        )

    def unused_scores(self, fields: FieldMap) -> str:
        """Name the columns of 0 and 1 that a map makes no use of, with what to do; "" for none."""
        names = [path for path in self.scores if path not in fields.paths()]
        if not names:
            return ""
        one = len(names) == 1
        return (
            f"{counted(len(names), 'column holds', 'columns hold')} only 0 and 1: {listed(_first(names))}. If "
            f"{'it is a model’s results, choose it' if one else 'they are models’ results, choose each'} as a target’s "
            "score."
        )

    def not_used(self, fields: FieldMap) -> str:
        """Name the columns that a map makes no use of; "" for none."""
        used, groups = set(fields.paths()), dict[str, list[str]]()
        for place in self.places:
            if not place.path.endswith((PROMPT, REPLY)):
                groups.setdefault(re.split(r"[.\[]", place.path, maxsplit=1)[0], []).append(place.path)
        names = list[str]()
        for outer, paths in groups.items():
            within = tuple(f"{path.removesuffix(PROMPT).removesuffix(REPLY)}{sign}" for path in used for sign in ".[")
            parts = [path for path in paths if any(one.startswith((f"{path}.", f"{path}[")) for one in used)]
            rest = [path for path in paths if path not in {*used, *parts} and not path.startswith(within)]
            is_unused = len(rest) == len(paths) > 1 and not any(path.startswith(f"{outer}[") for path in used)
            names += [outer] if is_unused else rest
        if not names:
            return ""
        return f"Columns not used: {listed(_first(names))}."

    def remarks(self, fields: FieldMap) -> tuple[str, ...]:
        """Say what is taken for models by its values, and what looks like samples, scores or verdicts and is not used.

        A sentence or two for each.
        """
        said = (
            self._models_by_choices(fields),
            self.unused_samples(fields),
            self.unused_scores(fields),
            self.unused_verdicts(fields),
        )
        return tuple(filter(None, said))

    def _models_by_choices(self, fields: FieldMap) -> str:
        """Name the columns that only their values tell to be answers of models; "" if a map does not take all."""
        taken = {paths.get(field_map.TEXT) for paths in fields.targets.values()}
        if not self.by_choices or not taken.issuperset(self.by_choices):
            return ""
        named = listed(_first(self.by_choices))
        return f"{named} look like answers of {len(self.by_choices)} models. If they are people’s, leave them out."

    def unused_verdicts(self, fields: FieldMap) -> str:
        """Name the columns that look like verdicts and that a map makes no use of, with what to do; "" for none."""
        asked = {one.path for doubt in self.doubts for one in doubt.candidates}
        taken = asked.union(fields.paths())
        names = [place.path for place in self.places if place.is_verdict and place.path not in taken]
        if not names:
            return ""
        one, named = len(names) == 1, listed(_first(names))
        return (
            f"{named} {'looks' if one else 'look'} like verdicts and {'is' if one else 'are'} not used. "
            f"Choose {'it' if one else 'each'} as a target’s score, as a judge’s verdict, or as a column to keep."
        )

    @classmethod
    def of(cls, path_or_bytes: str | Path | bytes | Source, name: str | None = None) -> Shape:
        """Look at the first 200 rows of a file.

        Parameters
        ----------
        path_or_bytes : str, Path or bytes
            As for `core.readers.mapped.read_mapped`.
        name : str, optional
            Name of the file, which a single output's model is called by if no column names the model.

        Returns
        -------
        Shape

        Raises
        ------
        PoolError
            The file has no rows, or is damaged.
        """
        source = Source.of(path_or_bytes, name)
        problems = Problems()
        rows = [value for _, value in islice(rows_of(source, problems), LOOKED_AT)]
        problems.stop()
        if not any(rows):
            raise PoolError([Problem("the file has no rows.", remedy="Choose one with an item a row.")])
        paths = tuple(islice(dict.fromkeys(path for row in rows for path in _leaves(row)), _MOST_PATHS))
        tree = PathTree(paths)
        found = [tree.values(row) for row in rows]
        known = set[str]().union(*found)
        values = {path: [one.get(path) for one in found] for path in paths if path in known}
        values = _with_holders(values, rows)
        guess = Guess(values)
        model = guess.model() or usual_name(source.name)
        fields = guess.field_map(model)
        verdicts = verdict_like(guess.rows, fields.paths())
        samples = numbered_like_samples(guess.rows, values)
        samples = samples if may_be_samples(guess.rows, samples) else ()
        places = tuple(_place(path, guess.rows, path in verdicts, is_sample=path in samples) for path in values)
        scores = tuple(path for path in guess.may_be_scores if path not in verdicts)
        beginning = Beginning.of(source)
        header = beginning.keys if beginning.container in (TABLE, WORKBOOK) else frozenset[str]()
        return cls(places, fields, model, tuple(guess.doubts), scores, _digest({*paths, *header}), guess.by_choices)


def _first(paths: Sequence[str]) -> list[str]:
    """Quote the first of many paths, and count the others."""
    more = len(paths) - _MOST_NAMED
    return [shown(path) for path in paths[:_MOST_NAMED]] + [f"{more:,} more"] * (more > 0)


def _digest(names: Collection[str]) -> str:
    named = sorted(name for name in names if name and not name.endswith((PROMPT, REPLY)))
    return sha256(json.dumps(named).encode("utf-8", "surrogatepass")).hexdigest()


def _with_holders(values: dict[str, list[Any]], rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Put objects with other keys in each row, such as the results of a task's own tests, in place of their parts."""
    parts: dict[str, list[str]] = {}
    for path in values:
        for place, sign in enumerate(path):
            if sign == ".":
                parts.setdefault(path[:place], []).append(path)
    few = _FEW * len(rows)
    for holder, inner in parts.items():
        filled = [sum(one is not None for one in values[path]) for path in inner if path in values]
        if holder not in values and len(filled) >= _MANY_KEYS and max(filled) <= few:
            column = [at(row, holder) for row in rows]
            first = next(path for path in inner if path in values)
            values = {
                name: some
                for path, one in values.items()
                if path == first or path not in inner
                for name, some in [(holder, column) if path == first else (path, one)]
            }
    return values


def _place(path: str, rows: FirstRows, is_verdict: bool, is_sample: bool) -> FieldPath:
    known = rows.known[path]
    kinds = [_kind(value) for value in known]
    first = known[0][0] if isinstance(known[0], list) and known[0] else known[0]
    example = shown(str(first), _EXAMPLE)[1:-1]
    right = right_words(known) if rows.is_zero_or_one(path) else ""
    kind = max(kinds, key=kinds.count)
    return FieldPath(path, kind, example, len(known), right, rows.is_numeric(path), is_verdict, is_sample)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, (int, float)):
        return NUMBER
    return LIST if isinstance(value, list) else OBJECT if isinstance(value, dict) else TEXT


def _leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[str]:
    """List the paths of texts, numbers and lists of them."""
    inner = entered(value) if path else value
    if isinstance(inner, str) or depth == _DEEPEST or inner in ({}, []):
        yield from [path] * bool(path)
    elif isinstance(inner, dict):
        # A text that is JSON may be the value itself, such as a model's output.
        yield from [path] * isinstance(value, str)
        for key, one in inner.items():
            yield from _leaves(one, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(inner, list) and isinstance(inner[0], (dict, list)):
        yield from [path] * isinstance(value, str)
        yield from (f"{path}{part}" for part in (PROMPT, REPLY) if is_answered(inner))
        names = [name_of(one) for one in inner]
        named = 1 < len(set(names)) == len(names) and None not in names
        for one, name in zip(inner[: _NAMED if named else _LISTED], names, strict=False):
            yield from _leaves(one, f"{path}[{name if named else ''}]", depth + 1)
    elif isinstance(inner, list):
        yield from (path, f"{path}[]") if isinstance(value, str) else (path,)
        # Outputs that are JSON themselves.
        for one in map(entered, inner[:_LISTED]):
            if isinstance(one, dict):
                yield from _leaves(one, f"{path}[]", depth + 1)
    elif path:
        yield path


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
        if field_map.TEXT not in known and "answer" in known:
            known[field_map.TEXT] = known.pop("answer")
        if is_scored:
            losses = pool.losses(model)
            is_share = not bool(((losses < 0) | (losses > 1)).any())
            known[WRONG if is_share else _LOSS] = _column(model, _LOSS)
        targets[model] = known
    others = tuple(name for name in pool.source.column_names if name not in fields and name != TARGETS)
    return Shape(shape.places, FieldMap(fields, targets, others), pool.name, (), shape.scores, shape.names)


def _column(model: str, field: str) -> str:
    return f"{model}:{field}"


# What tells no model's answers from another's: names of answers, of what holds them, and of any model.
_ANY_OUTPUT = WORDS["any-output"].union(NAMES["output"])


def target_names(outcomes: Sequence[Mapping[str, str]], model: str, file: str) -> list[str]:
    """Name each target as the column of its answers, or else of its score.

    A single one is called ``model`` if a column of the file names the model, or if the answers' column says nothing of
    it, such as “answer” or “model_output”: logs of several versions have the same columns, and differ in their names.

    Parameters
    ----------
    outcomes : sequence of mapping
        The paths of each target, as in `FieldMap.targets`; empty if none is chosen yet.
    model : str
        What a single target is called (`Shape.model`).
    file : str
        Name of the file.
    """
    columns = [next((paths[name] for name in (field_map.TEXT, *paths) if name in paths), "") for paths in outcomes]
    if sum(map(bool, columns)) > 1:
        return [column or f"target {number}" for number, column in enumerate(columns, 1)]
    names = [model, *(f"target {number}" for number in range(2, len(columns) + 1))][: len(columns)]
    for place, paths in enumerate(outcomes):
        if field_map.TEXT in paths and model == usual_name(file) and not _says_nothing(paths[field_map.TEXT]):
            names[place] = paths[field_map.TEXT]
        elif paths:
            names[place] = model
    return names


def usual_name(file: str) -> str:
    """Return what a single target is called if no column names it: as the file, unless that is called as a judge."""
    name = stem(file)
    return name if WORDS["judges"].isdisjoint(words_of(name)[-1]) else "target"


def _says_nothing(column: str) -> bool:
    """Whether a column may be called so whatever model it is of."""
    keys = zip(keys_of(column), words_of(column), strict=True)
    return all(key in _ANY_OUTPUT or all(one in _ANY_OUTPUT or one.isdecimal() for one in words) for key, words in keys)
