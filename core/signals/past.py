"""What other models did on the same items, as a prediction of what a new one will do.

Source: docs/method.md, 7.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.pool.pool import Pool
from core.words import per_cent

# A model counts as past where its outcome is known on this share of the items.
MOST_KNOWN = 0.95
# Models that are near: fewer of them say too little about an item.
_NEAREST = 15
# The share of all models in the prediction. It orders the items that the nearest ones do not tell apart.
_OF_ALL = 0.05


def past_results(losses: ArrayLike, accuracy: float | None = None) -> NDArray[np.float64]:
    """Predict a new model's risk at each item from the losses of other models.

    Parameters
    ----------
    losses : (N, J) float
        Losses of J ≥ 1 other models, NaN where unknown.
    accuracy : float, optional
        The accuracy that the new model is believed to have. By default all models count alike.

    Returns
    -------
    (N,) float
        Weighted mean of an item's known losses; an item without any gets the mean of all items' predictions. The
        weights fall smoothly with the distance between a model's mean loss and 1 − accuracy, measured in distances of
        the 15th nearest model, so up to 15 models all count; 5 % of the prediction is the plain mean of all models,
        which orders the items that the nearest ones do not tell apart.

    Raises
    ------
    DesignError
        There is no model with a known loss, or the accuracy is not in [0, 1].
    ValueError
        ``losses`` is not two-dimensional.

    Notes
    -----
    docs/method.md, 7.2.
    """
    outcomes = np.asarray(losses, dtype=np.float64)
    if outcomes.ndim != 2:
        raise ValueError(f"losses must be (N, J), got shape {outcomes.shape}")
    known = ~np.isnan(outcomes)
    if not known.any():
        raise DesignError("No past model has a known loss. Add outcomes of at least one other model.")
    present = known.any(axis=0)
    outcomes, known = np.where(known, outcomes, 0.0)[:, present], known[:, present]
    even = np.ones(known.shape[1])
    plain = _weighted(outcomes, known, even)
    if accuracy is None:
        return plain
    if not 0 <= accuracy <= 1:
        raise DesignError(f"The believed accuracy is {accuracy:g}: it must be between 0 and 1.")
    means = outcomes.sum(axis=0) / known.sum(axis=0)
    near = _weighted(outcomes, known, _nearness(np.abs(means - (1 - accuracy))))
    return (1 - _OF_ALL) * near + _OF_ALL * plain


def past_models(
    pool: Pool, target: str | None = None, past: Sequence[str] | None = None, parser: str | None = None
) -> tuple[str, ...]:
    """Names of the models whose outcomes may speak for a target, in the order of the pool.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str, optional
        The model that is to be evaluated; its losses are never looked at.
    past : sequence of str, optional
        The models to use. By default all other targets whose outcome is known on at least 95 % of the items.
    parser : str, optional
        A kind of `core.answers` for outputs and truths.

    Raises
    ------
    DesignError
        ``past`` names the target, or a model without a known outcome.
    PoolError
        ``past`` names a model that the pool does not have.
    """
    if past is None:
        others = (name for name in pool.targets if name != target)
        return tuple(name for name in others if _share_known(pool, name, parser) >= MOST_KNOWN)
    for name in past:
        if name == target:
            raise DesignError(f"“{name}” is the target: its own outcomes cannot be past results. Name other models.")
        if _share_known(pool, name, parser) == 0:
            raise DesignError(f"No outcome of “{name}” is known in this pool. Name models with known outcomes.")
    return tuple(dict.fromkeys(past))


def past_losses(
    pool: Pool, target: str | None = None, past: Sequence[str] | None = None, parser: str | None = None
) -> NDArray[np.float64]:
    """Losses (N, J) of the models of `past_models`.

    Raises
    ------
    DesignError
        There is no such model.
    """
    names = past_models(pool, target, past, parser)
    if not names:
        raise DesignError(
            f"No other model's outcome is known on {per_cent(MOST_KNOWN)} of the items, so there are no past results. "
            "Name the models to use, or choose another signal."
        )
    return np.column_stack([pool.losses(name, parser) for name in names])


def _share_known(pool: Pool, name: str, parser: str | None) -> float:
    return float(np.mean(~np.isnan(pool.losses(name, parser))))


def _nearness(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian weights of models, with the distance of the 15th nearest as their standard deviation."""
    width = np.sort(distances)[:_NEAREST][-1]
    weights = np.exp(-0.5 * (distances / width) ** 2) if width > 0 else distances == 0
    return np.asarray(weights, dtype=np.float64)


def _weighted(
    outcomes: NDArray[np.float64], known: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weighted mean of an item's known outcomes; without any, that of the items that have some."""
    mass = known @ weights
    some = mass > 0
    means = np.divide(outcomes @ weights, mass, out=np.zeros(mass.size), where=some)
    means[~some] = means[some].mean()
    return means
