"""How good a signal is: AUROC and calibration where outcomes are known, and what it is worth before any label.

Source: docs/method.md, 7.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError, NeymanError
from core.pool.pool import Pool
from core.signals.catalogue import signal
from core.signals.past import nearest, past_models
from core.signals.risk import RiskModel
from core.words import counted, per_cent

# How well signals rank wrong answers above right ones where nothing better is known.
WEAK, TYPICAL, STRONG, PAST_RESULTS = 0.56, 0.65, 0.75, 0.85
_ASSUMED = {
    "semantic-entropy": TYPICAL,
    "likelihood-entropy": TYPICAL,
    "agreement": STRONG,
    "past-results": PAST_RESULTS,
    "column": WEAK,
    "risk": PAST_RESULTS,
}
_STRATA = 20
_ASSUMED_ACCURACY = 0.75
_EITHER_SIDE = 0.1
_MOST_MODELS = 6


@dataclass(frozen=True, slots=True)
class Worth:
    """What a signal is worth before any label.

    Parameters
    ----------
    signal : str
        One of `core.signals.SIGNALS`.
    error : float
        Expected squared error of 20 strata of equal size along the signal with proportional labels, Uniform = 1.
    low, high : float
        Its range: over the models that it was computed on, or over AUROCs 0.1 below and above the assumed one.
    models : int
        Past models that it was computed on; 0 where an AUROC is assumed.
    why : str
        What this rests on, in one sentence.
    """

    signal: str
    error: float
    low: float
    high: float
    models: int
    why: str


def auroc(risk: ArrayLike, losses: ArrayLike) -> float:
    """Area under the ROC curve: the chance that an item with loss 1 has a larger risk than one with loss 0.

    Parameters
    ----------
    risk : (N,) float
        Any signal; ties count half. Items with NaN are left out.
    losses : (N,) float
        0 or 1; items with NaN are left out.

    Returns
    -------
    float
        In [0, 1]; NaN where all known losses are equal, or some are neither 0 nor 1.
    """
    values, loss = _both_known(risk, losses)
    _, member = np.unique(values, return_inverse=True)
    wrong = np.bincount(member, weights=loss)
    right = np.bincount(member) - wrong
    pairs = float(wrong.sum() * right.sum())
    if pairs == 0 or not np.all((loss == 0) | (loss == 1)):
        return math.nan
    return float((wrong * (np.cumsum(right) - right / 2)).sum() / pairs)


def calibration(risk: ArrayLike, losses: ArrayLike, bins: int = 10) -> pd.DataFrame:
    """Predicted against observed risk.

    Parameters
    ----------
    risk : (N,) float
        Predicted probabilities p̂. Items with NaN are left out.
    losses : (N,) float
        In [0, 1]; items with NaN are left out.
    bins : int
        Bins of about equally many items, at least 1. Equal p̂ stay together, so there may be fewer.

    Returns
    -------
    DataFrame
        A row a bin, ascending: low, high (range of p̂), items, predicted (mean p̂), observed (mean loss),
        standard_error (of the observed one around the predicted one, √(Σ p̂(1 − p̂))/items).

    Raises
    ------
    DesignError
        There are fewer bins than 1.
    """
    if bins < 1:
        raise DesignError(f"The number of bins is {bins}: it must be at least 1.")
    values, loss = _both_known(risk, losses)
    _, member, count = np.unique(values, return_inverse=True, return_counts=True)
    middle = (np.cumsum(count) - count / 2)[member]
    rows = pd.DataFrame({"risk": values, "loss": loss, "spread": values * (1 - values)})
    grouped = rows.groupby(np.floor(middle * bins / max(values.size, 1)).astype(np.int64))
    items = grouped["risk"].size()
    table = {
        "low": grouped["risk"].min(),
        "high": grouped["risk"].max(),
        "items": items,
        "predicted": grouped["risk"].mean(),
        "observed": grouped["loss"].mean(),
        "standard_error": np.sqrt(grouped["spread"].sum()) / items,
    }
    return pd.DataFrame(table).reset_index(drop=True)


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

    Where past models' outcomes are known, each of them (the 6 nearest to the belief) is in turn the target, the others
    are its past, and the error is exact. Otherwise it follows from an assumed AUROC (`expected_error`).

    Parameters
    ----------
    pool : Pool
        The pool.
    name : str
        One of `core.signals.SIGNALS`.
    target, past, accuracy, column, parser, risk : optional
        As in `core.signals.signal`.

    Returns
    -------
    Worth

    Raises
    ------
    DesignError, PoolError
        As `core.signals.signal`: the signal cannot be made.
    """
    along = partial(signal, pool, name, column=column, parser=parser, risk=risk)
    along(target=target, past=past, accuracy=accuracy)
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
        errors.append(_exact_error(values, losses[:, place]))
    errors = [error for error in errors if not math.isnan(error)]
    if errors:
        why = f"Exact for {counted(len(errors), 'other model')} with known outcomes, each in turn as the target."
        return Worth(name, float(np.mean(errors)), min(errors), max(errors), len(errors), why)
    assumed = _ASSUMED[name]
    share = _ASSUMED_ACCURACY if accuracy is None else accuracy
    error, low, high = (
        expected_error(a, share) for a in (assumed, assumed + _EITHER_SIDE, max(assumed - _EITHER_SIDE, 0.5))
    )
    why = f"Assumed: an AUROC of {assumed} and an accuracy of {per_cent(share)}; no outcomes are known to check it on."
    return Worth(name, error, low, high, 0, why)


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


def _exact_error(values: NDArray[np.float64], losses: NDArray[np.float64]) -> float:
    """Σ W_h S_h²/S² over 20 strata of equal size, items without a signal at the top; NaN for equal losses."""
    known = ~np.isnan(losses)
    ordered = losses[known][np.argsort(values[known], kind="stable")]
    n_strata = min(_STRATA, ordered.size // 2)
    if n_strata == 0 or np.ptp(ordered) == 0:
        return math.nan
    strata = np.array_split(ordered, n_strata)
    within = sum(part.size * part.var(ddof=1) for part in strata) / ordered.size
    return float(within / ordered.var(ddof=1))


def _both_known(risk: ArrayLike, losses: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values, loss = np.asarray(risk, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if values.shape != loss.shape or values.ndim != 1:
        raise ValueError(f"risk and losses must both be (N,), got shapes {values.shape} and {loss.shape}")
    known = ~(np.isnan(values) | np.isnan(loss))
    return values[known], loss[known]
