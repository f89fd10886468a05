"""The signal “past results”: other models' losses on the same items."""

from __future__ import annotations

import numpy as np

from ...pool.outcomes import in_unit
from ...pool.pool import Pool
from ...words import counted, per_cent
from ..past import past_losses, past_results, past_risk
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    accuracy = given.accuracy
    losses = past_losses(pool, given.target, given.past, given.parser)
    values = past_results(losses, accuracy)
    near = "the best of them" if accuracy is None else f"{per_cent(accuracy)} accuracy"
    how = f"The mean loss of {counted(losses.shape[1], 'other model')} on the same item"
    if losses.shape[1] > 1:
        how += f", most weight on models near {near}"
    unknown = int(np.isnan(losses).all(axis=1).sum())
    if unknown:
        how += f"; {counted(unknown, 'item')} without outcomes at the overall mean"
    return reading(SIGNAL.name, values, past_risk(losses, accuracy) if in_unit(losses) else None, how)


SIGNAL = Signal(
    name="past-results",
    title="Past results",
    noun="past results of other models",
    along="how other models did on them",
    rests_on="what other models did on the same items",
    when="running is expensive",
    there=lambda pool, given: bool(given.others(pool)),
    read=_read,
    why=lambda pool, given: f"{given.results(pool)}.",
    made_from=("target", "past", "accuracy"),
    usual="past results",
    order=2,
)
