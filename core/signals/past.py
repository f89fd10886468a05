"""Past results: other models' outcomes and answers on the same items, as a prediction for a new model.

Source: docs/method.md, 7.2.

A model fails less if others give its answer. With s_i of the J_i other models that answered item i on the target's
side, and g_i of the k generations if the pool has some, the risk is one less the mean of (s_i + ½)/(J_i + 1) and
(g_i + ½)/(k + 1). On GSM8K, BLINK and MMLU-Pro the mean of both shares is better than either (docs/method.md, 7.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.columns import leaf
from ..pool.pool import Pool
from ..words import per_cent

# A model counts as past if its outcome is known on this share of the items.
MOST_KNOWN = 0.95
# With fewer near models, too little is known of an item.
_NEAREST = 15
# The share of the weight that is spread evenly. It orders the items that the nearest models do not tell apart.
_EVEN = 0.1
# Of predictions: sums in another order differ beyond, and ties must be ties.
DIGITS = 12
# How many models the overall mean counts for, in a predicted probability.
_PRIOR = 2.0


def past_results(losses: ArrayLike, accuracy: float | None = None) -> NDArray[np.float64]:
    """Weighted mean of other models' losses at each item, most weight on the models that the new one is like.

    Parameters
    ----------
    losses : (N, J) float
        Losses of J ≥ 1 other models, NaN if unknown.
    accuracy : float, optional
        The accuracy that the new model is believed to have. By default that of the best of the others.

    Returns
    -------
    (N,) float
        Weighted mean of an item's known losses; an item without any gets the mean of the others. Weights fall smoothly
        with the distance of a model's mean loss from 1 − accuracy: at the 15th nearest model, or the farthest if there
        are fewer, the weight is 61 % of the largest. A tenth of all weight is spread evenly.

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
    return _PastOutcomes(losses, accuracy).means


def past_risk(losses: ArrayLike, accuracy: float | None = None) -> NDArray[np.float64]:
    """Predicted probability that a new model fails an item: `past_results` drawn towards its mean.

    The overall mean counts for two models, so an item that all others get right keeps a risk above 0. Ascends with
    `past_results` if all outcomes are known. Parameters and errors are those of `past_results`; losses are in
    [0, 1].
    """
    past = _PastOutcomes(losses, accuracy)
    return np.asarray((past.effective * past.means + _PRIOR * past.means.mean()) / (past.effective + _PRIOR))


class _PastOutcomes:
    """Weighted means of the known outcomes, and for how many equally weighted models they count, both (N,)."""

    __slots__ = ("effective", "means")

    def __init__(self, losses: ArrayLike, accuracy: float | None) -> None:
        outcomes = np.asarray(losses, dtype=np.float64)
        if outcomes.ndim != 2:
            raise ValueError(f"losses must be (N, J), got shape {outcomes.shape}")
        if accuracy is not None and not 0 <= accuracy <= 1:
            raise DesignError(f"The expected accuracy is {accuracy:g}: it must be between 0 and 1.")
        known = ~np.isnan(outcomes)
        present = known.any(axis=0)
        if not present.any():
            raise DesignError("No past model has a known loss. Add outcomes of at least one other model.")
        outcomes, known = np.where(known, outcomes, 0.0)[:, present], known[:, present]
        weights = _weights(_distances(outcomes.sum(axis=0) / known.sum(axis=0), accuracy))
        mass = known @ weights
        some = mass > 0
        self.means = np.divide(outcomes @ weights, mass, out=np.zeros(mass.size), where=some).round(DIGITS)
        self.means[~some] = self.means[some].mean()
        self.effective = np.divide(mass**2, known @ weights**2, out=np.zeros(mass.size), where=some)


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
    if isinstance(past, str):
        raise DesignError(f"Past models are a list of names: give [“{past}”].")
    if past is None:
        others = (name for name in pool.targets if name != target)
        return tuple(name for name in others if _share_known(pool, name, parser) >= MOST_KNOWN)
    for name in past:
        if name == target:
            raise DesignError(f"“{name}” is the target: its own outcomes cannot be past results. Name other models.")
        if _share_known(pool, name, parser) == 0:
            raise DesignError(f"No outcome of “{name}” is known in this pool. Name models with known outcomes.")
    return tuple(dict.fromkeys(past))


def answered(pool: Pool, target: str | None, parser: str | None = None) -> bool:
    """Whether a target's answers can be compared with the surrogate's on at least 95 % of the items.

    With fewer, the items that it has answered would be told apart from the others by nothing but that.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str or None
        Name of the target; None has no answers.
    parser : str, optional
        A kind of `core.answers` for all items.
    """
    if target is None or not pool.n_generations:
        return False
    return bool(np.mean(pool.agreeing(target, parser) >= 0) >= MOST_KNOWN)


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
            f"No other model’s outcome is known on {per_cent(MOST_KNOWN)} of the items, so there are no past results. "
            "Name the models to use, or choose another signal."
        )
    return np.column_stack([pool.losses(name, parser) for name in names])


_KNOWN: WeakKeyDictionary[Pool, dict[tuple[str, str | None], float]] = WeakKeyDictionary()


def _share_known(pool: Pool, name: str, parser: str | None) -> float:
    # Asked again for every target and design, and there may be thousands of models.
    known = _KNOWN.setdefault(pool, {})
    if (name, parser) not in known:
        known[name, parser] = float(np.mean(~np.isnan(pool.losses(name, parser))))
    return known[name, parser]


def nearest(losses: NDArray[np.float64], accuracy: float | None, count: int) -> list[int]:
    """Places of the models (columns of losses) nearest to a believed accuracy, at most ``count``, in their order."""
    if losses.shape[1] <= count:
        return list(range(losses.shape[1]))
    distances = _distances(np.nanmean(losses, axis=0), accuracy)
    return sorted(np.argsort(distances, kind="stable")[:count].tolist())


def _distances(means: NDArray[np.float64], accuracy: float | None) -> NDArray[np.float64]:
    """Return the distances of models of these mean losses from the believed one, by default the best of them."""
    return np.abs(means - (means.min() if accuracy is None else 1 - accuracy))


def _weights(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of models, sum 1: Gaussian with the distance of the 15th nearest as standard deviation, a tenth even."""
    width = np.sort(distances)[:_NEAREST][-1]
    near = np.exp(-0.5 * (distances / width) ** 2) if width > 0 else (distances == 0).astype(np.float64)
    return np.asarray((1 - _EVEN) * near / near.sum() + _EVEN / distances.size)


# Agreement of a target's answers with those of other models whose outcomes are not known: a risk without any verdict.


def agreeing_models(pool: Pool, target: str) -> tuple[str, ...]:
    """Other targets of a pool whose answers can be compared with a target's; none if its own are not known.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    """
    known = [name for name in pool.targets if _asked(pool, name)]
    return tuple(name for name in known if name != target) if target in known else ()


def past_answers_risk(pool: Pool, target: str, parser: str | None = None) -> NDArray[np.float64]:
    """Risk that a target fails, from the share of other models and of generations that give its answer.

    Parameters
    ----------
    pool, target
        As in `agreeing_models`, which names at least one model.
    parser : str, optional
        A kind of `core.answers` for all items.

    Returns
    -------
    (N,) float
        In (0, 1); ½ if nobody else answered.
    """
    own = pool.target_answers(target, parser)
    others = [pool.target_answers(name, parser) for name in agreeing_models(pool, target)]
    shares = [_share(own, np.array(others, dtype=object))]
    if pool.n_generations:
        rows = pool.answers(parser)
        filled = [[*row, *[None] * (pool.n_generations - len(row))] for row in rows]
        shares.append(_share(own, np.array(filled, dtype=object).T))
    return np.asarray(np.round(1.0 - np.mean(shares, axis=0), DIGITS))


def _asked(pool: Pool, name: str) -> bool:
    """Whether the answers of a target are there, right or wrong."""
    columns = [leaf(pool.source, name, field) for field in ("answer", "text")]
    return any(column is not None and column.null_count <= (1 - MOST_KNOWN) * len(column) for column in columns)


def _share(own: NDArray[np.object_], others: NDArray[np.object_]) -> NDArray[np.float64]:
    """(s + ½)/(J + 1) of each item; no answer equals none."""
    given = np.array([[bool(answer) for answer in row] for row in others], dtype=bool)
    same = given & (others == own)
    return np.asarray((same.sum(axis=0) + 0.5) / (given.sum(axis=0) + 1.0))
