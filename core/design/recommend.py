"""The design to begin with: one rule from what is known before any label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
from numpy.typing import ArrayLike

from ..allocation.rules import EQUAL, UNIFORM
from ..errors import DesignError
from ..pool.pool import Pool
from ..signals.catalogue import SIGNALS
from ..signals.past import past_models
from ..signals.risk import RiskModel
from ..signals.signal import Given
from ..stratification.equal_mass import fine_strata
from ..stratification.profiles import EQUAL_MASS
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

    Fine strata of equal risk mass, two labels each, along the first signal that the pool has, in the order of the
    catalogue (`core.signals.SIGNALS`): a risk that is given, or predicted from past results and the target's own
    answers; a single past model's results; the agreement of the target's answers with the surrogate's; semantic
    entropy; groups. A numeric column is never chosen by itself.

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
    others = past_models(pool, target, past, parser)
    outside = pool_losses(risk, pool.ids) if isinstance(risk, pd.Series | Mapping) else risk
    scheme, predicted, why = _signal(pool, Given(target, others, accuracy, None, parser, outside))
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
    if scheme.uniform:
        return scheme
    return replace(scheme, stratifier=EQUAL_MASS, n_strata=fine_strata(budget, n_items), allocation=EQUAL.name)


def _signal(pool: Pool, given: Given) -> tuple[Scheme, tuple[float, ...] | None, str]:
    """The best signal that the pool has, as a scheme with its p̂, and why."""
    for signal in SIGNALS.entries:
        if signal.order is None or not signal.there(pool, given):
            continue
        assert signal.why is not None
        choices = {name: getattr(given, name) for name in signal.made_from}
        # No past models are written as none that are named.
        choices |= {"past": given.past or None} if "past" in choices else {}
        scheme = Scheme(signal=signal.name, parser=given.parser, **choices)
        if not signal.kept:
            return scheme, None, signal.why(pool, given)
        made = signal.read(pool, given)
        why = signal.why(pool, given)
        why = f"Items are sorted by {made.how[0].lower()}{made.how[1:]}" if given.risk is not None else why
        return scheme, probabilities(made.values), why
    uniform = Scheme(allocation=UNIFORM.name, parser=given.parser)
    return uniform, None, "Nothing is known of the items: draw uniformly."
