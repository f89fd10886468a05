"""Limits of one simple random sample, as far out as its counts must be; score limits miss rare ones too often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

Array = NDArray[np.float64]

# What both limits may miss together, and less than what the upper one ever misses, as multiples of α.
_BOTH, _ABOVE = 1.15, 0.6
_STEPS = 12
# Of counts, and of what only has to stay above 0.
_ROUNDING = 1e-9


def least_of_a_count(share: Array, limit: Array, size: Array, labels: Array, t: Array, alpha: float) -> Array:
    """Lower limits of 0/1 losses from one simple random sample, (…), at most Wilson's.

    Of a mean μ, the count x = n p or a larger one is drawn with the chance I_μ(x, n − x + 1), and one whose upper limit
    lies below μ with that of Binomial(n, μ). The limit lies so far out that up to it the first is at most α and the sum
    at most 1.15 α. A label counts as c = n/M events: counts lie c apart, and half of what that adds to a step is taken
    off x. Upper limits are 1 minus the lower ones of 1 − p (docs/method.md, 5.7).

    Parameters
    ----------
    share, limit : (…) float
        p in [0, 1] and Wilson's lower limits.
    size, labels, t : (…) float
        n_eff, M, and the quantile of Wilson's limits.
    alpha : float
        1 − confidence.
    """
    shape, result = np.shape(limit), np.array(limit).ravel()
    share, size, labels, t = (np.ravel(values) for values in (share, size, labels, t))
    some = np.flatnonzero((size >= 1) & (size * share > 0) & (share < 1))
    p, n, t, m, wilson = (values[some, None] for values in (share, size, t, labels, result))
    step = np.maximum(n / m, 1.0)
    x = n * p
    less = np.minimum((step - 1) / 2, x / 2)
    near, alone = (betaincinv(x - less, n - x + less + 1, level * alpha) for level in (_BOTH - _ABOVE, 1.0))
    far = np.minimum(wilson, alone)
    mean = near + np.maximum(far - near, 0.0) * np.linspace(0, 1, _STEPS + 1)
    # The largest count whose upper limit lies below, and the next one.
    count = x - step * np.ceil((x - n * mean + t * np.sqrt(n * mean * (1 - mean))) / step - _ROUNDING)
    next_one = np.maximum(count + step - less, _ROUNDING)
    above = np.where(count > -step / 2, 1 - betainc(next_one, np.maximum(n - next_one + 1, _ROUNDING), mean), 0.0)
    missed = betainc(x - less, n - x + 1 + less, mean) + above > _BOTH * alpha
    last = np.where(missed.any(axis=-1), np.maximum(missed.argmax(axis=-1) - 1, 0), _STEPS)
    found = np.take_along_axis(mean, last[:, None], axis=-1)
    result[some] = np.minimum(far, found)[:, 0]
    return result.reshape(shape)
