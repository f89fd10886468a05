"""Records within one JSON object: in lists, under keys that name items, or in maps of models and runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..files.foreign_names import plain_key
from ..pool.problems import shown
from .field_names import NAMES, WORDS
from .json_records import objects_in
from .model_names import are_models, is_model
from .paths import entered
from .runs import holds_runs, names_a_run
from .total_shapes import are_benchmarks

KEY, MODEL = "key", "model"
_MAP_RUN, _MAP_GROUP, _NAME = "run", "group", "name"
# Keys of an item, which are no names of items.
FIELDS = frozenset({*NAMES["prompt"], *NAMES["answer"], *NAMES["output"]})
_NAMED = FIELDS | {*NAMES["score"], *NAMES["wrong"]}
_FACTS = FIELDS.difference(NAMES["output"], {"answer", "label", "target", "targets", "text", "content"})
_FACTS |= {*NAMES["choices"], *NAMES["group"]}
_DEEPEST_MAP = 6
# Maps of the same items, and records of one kind, have this share of their keys in common.
_ALIKE_MAPS = 0.5
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
    if holder in WORDS["holders"] or are_models(maps):
        return _side_by_side(maps)
    if not all(map(_has_records, maps.values())):
        return None
    name = _NAME if _say_the_same(maps) else _MAP_GROUP
    name = _MAP_RUN if all(map(names_a_run, maps)) else name
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
    if not isinstance(value, dict) or depth > _DEEPEST_MAP:
        return verdicts_listed(value) is not None
    return verdicts_in(value) is not None or any(holds_items(one, depth + 1) for one in value.values())


def _maps(value: _Map, holder: str = "", depth: int = 0) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """Yield the objects all of whose elements are maps of items, with the key that they stand under."""
    inner = {key: one for key, one in value.items() if isinstance(one, dict) and one}
    if len(inner) > 1 and len(inner) == len(value) and _are_maps(inner, holder):
        yield holder, inner
    elif depth < _DEEPEST_MAP:
        for key, one in inner.items():
            yield from _maps(one, plain_key(key), depth + 1)


def _are_maps(maps: Mapping[str, dict[str, Any]], holder: str) -> bool:
    """Whether objects are maps of items: more of them than there are maps, if these are not called as models."""
    inside = {key for some in maps.values() for key in some}
    of_models = holder in WORDS["holders"] or are_models(maps)
    if any(plain_key(key) in _NAMED for key in (*maps, *inside)) or (are_models(inside) and not of_models):
        return False
    if not of_models:
        first = next(iter(maps.values()))
        has_more = all(len(maps) < len(some) for some in maps.values())
        return has_more and _has_records(first) and _is_about_one(first) and all(map(_has_records, maps.values()))
    if all(map(_has_records, maps.values())):
        return all(map(_is_about_one, maps.values()))
    first = next(iter(maps.values()))
    shared = all(
        len(some.keys() & first.keys()) >= _ALIKE_MAPS * len(some.keys() | first.keys()) for some in maps.values()
    )
    return shared and len({_said(some) for some in maps.values()} - {None}) == 1 and all(map(_said, maps.values()))


def _has_records(some: _Map) -> bool:
    """Whether a map's values are records of one kind."""
    records = [one for one in some.values() if isinstance(one, dict) and one]
    if len(records) < 2 or len(records) < sum(one is not None and one != {} for one in some.values()):
        return False
    first = records[0].keys()
    return all(len(one.keys() & first) >= _ALIKE_MAPS * len(one.keys() | first) for one in records)


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


_GROUP, _RUN = "group", "run"
_SCORES = frozenset({*NAMES["score"], *NAMES["reward"], *NAMES["wrong"]})
_DEEPEST = 6
# Records of one kind have this share of their keys in common.
_ALIKE = 0.5
# What each item of a list has one of, unlike the steps or runs of an item.
_NAMES_OF_ITEMS = frozenset({*NAMES["id"], *NAMES["prompt"], "q", "item", "idx"}) - {"text", "content"}
_ABOUT_ITEMS = _NAMES_OF_ITEMS - {"runid", "traceid", "index", "nr", "no", "input", "instruction"}
# What an item is asked, is called and should be answered, and what it has beside that as no group has it.
_QUESTIONS = frozenset({*NAMES["prompt"], "q"}) - {"text", "content", "input", "instruction"}
_OWN_IDS = frozenset(NAMES["id"]) - {"key", "index", "runid", "traceid", "nr", "no"}
_RIGHT_ANSWERS = frozenset(NAMES["answer"])
_FACTS_OF_ONE = frozenset(NAMES["output"]) | _RIGHT_ANSWERS
# Names of what each item has one of, so that lists under them are no parts of one list.
_OF_ITEMS = frozenset({*NAMES["prompt"], *NAMES["answer"], *NAMES["generations"], *NAMES["output"]}) - {
    "text",
    "content",
}


def lists_of(value: Mapping[str, Any]) -> list[dict[str, Any] | NoItem] | None:
    """Return the rows of the largest list of objects, and of others of its kind that stand as deep; None for none.

    Of several lists, the keys that tell them apart are the rows' ``model``, ``run`` or ``group``. Records of lists of
    another kind are no items.
    """
    lists = dict(_lists(value))
    if not lists:
        return None
    longest = max(lists, key=lambda path: len(lists[path]))
    shape = lists[longest][0]
    alike = {
        path: rows
        for path, rows in lists.items()
        if path == longest
        or (len(path) == len(longest) and _are_alike(rows[0], shape) and _may_join(path, longest, rows))
    }
    if _is_of_items(longest, lists[longest]):
        return [*lists[longest]]
    others = [
        NoItem(f"records of another list, {shown('.'.join(path))}")
        for path, rows in lists.items()
        for row in rows * (path not in alike)
        if isinstance(row, dict) and _identifies(row) and _has_outcome(row)
    ]
    if len(alike) == 1:
        return [*_with_model(lists[longest], longest[-1]), *others]
    apart = [place for place in range(len(longest)) if len({path[place] for path in alike}) > 1]
    names = _names(apart, alike)
    rows = [
        {**{name: path[place] for name, place in zip(names, apart, strict=True)}, **row}
        for path, rows in alike.items()
        for row in rows
    ]
    return [*rows, *others]


def rows_of_arrays(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of lists side by side, beside names and totals: of right answers and outputs; None for others."""
    arrays = {key: one for key, one in value.items() if isinstance(one, list) and len(one) > 1}
    plain = not any(isinstance(one, (dict, list)) for some in arrays.values() for one in some)
    others = {key: one for key, one in value.items() if key not in arrays}
    if len({len(one) for one in arrays.values()}) != 1 or not plain or _identifies(others):
        return None
    names = {key: _of_one(key) for key in arrays}
    right = {key for key, name in names.items() if plain_key(name) in _RIGHT_ANSWERS}
    said = {key for key, name in names.items() if plain_key(name) in _FACTS_OF_ONE - _RIGHT_ANSWERS | _SCORES}
    if not right or not said or any(plain_key(key) in FIELDS for key in others):
        return None
    models = [one for key, one in others.items() if plain_key(key) in NAMES["model"] and isinstance(one, str)]
    facts = {MODEL: models[0]} if len(models) == 1 else {}
    return [{**facts, **dict(zip(names.values(), row, strict=True))} for row in zip(*arrays.values(), strict=True)]


def _of_one(key: str) -> str:
    """Return what one element of a list is called: “label” of “labels”."""
    one = key.removesuffix("s")
    return one if plain_key(one) in _FACTS_OF_ONE | _NAMES_OF_ITEMS | _SCORES else key


def rows_of_groups(records: Sequence[Any]) -> list[dict[str, Any] | NoItem] | None:
    """Return the items that records list, each with what its record says of all; None if the first one lists none.

    If groups are about the same items, the name that tells them apart is that of their ``model``.
    """
    if not records or _items_of(records[0]) is None:
        return None
    groups = [(record, _items_of(record)) for record in records]
    known = [(record, rows) for record, rows in groups if rows is not None]
    apart = _name_of_models(known)
    rows = list[dict[str, Any] | NoItem]()
    for record, items in groups:
        facts = {} if items is None else _facts_of(record, items, apart)
        rows += [NoItem("records without a list of items")] if items is None else [{**facts, **item} for item in items]
    return rows


def _items_of(record: Any) -> list[dict[str, Any]] | None:
    """Return the items in the only list of a record that has items of their own, and no outcome itself; else None."""
    if not isinstance(record, dict) or _is_item(record):
        return None
    lists = {key: one for key, one in record.items() if isinstance(one, list) and one and isinstance(one[0], dict)}
    held = [rows for key, rows in lists.items() if _are_items(rows, key, not _identifies(record))]
    if len(held) == 1:
        return held[0]
    inner = [rows_of_groups(rows) for rows in lists.values()] if len(lists) == 1 else []
    return [row for row in inner[0] or () if isinstance(row, dict)] or None if inner else None


def _are_items(rows: Sequence[Any], key: str, by_id: bool = True) -> bool:
    """Whether records each have an outcome, and their own question (or ``by_id`` their own name), unlike runs."""
    if plain_key(key) in WORDS["steps"] or not all(isinstance(row, dict) and _has_outcome(row) for row in rows):
        return False
    questions = [_value(row, _QUESTIONS) for row in rows]
    if None not in questions:
        return len(rows) == 1 or len(set(questions)) > 1
    names = [_value(row, _OWN_IDS) for row in rows]
    return by_id and not holds_runs(f"{key}[]") and None not in names and len(set(names)) == len(names)


def _is_item(record: Mapping[str, Any]) -> bool:
    """Whether a record asks or names something itself, and has its outcome."""
    plain = {key: one for key, one in record.items() if not isinstance(one, (list, dict))}
    own = {key: one for key, one in plain.items() if plain_key(key) not in WORDS["means"]}
    return _identifies(plain) and (_is_scored(own) or any(plain_key(key) in _FACTS_OF_ONE for key in plain))


def _identifies(record: Mapping[str, Any]) -> bool:
    return _value(record, _QUESTIONS) is not None or _value(record, _OWN_IDS) is not None


def _has_outcome(row: Mapping[str, Any]) -> bool:
    """Whether a record has a verdict, or an output beside the right answer."""
    keys = set(map(plain_key, row))
    return _is_scored(row) or (
        not keys.isdisjoint(NAMES["output"]) and not keys.isdisjoint(_RIGHT_ANSWERS - {"answer"})
    )


def _value(row: Mapping[str, Any], names: frozenset[str]) -> str | None:
    """Return what a record has under the first of some names, which numbers no run; None for nothing."""
    values = (one for key, one in row.items() if plain_key(key) in names and not names_a_run(key))
    return next((str(one) for one in values if isinstance(one, (str, int)) and one != ""), None)


def _name_of_models(groups: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> str:
    """Return the only name under which groups about the same items have each another text; "" for none."""
    if len(groups) < 2 or not _are_about_the_same([rows for _, rows in groups]):
        return ""
    texts = [{key for key, one in record.items() if isinstance(one, str)} for record, _ in groups]
    shared = [key for key in groups[0][0] if all(key in some for some in texts) and not names_a_run(key)]
    apart = [key for key in shared if len({record[key] for record, _ in groups}) == len(groups)]
    return apart[0] if apart and not any(plain_key(key) in NAMES["model"] for key in shared) else ""


def _are_about_the_same(lists: Sequence[Sequence[Mapping[str, Any]]]) -> bool:
    """Whether lists have most of their items in common, by question or by id and answer, each once."""
    known = [[_about(row) for row in rows] for rows in lists]
    first, *others = map(set, known)
    once = all(len(set(some)) == len(some) for some in known)
    return once and all(2 * len(first & some) >= max(len(first), len(some)) for some in others)


def _about(row: Mapping[str, Any]) -> str:
    question = _value(row, _QUESTIONS)
    return question or f"{_value(row, _OWN_IDS)} {_value(row, _RIGHT_ANSWERS)}"


def _facts_of(record: Mapping[str, Any], items: Sequence[Mapping[str, Any]], apart: str) -> dict[str, Any]:
    """Return what a record says of all its items, its own names and questions under names that no item has."""
    facts = dict[str, Any]()
    for key, one in record.items():
        name = plain_key(key)
        if isinstance(one, (list, dict)) or name in _SCORES:
            continue
        own = name in (_QUESTIONS | _OWN_IDS) and not names_a_run(key)
        facts[MODEL if key == apart else _GROUP if own and _GROUP not in record else key] = one
    return facts


def _with_model(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Call the name of each group under “models” or the like its model."""
    named = plain_key(key) in WORDS["holders"] and all(
        isinstance(row.get(_NAME), str) and MODEL not in row for row in rows
    )
    if not named or _items_of(rows[0]) is None:
        return rows
    return [{MODEL if name == _NAME else name: one for name, one in row.items()} for row in rows]


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
    names = [one for key, one in named if key in NAMES["model"] or (key == "name" and is_model(one))]
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
    return not names.isdisjoint(_NAMES_OF_ITEMS) and names.isdisjoint(NAMES["model"])


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
    held = [(key, first) for key, first in held if isinstance(first, dict) and plain_key(key) not in WORDS["steps"]]
    asks = any(not _ABOUT_ITEMS.isdisjoint(map(plain_key, first)) for _, first in held)
    names = {str(one[KEY]) for one in known}
    own = [{key: value for key, value in one.items() if plain_key(key) not in WORDS["means"]} for one in known]
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


class NoItem(str):
    """The name of records that are no items, to follow their number."""


_BLANK = NoItem("records without fields")


def named_records(value: Mapping[str, Any], depth: int = 0) -> list[dict[str, Any] | NoItem] | None:
    """Return the records of the object that has most of one kind, their names as ``key``; None if there is none."""
    inner = [one for one in value.values() if isinstance(one, dict) and one]
    own = None
    names = [key for key, one in value.items() if isinstance(one, dict) and one]
    # Beside records with numbers, as OpenCompass has them, other facts are no records.
    are_all = len(inner) == len(value) or all(map(str.isdecimal, names))
    if len(inner) > 1 and are_all and all(_are_alike(one, inner[0]) for one in inner):
        own = [
            {KEY: key, **record} if isinstance(record, dict) and record else _BLANK
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


def _is_of_items(path: Sequence[str], rows: Sequence[Any]) -> bool:
    return plain_key(path[-1]) in _OF_ITEMS and not _are_items(rows, path[-1])


def _may_join(path: Sequence[str], longest: Sequence[str], rows: Sequence[Any]) -> bool:
    """Whether records may be items as those of the longest list are: what has a name of items is so beside its like."""
    named = not _OF_ITEMS.isdisjoint(map(plain_key, (path[-1], longest[-1])))
    return not _is_of_items(path, rows) and (not named or path[-1] == longest[-1])


def _names(places: Sequence[int], lists: Mapping[tuple[str, ...], list[dict[str, Any]]]) -> list[str]:
    """Name what tells lists apart at places of their paths; a name that the rows have is used for nothing else."""
    known = {name for rows in lists.values() for name in rows[0]}
    names: list[str] = []
    for place in places:
        parts = dict[str, list[dict[str, Any]]]()
        for path, rows in lists.items():
            parts.setdefault(path[place], []).extend(rows)
        same = _are_about_the_same([*parts.values()])
        name = MODEL if are_models(parts) or same else _GROUP
        name = _RUN if same and all(map(names_a_run, parts)) else name
        names.append(name if name not in known and name not in names else f"{KEY} {len(names) + 1}")
    return names
