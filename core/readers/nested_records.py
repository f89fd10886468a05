"""Records within one JSON object: in lists, under keys that name the items, or apart by model or subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..files.foreign_names import plain_key
from .field_names import ID_NAMES, MODEL_NAMES, NAMES, OUTPUT_NAMES, REWARDS, SCORE_NAMES, WRONG_NAMES
from .model_maps import KEY, MODEL, items_in, verdicts_in, verdicts_listed
from .model_names import are_models, is_model
from .paths import entered
from .runs import holds_runs, names_a_run
from .total_names import are_benchmarks
from .values import objects_in

_GROUP, _RUN = "group", "run"
_SCORES = frozenset({*SCORE_NAMES, *REWARDS, *WRONG_NAMES})
_DEEPEST = 6
# Records of one kind have this share of their keys in common.
_ALIKE = 0.5
# What each item of a list has one of, unlike the steps or runs of an item.
_NAMES_OF_ITEMS = frozenset({*ID_NAMES, *NAMES["prompt"], "q", "item", "idx"}) - {"text", "content"}
_ABOUT_ITEMS = _NAMES_OF_ITEMS - {"runid", "traceid", "index", "nr", "no", "input", "instruction"}
# What is done on the way to one result, and scores that may be means of many.
_STEPS = frozenset({"steps", "tests", "checks", "trajectory", "turns", "messages", "actions", "history", "calls"})
_STEPS |= {"toolcalls", "assertions", "testcases", "criteria", "rubric", "subtasks", "events"}
_MEANS = frozenset({"accuracy", "acc", "pass1", "successrate", "exactmatch", "em"})
# Names of what each item has one of, so that lists under them are no parts of one list.
_OF_ITEMS = frozenset({*NAMES["prompt"], *NAMES["answer"], *NAMES["generations"], *OUTPUT_NAMES}) - {"text", "content"}


def lists_of(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of the largest list of objects, and of others of its kind that stand as deep; None for none.

    Of several lists, the keys that tell them apart are the rows' ``model`` or ``group``.
    """
    lists = dict(_lists(value))
    if not lists:
        return None
    longest = max(lists, key=lambda path: len(lists[path]))
    shape = lists[longest][0]
    alike = {
        path: rows
        for path, rows in lists.items()
        if path == longest or (len(path) == len(longest) and _are_alike(rows[0], shape) and not _is_of_items(path))
    }
    if len(alike) == 1 or _is_of_items(longest):
        return lists[longest]
    apart = [place for place in range(len(longest)) if len({path[place] for path in alike}) > 1]
    names = _names([[path[place] for path in alike] for place in apart], alike.values())
    return [
        {**{name: path[place] for name, place in zip(names, apart, strict=True)}, **row}
        for path, rows in alike.items()
        for row in rows
    ]


def rows_of_models(records: Sequence[Any]) -> list[dict[str, Any]] | None:
    """Return the rows of records that hold the items of one model each, with its name as ``model``; None for others."""
    if not records or _list_of_model(records[0]) is None:
        return None
    lists = [_list_of_model(record) for record in records]
    known = [one for one in lists if one is not None]
    if len(known) < len(lists) or len({name for name, _ in known}) < len(known):
        return None
    if any(isinstance(rows[0].get(KEY), int) for _, rows in known) and len({len(rows) for _, rows in known}) > 1:
        # By their places alone, verdicts of as many items are about the same ones.
        return None
    return [{MODEL: name, **row} for name, rows in known for row in rows]


def records_by_model(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the records that stand under the names of models, with these as ``model``; empty for other objects."""
    known = [{MODEL: key, **one} for key, one in value.items() if isinstance(one, dict)]
    return known if len(known) == len(value) > 1 and are_models(value) else []


def _list_of_model(record: Any) -> tuple[str, list[dict[str, Any]]] | None:
    """Return the name of the model that a record is about, and the items in its only list of objects, or its map."""
    if not isinstance(record, dict):
        return None
    named = [(plain_key(key), one) for key, one in record.items() if isinstance(one, str)]
    names = [one for key, one in named if key in MODEL_NAMES or (key == "name" and is_model(one))]
    lists = [one for one in record.values() if isinstance(one, list) and one and isinstance(one[0], dict)]
    maps = [rows for one in record.values() if (rows := items_in(entered(one))) is not None]
    if not (lists or maps) and (verdicts := verdicts_in(record)):
        maps = [items_in(verdicts) or []]
    if not (lists or maps or any(plain_key(key) in _NAMES_OF_ITEMS - {"key"} for key in record)):
        maps = [rows for one in record.values() if (rows := verdicts_listed(entered(one))) is not None]
    if len(lists) + len(maps) != 1 or len(names) != 1 or not all(map(_is_row, [*lists, *maps][0])):
        return None
    return names[0].strip(), [*lists, *maps][0]


def _is_row(value: Any) -> bool:
    """Whether an object is about an item that it names or asks, and names no model."""
    names = {plain_key(key) for key in value} if isinstance(value, dict) else set[str]()
    return not names.isdisjoint(_NAMES_OF_ITEMS) and names.isdisjoint(MODEL_NAMES)


def runs_of(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of lists that hold the runs of one item each, whose name is the ``key``; None for other lists.

    They stand under the names of items, in fields that are called as runs or alone. A list of runs is shorter than the
    list of the items, and its elements neither name nor ask anything.
    """
    held = {key: one for key, one in value.items() if isinstance(one, (dict, list))}
    if len(held) == 1 and isinstance(inner := next(iter(held.values())), dict):
        return runs_of(inner)
    lists = {key: _only_list(one) for key, one in held.items()}
    known = {key: rows for key, (_, rows) in lists.items() if rows}
    inside = {name for name, _ in lists.values()}
    scored = any(isinstance(one, dict) and _is_scored(one) for one in value.values())
    if len(known) < 2 or len(known) < len(lists) or len(inside) > 1 or scored or are_models(set(known)):
        return None
    named = holds_runs(f"{next(iter(inside))}[]")
    rows = [row for some in known.values() for row in some]
    if not named and (len(known) <= max(map(len, known.values())) or max(map(len, known.values())) < 2):
        return None
    about = _ABOUT_ITEMS if named else _ABOUT_ITEMS | {"name"}
    if any(not about.isdisjoint(map(plain_key, row)) for row in rows) or not any(map(_is_scored, rows)):
        return None
    return [
        {KEY: key, **({} if any(map(names_a_run, row)) else {_RUN: place}), **row}
        for key, some in known.items()
        for place, row in enumerate(some, start=1)
    ]


def are_scored(records: Sequence[Any]) -> bool:
    """Whether each of some records has its own verdict, right or wrong, beside lists of what led to it."""
    known = [one for one in records if isinstance(one, dict)]
    held = [(key, part[0]) for one in known for key, part in one.items() if isinstance(part, list) and part]
    held = [(key, first) for key, first in held if isinstance(first, dict) and plain_key(key) not in _STEPS]
    asks = any(not _ABOUT_ITEMS.isdisjoint(map(plain_key, first)) for _, first in held)
    names = {str(one[KEY]) for one in known}
    own = [{key: value for key, value in one.items() if plain_key(key) not in _MEANS} for one in known]
    return bool(known) and all(map(_is_scored, own)) and not (asks or are_models(names) or are_benchmarks(names))


def _is_scored(row: Mapping[str, Any]) -> bool:
    """Whether a record has a verdict: 1, 0, true or false under a name of scores."""
    named = (one for key, one in row.items() if plain_key(key) in _SCORES)
    return any(isinstance(one, (bool, int, float)) and one in (0, 1) for one in named)


def _only_list(value: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return the only list of objects that a value is, or holds, with its name."""
    held = {"": value} if isinstance(value, list) else dict(value)
    lists = [(key, one) for key, one in held.items() if isinstance(one, list) and one]
    lists = [(key, one) for key, one in lists if all(isinstance(row, dict) for row in one)]
    return lists[0] if len(lists) == 1 else ("", [])


class BlankRecord(str):
    """The number of a record that is empty or no object."""


def named_records(value: Mapping[str, Any], depth: int = 0) -> list[dict[str, Any] | BlankRecord] | None:
    """Return the records of the object that has most of one kind, their names as ``key``; None if there is none."""
    inner = [one for one in value.values() if isinstance(one, dict) and one]
    own = None
    names = [key for key, one in value.items() if isinstance(one, dict) and one]
    # Beside records with numbers, as OpenCompass has them, other facts are no records.
    are_all = len(inner) == len(value) or all(map(str.isdecimal, names))
    if len(inner) > 1 and are_all and all(_are_alike(one, inner[0]) for one in inner):
        own = [
            {KEY: key, **record} if isinstance(record, dict) and record else BlankRecord(key)
            for key, record in value.items()
            if key in names or key.isdecimal()
        ]
    deeper = [named_records(one, depth + 1) for one in inner] if depth < _DEEPEST and own is None else []
    return max(filter(None, [own, *deeper]), key=len, default=None)


def _lists(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """Yield the lists of objects with the keys that lead to them."""
    for key, one in value.items():
        if isinstance(one, dict) and len(path) < _DEEPEST:
            yield from _lists(one, (*path, key))
        elif isinstance(one, list) and one and isinstance(one[0], dict):
            yield (*path, key), objects_in(one) if all(isinstance(row, dict) for row in one) else one


def _are_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return len(one.keys() & other.keys()) >= _ALIKE * len(one.keys() | other.keys())


def _is_of_items(path: Sequence[str]) -> bool:
    return plain_key(path[-1]) in _OF_ITEMS


def _names(keys: Sequence[Sequence[str]], lists: Any) -> list[str]:
    """Name what tells lists apart; a name that the rows have is used for nothing else."""
    known = {name for rows in lists for name in rows[0]}
    names: list[str] = []
    for some in keys:
        name = MODEL if are_models(set(some)) else _GROUP
        names.append(name if name not in known and name not in names else f"{KEY} {len(names) + 1}")
    return names
