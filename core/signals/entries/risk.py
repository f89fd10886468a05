"""The probability that the target fails an item, predicted by a model or given from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DesignError
from ...pool.outcomes import in_unit
from ...pool.pool import Pool
from ...words import counted, listed
from ..features import features
from ..past import past_losses
from ..risk import RiskModel, risk_model
from ..signal import Given, Signal, SignalReading, reading

# A risk model of more pools than these is described by their number.
_MOST_NAMES = 4


def _there(pool: Pool, given: Given) -> bool:
    """Whether risks are given, or past results with the target's answers, or of several models, predict them."""
    if given.risk is not None:
        return True
    others = given.others(pool)
    fitted = bool(others) and (given.answered(pool) or len(others) > 1)
    return fitted and in_unit(past_losses(pool, given.target, others, given.parser))


def _read(pool: Pool, given: Given) -> SignalReading:
    if given.risk is None or isinstance(given.risk, RiskModel):
        return _predicted(pool, given, given.risk)
    return _from_elsewhere(pool, given.risk)


def _why(pool: Pool, given: Given) -> str:
    answers = given.answered(pool)
    whom = "a new model" if given.target is None else "your model"
    too = ", and your model’s answers are known: together they" if answers else ", which"
    return f"{given.results(pool)}{too} predict where {'it' if answers else whom} fails."


def _predicted(pool: Pool, given: Given, model: RiskModel | None) -> SignalReading:
    target, accuracy, parser = given.target, given.accuracy, given.parser
    fitted = risk_model(pool, target, given.past, accuracy=accuracy, parser=parser) if model is None else model
    names = given.others(pool)
    losses = past_losses(pool, target, names, parser) if names else np.empty((pool.n_items, 0))
    values = fitted.predict(features(pool, target, losses, fitted.features, accuracy=accuracy, parser=parser))
    # A product is made of features that are named already.
    parts = listed([name for name in fitted.features if "×" not in name])
    trained = f"{counted(fitted.models, 'model')}{_of_pools(fitted.pools)}"
    how = f"The probability of failing, predicted from {parts} by a logistic regression on {trained}"
    return reading(SIGNAL.name, values, values, how)


def _of_pools(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f" of {len(names):,} pools"
    return f" of {listed([f'“{name}”' for name in names])}" if names else ""


def _from_elsewhere(pool: Pool, risk: ArrayLike) -> SignalReading:
    values = np.array(risk, dtype=np.float64)
    if values.shape != (pool.n_items,):
        raise DesignError(
            f"There are {values.size:,} predicted risks for {pool.n_items:,} items. Give one for each item."
        )
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        raise DesignError(
            f"A predicted risk is a probability between 0 and 1. {counted(wrong.size, 'item')} "
            f"{'has' if wrong.size == 1 else 'have'} another or none, the first in row {wrong[0] + 1:,}: "
            f"{values[wrong[0]]:g}."
        )
    return reading(SIGNAL.name, values, values, "Predicted risks from outside the pool")


SIGNAL = Signal(
    name="risk",
    title="Predicted risk",
    noun="predicted risk",
    along="how likely the model is to fail on them",
    rests_on="p̂ from a model or from elsewhere",
    when="past results and answers together",
    there=_there,
    read=_read,
    why=_why,
    made_from=("target", "past", "accuracy"),
    usual="past results",
    order=1,
    kept=True,
)
