"""The catalogue of signals, each declared here: what it is, where it is offered, and how it is read from a pool.

Source: docs/method.md, 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError, PoolError
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..words import counted, listed, per_cent
from ..words.catalogue import Catalogue
from .column_values import column_values, numeric_columns
from .entropy import predictive_entropy, self_consistency, semantic_entropy, share_agreeing
from .features import features
from .past import past_losses, past_results, past_risk
from .risk import RiskModel, risk_model
from .signal import Given, Signal, SignalReading, reading


def _read_semantic_entropy(pool: Pool, given: Given) -> SignalReading:
    values = semantic_entropy(pool.class_counts(given.parser))
    how = f"How much {counted(pool.n_generations, 'generation')} an item disagree, as semantic entropy"
    return reading(SEMANTIC_ENTROPY.name, values, None, how)


SEMANTIC_ENTROPY = Signal(
    name="semantic-entropy",
    title="Semantic entropy",
    noun="semantic entropy",
    along="how much another model’s answers to them disagree (semantic entropy)",
    rests_on="the surrogate's samples",
    when="always available",
    there=lambda pool, given: pool.n_generations > 0,
    read=_read_semantic_entropy,
    why=lambda pool, given: (
        "A cheap model (the surrogate) answered every item several times: how much its answers disagree is known."
    ),
    order=4,
    of_surrogate=True,
    nats=True,
)


def _read_self_consistency(pool: Pool, given: Given) -> SignalReading:
    values = np.asarray(1.0 - self_consistency(pool.class_counts(given.parser)))
    how = f"The share of {counted(pool.n_generations, 'generation')} an item that do not give its most frequent answer"
    return reading(SELF_CONSISTENCY.name, values, None, how)


SELF_CONSISTENCY = Signal(
    name="self-consistency",
    title="Self-consistency",
    noun="1 − self-consistency",
    along="how often another model repeats its answer to them",
    rests_on="the surrogate's samples",
    when="to compare with semantic entropy",
    there=lambda pool, given: pool.n_generations > 0,
    read=_read_self_consistency,
    of_surrogate=True,
)


def _read_likelihood_entropy(pool: Pool, given: Given) -> SignalReading:
    classes, logprobs = pool.classes(given.parser), pool.logprobs
    if logprobs is None:
        raise PoolError(
            "This pool has no log-probability for each generation. Run the surrogate with log-probabilities, or use "
            "semantic entropy."
        )
    how = f"Semantic entropy of {counted(pool.n_generations, 'generation')} an item, weighted by their likelihood"
    return reading(LIKELIHOOD_ENTROPY.name, semantic_entropy(classes, logprobs), None, how)


LIKELIHOOD_ENTROPY = Signal(
    name="likelihood-entropy",
    title="Weighted entropy",
    noun="likelihood-weighted semantic entropy",
    along="how much another model’s answers to them disagree (semantic entropy)",
    rests_on="samples with log-probabilities",
    when="open-ended answers",
    there=lambda pool, given: pool.n_generations > 0 and pool.logprobs is not None,
    read=_read_likelihood_entropy,
    of_surrogate=True,
    nats=True,
    aliases=("weighted-semantic-entropy",),
)


def _read_predictive_entropy(pool: Pool, given: Given) -> SignalReading:
    if pool.token_logprobs is None:
        raise PoolError(
            "This pool has no mean log-probability per token of each generation (“token_logprobs”). Run the surrogate "
            "with log-probabilities, or use semantic entropy."
        )
    how = f"The mean negative log-probability per token of {counted(pool.n_generations, 'generation')} an item"
    return reading(PREDICTIVE_ENTROPY.name, predictive_entropy(pool.token_logprobs), None, how)


PREDICTIVE_ENTROPY = Signal(
    name="predictive-entropy",
    title="Predictive entropy",
    noun="predictive entropy",
    along="how unsure another model is of its answers to them",
    rests_on="samples with log-probabilities per token",
    when="answers cannot be grouped by meaning",
    there=lambda pool, given: pool.n_generations > 0 and pool.token_logprobs is not None,
    read=_read_predictive_entropy,
    of_surrogate=True,
    nats=True,
)


def _read_agreement(pool: Pool, given: Given) -> SignalReading:
    target = given.target
    if target is None:
        raise DesignError("The signal “agreement” needs the target whose answers are compared. Give target=…")
    shares = share_agreeing(pool.agreeing(target, given.parser), pool.class_counts(given.parser))
    if np.isnan(shares).all():
        raise PoolError(f"This pool has no answers of “{target}”. Add its answers, or use semantic entropy.")
    how = f"The share of {counted(pool.n_generations, 'generation')} that disagree with the target’s answer"
    return reading(AGREEMENT.name, np.subtract(1.0, shares, out=shares), None, how)


AGREEMENT = Signal(
    name="agreement",
    title="Agreement",
    noun="agreement with your model’s answers",
    along="how well another model’s answers agree with the one examined",
    rests_on="the target's own answers, ungraded",
    when="grading is expensive",
    there=lambda pool, given: given.answered(pool),
    read=_read_agreement,
    why=lambda pool, given: (
        "A cheap model (the surrogate) answered every item too: where the two disagree, your model is probably "
        "more often wrong."
    ),
    made_from=("target",),
    needs=("target",),
    usual="strong",
    order=3,
)


def _read_past_results(pool: Pool, given: Given) -> SignalReading:
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
    return reading(PAST_RESULTS.name, values, past_risk(losses, accuracy) if in_unit(losses) else None, how)


PAST_RESULTS = Signal(
    name="past-results",
    title="Past results",
    noun="past results of other models",
    along="how other models did on them",
    rests_on="what other models did on the same items",
    when="running is expensive",
    there=lambda pool, given: bool(given.others(pool)),
    read=_read_past_results,
    why=lambda pool, given: f"{given.results(pool)}.",
    made_from=("target", "past", "accuracy"),
    usual="past results",
    order=2,
)


# A risk model of more pools than these is described by their number.
_MOST_NAMES = 4


def _risk_is_there(pool: Pool, given: Given) -> bool:
    """Whether risks are given, or past results with the target's answers, or of several models, predict them."""
    if given.risk is not None:
        return True
    others = given.others(pool)
    fitted = bool(others) and (given.answered(pool) or len(others) > 1)
    return fitted and in_unit(past_losses(pool, given.target, others, given.parser))


def _read_risk(pool: Pool, given: Given) -> SignalReading:
    if given.risk is None or isinstance(given.risk, RiskModel):
        return _predicted_risk(pool, given, given.risk)
    return _risk_from_elsewhere(pool, given.risk)


def _why_risk(pool: Pool, given: Given) -> str:
    answers = given.answered(pool)
    whom = "a new model" if given.target is None else "your model"
    too = ", and your model’s answers are known: together they" if answers else ", which"
    return f"{given.results(pool)}{too} predict where {'it' if answers else whom} fails."


def _predicted_risk(pool: Pool, given: Given, model: RiskModel | None) -> SignalReading:
    target, accuracy, parser = given.target, given.accuracy, given.parser
    fitted = risk_model(pool, target, given.past, accuracy=accuracy, parser=parser) if model is None else model
    names = given.others(pool)
    losses = past_losses(pool, target, names, parser) if names else np.empty((pool.n_items, 0))
    values = fitted.predict(features(pool, target, losses, fitted.features, accuracy=accuracy, parser=parser))
    # A product is made of features that are named already.
    parts = listed([name for name in fitted.features if "×" not in name])
    trained = f"{counted(fitted.models, 'model')}{_of_pools(fitted.pools)}"
    how = f"The probability of failing, predicted from {parts} by a logistic regression on {trained}"
    return reading(RISK.name, values, values, how)


def _of_pools(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f" of {len(names):,} pools"
    return f" of {listed([f'“{name}”' for name in names])}" if names else ""


def _risk_from_elsewhere(pool: Pool, risk: ArrayLike) -> SignalReading:
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
    return reading(RISK.name, values, values, "Predicted risks from outside the pool")


RISK = Signal(
    name="risk",
    title="Predicted risk",
    noun="predicted risk",
    along="how likely the model is to fail on them",
    rests_on="p̂ from a model or from elsewhere",
    when="past results and answers together",
    there=_risk_is_there,
    read=_read_risk,
    why=_why_risk,
    made_from=("target", "past", "accuracy"),
    usual="past results",
    order=1,
    kept=True,
)


def _read_column(pool: Pool, given: Given) -> SignalReading:
    values, names = column_values(pool, given.column), given.others(pool)
    direction = _direction(values, past_losses(pool, given.target, names, given.parser)) if names else 0
    how = {
        0: "taken as higher = riskier; strata of equal size need only its order, and either direction serves",
        1: f"higher = riskier, as the outcomes of {counted(len(names), 'other model')} say",
        -1: f"lower = riskier, as the outcomes of {counted(len(names), 'other model')} say",
    }[direction]
    return reading(COLUMN.name, -values if direction < 0 else values, None, f"The column “{given.column}”, {how}")


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


COLUMN = Signal(
    name="column",
    title="A column",
    noun="a numeric column",
    along="a number that came with them",
    rests_on="any number: a judge's verdict, a reward, a length",
    when="you know what it means",
    there=lambda pool, given: bool(numeric_columns(pool)),
    read=_read_column,
    made_from=("target", "past", "column"),
    needs=("column",),
    usual="weak",
)


def _read_group(pool: Pool, given: Given) -> SignalReading:
    if pool.groups is None:
        raise PoolError("This pool has no groups. Add a key “group” to its items, or choose another signal.")
    values = pool.groups.astype(np.float64)
    how = f"The group of each item, one of {np.unique(values).size:,}; strata of equal size need no order of groups"
    return reading(GROUP.name, values, None, how)


GROUP = Signal(
    name="group",
    title="Groups",
    noun="groups",
    along="their group",
    rests_on="a subject or task",
    when="nothing else is known",
    there=lambda pool, given: pool.groups is not None,
    read=_read_group,
    why=lambda pool, given: "Groups are all that is known of the items.",
    order=5,
    ordered=False,
)


def _declared() -> list[Signal]:
    """The signals in the order of `recommend`, then those that it never chooses, by name."""
    signals = (declared for declared in globals().values() if isinstance(declared, Signal))
    return sorted(signals, key=lambda signal: (inf if signal.order is None else signal.order, signal.name))


SIGNALS = Catalogue("signal", _declared())


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
) -> SignalReading:
    """Make a signal of a pool. The losses of ``target`` are never looked at.

    Parameters
    ----------
    pool : Pool
        The pool of N items.
    name : str
        One of `core.signals.SIGNALS`, such as "semantic-entropy" or "agreement"; ``SIGNALS[name]`` says what it is.
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
    SignalReading

    Raises
    ------
    DesignError
        There is no signal of this name, or what it needs was not given or does not fit.
    PoolError
        The pool does not have what the signal is made of.
    """
    return SIGNALS[name].read(pool, Given(target, past, accuracy, column, parser, risk))


def offered(pool: Pool, given: Given | None = None) -> Iterator[tuple[Signal, Given]]:
    """Every signal that the pool offers, with what it is made from; each column of numbers is a signal.

    Parameters
    ----------
    pool : Pool
        The pool.
    given : Given, optional
        What signals may be made from; its column does not count.
    """
    known = Given() if given is None else replace(given, column=None)
    for one in SIGNALS.entries:
        if one.there(pool, known):
            columns: Sequence[str | None] = numeric_columns(pool) if one.of_column else (None,)
            yield from ((one, replace(known, column=column)) for column in columns)
