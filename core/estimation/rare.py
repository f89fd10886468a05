"""Lower limits of losses of 0 and 1 as far out as their counts must be; Wilson's miss counts of few too often.

Upper limits are 1 minus the lower ones of 1 minus the losses (docs/method.md, 5.7).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, ndtri

Array = NDArray[np.float64]

# What both limits may miss together, and less than what the upper one ever misses, as multiples of α.
_BOTH, _ABOVE = 1.15, 0.6
_STEPS = 12
# What the lower limit of few strata may miss of rare losses, as a multiple of α; events up to which, as one of z².
_RARE, _FEW = 0.75, 4.5
# Losses of so large a share, and of so many events as multiples of z², are not rare.
_OFTEN, _RARELY = 0.4, 6.5
# Of counts, and of what only has to stay above 0.
_ROUNDING = 1e-9


def least_of_a_count(share: Array, limit: Array, size: Array, ones: Array, t: Array, alpha: float) -> Array:
    """Lower limits below which the labels' count would be missed too often, (…), at most ``limit``.

    Of a mean μ, the count x = n p or a larger one is drawn with the chance I_μ(x, n − x + 1), and one whose upper limit
    lies below μ with that of Binomial(n, μ). The limit lies so far out that up to it the first is at most α and the sum
    at most 1.15 α. A label counts as c = x/k events: counts lie c apart, and half of what that adds to a step is taken
    off x.

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
    told = np.stack([values[some] for values in (share, size, t, ones, result)], axis=1)
    # Of simulated samples many are alike.
    _, first, alike = np.unique(told.view(f"V{told.strides[0]}"), return_index=True, return_inverse=True)
    p, n, t, k, wilson = told[first].T
    x = n * p
    step = np.maximum(x / k, 1.0)
    less = np.minimum((step - 1) / 2, x / 2)
    near, alone = (betaincinv(x - less, n - x + less + 1, level * alpha) for level in (_BOTH - _ABOVE, 1.0))
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
    # Up to the farther limit, the count or a larger one has a chance from (1.15 − 0.6) α to α.
    too_often, doubtful = above > _ABOVE * alpha, (above > (_BOTH - 1) * alpha) & (above <= _ABOVE * alpha)
    x, n, less, at = (values[doubtful] for values in (x, n, less, at))
    too_often[doubtful] = betainc(x - less, n - x + 1 + less, at) + above[doubtful] > _BOTH * alpha
    missed[missed] = too_often
    last = np.where(missed.any(axis=-1), np.maximum(missed.argmax(axis=-1) - 1, 0), _STEPS)
    found = np.minimum(far, np.take_along_axis(mean, last[:, None], axis=-1))
    result[some] = found[alike.ravel(), 0]
    return result.reshape(shape)


def score_limit(share: Array, limit: Array, size: Array, t: Array, slope: Array) -> Array:
    """Lower score limits, (…), at most Wilson's, ``limit``.

    The variance at a mean μ is taken for V̂ + s (μ − p) − q (μ − p)², with a q that makes it 0 at μ = 0. Wilson's
    limits have s = (1 − 2p)/n.

    Parameters
    ----------
    share, limit, size, t
        As in `least_of_a_count`.
    slope : (…) float
        s, at most that of Wilson's limits.
    """
    some = (size >= 1) & (size * share > _ROUNDING)
    p, n, s, square = np.where(some, share, 0.5), np.where(some, size, 1.0), np.where(some, slope, 0.0), t * t
    variance = p * (1 - p) / n
    bend = 1 + square * (variance / p - s) / p
    reach = (np.sqrt((square * s) ** 2 + 4 * square * variance * bend) - square * s) / (2 * bend)
    return np.where(some, np.minimum(limit, p - reach), limit)


def slope_of_frequent(share: Array, size: Array, lean: Array) -> Array:
    """Slopes of `score_limit` in fine strata, (…): as the third moment says, if this is less, with the weight p − 1/2.

    So the upper limit of rare losses knows that in most strata they are rarer still, and vary all the more with μ.

    Parameters
    ----------
    share, size
        As in `least_of_a_count`.
    lean : (…) float
        The estimate's third moment over its variance; NaN if that is 0.
    """
    slope = (1 - 2 * share) / np.maximum(size, 1.0)
    return np.asarray(slope + np.maximum(share - 0.5, 0) * np.fmin(lean - slope, 0))


def slope_of_rare(
    share: Array, size: Array, zeros: Array, lean: Array, alone: Array, sparse: Array, alpha: float
) -> Array:
    """Slopes of `score_limit` in few strata, (…).

    They are the strata's third moment over V̂, if this is less, and of k zeros the next may lie in the sparsest
    stratum: with the weight 1/(1 + k), the slope is at most −1/n of that one. Both matter if losses are rare. Their
    weight falls to 0 up to a share of 0.4, and from 5.5 to 6.5 z² events over the share of the other kind; if all
    variance is one stratum's, its moment counts at any number of events (docs/method.md, 5.7).

    Parameters
    ----------
    share, size, lean, alpha
        As in `slope_of_frequent` and `least_of_a_count`.
    zeros : (…) float
        Labels k with a loss of 0.
    alone : (…) float
        1 if one stratum has all of the variance, 0 if none has more than three quarters.
    sparse : (…) float
        Labels of `core.estimation.variance.sparsest`.
    """
    p, n = share, np.maximum(size, 1.0)
    slope, rarer = (1 - 2 * p) / n, np.minimum(p, 1 - p)
    events = n * rarer / (1 - rarer) / float(ndtri(1 - alpha / 2)) ** 2
    rare = np.clip(_RARELY - events, 0, 1) * np.maximum(1 - rarer / _OFTEN, 0)
    slope += np.maximum(rare, alone * (1 - 2 * p)) * np.where(p < 0.5, np.fmin(lean - slope, 0), 0)
    return np.asarray(slope - rare * np.maximum(1 / sparse + slope, 0) / (1 + zeros))


def of_rare(share: Array, limit: Array, size: Array, ones: Array, none: Array, left: float, alpha: float) -> Array:
    """Lower limits of few strata whose losses are rare, (…), at most ``limit``.

    A label counts as another number of events in each stratum, so which counts there can be is not known. The limit
    is at most a quantile of Beta(x, n − x + 1): that of α below the upper limit of none, where no other limit misses,
    and beyond it that of .75 α, up to x = 4.5 z² (1 − p).

    Parameters
    ----------
    share, limit, size, ones, alpha
        As in `least_of_a_count`.
    none : (…) float
        The upper limit of no event.
    left : float
        1 − M/N: no more than k/(1 − M/N) labels count as events.
    """
    x = np.fmin(size * share, ones / left)
    # Less than one label's worth is no count of events.
    some = (size >= 1) & (x > 0) & (share < 0.5) & (x <= _FEW * float(ndtri(1 - alpha / 2)) ** 2 * (1 - share))
    x, p, k = np.where(some, x, 1.0), np.where(some, share, 1.0), np.where(some, ones, 1.0)
    less = np.minimum((np.maximum(x / k, 1.0) - 1) / 2, x / 2)
    near, far = (betaincinv(x - less, np.maximum(x / p - x, 0.0) + 1 + less, level * alpha) for level in (1.0, _RARE))
    return np.where(some, np.minimum(limit, np.maximum(far, np.minimum(near, none))), limit)
