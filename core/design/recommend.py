"""The design to begin with: one rule from what is known before any label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
from numpy.typing import ArrayLike

from ..errors import DesignError
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..signals.catalogue import signal
from ..signals.past import answered, past_losses, past_models
from ..signals.risk import RiskModel
from ..stratification.equal_mass import fine_strata
from ..stratification.profiles import EQUAL_MASS
from ..words import counted
from .basis import probabilities
from .design import Design
from .losses import pool_losses
from .scheme import Scheme, whole


def recommend(
    pool: Pool,
    budget: int,
    target: str | None = None,
    past: Sequence[str] | None = None,
    *,
    accuracy: float | None = None,
    risk: ArrayLike | RiskModel | None = None,
    parser: str | None = None,
) -> Design:
    """Recommend a design from what is known before labelling. The losses of ``target`` are never looked at.

    Fine strata of equal risk mass, two labels each, along the best signal that the pool has: a risk that is given, or
    predicted from past results and the target's own answers; a single past model's results; the agreement of the
    target's answers with the surrogate's; semantic entropy; groups. A numeric column is never chosen by itself.

    Parameters
    ----------
    pool : Pool
        The pool.
    budget : int
        M ≥ 1, the number of labels.
    target : str, optional
        The model to be evaluated, where the pool has it. Its answers are used where they are known. Without a target
        every model with known results counts as past: name the target if the pool has its results, or they decide
        which items are drawn.
    past : sequence of str, optional
        Targets whose outcome is known; None is all others whose outcome is known on 95 % of the items, () is none.
    accuracy : float, optional
        Believed accuracy of the target, in [0, 1]: past models near it count more.
    risk : (N,) float, Series or mapping of item id → p̂, or RiskModel; optional
        Predicted probability that the target fails each item, from outside, or a model that predicts it.
    parser : str, optional
        Answer kind for all items; by default each item's own.

    Returns
    -------
    Design
        Without a seed; ``why`` says in one sentence what it rests on.

    Raises
    ------
    DesignError
        The budget or the accuracy is out of range, a past model is unknown, or the risk is not one probability for each
        item.
    """
    labels = whole("budget", budget, 1)
    if labels > pool.n_items:
        raise DesignError(f"A budget of {labels:,} is more than the {pool.n_items:,} items of the pool.")
    # A belief that is none is refused, also where no signal uses it.
    Scheme(accuracy=accuracy)
    scheme, predicted, why = _signal(pool, target, past, accuracy, risk, parser)
    return Design(labels, fine(scheme, labels, pool.n_items), risk=predicted, why=why)


def fine(scheme: Scheme, budget: int, n_items: int) -> Scheme:
    """Fine strata of equal risk mass along a scheme's signal, two labels each; Uniform stays Uniform.

    Parameters
    ----------
    scheme : Scheme
        Its signal counts, and what that is made from.
    budget : int
        M ≥ 1, the number of labels.
    n_items : int
        N, the number of items.
    """
    if scheme.allocation == "uniform":
        return scheme
    return replace(scheme, stratifier=EQUAL_MASS, n_strata=fine_strata(budget, n_items), allocation="equal")


def _signal(
    pool: Pool,
    target: str | None,
    past: Sequence[str] | None,
    accuracy: float | None,
    risk: ArrayLike | RiskModel | None,
    parser: str | None,
) -> tuple[Scheme, tuple[float, ...] | None, str]:
    """The best signal that the pool has, as a scheme with its p̂, and why."""
    others = past_models(pool, target, past, parser)
    answers = answered(pool, target, parser)
    noun = "model" if target is None else "other model"
    know = f"{counted(len(others), noun)} {'has' if len(others) == 1 else 'have'} known results on these items"
    fitted = others and (answers or len(others) > 1) and in_unit(past_losses(pool, target, others, parser))
    if risk is not None or fitted:
        given = pool_losses(risk, pool.ids) if isinstance(risk, pd.Series | Mapping) else risk
        predicted = signal(pool, "risk", target=target, past=others, accuracy=accuracy, parser=parser, risk=given)
        whom = "a new model" if target is None else "the target"
        too = ", and the target’s answers are known: together they" if answers else ", which"
        why = f"{know}{too} predict where {'it' if answers else whom} fails."
        why = f"Items are sorted by {predicted.how[0].lower()}{predicted.how[1:]}" if risk is not None else why
        scheme = Scheme(signal="risk", target=target, past=others or None, accuracy=accuracy, parser=parser)
        return scheme, probabilities(predicted.values), why
    if others:
        scheme = Scheme(signal="past-results", target=target, past=others, accuracy=accuracy, parser=parser)
        return scheme, None, f"{know}."
    if answers:
        why = "The target’s answers are known: where the surrogate disagrees, the target is more often wrong."
        return Scheme(signal="agreement", target=target, parser=parser), None, why
    if pool.n_generations:
        return Scheme(parser=parser), None, "The surrogate’s disagreement is all that is known of the items."
    if pool.groups is not None:
        return Scheme(signal="group", parser=parser), None, "Groups are all that is known of the items."
    return Scheme(allocation="uniform", parser=parser), None, "Nothing is known of the items: draw uniformly."
