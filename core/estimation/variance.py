"""The variance of a stratified sample's mean: its parts, its degrees of freedom, and when it can be relied on.

Functions work on arrays of samples (…, H), so that thousands of simulated samples cost one call.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Strata of so few labels are joined to blocks of so many strata for the degrees of freedom.
_FEW_LABELS = 3
BLOCK = 8


def stratum_variances(counts: NDArray[np.int64], squares: Array, single: NDArray[np.bool_]) -> Array:
    """Variances s_h² of samples, (…, H).

    Parameters
    ----------
    counts : (H,) int
        Labels m_h.
    squares : (…, H) float
        Sums of squares Σ (ℓ − ℓ̄_h)².
    single : (H,) bool
        Strata with one label of several items. They take the pooled within-stratum variance: NaN if every stratum
        has one label.
    """
    df = int((counts - 1).sum())
    within = squares / np.maximum(counts - 1, 1)
    pooled = squares.sum(axis=-1, keepdims=True) / df if df else math.nan
    return np.where(single, pooled, within)


def variance_terms(
    counts: NDArray[np.int64],
    variances: Array,
    sizes: NDArray[np.int64],
    fpc: bool = True,
    weights: Array | None = None,
) -> Array:
    """Terms W_h² (1−f_h) s_h²/m_h of V̂, (…, H), exactly 0 in a fully labelled stratum.

    Parameters
    ----------
    counts : (…, H) int
        Labels m_h.
    variances : (…, H) float
        Sample variances s_h².
    sizes : (H,) int
        Items N_h.
    fpc : bool
        Whether to apply the finite-population correction 1 − f_h.
    weights : (H,) float, optional
        W_h; N_h/N by default.
    """
    share = sizes / sizes.sum() if weights is None else weights
    if not fpc:
        return np.asarray(share**2 * variances / counts)
    return np.where(counts == sizes, 0.0, share**2 * (1 - counts / sizes) * variances / counts)


def satterthwaite(terms: Array, df: ArrayLike) -> Array:
    """Degrees of freedom (Σ v_h)² / Σ v_h²/ν_h of a sum of variance terms, (…); Σ ν_h if all terms are 0.

    Parameters
    ----------
    terms : (…, H) float
        Variance terms v_h ≥ 0.
    df : (…, H) float
        Their degrees of freedom ν_h > 0, infinite if a variance is known.
    """
    nu, largest = np.asarray(df, dtype=np.float64), terms.max(axis=-1, keepdims=True)
    shares = terms / np.where(largest > 0, largest, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = shares.sum(axis=-1) ** 2 / (shares**2 / nu).sum(axis=-1)
    return np.asarray(np.where(largest[..., 0] > 0, df, np.broadcast_to(nu, terms.shape).sum(axis=-1)))


def fine(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether strata are fine, (…): more than eight of them, none with more than three labels.

    Parameters
    ----------
    counts : (…, H) int
        Labels m_h.
    """
    return np.asarray((counts.max(axis=-1) <= _FEW_LABELS) & (counts.shape[-1] > BLOCK))


def unequal_weighting(counts: ArrayLike, sizes: ArrayLike) -> Array:
    """Kish's design effect of unequal weights, M Σ W_h²/m_h, (…): 1 if each stratum has its share of the labels.

    It is the variance relative to an equal-probability sample if all strata were alike (Kish 1965, 11.2C).

    Parameters
    ----------
    counts : (…, H) int
        Labels m_h ≥ 1.
    sizes : (H,) int
        Items N_h.
    """
    m, size = np.asarray(counts, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    return np.asarray(m.sum(axis=-1) * ((size / size.sum()) ** 2 / m).sum(axis=-1))
