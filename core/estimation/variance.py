"""The variance of a stratified sample's mean: its parts, its degrees of freedom, and when it can be relied on.

All functions work on arrays of samples (…, H), so that thousands of simulated samples cost one call.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.estimation import shrinkage

_UNEVEN = 1.1


def stratum_variances(
    counts: NDArray[np.int64], squares: NDArray[np.float64], single: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """s_h² of samples, (…, H), from their sums of squares Σ (ℓ − ℓ̄_h)², (…, H).

    The strata ``single`` (H,), which have one label of several items, take the pooled within-stratum variance: NaN
    where every stratum has one label.
    """
    free = int((counts - 1).sum())
    own = squares / np.maximum(counts - 1, 1)
    pooled = squares.sum(axis=-1, keepdims=True) / free if free else math.nan
    return np.where(single, pooled, own)


def variance_terms(
    counts: NDArray[np.int64], variances: NDArray[np.float64], sizes: NDArray[np.int64], finite: bool = True
) -> NDArray[np.float64]:
    """W_h² (1−f_h) s_h²/m_h, (…, H), exactly 0 in a fully labelled stratum; without the (1−f_h) if not ``finite``."""
    share = sizes / sizes.sum()
    if not finite:
        return np.asarray(share**2 * variances / counts)
    return np.where(counts == sizes, 0.0, share**2 * (1 - counts / sizes) * variances / counts)


def degrees(terms: NDArray[np.float64], own: ArrayLike) -> NDArray[np.float64]:
    """(Σ v_h)² / Σ v_h²/ν_h, (…), of variance terms and their own degrees of freedom (…, H); where all are 0, Σ ν_h."""
    free, largest = np.asarray(own, dtype=np.float64), terms.max(axis=-1, keepdims=True)
    shares = np.where(largest > 0, terms / np.where(largest > 0, largest, 1.0), free)
    return np.asarray(shares.sum(axis=-1) ** 2 / (shares**2 / free).sum(axis=-1))


def cautious(
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    finite: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A variance in which no stratum passes for one without spread, and its degrees of freedom, both (…).

    Parameters
    ----------
    counts, means, variances : (…, H) m_h, ℓ̄_h and s_h² of losses in [0, 1], NaN in no stratum. sizes : (H,) N_h.
    finite : as in `stratified`.

    Each s_h² is at least `core.estimation.shrinkage.variances`'; the degrees of freedom are Satterthwaite's with the
    imagined labels, at most M − H.
    """
    likely = shrinkage.variances(counts, sizes, means, variances)
    terms = variance_terms(counts, np.maximum(variances, likely), sizes, finite)
    free = degrees(terms, counts - 1 + shrinkage.PRIOR_LABELS)
    return np.asarray(terms.sum(axis=-1)), np.minimum(free, counts.sum(axis=-1) - sizes.size)


def unequal_weighting(counts: ArrayLike, sizes: ArrayLike) -> NDArray[np.float64]:
    """Kish's design effect of unequal weights, M Σ W_h²/m_h (…): 1 where each stratum has its share of the labels.

    Parameters
    ----------
    counts : (…, H) m_h ≥ 1. sizes : (H,) N_h.

    Source: Kish 1965, 11.2C; the variance relative to an equal-probability sample if all strata were alike.
    """
    m, size = np.asarray(counts, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    return np.asarray(m.sum(axis=-1) * ((size / size.sum()) ** 2 / m).sum(axis=-1))


def uneven(counts: ArrayLike, sizes: ArrayLike) -> NDArray[np.bool_]:
    """Whether the labels are spread so unevenly, (…), that V̂ from strata with few of them cannot be relied on.

    That is an `unequal_weighting` above 1.1. The paper's allocation stays below it on all pools tried; equal numbers of
    labels in strata of unlike sizes do not, and plain limits then miss the truth up to five times as often as they say.
    """
    return np.asarray(unequal_weighting(counts, sizes) > _UNEVEN)
