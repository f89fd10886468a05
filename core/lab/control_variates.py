"""Control variates with a judge: a difference estimate from uniformly drawn labels.

With a predicted loss z_i for every item, a coefficient c that was frozen before the first label, and M items drawn
uniformly without replacement,

    R̂ = ℓ̄ − c (z̄ − Z̄),   MSE = (1/M − 1/N) S²_d,   V̂ = (1/M − 1/N) s²_d,   d_i = ℓ_i − c z_i,

where ℓ̄ and z̄ are means over the labels and Z̄ the mean over the pool. R̂ and V̂ are unbiased. The best coefficient,
S_ℓz/S²_z, leaves a share 1 − ρ² of Uniform's error; it needs the losses.

Source: Zhou, Song & Zanette 2025 for language models, who estimate c from the labels and compare two models; Cochran
1977, 7.6 (difference estimator); docs/designs.md, control variates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..estimation.mean import Estimate, uniform
from ..pool.pool import Pool
from ..signals.columns import column_values
from ..signals.entropy import agreement, self_consistency
from ..signals.past import past_losses, past_models, past_results
from ..simulation.exact import stratified_mse
from ..stratification.moments import moments

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
