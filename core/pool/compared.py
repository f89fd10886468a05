"""Which targets of a pool stand for all of them, where pools are compared with one another."""

from __future__ import annotations

from collections.abc import Iterable

from ..words import listed, shown
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
