"""The quality of a signal if outcomes are known: AUROC and calibration.

Source: docs/method.md, 7.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.outcomes import in_unit
from ..words import SPACE, counted, per_cent, width

# Standard errors beyond which an observation is off.
_SURE = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Quality:
    """The quality of a signal, if outcomes are known.

    Parameters
    ----------
    auroc, auroc_error : float
        The AUROC and its standard error; NaN if there is none.
    calibration : DataFrame or None
        Of `calibration`; None if the signal is no probability, or losses are not in [0, 1].
    """

    auroc: float
    auroc_error: float
    calibration: pd.DataFrame | None

    @property
    def finding(self) -> str:
        """Return a sentence on how the signal ranks the items, and whether its probabilities hold; "" if unknown."""
        sentences = []
        if not math.isnan(self.auroc):
            half_width = 1.96 * self.auroc_error
            low, high = max(self.auroc - half_width, 0.0), min(self.auroc + half_width, 1.0)
            limits = "" if math.isnan(half_width) else f", 95{SPACE}% interval {low:.3f} to {high:.3f}"
            sentences.append(
                f"A wrong answer looks riskier than a right one {per_cent(self.auroc)} of the time. That share "
                f"is the AUROC, {self.auroc:.3f}{limits}."
            )
        if self.calibration is not None and len(self.calibration):
            sentences.append(_calibrated(self.calibration))
        return " ".join(sentences)


def quality(signal: ArrayLike, risk: ArrayLike | None, losses: ArrayLike) -> Quality:
    """Judge a signal by known outcomes.

    Parameters
    ----------
    signal : (N,) float
        Ascending in risk. Items with NaN are left out.
    risk : (N,) float or None
        The predicted probabilities p̂, if the signal has them.
    losses : (N,) float
        Items with NaN are left out.
    """
    table = calibration(risk, losses) if risk is not None and in_unit(np.asarray(losses, dtype=np.float64)) else None
    return Quality(auroc(signal, losses), auroc_error(signal, losses), table)


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
        In [0, 1]; NaN if all known losses are equal, or some are neither 0 nor 1.
    """
    values, loss = _both_known(risk, losses)
    return ordered_pairs(values, loss) if np.all((loss == 0) | (loss == 1)) else math.nan


def ordered_pairs(values: NDArray[np.float64], losses: NDArray[np.float64]) -> float:
    """Chance that of two items the one with the larger signal is wrong, given that one is wrong and one right.

    Parameters
    ----------
    values : (N,) float
        The signal; ties count half.
    losses : (N,) float
        The chance that an item is wrong, in [0, 1].

    Returns
    -------
    float
        In [0, 1]; NaN if no item can be wrong, or none right.
    """
    wrong, right = _by_level(values, losses)
    pairs = float(wrong.sum() * right.sum())
    return math.nan if pairs == 0 else float((wrong * (np.cumsum(right) - right / 2)).sum() / pairs)


def auroc_error(risk: ArrayLike, losses: ArrayLike) -> float:
    """Standard error of the AUROC, were the items a sample of many more (DeLong, DeLong & Clarke-Pearson 1988).

    Parameters
    ----------
    risk, losses : (N,) float
        As in `auroc`.

    Returns
    -------
    float
        NaN if `auroc` is, or if fewer than two items have loss 0 or 1.
    """
    values, loss = _both_known(risk, losses)
    wrong, right = _by_level(values, loss)
    n_wrong, n_right = float(wrong.sum()), float(right.sum())
    if min(n_wrong, n_right) < 2 or not np.all((loss == 0) | (loss == 1)):
        return math.nan
    # Of each level: the share of right items below it, and that of wrong items above it; ties count half.
    below = (np.cumsum(right) - right / 2) / n_right
    above = 1.0 - (np.cumsum(wrong) - wrong / 2) / n_wrong
    parts = ((below, wrong, n_wrong), (above, right, n_right))
    variance = sum(float(count @ (share - count @ share / n) ** 2) / (n - 1) / n for share, count, n in parts)
    return math.sqrt(variance)


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


def _both_known(risk: ArrayLike, losses: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values, loss = np.asarray(risk, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if values.shape != loss.shape or values.ndim != 1:
        raise ValueError(f"risk and losses must both be (N,), got shapes {values.shape} and {loss.shape}")
    known = ~(np.isnan(values) | np.isnan(loss))
    return values[known], loss[known]


def _calibrated(table: pd.DataFrame) -> str:
    """Whether observed risks are as predicted, on the whole and bin by bin."""
    columns = ("items", "predicted", "observed", "standard_error")
    items, expected, share, error = (table[name].to_numpy(dtype=np.float64) for name in columns)
    weight = items / items.sum()
    predicted, observed, whole = float(weight @ expected), float(weight @ share), math.sqrt(float(weight**2 @ error**2))
    off = int((np.abs(share - expected) > _SURE * error).sum())
    verdict = "as predicted" if not off else "as predicted on average"
    if abs(observed - predicted) > _SURE * whole:
        verdict = "more than predicted" if observed > predicted else "fewer than predicted"
    groups = counted(items.size, "group")
    bins = f" {off} of {groups} of items with like predictions are off by more than two standard errors." if off else ""
    return (
        f"{per_cent(observed, 1)} of the answers are wrong, {verdict}. The predicted risk is {per_cent(predicted, 1)} "
        f"on average (standard error {width(whole, True)}).{bins}"
    )


def _by_level(
    values: NDArray[np.float64], losses: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wrong and right items at each distinct value of a signal, ascending."""
    _, member = np.unique(values, return_inverse=True)
    wrong = np.bincount(member, weights=losses).astype(np.float64)
    return wrong, np.bincount(member) - wrong
