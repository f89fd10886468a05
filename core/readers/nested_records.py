"""Records within one JSON object: in lists, under keys that name the items, or apart by model or subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..files.foreign_names import plain_key
from .field_names import NAMES, OUTPUT_NAMES
from .model_names import are_models
from .values import objects_in

KEY, _MODEL, _GROUP = "key", "model", "group"
_DEEPEST = 6
# Records of one kind have this share of their keys in common.
_ALIKE = 0.5
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
        name = _MODEL if are_models(set(some)) else _GROUP
        names.append(name if name not in known and name not in names else f"{KEY} {len(names) + 1}")
    return names
