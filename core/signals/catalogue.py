"""Signals by name: what is known of each item before any label, in ascending order of risk.

Source: docs/method.md, 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError, PoolError
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..words import counted, listed, per_cent
from .columns import column_values
from .entropy import semantic_entropy, share_agreeing
from .features import features
from .past import past_losses, past_models, past_results, past_risk
from .risk import RiskModel, risk_model

# What each signal is made from beside the pool and the parser.
MADE_FROM: dict[str, tuple[str, ...]] = {
    "semantic-entropy": (),
    "likelihood-entropy": (),
    "agreement": ("target",),
    "past-results": ("target", "past", "accuracy"),
    "column": ("target", "past", "column"),
    "risk": ("target", "past", "accuracy"),
    "group": (),
}
SIGNALS = tuple(MADE_FROM)
# A risk model of more pools than these is described by their number.
_MOST_NAMES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """What is known of each of N items before any label.

    Parameters
    ----------
    name : str
        One of `core.signals.SIGNALS`.
    values : (N,) float
        Ascending in risk; NaN where the item has no signal. Read-only.
    risk : (N,) float or None
        The predicted probability that the target fails the item, p̂ in [0, 1], where the signal is one. Read-only.
    how : str
        How the signal was made, in one sentence.
    """

    name: str
    values: NDArray[np.float64]
    risk: NDArray[np.float64] | None
    how: str

    def __repr__(self) -> str:
        return f"Signal “{self.name}” of {self.values.size:,} items: {self.how}"


def signal(
    pool: Pool,
    name: str,
    *,
    target: str | None = None,
    past: Sequence[str] | None = None,
    accuracy: float | None = None,
    column: str | None = None,
    parser: str | None = None,
    risk: RiskModel | ArrayLike | None = None,
) -> Signal:
    """Make a signal of a pool. The losses of ``target`` are never looked at.

    Parameters
    ----------
    pool : Pool
        The pool of N items.
    name : str
        One of `core.signals.SIGNALS`: "semantic-entropy"; "likelihood-entropy", its likelihood-weighted form;
        "agreement", how few generations give the target's own answer; "past-results", what other models did;
        "column", a number that the pool brings along; "risk", the probability that the target fails, predicted from
        past results and the target's answers, or from elsewhere; "group", which puts the items of a group side by side.
    target : str, optional
        The model that is to be evaluated.
    past : sequence of str, optional
        The models of "past-results", and those that orient a column. By default all other targets whose outcome is
        known on at least 95 % of the items; an empty sequence means none.
    accuracy : float, optional
        The accuracy that the target is believed to have: models near it count most in "past-results".
    column : str, optional
        The column of "column".
    parser : str, optional
        A kind of `core.answers` for all items; by default each item's own.
    risk : RiskModel or (N,) float, optional
        The model of "risk", or predicted risks from elsewhere. By default that of `core.signals.risk_model`.

    Returns
    -------
    Signal

    Raises
    ------
    DesignError
        There is no signal of this name, or what it needs was not given or does not fit.
    PoolError
        The pool does not have what the signal is made of.
    """
    if name == "semantic-entropy":
        values = semantic_entropy(pool.class_counts(parser))
        how = f"How much {counted(pool.n_generations, 'generation')} an item disagree, as semantic entropy"
        return _signal(name, values, None, how)
    if name == "likelihood-entropy":
        return _likelihood_entropy(pool, parser)
    if name == "agreement":
        return _disagreement(pool, target, parser)
    if name == "past-results":
        return _past_results(pool, target, past, accuracy, parser)
    if name == "column":
        return _column(pool, column, target, past, parser)
    if name == "risk":
        if risk is None or isinstance(risk, RiskModel):
            return _predicted(pool, target, past, accuracy, parser, risk)
        return _given(pool, risk)
    if name == "group":
        return _groups(pool)
    raise DesignError(f"There is no signal called “{name}”. Choose one of {', '.join(SIGNALS)}.")


def _likelihood_entropy(pool: Pool, parser: str | None) -> Signal:
    classes, logprobs = pool.classes(parser), pool.logprobs
    if logprobs is None:
        raise PoolError(
            "This pool has no log-probability for each generation. Run the surrogate with log-probabilities, or use "
            "semantic entropy."
        )
    how = f"Semantic entropy of {counted(pool.n_generations, 'generation')} an item, weighted by their likelihood"
    return _signal("likelihood-entropy", semantic_entropy(classes, logprobs), None, how)


def _disagreement(pool: Pool, target: str | None, parser: str | None) -> Signal:
    if target is None:
        raise DesignError("The signal “agreement” needs the target whose answers are compared. Give target=…")
    agreeing, counts = pool.agreeing(target, parser), pool.class_counts(parser)
    shares = share_agreeing(agreeing, counts)
    if np.isnan(shares).all():
        raise PoolError(f"This pool has no answers of “{target}”. Add its answers, or use semantic entropy.")
    how = f"The share of {counted(pool.n_generations, 'generation')} that disagree with the target’s answer"
    return _signal("agreement", np.subtract(1.0, shares, out=shares), None, how)


def _past_results(
    pool: Pool, target: str | None, past: Sequence[str] | None, accuracy: float | None, parser: str | None
) -> Signal:
    losses = past_losses(pool, target, past, parser)
    values = past_results(losses, accuracy)
    near = "the best of them" if accuracy is None else f"{per_cent(accuracy)} accuracy"
    how = f"The mean loss of {counted(losses.shape[1], 'other model')} on the same item"
    if losses.shape[1] > 1:
        how += f", most weight on models near {near}"
    unknown = int(np.isnan(losses).all(axis=1).sum())
    if unknown:
        how += f"; {counted(unknown, 'item')} without outcomes at the overall mean"
    return _signal("past-results", values, past_risk(losses, accuracy) if in_unit(losses) else None, how)


def _column(
    pool: Pool, column: str | None, target: str | None, past: Sequence[str] | None, parser: str | None
) -> Signal:
    values = column_values(pool, column)
    names = past_models(pool, target, past, parser)
    direction = _direction(values, past_losses(pool, target, names, parser)) if names else 0
    how = {
        0: "taken as higher = riskier; strata of equal size need only its order, and either direction serves",
        1: f"higher = riskier, as the outcomes of {counted(len(names), 'other model')} say",
        -1: f"lower = riskier, as the outcomes of {counted(len(names), 'other model')} say",
    }[direction]
    return _signal("column", -values if direction < 0 else values, None, f"The column “{column}”, {how}")


def _predicted(
    pool: Pool,
    target: str | None,
    past: Sequence[str] | None,
    accuracy: float | None,
    parser: str | None,
    given: RiskModel | None,
) -> Signal:
    model = risk_model(pool, target, past, accuracy=accuracy, parser=parser) if given is None else given
    names = past_models(pool, target, past, parser)
    losses = past_losses(pool, target, names, parser) if names else np.empty((pool.n_items, 0))
    values = model.predict(features(pool, target, losses, model.features, accuracy=accuracy, parser=parser))
    # A product is made of features that are named already.
    parts = listed([name for name in model.features if "×" not in name])
    trained = f"{counted(model.models, 'model')}{_of_pools(model.pools)}"
    how = f"The probability of failing, predicted from {parts} by a logistic regression on {trained}"
    return _signal("risk", values, values, how)


def _of_pools(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f" of {len(names):,} pools"
    return f" of {listed([f'“{name}”' for name in names])}" if names else ""


def _given(pool: Pool, risk: ArrayLike) -> Signal:
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
    return _signal("risk", values, values, "Predicted risks from outside the pool")


def _groups(pool: Pool) -> Signal:
    if pool.groups is None:
        raise PoolError("This pool has no groups. Add a key “group” to its items, or choose another signal.")
    values = pool.groups.astype(np.float64)
    how = f"The group of each item, one of {np.unique(values).size:,}; strata of equal size need no order of groups"
    return _signal("group", values, None, how)


def _direction(values: NDArray[np.float64], losses: NDArray[np.float64]) -> int:
    """1 where larger values go with larger losses of past models, −1 where with smaller ones, 0 where with neither.

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


def _signal(name: str, values: NDArray[np.float64], risk: NDArray[np.float64] | None, how: str) -> Signal:
    missing = int(np.isnan(values).sum())
    if missing:
        how += f"; {counted(missing, 'item')} without it at the top"
    values.setflags(write=False)
    if risk is not None:
        risk.setflags(write=False)
    return Signal(name, values, risk, f"{how}.")
