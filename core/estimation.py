"""From labels to an estimate: value, standard error, interval.

The value and the standard error are the design-based ones (METHOD 2.4); the default interval is METHOD 5.7's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from core.errors import DesignError


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated mean loss with its uncertainty.

    ``value`` R̂; ``standard_error`` with finite-population correction; ``low``, ``high`` the confidence limits;
    ``n_labels`` M; ``method``: how the interval was made, in words.
    """

    value: float
    standard_error: float
    low: float
    high: float
    n_labels: int
    method: str


def stratified(
    losses: ArrayLike, strata: ArrayLike, sizes: ArrayLike, confidence: float = 0.95, bounded: bool = True
) -> Estimate:
    """Horvitz–Thompson estimate of the mean loss from a stratified sample, R̂ = (1/N) Σ_h N_h ℓ̄_h.

    Parameters
    ----------
    losses : (M,) float, the labelled items' losses; in [0, 1] if ``bounded``. strata : (M,) int, their strata, 0 … H−1.
    sizes : (H,) int ≥ 1, the strata's sizes N_h in the pool; every stratum needs at least one label.
    confidence : in (0, 1). bounded : True → Wilson limits with effective sample size n_eff = R̂(1−R̂)/V̂ and t_{M−H};
        n_eff = M when V̂ = 0. False → R̂ ± t·SE with Satterthwaite degrees of freedom.

    Returns
    -------
    Estimate. V̂ = Σ W_h² (1−f_h) s_h²/m_h; a fully labelled stratum contributes 0; a stratum with one label has no
    variance of its own and takes the pooled within-stratum variance (named in ``method``). Where no variance can be
    estimated at all (one label in each stratum) standard error and limits fall back to the widest honest ones: NaN
    and [0, 1] (±inf).

    Raises
    ------
    DesignError : a stratum without a label or with more labels than items, a loss that is not finite or outside [0, 1].

    Source: paper, equation "estimator"; METHOD 5.7; Wilson 1927; Korn & Graubard 1998 for n_eff.
    """
    loss, stratum, size = _checked(losses, strata, sizes, bounded)
    _check_confidence(confidence)
    counts = np.bincount(stratum, minlength=size.size)
    _check_counts(counts, size)
    means, squares = _means_and_squares(loss, stratum, counts)
    value = float(size @ means / size.sum())
    share = size / size.sum()
    terms, lonely = _variance_terms(counts, squares, size, share)
    variance = float(terms.sum())
    labels, free = int(counts.sum()), int(counts.sum()) - size.size
    note = " with the pooled variance for strata of one label" if lonely else ""
    if np.array_equal(counts, size):
        return Estimate(value, 0.0, value, value, labels, "census: every item is labelled")
    if math.isnan(variance):
        low, high = (0.0, 1.0) if bounded else (-math.inf, math.inf)
        return Estimate(value, math.nan, low, high, labels, "no interval: one label in each stratum shows no spread")
    if bounded:
        low, high = _wilson(value, variance, labels, free, confidence)
        return Estimate(value, math.sqrt(variance), low, high, labels, "Wilson, effective sample size, t" + note)
    half = (
        float(stdtrit(_satterthwaite(terms, counts), 0.5 + confidence / 2)) * math.sqrt(variance) if variance else 0.0
    )
    return Estimate(
        value, math.sqrt(variance), value - half, value + half, labels, "stratified t, Satterthwaite" + note
    )


def uniform(losses: ArrayLike, pool_size: int, confidence: float = 0.95, bounded: bool = True) -> Estimate:
    """Mean of a simple random sample without replacement, as `stratified` with one stratum of ``pool_size`` items."""
    loss = np.asarray(losses, dtype=np.float64)
    return stratified(loss, np.zeros(loss.size, dtype=np.int64), [pool_size], confidence, bounded)


def _means_and_squares(
    loss: NDArray[np.float64], stratum: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ℓ̄_h and Σ (ℓ − ℓ̄_h)² of each stratum; exactly the loss and 0 where all labels of a stratum are equal.

    Deviations are taken from one loss of the stratum: a spread that is only rounding of the mean would pass for V̂ > 0
    and shrink the interval to a point.
    """
    one_of_each = np.zeros(counts.size)
    one_of_each[stratum] = loss
    deviations = loss - one_of_each[stratum]
    shifts = np.bincount(stratum, weights=deviations, minlength=counts.size) / counts
    squares = np.bincount(stratum, weights=(deviations - shifts[stratum]) ** 2, minlength=counts.size)
    return one_of_each + shifts, np.asarray(squares, dtype=np.float64)


def _variance_terms(
    counts: NDArray[np.int64], squares: NDArray[np.float64], size: NDArray[np.int64], share: NDArray[np.float64]
) -> tuple[NDArray[np.float64], bool]:
    """W_h² (1−f_h) s_h²/m_h of each stratum, and whether a one-label stratum borrowed the pooled variance."""
    single = (counts == 1) & (size > 1)
    free = int((counts - 1).sum())
    pooled = squares.sum() / free if free else math.nan
    variances = np.where(single, pooled, squares / np.maximum(counts - 1, 1))
    terms = np.where(counts == size, 0.0, share**2 * (1 - counts / size) * variances / counts)
    return terms, bool(single.any())


def _wilson(value: float, variance: float, labels: int, free: int, confidence: float) -> tuple[float, float]:
    """Wilson's limits for n_eff = R̂(1−R̂)/V̂ observations and the quantile of t with M − H degrees of freedom."""
    effective = value * (1 - value) / variance if variance > 0 else float(labels)
    quantile = float(stdtrit(free, 0.5 + confidence / 2)) if free > 0 else math.inf
    if not math.isfinite(quantile) or effective <= 0:
        return 0.0, 1.0
    square = quantile * quantile / effective
    centre = (value + square / 2) / (1 + square)
    half = math.sqrt(square * (value * (1 - value) + square / 4)) / (1 + square)
    return min(value, max(0.0, centre - half)), max(value, min(1.0, centre + half))


def _satterthwaite(terms: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Degrees of freedom (Σ v_h)² / Σ v_h²/(m_h − 1); one-label strata count with one degree."""
    shares = terms / terms.max()
    return float(shares.sum() ** 2 / (shares**2 / np.maximum(counts - 1, 1)).sum())


def _checked(
    losses: ArrayLike, strata: ArrayLike, sizes: ArrayLike, bounded: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    loss, stratum = np.asarray(losses, dtype=np.float64), np.asarray(strata, dtype=np.int64)
    size = np.asarray(sizes, dtype=np.int64)
    if loss.shape != stratum.shape or loss.ndim != 1:
        raise DesignError(
            f"There are {loss.size} losses and {stratum.size} strata: give the stratum of each labelled item."
        )
    unknown = int((~np.isfinite(loss)).sum())
    if unknown:
        raise DesignError(f"{unknown} of {loss.size} losses are unknown (NaN or infinite): leave unlabelled items out.")
    if bounded and np.any((loss < 0) | (loss > 1)):
        raise DesignError("Some losses lie outside 0 … 1: choose the interval for unbounded losses.")
    if loss.size and (stratum.min() < 0 or stratum.max() >= size.size):
        raise DesignError(f"Strata of the labelled items must be between 0 and {size.size - 1}.")
    return loss, stratum, size


def _check_counts(counts: NDArray[np.int64], size: NDArray[np.int64]) -> None:
    if np.any(counts == 0):
        empty = ", ".join(str(h) for h in np.flatnonzero(counts == 0))
        raise DesignError(f"No item of stratum {empty} is labelled: label at least one item of every stratum.")
    if np.any(counts > size):
        over = int(np.argmax(counts > size))
        raise DesignError(
            f"Stratum {over} has {counts[over]} labels but only {size[over]} items: remove double labels."
        )


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise DesignError(f"The confidence level is {confidence}: it must lie between 0 and 1, for instance 0.95.")
