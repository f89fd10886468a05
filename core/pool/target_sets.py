"""Targets of a pool: some of them, one more, and which are versions of one model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from ..words import listed, shown
from .columns import TARGET_FIELDS, TARGETS, leaf, models, targets_column
from .pool import Pool

# Between the names of two targets that are compared.
_AGAINST = " against "
# A table of thousands of models would otherwise take hours, and outnumber all other pools.
MOST_COMPARED = 50


def compared_targets(pool: Pool) -> tuple[str, ...]:
    """Return the targets of a pool that are compared: all of up to 50, or 50 spread evenly over the file."""
    names = tuple(pool.targets)
    if len(names) <= MOST_COMPARED:
        return names
    return tuple(names[place * len(names) // MOST_COMPARED] for place in range(MOST_COMPARED))


def left_aside(targets: Iterable[tuple[str, int]]) -> str:
    """Say of which pools only some targets are compared; "" if all are.

    Parameters
    ----------
    targets : iterable of (str, int)
        Name of each pool, and how many targets it has.
    """
    some = [
        f"{MOST_COMPARED} of the {count:,} models of {shown(name, 40)}"
        for name, count in targets
        if count > MOST_COMPARED
    ]
    return f"Compared are {listed(some)}, spread evenly over the file." if some else ""


def with_targets(pool: Pool, names: Collection[str]) -> Pool:
    """Return the pool with some of its targets alone, at least one, in the order of the file."""
    table, chosen = pool.table, set(names)
    fields = {
        (name, field): values
        for name in pool.targets
        if name in chosen
        for field in TARGET_FIELDS
        if (values := leaf(table, name, field)) is not None
    }
    place = table.column_names.index(TARGETS)
    note = f"Kept are {len(chosen):,} of {len(pool.targets):,} models."
    source = table.set_column(place, TARGETS, targets_column(fields))
    return replace(pool, source=source, notes=(*pool.notes, note), _cache={})


def with_answers(pool: Pool, model: str, answers: Sequence[str | None]) -> Pool:
    """Add a target with these answers to a pool, or give one others; what else is known of it stays.

    Parameters
    ----------
    pool : Pool
        The pool.
    model : str
        Name of the target.
    answers : sequence of str or None
        (N,) its answers, None if one is not known.
    """
    return _with(pool, model, "answer", answers)


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two targets that are compared, as one target: labels say how often the first one wins.

    Parameters
    ----------
    one, other : str
        Their names.
    """

    one: str
    other: str

    @property
    def name(self) -> str:
        """The name of the pair as a target, “A against B”."""
        return f"{self.one}{_AGAINST}{self.other}"

    @classmethod
    def of(cls, name: str | None, targets: Collection[str]) -> ModelPair | None:
        """Find the two targets that a name puts against each other; None if it does not."""
        parts = (name or "").split(_AGAINST)
        ways = (cls(_AGAINST.join(parts[:at]), _AGAINST.join(parts[at:])) for at in range(1, len(parts)))
        return next((way for way in ways if way.one != way.other and {way.one, way.other} <= {*targets}), None)


def with_models(pool: Pool, names: Sequence[str]) -> Pool:
    """Add targets of which nothing is known, such as those that only labels name; those that the pool has stay."""
    for name in names:
        if name not in pool.targets:
            pool = _with(pool, name, "loss", [None] * pool.n_items)
    return pool


def _with(pool: Pool, model: str, field: str, values: Sequence[str | None]) -> Pool:
    columns = {
        (name, of_it): column
        for name in models(pool.table)
        for of_it in TARGET_FIELDS
        if (column := leaf(pool.table, name, of_it)) is not None
    }
    columns.pop((model, "unscored"), None)
    columns[model, field] = pa.chunked_array([pa.array(values, TARGET_FIELDS[field])])
    table = pool.table.drop_columns([TARGETS]) if TARGETS in pool.table.column_names else pool.table
    return replace(pool, source=table.append_column(TARGETS, targets_column(columns)), _cache={})


# How many parameters a model has, of how many bits, and how it is asked, in its name.
_SETTING = re.compile(
    r"(?<![a-z\d])(?:[\d.]+(?:x[\d.]+)?[bm]|\d+-?(?:bits?|shots?)"
    r"|(?:t|temp(?:erature)?|top_?p|p|lr|seed|k)[ _]*=?[ _]*[\d.]+)(?![a-z\d])"
)
# A number in a name, or a date, with the letters before it.
_NUMBER = re.compile(r"(?:[a-z]+[\s._-]*)?(?:20\d\d-?[01]\d(?:-?[0-3]\d)?|\d+(?:\.\d+)*)")
# “v2”, “version 2”, “3.1” and a year with a month: “m1” and “m2” may be any two models.
_VERSION = re.compile(r"^v(?:ersion)?[\s._-]*\d|\d\.\d|(?<!\d)20\d\d-?[01]\d")


def are_versions(names: Iterable[str], dates: Iterable[str] = ()) -> bool:
    """Whether models are versions of one: each has a date, or their names differ in nothing but numbers and signs.

    Parameters
    ----------
    names : iterable of str
        “v9” and “v10” are alike; “8B” and “70B” are the sizes of two models, “T=0” and “T=1” temperatures of one.
    dates : iterable of str, optional
        Their dates, "" if one is not known.
    """
    known = list(dates)
    if known and all(known):
        return True
    alike = {(*_SETTING.findall(name.casefold()), re.sub(r"[\W\d_]", "", name.casefold())) for name in names}
    return len(alike) == 1


def newest_first(names: Iterable[str]) -> tuple[str, ...]:
    """Put the newest version first if names say that they are versions, by the numbers in them; else keep the order."""
    given = tuple(names)
    return tuple(sorted(given, key=by_number, reverse=True)) if named_versions(given) else given


def named_versions(names: Sequence[str]) -> bool:
    """Whether several models are versions of one, and their names say so: “v1” and “v2”, not “m1” and “m2”."""
    numbers = [set(_NUMBER.findall(name.casefold())) for name in names]
    if len(numbers) < 2 or not are_versions(names):
        return False
    return any(map(_VERSION.search, set.union(*numbers) - set.intersection(*numbers)))


def by_number(name: str) -> list[tuple[int, str]]:
    """Return what sorts “v10” after “v9”, whatever the case of letters."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
