"""Maps of items by their names, within a map of models, runs or groups: ``{"gpt-4": {"q1": {…}}, "llama": {…}}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.foreign_names import plain_key
from .field_names import NAMES, OUTPUT_NAMES, SCORE_NAMES, WRONG_NAMES
from .model_names import are_models
from .paths import entered
from .runs import names_a_run
from .side_by_side import HOLDERS

KEY, MODEL = "key", "model"
_RUN, _GROUP, _NAME = "run", "group", "name"
# Keys of an item, which are no names of items.
FIELDS = frozenset({*NAMES["prompt"], *NAMES["answer"], *OUTPUT_NAMES})
_NAMED = FIELDS | {*SCORE_NAMES, *WRONG_NAMES}
_FACTS = FIELDS.difference(OUTPUT_NAMES, {"answer", "label", "target", "targets", "text", "content"})
_FACTS |= {*NAMES["choices"], *NAMES["group"]}
_DEEPEST = 6
# Maps of the same items, and records of one kind, have this share of their keys in common.
_ALIKE = 0.5
# From so many verdicts by name on, these are of items, beside which the totals of a model may stand.
_MANY = 10

_Map = Mapping[Any, Any]


def rows_of_maps(value: _Map) -> list[dict[str, Any]] | None:
    """Return the rows of maps of items that models, runs or groups have each; None for anything else.

    Items of models are rows with a column for each model. Those of runs or groups are rows below each other; if nobody
    can tell what the maps are, their names stand in the column ``name``.
    """
    held = max(_maps(value), key=lambda one: sum(map(len, one[1].values())), default=None)
    if held is None:
        return None
    holder, maps = held
    if holder in HOLDERS or are_models(maps):
        return _side_by_side(maps)
    if not all(map(_has_records, maps.values())):
        return None
    name = _NAME if _say_the_same(maps) else _GROUP
    name = _RUN if all(map(names_a_run, maps)) else name
    return [
        {name: outer, KEY: key, **record} if isinstance(record, dict) else {name: outer, KEY: key}
        for outer, some in maps.items()
        for key, record in some.items()
    ]


def by_item(value: _Map) -> list[dict[str, Any]] | None:
    """Return the records of an object whose objects have a value for each item, beside totals; else None."""
    columns = {name: verdicts_in(one) or one for name, one in value.items() if isinstance(one, dict)}
    others = [one for one in value.values() if not isinstance(one, dict)]
    keys = next(iter(columns.values()), {}).keys()
    same = all(column.keys() == keys for column in columns.values())
    plain = not any(isinstance(one, (dict, list)) for one in others)
    if not 1 < len(columns) < len(keys) or not same or not plain or any(plain_key(key) in FIELDS for key in keys):
        return None
    return [{KEY: key, **{name: column[key] for name, column in columns.items()}} for key in keys]


def items_in(value: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a map of items: records, or verdicts and texts as ``score`` or ``output``; None for others."""
    if not isinstance(value, dict) or len(value) < 2 or any(plain_key(key) in _NAMED for key in value):
        return None
    if _has_records(value):
        return [{KEY: key, **record} for key, record in value.items() if isinstance(record, dict)]
    if (name := _said(value)) is None:
        return None
    return [{KEY: key, name: one} for key, one in value.items()]


def verdicts_in(value: _Map) -> dict[str, Any] | None:
    """Return the verdicts of many items by their names, 0 or 1, in an object of a model and its totals; else None."""
    verdicts = {key: one for key, one in value.items() if plain_key(key) not in _NAMED and _said({key: one}) == "score"}
    names = [key for key, one in value.items() if isinstance(one, str)]
    totals = [key for key, one in value.items() if key not in verdicts and type(one) in (int, float)]
    is_whole = len(verdicts) + len(names) + len(totals) == len(value)
    return verdicts if len(verdicts) >= _MANY and len(verdicts) > 2 * len(names + totals) and is_whole else None


def verdicts_listed(value: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a list of many verdicts, 0 or 1, by their places from 1; None for any other list."""
    if not isinstance(value, list) or len(value) < _MANY or _said(dict(enumerate(value))) != "score":
        return None
    return [{KEY: place, "score": one} for place, one in enumerate(value, start=1)]


def holds_items(value: Any, depth: int = 0) -> bool:
    """Whether an object, or one within it, holds the verdicts of many items, by their names or in a list."""
    value = entered(value)
    if not isinstance(value, dict) or depth > _DEEPEST:
        return verdicts_listed(value) is not None
    return verdicts_in(value) is not None or any(holds_items(one, depth + 1) for one in value.values())


def _maps(value: _Map, holder: str = "", depth: int = 0) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """Yield the objects all of whose elements are maps of items, with the key that they stand under."""
    inner = {key: one for key, one in value.items() if isinstance(one, dict) and one}
    if len(inner) > 1 and len(inner) == len(value) and _are_maps(inner, holder):
        yield holder, inner
    elif depth < _DEEPEST:
        for key, one in inner.items():
            yield from _maps(one, plain_key(key), depth + 1)


def _are_maps(maps: Mapping[str, dict[str, Any]], holder: str) -> bool:
    """Whether objects are maps of items: more of them than there are maps, if these are not called as models."""
    inside = {key for some in maps.values() for key in some}
    of_models = holder in HOLDERS or are_models(maps)
    if any(plain_key(key) in _NAMED for key in (*maps, *inside)) or (are_models(inside) and not of_models):
        return False
    if not of_models:
        first = next(iter(maps.values()))
        has_more = all(len(maps) < len(some) for some in maps.values())
        return has_more and _has_records(first) and _is_about_one(first) and all(map(_has_records, maps.values()))
    if all(map(_has_records, maps.values())):
        return all(map(_is_about_one, maps.values()))
    first = next(iter(maps.values()))
    shared = all(len(some.keys() & first.keys()) >= _ALIKE * len(some.keys() | first.keys()) for some in maps.values())
    return shared and len({_said(some) for some in maps.values()} - {None}) == 1 and all(map(_said, maps.values()))


def _has_records(some: _Map) -> bool:
    """Whether a map's values are records of one kind."""
    records = [one for one in some.values() if isinstance(one, dict) and one]
    if len(records) < 2 or len(records) < sum(one is not None and one != {} for one in some.values()):
        return False
    first = records[0].keys()
    return all(len(one.keys() & first) >= _ALIKE * len(one.keys() | first) for one in records)


def _is_about_one(some: _Map) -> bool:
    """Whether each record of a map has an output or a score under a name of these."""
    first = next(one for one in some.values() if isinstance(one, dict) and one)
    return any(plain_key(key) in _NAMED for key in first)


def _said(some: _Map) -> str | None:
    """Return what the plain values of a map are: verdicts as “score”, texts as “output”; None for neither."""
    known = [one for one in some.values() if one is not None]
    if known and all(isinstance(one, (bool, int, float)) and one in (0, 1) for one in known):
        return "score"
    return "output" if known and all(isinstance(one, str) for one in known) else None


def _say_the_same(maps: Mapping[str, dict[str, Any]]) -> bool:
    """Whether maps name the same items, and nothing shows that one name stands for different questions."""
    first, *others = maps.values()
    shared = [key for key in first if any(key in some for some in others)]
    asked = [name for name in _first_record(first) if plain_key(name) in NAMES["prompt"]]
    differ = any(
        isinstance(some.get(key), dict) and some[key].get(name) != first[key].get(name)
        for key in shared
        if isinstance(first[key], dict)
        for some in others
        for name in asked
    )
    return bool(shared) and not differ


def _first_record(some: _Map) -> dict[str, Any]:
    return next((one for one in some.values() if isinstance(one, dict)), {})


def _side_by_side(maps: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Make a row of each item that any model has. If some have not all, what is said of an item itself is the row's."""
    keys = dict.fromkeys(key for some in maps.values() for key in some)
    rows = [{KEY: key, **{model: some[key] for model, some in maps.items() if key in some}} for key in keys]
    if all(len(row) > len(maps) for row in rows):
        return rows
    return [_with_facts(row) for row in rows]


def _with_facts(row: dict[str, Any]) -> dict[str, Any]:
    """Move what all models of a row say of its item from their records to the row."""
    records = {model: one for model, one in row.items() if isinstance(one, dict)}
    named = [name for name in _first_record(records) if plain_key(name) in _FACTS]
    facts = {
        name: next(iter(records.values()))[name]
        for name in named
        if all(name in one and one[name] == next(iter(records.values()))[name] for one in records.values())
    }
    less = {
        model: {name: one for name, one in record.items() if name not in facts} for model, record in records.items()
    }
    return {**row, **less, **facts}
