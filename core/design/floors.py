"""The floor of the masses of fine strata, chosen by the past models of a pool before any label (docs/designs.md)."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..allocation.optimum import allocate
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..signals.past import nearest, past_losses, past_risk
from ..stratification.equal_mass import cut, fine_strata, masses
from ..stratification.moments import moments

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
