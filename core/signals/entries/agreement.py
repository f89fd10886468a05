"""The signal “agreement”: how few generations give the target's own answer."""

from __future__ import annotations

import numpy as np

from ...errors import DesignError, PoolError
from ...pool.pool import Pool
from ...words import counted
from ..entropy import share_agreeing
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    target = given.target
    if target is None:
        raise DesignError("The signal “agreement” needs the target whose answers are compared. Give target=…")
    shares = share_agreeing(pool.agreeing(target, given.parser), pool.class_counts(given.parser))
    if np.isnan(shares).all():
        raise PoolError(f"This pool has no answers of “{target}”. Add its answers, or use semantic entropy.")
    how = f"The share of {counted(pool.n_generations, 'generation')} that disagree with the target’s answer"
    return reading(SIGNAL.name, np.subtract(1.0, shares, out=shares), None, how)


SIGNAL = Signal(
    name="agreement",
    title="Agreement",
    noun="agreement with your model’s answers",
    along="how well another model’s answers agree with the one examined",
    rests_on="the target's own answers, ungraded",
    when="grading is expensive",
    there=lambda pool, given: given.answered(pool),
    read=_read,
    why=lambda pool, given: (
        "A cheap model (the surrogate) answered every item too: where the two disagree, your model is probably "
        "more often wrong."
    ),
    made_from=("target",),
    needs=("target",),
    usual="strong",
    order=3,
)
