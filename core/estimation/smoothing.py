"""The variance of many strata of a few labels, steadied by a curve through the strata.

The sample variance of such a stratum says little more than whether its labels differ. The strata of a design are
ordered by a signal, so a logistic curve along it smooths their mean losses. The curve's variance joins V̂ with the
weight of three strata with differing labels, which more labels outweigh; the result is precise enough for quantiles of
the normal distribution (docs/method.md, 5.7).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, chdtri, expit, logit, ndtri

from .shrinkage import StrataDraws
from .variance import BLOCK, variance_terms

Array = NDArray[np.float64]

# Weight of the curve, as a number of strata with differing labels.
PRIOR_STRATA = 3.0
# Standard deviation of the prior of the curve's slope, and for what more labels will find; the coefficients fitted.
_SLOPE, _FREE_SLOPE, _FITTED = 2.0, 4.0, 2
# Weight of the curve for a single stratum, as a number of labels, and for the variance that more labels will find: its
# safe side would be paid for in labels. Draws, and their fixed seed.
_CURVE_LABELS, _CURVE_STRATA, _DRAWS, _SEED = 10.0, 1.0, 400, 57
# Variance of losses half of which are 0 and half 1.
_LARGEST = 0.25
# Relative error of a variance of doubles.
_ROUNDING = 1e-14
# The largest coefficient, the largest step of Newton's method, how many there are, and when it has arrived.
_MOST, _STEP, _STEPS, _NEAR = 30.0, 1.5, 40, 1e-10


def smoothed(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], means: Array, variances: Array, fpc: bool = True
) -> tuple[Array, Array, Array]:
    """Variance that limits of bounded losses rest on, its degrees of freedom, and its lean, all (…).

    Of more than eight strata this is (ν V̂ + 3 V₀)/(ν + 3) with infinite degrees of freedom; V₀ is the variance with the
    stratum variances of `curve`, ν = 2 Σ (m_h − 1) p̃_h (1 − p̃_h) about how many strata of labels that differ it
    expects. Of fewer it is V̂ with M − H. The lean is the third moment over the variance, of losses of 0 and 1 with the
    means of `curve`, of few strata with ℓ̄_h; NaN without a variance.

    Parameters
    ----------
    counts, means, variances : (…, H)
        m_h, ℓ̄_h in [0, 1] and s_h² of the labels; NaN variances give NaN.
    sizes : (H,) int
        Items N_h.
    fpc : bool
        As in `core.estimation.variance.variance_terms`.

    Notes
    -----
    docs/method.md, 5.7.
    """
    n_strata = means.shape[-1]
    counts = np.broadcast_to(counts, means.shape)
    df = (counts.sum(axis=-1) - n_strata).astype(np.float64)
    if n_strata <= BLOCK:
        terms = variance_terms(counts, variances, sizes, fpc)
        return np.asarray(terms.sum(axis=-1)), df, _lean(terms, means, np.maximum(counts - 1, 1), sizes)
    variance, lean = _joined(counts, sizes, means, variances, fpc)
    return variance, np.where(df > 0, math.inf, 0.0), lean


def _joined(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], means: Array, variances: Array, fpc: bool
) -> tuple[Array, Array]:
    """(ν V̂ + 3 V₀)/(ν + 3) of more than two labels, and its lean, both (…); parameters as in `smoothed`."""
    variance = variance_terms(counts, variances, sizes, fpc).sum(axis=-1)
    rows = means.reshape(-1, sizes.size), variances.reshape(-1, sizes.size)
    m = counts.reshape(-1, sizes.size)
    risk = curve(m, sizes, rows[0])
    binomial = risk * (1 - risk)
    labels = m.sum(axis=-1, keepdims=True)
    likely = binomial * _dispersion(sizes, *rows)[:, None] * labels / (labels - _FITTED)
    prior = variance_terms(m, likely, sizes, fpc).sum(axis=-1).reshape(variance.shape)
    nu = 2 * ((m - 1) * binomial).sum(axis=-1).reshape(variance.shape)
    lean = _lean(variance_terms(m, binomial, sizes), risk, m, sizes).reshape(variance.shape)
    return np.asarray((nu * variance + PRIOR_STRATA * prior) / (nu + PRIOR_STRATA)), lean


def _lean(terms: Array, risk: Array, counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Array:
    """Third moment over the variance of an estimate with these terms and mean losses, (…); NaN without a variance."""
    total = terms.sum(axis=-1)
    each = sizes / sizes.sum() * (1 - counts / sizes) / counts
    return np.asarray((terms * (1 - 2 * risk) * each).sum(axis=-1) / np.where(total > 0, total, math.nan))


def curve(counts: NDArray[np.int64], sizes: NDArray[np.int64], means: Array, slope: float = _SLOPE) -> Array:
    """Mean losses p̃_h of strata on a logistic curve through all of them, (R, H), exactly 0 or 1 if all are.

    logit p̃_h = α + β z_h, with z_h the normal quantile of the middle of the stratum's place among the items,
    standardised over the labels. β has the maximum likelihood penalised by a normal prior N(0, slope²): without it a
    few wrong answers in one stratum at an end make a step of it. α then makes Σ W_h p̃_h the estimate.

    Parameters
    ----------
    counts, means : (R, H)
        Labels m_h and mean losses ℓ̄_h in [0, 1] of R samples.
    sizes : (H,) int
        Items N_h of the strata in the order of their signal.
    slope : float
        Standard deviation of the prior.
    """
    share = sizes / sizes.sum()
    normal = ndtri(np.cumsum(share) - share / 2)
    # Rounding leads the mean of nothing but ones to either side of 1.
    value = np.where((means == means[:, :1]).all(axis=-1), means[:, 0], means @ share)
    constant = (value <= 0) | (value >= 1)
    level, fitted = _fit(counts, normal, means, constant, slope)
    for _ in range(_STEPS):
        p = _logistic(level, fitted, normal)
        step = np.where(constant, 0.0, (value - p @ share) / np.maximum((p * (1 - p)) @ share, 1e-12))
        level = np.clip(level + np.clip(step, -_STEP, _STEP), -_MOST, _MOST)
        if np.abs(step).max() < _NEAR:
            break
    p = _logistic(level, fitted, normal)
    return np.where(constant[:, None], value[:, None], p)


def along_the_curve(losses: Array, strata: NDArray[np.int64], sizes: NDArray[np.int64]) -> StrataDraws:
    """Means and variances of fine strata, drawn from what their few labels and the curve through all of them tell.

    A stratum's mean is drawn from Beta(x_h + 10 p̃_h, m_h − x_h + 10 (1 − p̃_h)), x_h = m_h ℓ̄_h, around the curve p̃_h,
    which is shifted on the logit to a level of Beta(M R̂ + ½, M (1 − R̂) + ½) in each draw; its distance from the
    labels is shrunk by √(1 − m_h/N_h). Variances are those of 0/1 losses times the labels' dispersion, scaled to
    (ν V̂ + V₁)/(ν + 1) with the V̂ and ν of `smoothed` and the mean V₁ of the draws, over χ² with ν + 3 degrees of
    freedom. V₁ is what few errors let expect: with one among 20 labels, half of all samples show less than there is.
    Levels and χ² are all their quantiles in random order, since single draws move the median by some 4 %.

    Parameters
    ----------
    losses, strata, sizes
        As in `core.estimation.shrinkage.draws`, losses in [0, 1].

    Notes
    -----
    docs/method.md, 6.4.
    """
    counts = np.bincount(strata, minlength=sizes.size)
    means = np.bincount(strata, weights=losses, minlength=sizes.size) / counts
    squares = np.bincount(strata, weights=(losses - means[strata]) ** 2, minlength=sizes.size)
    within = np.where(counts > 1, squares / np.maximum(counts - 1, 1), 0.0)
    share, labels = sizes / sizes.sum(), int(counts.sum())
    risk, value = curve(counts[None], sizes, means[None], _FREE_SLOPE)[0], float(means @ share)
    rng = np.random.default_rng(_SEED)
    places = (np.arange(_DRAWS) + 0.5) / _DRAWS
    level = rng.permutation(betaincinv(labels * value + 0.5, labels * (1 - value) + 0.5, places))
    curves = _shifted(logit((labels * risk + 0.5) / (labels + 1)), level, share)
    drawn = rng.beta(counts * means + _CURVE_LABELS * curves, counts * (1 - means) + _CURVE_LABELS * (1 - curves))
    drawn = np.clip(means + np.sqrt(1 - counts / sizes) * (drawn - means), 0.0, 1.0)
    spread = drawn * (1 - drawn) * _dispersion(sizes, means[None], within[None])
    here = variance_terms(counts, spread, sizes).sum(axis=-1)
    nu = 2 * float(((counts - 1) * risk * (1 - risk)).sum())
    shown = float(variance_terms(counts, within, sizes).sum())
    told = (nu * shown + _CURVE_STRATA * float(here.mean())) / (nu + _CURVE_STRATA)
    if told > 0:
        noise = rng.permutation(chdtri(nu + PRIOR_STRATA, places))
        most = variance_terms(counts, np.full(sizes.size, _LARGEST), sizes).sum() / np.maximum(here, _ROUNDING)
        spread *= np.minimum(told / np.median(here) * np.median(noise) / noise, most)[:, None]
    return StrataDraws(drawn, spread)


def _shifted(line: Array, level: Array, share: Array) -> Array:
    """Curves (D, H) parallel to one (H,) on the logit whose means over the pool are the levels (D,), by bisection."""
    low, high = np.full(level.size, -_MOST), np.full(level.size, _MOST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = expit(line + middle[:, None]) @ share > level
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(expit(line + ((low + high) / 2)[:, None]))


def _fit(
    counts: NDArray[np.int64], normal: Array, means: Array, constant: NDArray[np.bool_], prior: float
) -> tuple[Array, Array]:
    """Intercept and slope along ``normal`` (H,) of each sample's penalised fit, both (R,); rows of one value have 0s.

    Sums over strata are products with the powers of ``normal``, from which those of z_h follow: the place that is
    standardised over the labels.
    """
    labelled, labels = counts.astype(np.float64), counts.sum(axis=-1)
    powers = np.stack([np.ones(normal.size), normal, normal**2], axis=1)
    middle = labelled @ normal / labels
    scale = np.sqrt((labelled * (normal - middle[:, None]) ** 2).sum(axis=-1) / labels)
    ones = (labelled * means) @ powers[:, :2]
    # Half a 0 and half a 1 more keep the start away from infinity.
    start, moving = (ones[:, 0] + 0.5) / (labels + 1), (~constant).astype(np.float64)
    level, slope = np.where(constant, 0.0, np.log(start / (1 - start))), np.zeros(labels.size)
    for _ in range(_STEPS):
        along = slope / scale
        p = _logistic(level - along * middle, along, normal)
        expected = labelled * p
        up, tilt = (ones - expected @ powers[:, :2]).T
        a, b, c = ((expected * (1 - p)) @ powers).T
        c = (c - 2 * middle * b + middle**2 * a) / scale**2 + 1 / prior**2
        b = (b - middle * a) / scale
        tilt = (tilt - middle * up) / scale - slope / prior**2
        rate = moving / np.maximum(a * c - b**2, 1e-300)
        steps = (c * up - b * tilt) * rate, (a * tilt - b * up) * rate
        largest = np.maximum(*np.abs(steps))
        shorter = np.maximum(largest / _STEP, 1.0)
        level, slope = np.clip(level + steps[0] / shorter, -_MOST, _MOST), slope + steps[1] / shorter
        if largest.max() < _NEAR:
            break
    along = slope / scale
    return level - along * middle, along


def _logistic(level: Array, slope: Array, normal: Array) -> Array:
    """1/(1 + exp(−level − slope z)), (R, H): no coefficient that is fitted lets this overflow."""
    return np.asarray(1 / (1 + np.exp(-level[:, None] - slope[:, None] * normal)))


def _dispersion(sizes: NDArray[np.int64], means: Array, variances: Array) -> Array:
    """Variance of the losses over that of 0/1 losses with the same mean, (R,): at most 1, which 0/1 losses have.

    Exactly 0 if all losses are equal: rounding must not pass for a variance.
    """
    share = sizes / sizes.sum()
    value = means @ share
    pool = (variances + (means - value[:, None]) ** 2) @ share
    binary = value * (1 - value)
    ratio = np.minimum(pool / np.where(binary > 0, binary, 1.0), 1.0)
    return np.where(binary > 0, np.where(ratio > _ROUNDING, ratio, 0.0), 1.0)
