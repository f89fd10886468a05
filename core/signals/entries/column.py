"""Any number that a pool brings along for its items, chosen by the name of its column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...pool.pool import Pool
from ...words import counted
from ..columns import column_values, numeric_columns
from ..past import past_losses, past_results
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    values, names = column_values(pool, given.column), given.others(pool)
    direction = _direction(values, past_losses(pool, given.target, names, given.parser)) if names else 0
    how = {
        0: "taken as higher = riskier; strata of equal size need only its order, and either direction serves",
        1: f"higher = riskier, as the outcomes of {counted(len(names), 'other model')} say",
        -1: f"lower = riskier, as the outcomes of {counted(len(names), 'other model')} say",
    }[direction]
    return reading(SIGNAL.name, -values if direction < 0 else values, None, f"The column “{given.column}”, {how}")


def _direction(values: NDArray[np.float64], losses: NDArray[np.float64]) -> int:
    """1 if larger values go with larger losses of past models, −1 if with smaller ones, 0 if with neither.

    A rank correlation within two standard errors of 0 is none.
    """
    known = ~np.isnan(values)
    _, rank = np.unique(values[known], return_inverse=True)
    size = np.bincount(rank)
    ranks = (np.cumsum(size) - (size - 1) / 2)[rank]
    ranks -= ranks.mean()
    means = past_results(losses)[known]
    means -= means.mean()
    scale = float(np.sqrt((ranks @ ranks) * (means @ means) / ranks.size))
    trend = float(ranks @ means)
    return int(np.sign(trend)) if abs(trend) > 2 * scale else 0


SIGNAL = Signal(
    name="column",
    title="A column",
    noun="a numeric column",
    along="a number that came with them",
    rests_on="any number: a judge's verdict, a reward, a length",
    when="you know what it means",
    there=lambda pool, given: bool(numeric_columns(pool)),
    read=_read,
    made_from=("target", "past", "column"),
    needs=("column",),
    usual="weak",
)
