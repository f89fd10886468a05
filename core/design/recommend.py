"""The design to begin with: one rule from what is known before any label."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.optimum import allocate
from ..allocation.ways import EQUAL, UNIFORM
from ..errors import DesignError
from ..pool.columns import WEIGHT
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..signals.entries import COLUMN, SIGNALS
from ..signals.past import agreeing_models, nearest, past_answers_risk, past_losses, past_models, past_risk
from ..signals.risk import RiskModel
from ..signals.signal import Given, Signal
from ..stratification.equal_mass import cut, fine_strata, masses
from ..stratification.moments import moments
from ..stratification.profiles import EQUAL_MASS
from ..words import counted, per_cent
from .carried_widths import carried_widths
from .design import Design
from .known_verdicts import Carried
from .losses import pool_losses
from .scheme import Scheme, probabilities, whole

if TYPE_CHECKING:
    from ..estimation.carried import Audit

# Floors that past models choose from, descending, and the one that each of them has to gain from.
_FLOORS, _LEAST = (1.0, 0.5, 0.25), 0.125
# The floor if there are fewer than two past models.
UNCHECKED = 0.5
# The error at the chosen floor is at most so many times the smallest one.
_NEAR = 1.01
_BUDGETS = (20, 50, 100)
_MOST_MODELS = 12

_CHOSEN: WeakKeyDictionary[Pool, dict[tuple[object, ...], float]] = WeakKeyDictionary()


def chosen_floor(
    pool: Pool, target: str | None, past: Sequence[str], accuracy: float | None = None, parser: str | None = None
) -> float:
    """Return the floor of the masses at which past models, each predicted by the others, have small errors.

    Parameters
    ----------
    pool : Pool
        The pool. The losses of ``target`` are never looked at.
    target : str or None
        The target.
    past : sequence of str
        Other models whose outcome is known; of more than 12, those nearest to the believed accuracy are predicted.
    accuracy : float, optional
        The believed accuracy of the target.
    parser : str, optional
        A kind of `core.answers` for all items.

    Returns
    -------
    float
        The largest of 1, ½ and ¼ at which the exact squared error, relative to Uniform's and on average over the models
        and 20, 50 and 100 labels, is within 1 % of the smallest; ⅛ if every model's error is smaller still there; ½ if
        there are fewer than two models, or losses outside [0, 1].
    """
    known, asked = _CHOSEN.setdefault(pool, {}), (target, tuple(past), accuracy, parser)
    if asked not in known:
        names = tuple(name for name in past if name != target)
        losses = past_losses(pool, target, names, parser) if len(names) > 1 else np.empty((0, 0))
        known[asked] = _best(losses, accuracy) if losses.size and in_unit(losses) else UNCHECKED
    return known[asked]


def _best(losses: NDArray[np.float64], accuracy: float | None) -> float:
    """Return the chosen floor for models with these losses, (N, J)."""
    rows = []
    for model in nearest(losses, accuracy, _MOST_MODELS):
        there = ~np.isnan(losses[:, model])
        own, risk = losses[there, model], past_risk(np.delete(losses, model, axis=1))[there]
        budgets = [budget for budget in _BUDGETS if 3 * budget <= own.size]
        if budgets and own.min() < own.max():
            order = np.argsort(risk, kind="stable")
            rows.append([_error(own[order], masses(risk[order], floor), budgets) for floor in (*_FLOORS, _LEAST)])
    if len(rows) < 2:
        return UNCHECKED
    errors = np.array(rows)
    *means, _ = errors.mean(axis=0)
    if bool((errors[:, -1] < errors[:, :-1].min(axis=1)).all()):
        return _LEAST
    return next(floor for floor, error in zip(_FLOORS, means, strict=True) if error <= _NEAR * min(means))


def _error(losses: NDArray[np.float64], mass: NDArray[np.float64], budgets: Sequence[int]) -> float:
    """Return the exact squared error of strata of equal mass, two labels each, relative to Uniform's; budgets' mean."""
    # Here, so that drawing does not wait for SciPy.
    from ..estimation.variance import variance_terms

    relative = []
    for budget in budgets:
        inside = moments(losses, cut(mass, fine_strata(budget, losses.size)))
        labels, whole = allocate(np.ones(inside.sizes.size), inside.sizes, budget), inside.pooled()
        uniform = variance_terms(np.array([budget]), whole.variances, whole.sizes)
        relative.append(variance_terms(labels, inside.variances, inside.sizes).sum() / uniform.sum())
    return float(np.mean(relative))


# So many of the items with several verdicts may disagree before verdicts do not follow from answers.
MOST_CONFLICTS = 0.01


class _KnownVerdicts(Protocol):
    """A bank's knowledge of a target (`core.bank.Known`)."""

    @property
    def loss(self) -> NDArray[np.float64]: ...
    @property
    def conflicts(self) -> float: ...


class _VerdictBank(Protocol):
    """The parts of a bank of verdicts that a design uses (`core.bank.Bank`)."""

    def lookup(self, pool: Pool, target: str, parser: str | None = None) -> _KnownVerdicts: ...
    def log(self, pool: Pool) -> Audit | None: ...


# Beyond this share of the items, so few stay without a label that whole numbers of them decide: they are to be spread
# evenly over strata of equal size, which a floor of the masses makes of any risk.
_MOST_SHARE, _LEFT_OPEN, _EQUAL_SIZES = 0.8, 10, 1000.0


def recommend(
    pool: Pool,
    budget: int,
    target: str | None = None,
    past: Sequence[str] | None = None,
    *,
    accuracy: float | None = None,
    risk: ArrayLike | RiskModel | None = None,
    parser: str | None = None,
    bank: _VerdictBank | None = None,
    follows: bool = False,
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
        The model to be evaluated, if the pool has it. Its answers are used if they are known. Without a target
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
    bank : Bank, optional
        Verdicts that are known already (`core.bank`): if the target gave an answer that was graded before, its
        verdict is carried over, if that promises a narrower interval. Needs a target.
    follows : bool
        Whether the verdict follows from the answer alone, as with an answer key; otherwise, as when people or a model
        judge it, some labels audit the carried verdicts.

    Returns
    -------
    Design
        Without a seed; ``why`` says in one sentence what it rests on.

    Raises
    ------
    DesignError
        The budget or the accuracy is out of range, a past model is unknown, the risk is not one probability for each
        item, a bank comes without a target, verdicts that should follow from the answer contradict each other on more
        than 1 % of the items with several, or audits need a larger budget.
    """
    labels = whole("budget", budget, 1)
    if labels > pool.n_items:
        raise DesignError(f"A budget of {labels:,} is more than the {pool.n_items:,} items of the pool.")
    # A belief that is none is refused, even if no signal uses it.
    Scheme(accuracy=accuracy)
    others = past_models(pool, target, past, parser)
    outside = pool_losses(risk, pool.ids) if isinstance(risk, pd.Series | Mapping) else risk
    scheme, predicted, why = _signal(pool, Given(target, others, accuracy, None, parser, outside))
    design = Design(labels, fine(scheme, labels, pool.n_items), risk=predicted, why=why)
    if bank is None:
        return design
    if target is None:
        raise DesignError("Verdicts are carried over to a target's answers. Name the target.")
    known = bank.lookup(pool, target, parser)
    return carrying(design, pool, target, carried_verdicts(known, bank.log(pool), follows), parser)


def carried_verdicts(known: _KnownVerdicts, log: Audit | None, follows: bool = False) -> Carried:
    """Return a bank's verdicts on a target, which designs of any budget may carry over.

    Parameters
    ----------
    known : Known
        Of `core.bank.Bank.lookup`.
    log : Audit or None
        Of `core.bank.Bank.log`.
    follows : bool
        As in `recommend`.

    Raises
    ------
    DesignError
        Verdicts that should follow from the answer contradict each other on more than 1 % of the items with several.
    """
    if follows and known.conflicts > MOST_CONFLICTS:
        raise DesignError(
            f"Verdicts on the same answer contradict each other on {100 * known.conflicts:.1f} % of the items with "
            "several: they do not follow from the answer alone. Carry them over with audits."
        )
    return Carried(tuple(known.loss.tolist()), follows, log)


def carrying(design: Design, pool: Pool, target: str, carried: Carried, parser: str | None = None) -> Design:
    """The recommended design of a budget with carried verdicts, if these promise a narrower interval; else as it is.

    Parameters
    ----------
    design : Design
        Without them.
    pool, target, parser
        As in `recommend`.
    carried : Carried
        Of `carried_verdicts`.

    Raises
    ------
    DesignError
        As `recommend`.
    """
    if pool.weights is not None:
        return replace(design, why=f"{design.why} No verdict is carried over, because items have weights.")
    design = _by_past_answers(design, pool, target, parser)
    kept = int(carried.known.sum())
    if kept == pool.n_items and carried.follows:
        right = f"{100 * float(1 - carried.values.mean()):.1f} %"
        raise DesignError(f"Every verdict is known already: an accuracy of {right}. Nothing has to be labelled.")
    if not kept:
        return replace(design, why=f"{design.why} No verdict can be carried over.")
    widths, (open_labels, audits) = carried_widths(design, carried), carried.shares(design.budget)
    expected = f" {widths.sentence}" if audits else ""
    if widths.carried >= widths.fresh:
        return replace(design, why=f"{design.why} To carry verdicts over would gain nothing here.{expected}")
    scheme = fine(design.scheme, max(open_labels, 1), max(pool.n_items - kept, 1))
    checks = "none is audited" if carried.follows else f"{counted(audits, 'label')} audit them"
    why = f"{design.why} Verdicts of {kept:,} of {pool.n_items:,} items are carried over from equal answers; {checks}."
    why += expected
    if audits and carried.log is None:
        share = planned_variance(design, ~carried.known, open_labels)
        wrong = audits * (_uniform_variance(design) - share) / (kept / pool.n_items) ** 2
        why += f" The error stays below Uniform’s while fewer than {per_cent(max(wrong, 0.0), 1)} of them are wrong."
    return replace(design, scheme=scheme, why=why, carried=carried)


def _by_past_answers(design: Design, pool: Pool, target: str, parser: str | None) -> Design:
    """The design along the agreement with other models' answers too, if no outcomes of theirs predict anything."""
    scheme = design.scheme
    if not (scheme.uniform or scheme.signal == "agreement"):
        return design
    models = agreeing_models(pool, target)
    if not models:
        return design
    risk = past_answers_risk(pool, target, parser)
    other = recommend(pool, design.budget, target, (), risk=risk, parser=parser)
    beside = " and of a cheap model (the surrogate)" if pool.n_generations else ""
    why = (
        f"Your model’s answers are compared with those of {counted(len(models), 'other model')}{beside}: it fails less "
        "where they agree."
    )
    return replace(other, seed=design.seed, why=why)


def _uniform_variance(design: Design) -> float:
    """Variance of Uniform's mean as the design's risk foresees it, on the scale of `planned_variance`."""
    risk = 0.5 if design.risk is None else float(np.mean(design.risk))
    n_items = design.budget if design.risk is None else len(design.risk)
    return risk * (1 - risk) / design.budget * (1 - (design.budget / n_items if design.risk is not None else 0.0))


def planned_variance(design: Design, items: NDArray[np.bool_], labels: int) -> float:
    """Variance of the mean over some items, if labels are shared as well as possible, up to a common factor.

    Parameters
    ----------
    design : Design
        Its risk says how uncertain an item is; without one all are alike.
    items : (N,) bool
        The items that are sampled.
    labels : int
        Their labels.

    Notes
    -----
    [(Σ s_i)²/m − Σ s_i²]/N² with s_i² = p̂_i(1 − p̂_i): Neyman 1934, the limit of fine strata.
    """
    risk = np.full(items.size, 0.5) if design.risk is None else np.array(design.risk)
    spread = np.sqrt(risk * (1 - risk))[items]
    if labels >= spread.size:
        return 0.0
    if not labels:
        return math.inf
    return max(float(spread.sum() ** 2 / labels - (spread**2).sum()), 0.0) / items.size**2


def fine(scheme: Scheme, budget: int, n_items: int) -> Scheme:
    """Fine strata of equal risk mass along a scheme's signal, two labels each; Uniform stays Uniform.

    If more than 80 % of the items are labelled, strata are of equal size and leave 10 items without a label each: so
    the error is at most 2 % above Uniform's, whatever the signal is worth. Of the last 20 items on it is Uniform.

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
    fine_ones = replace(scheme, stratifier=EQUAL_MASS, n_strata=fine_strata(budget, n_items), allocation=EQUAL.name)
    if budget <= _MOST_SHARE * n_items or budget >= n_items:
        return fine_ones
    few = max(1, min(fine_ones.n_strata, (n_items - budget) // _LEFT_OPEN))
    return replace(fine_ones, n_strata=few, floor=_EQUAL_SIZES)


def recommend_along(
    pool: Pool,
    budget: int,
    signal: str,
    target: str | None = None,
    past: Sequence[str] | None = None,
    *,
    accuracy: float | None = None,
    column: str | None = None,
    parser: str | None = None,
) -> Design:
    """Return the design that is recommended along a signal that is asked for, without a reason.

    Parameters
    ----------
    pool, budget, target, past, accuracy, parser
        As in `recommend`.
    signal : str
        One of `core.signals.SIGNALS`.
    column : str, optional
        As in `core.design.Scheme`.

    Raises
    ------
    DesignError, PoolError
        The pool lacks what the signal is made of, or as `recommend`.
    """
    given = Given(target, past_models(pool, target, past, parser), accuracy, column, parser)
    scheme, predicted = _along(pool, SIGNALS[signal], given)
    return Design(budget, fine(scheme, budget, pool.n_items), risk=predicted)


def _signal(pool: Pool, given: Given) -> tuple[Scheme, tuple[float, ...] | None, str]:
    """The best signal that the pool has, as a scheme with its p̂, and why."""
    for signal in SIGNALS.entries:
        if signal.order is None or not signal.there(pool, given):
            continue
        assert signal.why is not None
        why = signal.why(pool, given)
        if signal.kept and given.risk is not None:
            how = signal.read(pool, given).how
            why = f"Items are sorted by {how[0].lower()}{how[1:]}"
        return *_along(pool, signal, given), why
    if pool.weights is not None:
        only = Scheme(signal=COLUMN.name, column=WEIGHT, parser=given.parser)
        return only, None, "Weights are all that is known of the items."
    uniform = Scheme(allocation=UNIFORM.name, parser=given.parser)
    return uniform, None, "Nothing is known of the items: draw uniformly."


def _along(pool: Pool, signal: Signal, given: Given) -> tuple[Scheme, tuple[float, ...] | None]:
    """A signal as a scheme with its p̂ and the floor that past models choose; without p̂ the floor is not chosen."""
    choices = {name: getattr(given, name) for name in signal.made_from}
    # No past models are written as none that are named.
    choices |= {"past": given.past or None} if "past" in choices else {}
    scheme = Scheme(signal=signal.name, parser=given.parser, **choices)
    if not signal.kept:
        return scheme, None
    predicted, floor = probabilities(signal.read(pool, given).values), UNCHECKED
    # Nobody has tried a risk from outside on the past models.
    if given.risk is None:
        floor = chosen_floor(pool, given.target, given.past or (), given.accuracy, given.parser)
    return replace(scheme, floor=floor), predicted
