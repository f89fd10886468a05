"""The worth of a signal before any label: its exact error on models whose outcome is known, or an assumed one.

Source: docs/method.md, 7.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError, NeymanError
from ..pool.pool import Pool
from ..words import counted, per_cent
from .entries import SIGNALS, signal
from .past import nearest, past_models
from .quality import ordered_pairs
from .risk import RiskModel

_STRATA = 20
_ASSUMED_ACCURACY = 0.75
_EITHER_SIDE = 0.1
_MOST_MODELS = 6


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of a signal before any label.

    Parameters
    ----------
    signal : str
        One of `core.signals.SIGNALS`.
    error : float
        Expected squared error of 20 strata of equal size along the signal with proportional labels, Uniform = 1.
    low, high : float
        Its range: over the models that it was computed on, or over AUROCs 0.1 below and above the assumed one.
    models : int
        Past models that it was computed on; 0 if an AUROC is assumed.
    why : str
        What this rests on, in one sentence.
    how : str
        How the signal was made, in one sentence.
    """

    signal: str
    error: float
    low: float
    high: float
    models: int
    why: str
    how: str


def worth(
    pool: Pool,
    name: str,
    *,
    target: str | None = None,
    past: Sequence[str] | None = None,
    accuracy: float | None = None,
    column: str | None = None,
    parser: str | None = None,
    risk: RiskModel | ArrayLike | None = None,
) -> Worth:
    """Preview what a signal is worth before any label. The losses of ``target`` are never looked at.

    If past models' outcomes are known, each of them (the 6 nearest to the belief) is in turn the target, the others
    are its past, and the error is exact. Otherwise it follows from an assumed AUROC (`expected_error`). Predicted risks
    from outside are the target's own: what they are worth follows from the AUROC that they have if they are right.

    Parameters
    ----------
    pool : Pool
        The pool.
    name : str
        One of `core.signals.SIGNALS`.
    target, past, accuracy, column, parser, risk : optional
        As in `core.signals.signal`. A risk model that was trained on these very models looks better than it is.

    Returns
    -------
    Worth

    Raises
    ------
    DesignError, PoolError
        As `core.signals.signal`: the signal cannot be made.
    """
    name = SIGNALS[name].name
    along = partial(signal, pool, name, column=column, parser=parser, risk=risk)
    signalled = along(target=target, past=past, accuracy=accuracy)
    if risk is not None and not isinstance(risk, RiskModel):
        return _of_given(signalled.values, accuracy, signalled.how)
    names = past_models(pool, target, past, parser)
    losses = np.column_stack([pool.losses(model, parser) for model in names]) if names else np.empty((0, 0))
    errors = []
    for place in nearest(losses, accuracy, _MOST_MODELS):
        others = tuple(model for model in names if model != names[place])
        try:
            values = along(target=names[place], past=others).values
        except NeymanError:
            # This model has no answers, or too few others are left to predict it.
            continue
        errors.append(exact_error(values, losses[:, place]))
    errors = [error for error in errors if not math.isnan(error)]
    if errors:
        why = f"Exact for {counted(len(errors), 'other model')} with known outcomes."
        return Worth(name, float(np.mean(errors)), min(errors), max(errors), len(errors), why, signalled.how)
    assumed, share = SIGNALS[name].auroc, _ASSUMED_ACCURACY if accuracy is None else accuracy
    why = f"Assumed: an AUROC of {assumed} and an accuracy of {per_cent(share)}; no outcomes are known to check it on."
    return _assumed(name, assumed, share, why, signalled.how)


def expected_error(auroc: float, accuracy: float = _ASSUMED_ACCURACY, n_strata: int = _STRATA) -> float:
    """Expected squared error of strata of equal size along a signal, Uniform = 1.

    Parameters
    ----------
    auroc : float
        Of the signal, in [0.5, 1).
    accuracy : float
        Of the target, in [0, 1]; at 0 and 1 nothing can be gained and the error is 1.
    n_strata : int
        H ≥ 1.

    Raises
    ------
    DesignError
        A parameter is out of its range.

    Notes
    -----
    Binormal: the signal of right answers is N(0, 1), that of wrong ones N(μ, 1), Φ(μ/√2) = AUROC (Green & Swets 1966).
    """
    if not 0.5 <= auroc < 1 or not 0 <= accuracy <= 1 or n_strata < 1:
        raise DesignError(
            f"No error follows from an AUROC of {auroc:g}, an accuracy of {accuracy:g} and {n_strata} strata. Give an "
            "AUROC of at least 0.5 and below 1, an accuracy between 0 and 1, and at least 1 stratum."
        )
    risk = 1.0 - accuracy
    if risk in (0.0, 1.0):
        return 1.0
    shift = math.sqrt(2.0) * NormalDist().inv_cdf(auroc)
    x = np.linspace(-8.0, 8.0 + shift, 8001)
    wrong = risk * np.exp(-0.5 * (x - shift) ** 2)
    both = wrong + accuracy * np.exp(-0.5 * x**2)
    share, failing = np.cumsum(both) / both.sum(), np.cumsum(wrong) / both.sum()
    cuts = np.interp(np.linspace(0.0, 1.0, n_strata + 1), np.r_[0.0, share], np.r_[0.0, failing])
    means = np.diff(cuts) * n_strata
    return float(np.mean(means * (1.0 - means)) / (risk * accuracy))


def exact_error(values: NDArray[np.float64], losses: NDArray[np.float64]) -> float:
    """Σ W_h S_h²/S² over 20 strata of equal size, items without a signal at the top; NaN for equal losses.

    Parameters
    ----------
    values : (N,) float
        A signal.
    losses : (N,) float
        Items with NaN are left out.
    """
    known = ~np.isnan(losses)
    ordered = losses[known][np.argsort(values[known], kind="stable")]
    n_strata = min(_STRATA, ordered.size // 2)
    if n_strata == 0 or np.ptp(ordered) == 0:
        return math.nan
    strata = np.array_split(ordered, n_strata)
    within = sum(part.size * part.var(ddof=1) for part in strata) / ordered.size
    return float(within / ordered.var(ddof=1))


def _of_given(risk: NDArray[np.float64], accuracy: float | None, how: str) -> Worth:
    """Return the worth of predicted risks of the target if they are right."""
    implied = min(max(float(np.nan_to_num(ordered_pairs(risk, risk), nan=0.5)), 0.5), 1 - _EITHER_SIDE / 2)
    share = 1.0 - float(risk.mean()) if accuracy is None else accuracy
    why = (
        f"If these risks are right: then they have an AUROC of {implied:.2f} at an accuracy of {per_cent(share)}. "
        "No outcomes are known to check it on."
    )
    return _assumed("risk", implied, share, why, how)


def _assumed(name: str, auroc: float, accuracy: float, why: str, how: str) -> Worth:
    """Return the worth of an AUROC, and of one that is 0.1 better or worse."""
    better, worse = min(auroc + _EITHER_SIDE, 1 - _EITHER_SIDE / 2), max(auroc - _EITHER_SIDE, 0.5)
    error, low, high = (expected_error(one, accuracy) for one in (auroc, better, worse))
    return Worth(name, error, low, high, 0, why, how)
