"""The signal “self-consistency”: how rarely a surrogate repeats its most frequent answer."""

from __future__ import annotations

import numpy as np

from ...pool.pool import Pool
from ...words import counted
from ..entropy import self_consistency
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    values = np.asarray(1.0 - self_consistency(pool.class_counts(given.parser)))
    how = f"The share of {counted(pool.n_generations, 'generation')} an item that do not give its most frequent answer"
    return reading(SIGNAL.name, values, None, how)


SIGNAL = Signal(
    name="self-consistency",
    title="Self-consistency",
    noun="1 − self-consistency",
    along="how often another model repeats its answer to them",
    rests_on="the surrogate's samples",
    when="to compare with semantic entropy",
    there=lambda pool, given: pool.n_generations > 0,
    read=_read,
    of_surrogate=True,
)
