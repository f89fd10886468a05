"""The groups of a pool, which put items of a subject or task side by side."""

from __future__ import annotations

import numpy as np

from ...errors import PoolError
from ...pool.pool import Pool
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    if pool.groups is None:
        raise PoolError("This pool has no groups. Add a key “group” to its items, or choose another signal.")
    values = pool.groups.astype(np.float64)
    how = f"The group of each item, one of {np.unique(values).size:,}; strata of equal size need no order of groups"
    return reading(SIGNAL.name, values, None, how)


SIGNAL = Signal(
    name="group",
    title="Groups",
    noun="groups",
    along="their group",
    rests_on="a subject or task",
    when="nothing else is known",
    there=lambda pool, given: pool.groups is not None,
    read=_read,
    why=lambda pool, given: "Groups are all that is known of the items.",
    order=5,
    ordered=False,
)
