"""Draws of what many strata of a few labels may be like: their labels, and a curve through all of them.

The strata of a design are ordered by a signal, so a logistic curve along it says more of a stratum than two labels do
(docs/method.md, 6.4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit

from .shrinkage import StrataDraws
from .working_model import curve, places

Array = NDArray[np.float64]

# Standard deviation of the prior of the curve's slope: less steep than what limits take would be paid for in labels.
_FREE_SLOPE = 4.0
# Weight of the curve for a single stratum, as a number of labels. Draws, and their fixed seed.
_CURVE_LABELS, _DRAWS, _SEED = 10.0, 400, 57
# Relative error of a variance of doubles.
_ROUNDING = 1e-14
# The largest shift on the logit, and how often it is halved.
_MOST, _STEPS = 30.0, 40


def along_the_curve(losses: Array, strata: NDArray[np.int64], sizes: NDArray[np.int64]) -> StrataDraws:
    """Means and variances of fine strata, drawn from what their few labels and the curve through all of them tell.

    A stratum's mean is drawn from Beta(x_h + 10 p̃_h, m_h − x_h + 10 (1 − p̃_h)), x_h = m_h ℓ̄_h, around the curve p̃_h of
    `core.estimation.working_model.curve`, which is shifted on the logit to a level of Beta(M R̂ + ½, M (1 − R̂) + ½) in
    each draw; its distance from the labels is shrunk by √(1 − m_h/N_h). Variances are those of 0/1 losses times the
    labels' dispersion. Levels are all their quantiles in random order, since single draws move the median by some 4 %.

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
    at, value = places(sizes.astype(np.float64)), float(means @ share)
    risk = curve(counts[None].astype(np.float64), at, (counts * means)[None], _FREE_SLOPE)[0]
    rng = np.random.default_rng(_SEED)
    quantiles = (np.arange(_DRAWS) + 0.5) / _DRAWS
    level = rng.permutation(betaincinv(labels * value + 0.5, labels * (1 - value) + 0.5, quantiles))
    curves = _shifted(logit((labels * risk + 0.5) / (labels + 1)), level, share)
    drawn = rng.beta(counts * means + _CURVE_LABELS * curves, counts * (1 - means) + _CURVE_LABELS * (1 - curves))
    drawn = np.clip(means + np.sqrt(1 - counts / sizes) * (drawn - means), 0.0, 1.0)
    return StrataDraws(drawn, drawn * (1 - drawn) * _dispersion(sizes, means[None], within[None]))


def _shifted(line: Array, level: Array, share: Array) -> Array:
    """Curves (D, H) parallel to one (H,) on the logit whose means over the pool are the levels (D,), by bisection."""
    low, high = np.full(level.size, -_MOST), np.full(level.size, _MOST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = expit(line + middle[:, None]) @ share > level
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(expit(line + ((low + high) / 2)[:, None]))


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
