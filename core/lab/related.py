"""The related methods of the paper's discussion: GAT, AcTracer and control variates, to be compared.

Source: the paper, section 2; docs/designs.md.

Each item is rewritten as a statement, a question with a proposed answer, that a model judges True or False. The entropy
of its first token is the score by which LURE draws, so the estimate stays unbiased; the score tells how sure the model
is of one answer, not how often its generations agree.

Source: Ramakrishnan, Saeedi, Hassanzadeh, Mohaghegh & Lee 2026, "Generative Active Testing"; the paper, section 2;
docs/designs.md, GAT. The rewriting model of the source is replaced by `prompt`, which needs no further call.

With a predicted loss z_i for every item, a coefficient c that was frozen before the first label, and M items drawn
uniformly without replacement,

    R̂ = ℓ̄ − c (z̄ − Z̄),   MSE = (1/M − 1/N) S²_d,   V̂ = (1/M − 1/N) s²_d,   d_i = ℓ_i − c z_i,

where ℓ̄ and z̄ are means over the labels and Z̄ the mean over the pool. R̂ and V̂ are unbiased. The best coefficient,
S_ℓz/S²_z, leaves a share 1 − ρ² of Uniform's error; it needs the losses.

Source: Zhou, Song & Zanette 2025 for language models, who estimate c from the labels and compare two models; Cochran
1977, 7.6 (difference estimator); docs/designs.md, control variates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .. import lure
from ..allocation.ways import ACTRACER, CONTROL_VARIATE, CONTROL_VARIATE_BEST, GAT, PROXY_NEYMAN, UNIFORM
from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..estimation.mean import Estimate, uniform
from ..pool.pool import Pool
from ..signals.column_values import column_values
from ..signals.entropy import agreement, self_consistency
from ..signals.past import past_losses, past_models, past_results
from ..simulation.exact import ratio, stratified_mse
from ..stratification.moments import moments
from ..stratification.profiles import Outcome
from . import actracer, baselines
from .ablations import share_of
from .settings import TRIALS


def exact(outcome: Outcome, predicted: Verdicts, budgets: Sequence[int], scheme: Scheme = PAPER) -> pd.DataFrame:
    """Exact error of Uniform, the paper's design, and control variates with the frozen and with the best coefficient.

    Parameters
    ----------
    outcome : Outcome
        The target's N known losses.
    predicted : Verdicts
        Of the same N items.
    budgets : (B,) int
        From H to N.
    scheme : Scheme
        The paper's design.

    Returns
    -------
    DataFrame
        Tidy: method, budget, mse, relative_mse, as of `core.lab.baselines.exact`.
    """
    paper = baselines.exact(outcome, budgets, scheme, (UNIFORM.name, PROXY_NEYMAN.name))
    uniform = stratified_mse(outcome.moments.pooled(), np.asarray(budgets, dtype=np.int64)[:, None])
    losses, z = outcome.losses, predicted.losses
    tables = [paper]
    best = best_coefficient(losses, z)
    for method, coefficient in ((CONTROL_VARIATE.name, predicted.coefficient), (CONTROL_VARIATE_BEST.name, best)):
        mse = exact_errors(losses, z, budgets, coefficient)
        cells = {"method": method, "budget": budgets, "mse": mse, "relative_mse": ratio(mse, uniform)}
        tables.append(pd.DataFrame(cells))
    return pd.concat(tables, ignore_index=True)


def simulated(
    pool: Pool,
    outcome: Outcome,
    known: NDArray[np.bool_],
    budgets: Sequence[int],
    trials: int = TRIALS,
    clip: float = 0.1,
    seed: int = 0,
    proxy: str | None = None,
    parser: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Simulated error and bias of GAT and AcTracer, as far as the pool has what they need.

    Parameters
    ----------
    pool : Pool
        The pool.
    outcome : Outcome
        The target's known losses.
    known : (N,) bool
        Where its loss is known.
    budgets : (B,) int
        From 1 to the number of known losses.
    trials : int
        T ≥ 2.
    clip : float
        LURE's share of Uniform, in (0, 1].
    seed : int
        Of the draws.
    proxy : str, optional
        The column of GAT's P(True).
    parser : str, optional
        Answer kind of the generations, whose self-consistency is AcTracer's confidence.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: as of `core.lab.baselines.simulated`, with bias (mean estimate less the truth) and bias_error. Empty if
        the pool has neither; NaN at budgets that AcTracer cannot begin with.
    """
    losses, budget = outcome.losses, np.asarray(budgets, dtype=np.int64)
    uniform = stratified_mse(outcome.moments.pooled(), budget[:, None])
    true, points = gat_proxy(pool, proxy), actracer.vectors(pool)
    methods: dict[str, Callable[[Callable[[float], None] | None], NDArray[np.float64]]] = {}
    if true is not None:
        scores = gat_scores(true[known])
        methods[GAT.name] = lambda share: lure.estimates(losses, scores, budget, trials, clip, seed, share)
    if points is not None:
        cluster = actracer.clusters(points[known], seed=seed)
        sure = self_consistency(pool.classes(parser))[known] if pool.n_generations else None
        methods[ACTRACER.name] = lambda share: actracer.estimates(
            losses, cluster, budgets, sure, trials, seed=seed, progress=share
        )
    rows = []
    for done, (method, draw) in enumerate(methods.items()):
        errors = draw(share_of(progress, done, len(methods))) - losses.mean()
        bias = {"bias": errors.mean(axis=0), "bias_error": errors.std(axis=0, ddof=1) / math.sqrt(trials)}
        rows.append(baselines.of_errors(method, budget, errors, uniform).assign(**bias))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()


def lacks(pool: Pool, proxy: str | None = None) -> list[str]:
    """Return what the pool would need for the methods that are left out, a sentence each.

    Parameters
    ----------
    pool : Pool
        The pool.
    proxy : str, optional
        The column of GAT's P(True).
    """
    missing = [LACKS] if gat_proxy(pool, proxy) is None else []
    return missing + ([actracer.LACKS] if actracer.vectors(pool) is None else [])


# GAT: True/False uncertainty of a proxy task as LURE's acquisition score; one log-probability call an item.

# Columns that are looked for: P(True), or the log-probabilities of the two first tokens.
P_TRUE = "p_true"
LOGPROBS = ("logprob_true", "logprob_false")
LACKS = (
    f"GAT is not shown: it needs the probability that a model gives to “True” as its first token. Add it as a column "
    f"“{P_TRUE}”, or the log-probabilities of both answers as “{LOGPROBS[0]}” and “{LOGPROBS[1]}”."
)


def prompt(question: str, answer: str) -> str:
    """Ask a model whether a proposed answer, such as the surrogate's most frequent one, is right.

    Parameters
    ----------
    question : str
        The item's prompt.
    answer : str
        The proposed answer.

    Returns
    -------
    str
        Ask for one token with log-probabilities; P(True) is that of “True” over the sum of both.
    """
    instruction = "Is the proposed answer True or False? Reply with one word."
    return f"Question: {question}\n\nProposed answer: {answer}\n\n{instruction}"


def true_probability(true: ArrayLike, false: ArrayLike | None = None) -> NDArray[np.float64]:
    """Probability of “True” among the two answers.

    Parameters
    ----------
    true : (N,) float
        Probabilities of “True” in [0, 1]; with ``false`` log-probabilities, at most 0. NaN if unknown.
    false : (N,) float, optional
        Log-probabilities of “False”.

    Returns
    -------
    (N,) float
        In [0, 1]; NaN if unknown.

    Raises
    ------
    DesignError
        A number is not what it must be.
    """
    first = np.asarray(true, dtype=np.float64)
    if false is None:
        if np.any((first < 0) | (first > 1)):
            raise DesignError(
                "A probability of “True” lies outside 0 to 1. Give log-probabilities of both answers instead."
            )
        return first
    second = np.asarray(false, dtype=np.float64)
    if np.any(first > 0) or np.any(second > 0):
        raise DesignError("A log-probability is above 0. Give natural logarithms of the first token's probabilities.")
    # Log-probabilities of a token that was not among the logged ones are −∞; both of them say nothing.
    with np.errstate(invalid="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(second - first)))


def gat_scores(probability: ArrayLike) -> NDArray[np.float64]:
    """Entropy of the True/False answer, −p ln p − (1−p) ln(1−p), in nats.

    Parameters
    ----------
    probability : (N,) float
        P(True) in [0, 1]; NaN if unknown.

    Returns
    -------
    (N,) float
        0 if the model is certain, ln 2 if it is undecided, NaN if unknown (LURE draws such items as the
        least certain ones).
    """
    p = np.asarray(probability, dtype=np.float64)
    both = np.stack([p, 1.0 - p])
    terms = np.where(both > 0, both * np.log(np.where(both > 0, both, 1.0)), 0.0)
    return np.where(np.isnan(p), np.nan, -terms.sum(axis=0))


def gat_proxy(pool: Pool, column: str | None = None) -> NDArray[np.float64] | None:
    """P(True) of a pool's items; None if the pool does not have it.

    Parameters
    ----------
    pool : Pool
        The pool.
    column : str, optional
        The column of P(True). By default “p_true”, or else “logprob_true” with “logprob_false”.

    Raises
    ------
    PoolError
        The pool does not have the named column, or it holds something else than numbers.
    DesignError
        As `true_probability`.
    """
    names = set(pool.source.column_names)
    if column is not None or P_TRUE in names:
        return true_probability(column_values(pool, column or P_TRUE))
    if names.issuperset(LOGPROBS):
        return true_probability(*(column_values(pool, name) for name in LOGPROBS))
    return None


# Control variates with a judge: a difference estimate from uniformly drawn labels.

# The column that is looked for: 1 if the judge takes the target's answer for right, 0 if for wrong.
JUDGE = "judge"


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """A predicted loss for each of N items, and the coefficient that goes with it.

    Parameters
    ----------
    losses : (N,) float
        Predicted losses z in [0, 1].
    coefficient : float
        c, frozen without the target's losses.
    how : str
        What both are made from.
    """

    losses: NDArray[np.float64]
    coefficient: float
    how: str


def verdicts(pool: Pool, target: str, column: str | None = None, parser: str | None = None) -> Verdicts:
    """Predicted losses of a target from a judge or, without one, from the surrogate. Its losses are never looked at.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    column : str, optional
        The judge's verdicts, 1 for right; numbers outside [0, 1] are scaled to it. By default the column “judge”; or
        else the share of generations that give the target's answer; or else self-consistency.
    parser : str, optional
        Answer kind for all items.

    Returns
    -------
    Verdicts
        An item without a verdict has the mean of the others. The coefficient is the slope of the mean losses of other
        models on z, between 0 and 1, if their outcome is known; otherwise 1.

    Raises
    ------
    PoolError
        The pool has no such column, or no generations either.
    DesignError
        The column is empty.
    """
    if column is not None or JUDGE in pool.source.column_names:
        name = column or JUDGE
        right, how = _in_unit(column_values(pool, name)), f"the verdicts “{name}”"
    else:
        classes = pool.classes(parser)
        right, how = agreement(classes, pool.target_classes(target, parser)), "agreement with the target’s answers"
        if np.isnan(right).all():
            right, how = self_consistency(classes), "the surrogate’s self-consistency"
    known = ~np.isnan(right)
    predicted = 1.0 - np.where(known, right, right[known].mean() if known.any() else 0.5)
    names = past_models(pool, target, parser=parser)
    if not names:
        return Verdicts(predicted, 1.0, f"{how}, coefficient 1")
    past = past_results(past_losses(pool, target, names, parser))
    slope = float(np.clip(best_coefficient(past, predicted), 0.0, 1.0))
    return Verdicts(predicted, slope, f"{how}, coefficient {slope:.2f} from the outcomes of other models")


def estimate(
    losses: ArrayLike,
    predicted: ArrayLike,
    pool_predicted: ArrayLike,
    coefficient: float = 1.0,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the pool's mean loss from uniformly drawn labels and predictions for all items.

    Parameters
    ----------
    losses : (M,) float
        Losses of the labelled items.
    predicted : (M,) float
        Their predicted losses.
    pool_predicted : (N,) float
        Predicted losses of all items.
    coefficient : float
        c, fixed before the first label.
    confidence : float
        In (0, 1).

    Returns
    -------
    Estimate
        With t limits of the differences, which may lie outside 0 to 1.

    Raises
    ------
    DesignError
        As `core.estimation.uniform`.
    """
    whole = np.asarray(pool_predicted, dtype=np.float64)
    differences = np.asarray(losses, dtype=np.float64) - coefficient * np.asarray(predicted, dtype=np.float64)
    plain, shift = uniform(differences, whole.size, confidence, bounded=False), coefficient * float(whole.mean())
    return replace(plain, value=plain.value + shift, low=plain.low + shift, high=plain.high + shift)


def exact_errors(
    losses: ArrayLike, predicted: ArrayLike, budgets: Sequence[int], coefficient: float = 1.0
) -> NDArray[np.float64]:
    """Mean squared error (1/M − 1/N) S²_d at each budget, (B,).

    Parameters
    ----------
    losses, predicted : (N,) float
        Losses and predicted losses of all items.
    budgets : (B,) int
        From 1 to N.
    coefficient : float
        c.
    """
    differences = np.asarray(losses, dtype=np.float64) - coefficient * np.asarray(predicted, dtype=np.float64)
    whole = moments(differences, np.zeros(differences.size, dtype=np.int64))
    return stratified_mse(whole, np.asarray(budgets, dtype=np.int64)[:, None])


def best_coefficient(losses: ArrayLike, predicted: ArrayLike) -> float:
    """Slope S_ℓz/S²_z of losses (N,) on predictions (N,), which leaves the smallest error; 0 if z is constant."""
    loss, z = np.asarray(losses, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    centred = z - z.mean()
    squares = float(centred @ centred)
    return float(centred @ (loss - loss.mean())) / squares if squares > 0 else 0.0


def _in_unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return values if low >= 0 and high <= 1 else (values - low) / (high - low if high > low else 1.0)
