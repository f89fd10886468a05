"""Some of the targets of a pool: those that are chosen, and those that stand for all where pools are compared."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ..words import listed, shown
from .columns import TARGET_FIELDS, TARGETS, leaf, targets_column
from .pool import Pool

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
