"""Lower limits of losses of 0 and 1 as far out as their counts must be; Wilson's miss counts of few too often.

Upper limits are 1 minus the lower ones of 1 minus the losses (docs/method.md, 5.7).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

Array = NDArray[np.float64]

# What both limits may miss together beyond α, at most as a share of it, and less than what the upper one ever misses.
_BEYOND, _AT_MOST, _ABOVE = 0.0075, 0.15, 0.6
_STEPS = 12
# Of counts, and of what only has to stay above 0.
_ROUNDING = 1e-9


def least_of_a_count(share: Array, limit: Array, size: Array, ones: Array, t: Array, alpha: float) -> Array:
    """Lower limits below which the labels' count would be missed too often, (…), at most ``limit``.

    Of a mean μ, the count x = n p or a larger one is drawn with the chance I_μ(x, n − x + 1), and one whose upper limit
    lies below μ with that of Binomial(n, μ). The limit lies so far out that up to it the first is at most α and the sum
    at most α + 0.0075 and 1.15 α. A label counts as c = x/k events: counts lie c apart, and half of what that adds to a
    step is taken off x.

    Parameters
    ----------
    share, limit : (…) float
        p in [0, 1] and lower limits.
    size, ones, t : (…) float
        n_eff, the labels k with a loss of 1, and the quantile of Wilson's limits.
    alpha : float
        1 − confidence.
    """
    shape, result = np.shape(limit), np.array(limit).ravel()
    share, size, ones, t = (np.ravel(values) for values in (share, size, ones, t))
    some = np.flatnonzero((size >= 1) & (size * share > 0) & (share < 1))
    if not some.size:
        return result.reshape(shape)
    cases = np.stack([values[some] for values in (share, size, t, ones, result)], axis=1)
    # Of simulated samples many are alike.
    _, first, alike = np.unique(cases.view(f"V{cases.strides[0]}"), return_index=True, return_inverse=True)
    both = 1 + min(_AT_MOST, _BEYOND / alpha)
    p, n, t, k, wilson = cases[first].T
    x = n * p
    step = np.maximum(x / k, 1.0)
    less = np.minimum((step - 1) / 2, x / 2)
    near, alone = (betaincinv(x - less, n - x + less + 1, level * alpha) for level in (both - _ABOVE, 1.0))
    far = np.minimum(wilson, alone)
    x, n, t, step, less, near, far = (values[:, None] for values in (x, n, t, step, less, near, far))
    mean = near + np.maximum(far - near, 0.0) * np.linspace(0, 1, _STEPS + 1)
    # The largest count whose upper limit lies below, and the next one.
    count = x - step * np.ceil((x - n * mean + t * np.sqrt(n * mean * (1 - mean))) / step - _ROUNDING)
    missed = (count > -step / 2) & (far > near)
    next_one = np.maximum((count + step - less)[missed], _ROUNDING)
    x, n, less = (np.broadcast_to(values, missed.shape)[missed] for values in (x, n, less))
    at = mean[missed]
    above = 1 - betainc(next_one, np.maximum(n - next_one + 1, _ROUNDING), at)
    # Up to the farther limit, the count or a larger one has a chance from (both − 0.6) α to α.
    too_often, doubtful = above > _ABOVE * alpha, (above > (both - 1) * alpha) & (above <= _ABOVE * alpha)
    x, n, less, at = (values[doubtful] for values in (x, n, less, at))
    too_often[doubtful] = betainc(x - less, n - x + 1 + less, at) + above[doubtful] > both * alpha
    missed[missed] = too_often
    last = np.where(missed.any(axis=-1), np.maximum(missed.argmax(axis=-1) - 1, 0), _STEPS)
    found = np.minimum(far, np.take_along_axis(mean, last[:, None], axis=-1))
    result[some] = found[alike.ravel(), 0]
    return result.reshape(shape)


def score_limit(
    share: Array, limit: Array, size: Array, t: Array, lean: Array, fine: NDArray[np.bool_] | bool
) -> Array:
    """Lower score limits whose variance falls with the mean as the labels' third moment says, (…), at most ``limit``.

    The variance at a mean μ is taken for V̂ + s (μ − p) − q (μ − p)², with a q that makes it 0 at μ = 0. Wilson's
    limits have s = (1 − 2p)/n, as if all strata were alike: that of others is their lean. So the upper limit of rare
    losses knows that in most strata they are rarer still, and vary all the more with μ.

    Parameters
    ----------
    share, limit, size, t
        As in `least_of_a_count`; ``limit`` is at most Wilson's.
    lean : (…) float
        The estimate's third moment over its variance, which is s if it is less than Wilson's; NaN if that is 0.
    fine : (…) bool
        Whether strata are fine: their s goes the share p − 1/2 of the way.
    """
    some, square = (size >= 1) & (size * share > _ROUNDING), t * t
    p, n = np.where(some, share, 0.5), np.where(some, size, 1.0)
    wilson = (1 - 2 * p) / n
    s = np.where(some, wilson + np.where(fine, np.maximum(p - 0.5, 0), 1.0) * np.fmin(lean - wilson, 0), 0.0)
    variance = p * (1 - p) / n
    bend = 1 + square * (variance / p - s) / p
    reach = (np.sqrt((square * s) ** 2 + 4 * square * variance * bend) - square * s) / (2 * bend)
    return np.where(some, np.minimum(limit, p - reach), limit)


def of_others(z: float) -> float:
    """How much c of the others' variance joins a single stratum's limits: half, above 95 % a quarter of z."""
    return max(0.5, z / 4)


def furthest(single: Array, terms: Array, none: Array, joins: float) -> Array:
    """How far limits of few strata reach from the estimate at least, (…).

    That is as far as the limit of any single stratum, or of those together that show no error, with the share c of the
    others' variance: √(max (r² − c v) + c Σ v).

    Parameters
    ----------
    single : (…, H) float
        Distances W_h |ℓ̄_h − limit| of single strata.
    terms : (…, H) float
        Their z² V_h.
    none : (…) float
        The distance of the strata that show no error.
    joins : float
        c, of `of_others`.
    """
    reach = np.concatenate([single, none[..., None]], axis=-1) ** 2
    each = np.concatenate([terms, none[..., None] ** 2], axis=-1) * joins
    return np.asarray(np.sqrt((reach - each).max(axis=-1) + each.sum(axis=-1)))
