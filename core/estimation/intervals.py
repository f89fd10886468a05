"""Confidence limits of an estimated mean in [0, 1], from the estimate and its estimated variance.

All functions work on arrays, so that thousands of simulated samples cost one call. With n_eff = p̂(1−p̂)/V̂ the
effective sample size (n_eff = M where V̂ = 0) and t_ν the quantile of Student's t:

    wilson         Wilson's score limits for n_eff observations, t_{M−H}                 METHOD 5.7; Wilson 1927
    korn-graubard  Clopper–Pearson limits for n_eff (t_{M−1}/t_{M−H})² observations      Korn & Graubard 1998
    logit          p̂ ± t_{M−H} SE on the scale of the log-odds
    arcsine        p̂ ± t_{M−H} SE on the scale of arcsin √p
    likelihood     2 n KL(p̂ ‖ p) = t_{M−H}², n = n_eff (M−1)/M: the scaled           Rao & Scott 1984
                   likelihood ratio of n observations, KL the Kullback–Leibler divergence
    wald           p̂ ± t_{M−H} SE, for comparison only
    wald-z         p̂ ± z SE, for comparison only
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, expit, logit, ndtri, rel_entr, stdtrit

from core.errors import DesignError

Array = NDArray[np.float64]

NAMES = {
    "wilson": "Wilson, effective sample size, t",
    "korn-graubard": "Korn–Graubard",
    "logit": "Logit, t",
    "arcsine": "Arcsine, t",
    "likelihood": "Likelihood ratio, effective sample size, t",
    "wald": "Wald, t",
    "wald-z": "Wald, z",
}
# What may carry a claim; the others are there to be compared with.
RECOMMENDED = ("wilson", "korn-graubard")
# What people see: those, and what they would have had without them.
SHOWN = (*RECOMMENDED, "wald")

_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Limits:
    """Lower and upper confidence limits, arrays of the estimates' shape."""

    low: Array
    high: Array


def limits(
    name: str, value: ArrayLike, variance: ArrayLike, labels: ArrayLike, free: ArrayLike, confidence: float = 0.95
) -> Limits:
    """Confidence limits by one of the `NAMES`.

    Parameters
    ----------
    value : estimates in [0, 1]. variance : their estimated variances, ≥ 0; NaN = unknown. labels : M, the sample size
    that counts where the variance is 0. free : degrees of freedom of the variance, M − H for a stratified sample. All
    broadcast against each other. confidence : in (0, 1).

    Returns
    -------
    Limits within [0, 1] that contain the value (Wald's may leave [0, 1]). Where the variance is unknown or has no
    degree of freedom: 0 and 1. Where it is 0, Wald, logit and arcsine have no width: that is their defect.

    Raises
    ------
    DesignError : an unknown name, a confidence outside (0, 1), a value outside [0, 1] or a variance below 0.
    """
    check(name, confidence)
    p, v, m, nu = np.broadcast_arrays(
        *(np.asarray(x, dtype=np.float64) for x in (value, variance, labels, free)), subok=False
    )
    if np.any((p < 0) | (p > 1)) or np.any(v < 0):
        raise DesignError("These limits are of an estimate between 0 and 1 with a variance that is not below 0.")
    known = np.isfinite(v) & (nu > 0)
    v, nu = np.where(known, v, 0.0), np.where(known, nu, 1.0)
    t: Array = np.asarray(stdtrit(nu, 0.5 + confidence / 2), dtype=np.float64)
    if name == "wilson":
        found = _wilson(p, effective_size(p, v, m), t)
    elif name == "korn-graubard":
        total = np.maximum(m - 1, 1.0)
        ratio = stdtrit(total, 0.5 + confidence / 2) / t
        found = _clopper_pearson(p, effective_size(p, v, m) * ratio**2, confidence)
    elif name == "likelihood":
        found = _likelihood(p, effective_size(p, v, m) * (m - 1) / np.maximum(m, 1.0), t)
    elif name in ("logit", "arcsine"):
        found = _transformed(name, p, np.sqrt(v), t)
    else:
        half = (t if name == "wald" else ndtri(0.5 + confidence / 2)) * np.sqrt(v)
        found = Limits(p - half, p + half)
    return Limits(np.where(known, found.low, 0.0), np.where(known, found.high, 1.0))


def check(name: str, confidence: float) -> None:
    """DesignError where there is no such interval, or the confidence level is no share."""
    if name not in NAMES:
        raise DesignError(f"There is no interval called “{name}”: choose one of {', '.join(NAMES)}.")
    if not 0 < confidence < 1:
        raise DesignError(f"The confidence level is {confidence}: it must lie between 0 and 1, for instance 0.95.")


def effective_size(value: ArrayLike, variance: ArrayLike, labels: ArrayLike) -> Array:
    """n_eff = p̂(1−p̂)/V̂, the size of a simple random sample of as many independent 0/1 losses with the same variance.

    Where V̂ = 0, or where p̂(1−p̂) = 0, n_eff = M.
    """
    p, v, m = (np.asarray(x, dtype=np.float64) for x in (value, variance, labels))
    spread = p * (1 - p)
    usable = (v > 0) & (spread > 0)
    return np.asarray(np.where(usable, spread / np.where(usable, v, 1.0), m))


def _wilson(p: Array, n: Array, t: Array) -> Limits:
    """Roots of n (p̂ − p)² = t² p (1 − p)."""
    # Below this size the limits are 0 and 1 anyway, and the squares would overflow.
    square = t * t / np.maximum(n, 1e-9)
    centre = (p + square / 2) / (1 + square)
    half = np.sqrt(square * (p * (1 - p) + square / 4)) / (1 + square)
    return Limits(np.minimum(p, np.maximum(0.0, centre - half)), np.maximum(p, np.minimum(1.0, centre + half)))


def _clopper_pearson(p: Array, n: Array, confidence: float) -> Limits:
    """Beta quantiles for x = n p̂ successes; exactly 0 at p̂ = 0 and 1 at p̂ = 1."""
    x, tail = n * p, (1 - confidence) / 2
    none, all_ = x <= 0, n - x <= 0
    low = betaincinv(np.where(none, 1.0, x), n - x + 1, tail)
    high = betaincinv(x + 1, np.where(all_, 1.0, n - x), 1 - tail)
    return Limits(np.minimum(p, np.where(none, 0.0, low)), np.maximum(p, np.where(all_, 1.0, high)))


def _likelihood(p: Array, n: Array, t: Array) -> Limits:
    """Roots of 2 n KL(p̂ ‖ q) = t², one on each side of p̂, by halving."""
    reach = t * t / np.maximum(2 * n, 1e-9)

    def root(end: float) -> Array:
        inner, outer = p, np.full_like(p, end)
        for _ in range(_HALVINGS):
            middle = (inner + outer) / 2
            within = rel_entr(p, middle) + rel_entr(1 - p, 1 - middle) < reach
            inner, outer = np.where(within, middle, inner), np.where(within, outer, middle)
        return outer

    return Limits(root(0.0), root(1.0))


def _transformed(name: str, p: Array, error: Array, t: Array) -> Limits:
    """p̂ ± t SE on a transformed scale by the delta method; no width at p̂ = 0 and 1."""
    inside = (p > 0) & (p < 1)
    safe = np.where(inside, p, 0.5)
    slope = safe * (1 - safe)
    if name == "logit":
        half = t * error / slope
        low, high = expit(logit(safe) - half), expit(logit(safe) + half)
    else:
        angle, half = np.arcsin(np.sqrt(safe)), t * error / (2 * np.sqrt(slope))
        low = np.sin(np.maximum(angle - half, 0.0)) ** 2
        high = np.sin(np.minimum(angle + half, math.pi / 2)) ** 2
    return Limits(np.where(inside, np.minimum(p, low), p), np.where(inside, np.maximum(p, high), p))
