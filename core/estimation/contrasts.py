"""More than one mean from one stratified sample: ratios of means, and the difference of two targets.

A ratio R̂ = Ŷ/X̂ of two means has the linearised residuals (y − R̂ x)/X̂, whose stratified variance is the ratio's
(Cochran 1977, 6.11; Särndal et al. 1992, 5.6; docs/method.md, 6.3). Precision, recall and F1 are such ratios. A ratio θ
is inside its limits unless the residuals y − θx would be surprising if their mean were 0, which it is at the true θ.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtri

from ..errors import DesignError
from . import tilting
from .intervals import DEFAULT, Interval, Limits
from .mean import CENSUS, POOLED, Estimate, student
from .waves import Waves, waves
from .weighting import WeightedLabels
from .working_model import working_model

Array = NDArray[np.float64]

METRICS = ("accuracy", "precision", "recall", "f1")
_RATIO, _DIFFERENCE = "ratio", "difference in mean loss"
# Relative error of a few operations on doubles.
_ROUNDING = 1e-14


def ratio(
    numerator: ArrayLike,
    denominator: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    interval: Interval = DEFAULT,
    in_waves: Waves | WeightedLabels | None = None,
) -> Estimate:
    """Ratio of the pool's sums of y and x, estimated from a stratified sample.

    Parameters
    ----------
    numerator, denominator : (M,) float
        y and x of the labelled items, x ≥ 0.
    strata, sizes
        As in `core.estimation.stratified`.
    interval : Interval
        Used if the ratio is a share: bounded, and 0 ≤ y ≤ x for every labelled item. Every other ratio gets R̂ ± t SE
        with Satterthwaite's degrees of freedom.
    in_waves : Waves or WeightedLabels, optional
        The same labels, if they were taken in waves, or if items count by their weights: these then weight them, not
        ``strata`` and ``sizes``.

    Returns
    -------
    Estimate
        ``n_labels`` counts the labels with x > 0, the only ones that tell about the ratio. If X̂ = 0 the ratio is
        undefined: NaN and the widest limits, which a single such label leaves too. A ratio that is not a share has no
        interval (±inf) if its labels give no variance.

    Raises
    ------
    DesignError
        As `core.estimation.stratified`, or a denominator below 0.
    """
    y, x = _pair(numerator, denominator, "numerators", "denominators")
    if np.any(x < 0):
        raise DesignError("A denominator lies below 0. Weights of items cannot be negative.")
    weighted = in_waves if isinstance(in_waves, WeightedLabels) else None
    if weighted is not None:
        y, x = y * weighted.weights, x * weighted.weights
        strata, sizes = weighted.strata.stratum[weighted.positions], weighted.strata.sizes
    taken = None if isinstance(in_waves, WeightedLabels) else in_waves
    below = _waves(x, strata, sizes, taken, bounded=False)
    share = interval.bounded and bool(np.all((y >= 0) & (y <= x)))
    telling = x > 0
    labels = int(telling.sum())
    if below.mean <= 0:
        widest = (0.0, 1.0) if share else (-math.inf, math.inf)
        return Estimate(math.nan, math.nan, *widest, labels, "undefined: no labelled item counts for it", _RATIO)
    value = below.of(y).mean / below.mean
    residuals = below.of((y - value * x) / below.mean)
    if residuals.census:
        return Estimate(value, 0.0, value, value, labels, CENSUS, _RATIO)
    # Residuals of equal ratios are 0 up to rounding, which must not pass for a variance.
    scale = max(float(np.abs(y).max()), abs(value) * float(x.max())) / below.mean
    variance = residuals.variance if not residuals.variance <= (_ROUNDING * scale) ** 2 else 0.0
    interval = replace(interval, bounded=share)
    method = f"{interval.method} of linearised residuals{residuals.words}" + (POOLED if residuals.pooled else "")
    if not share:
        return student(interval, value, variance, residuals.satterthwaite_df, labels, method, _RATIO)
    value = min(max(value, 0.0), 1.0)
    if math.isnan(variance) or labels < 2:
        return Estimate(value, math.nan, 0.0, 1.0, labels, method, _RATIO)
    if not interval.tilted:
        limits = interval.limits(value, variance, labels, labels - np.unique(below.strata[telling]).size)
    elif np.ptp(x) == 0 and weighted is None:
        mean = below.of(y / x)
        limits = mean.within_pool(mean.limits(interval))
    else:
        limits = _share_limits(y, x, below, value, interval, weighted)
    return Estimate(value, math.sqrt(variance), float(limits.low), float(limits.high), labels, method, _RATIO)


def metric(
    name: str,
    predicted: ArrayLike,
    true: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    interval: Interval = DEFAULT,
    in_waves: Waves | WeightedLabels | None = None,
) -> Estimate:
    """Accuracy, precision, recall or F1 of a yes/no prediction on the whole pool.

    Parameters
    ----------
    name : str
        One of `METRICS`. With TP, FP, FN the numbers of the pool: precision TP/(TP+FP), recall TP/(TP+FN), F1
        2TP/(2TP+FP+FN).
    predicted, true : (M,) bool
        Prediction and truth of the labelled items.
    strata, sizes, interval, in_waves
        As in `ratio`.

    Raises
    ------
    DesignError
        An unknown metric, lengths that differ, a value that is neither true nor false, or as `ratio`.
    """
    yes, truth = _pair(_verdicts(predicted, "prediction"), _verdicts(true, "truth"), "predictions", "truths")
    both = yes * truth
    sums = {
        "accuracy": (np.equal(yes, truth), np.ones(yes.size)),
        "precision": (both, yes),
        "recall": (both, truth),
        # The mean of prediction and truth, so that F1 is the share of both in it.
        "f1": (both, (yes + truth) / 2),
    }
    if name not in sums:
        raise DesignError(f"There is no metric called “{name}”. Choose one of {', '.join(METRICS)}.")
    estimate = ratio(*sums[name], strata, sizes, interval, in_waves)
    return replace(estimate, measure="F1" if name == "f1" else name)


def difference(
    first: ArrayLike,
    second: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    interval: Interval = DEFAULT,
    in_waves: Waves | WeightedLabels | None = None,
) -> Estimate:
    """Mean loss of one target less that of another, both labelled on the same items.

    Parameters
    ----------
    first, second : (M,) float
        The two targets' losses, in [0, 1] if ``interval.bounded``.
    strata, sizes
        As in `core.estimation.stratified`.
    interval : Interval
        Its confidence, and whether losses are bounded; limits are always those below.
    in_waves : Waves or WeightedLabels, optional
        As in `ratio`.

    Returns
    -------
    Estimate
        The difference d, in [−1, 1] if bounded, with the standard error of the paired differences. Bounded: tilted
        limits of the mean of (d + 1)/2, so that two targets without an observed difference keep an interval of positive
        width. Otherwise t with Satterthwaite's degrees of freedom, and no interval (±inf) if the labels give no
        variance.

    Raises
    ------
    DesignError
        As `core.estimation.stratified`, or lengths that differ.
    """
    a, b = _pair(first, second, "losses of the first target", "of the second")
    if isinstance(in_waves, WeightedLabels):
        return _weighted_difference(a - b, in_waves, interval)
    both = _waves(a, strata, sizes, in_waves, interval.bounded)
    both.of(b, interval.bounded)
    gaps = _without_rounding(a - b, both.strata, float(max(np.abs(a).max(), np.abs(b).max())))
    paired = both.of(gaps)
    value, variance, labels = paired.mean, paired.variance, paired.n_labels
    if paired.census:
        return Estimate(value, 0.0, value, value, labels, CENSUS, _DIFFERENCE)
    words = paired.words + (POOLED if paired.pooled else "")
    if math.isnan(variance) or not interval.bounded:
        unbounded = replace(interval, bounded=False)
        method = f"paired {unbounded.method}{words}"
        estimate = student(unbounded, value, variance, paired.satterthwaite_df, labels, method, _DIFFERENCE)
        return replace(estimate, low=-1.0, high=1.0) if interval.bounded else estimate
    tilted = replace(interval, name=DEFAULT.name)
    scaled = both.of((gaps + 1) / 2)
    limits = scaled.within_pool(scaled.limits(tilted))
    low, high = (2 * float(end) - 1 for end in (limits.low, limits.high))
    method = f"paired, {tilted.method}{words}"
    return Estimate(value, math.sqrt(variance), min(low, value), max(high, value), labels, method, _DIFFERENCE)


def _weighted_difference(gaps: Array, labels: WeightedLabels, interval: Interval) -> Estimate:
    """Weighted mean of differences d, by that of (d + 1)/2 if they are bounded."""
    if not interval.bounded:
        return replace(labels.of(gaps).estimate(interval), measure=_DIFFERENCE)
    half = labels.of((gaps + 1) / 2, bounded=True, centre=0.5).estimate(replace(interval, name=DEFAULT.name))
    value, low, high = (2 * end - 1 for end in (half.value, half.low, half.high))
    error, method = 2 * half.standard_error, f"paired, {half.method}"
    return Estimate(value, error, low, high, half.n_labels, method, _DIFFERENCE)


def paired_shares(won: ArrayLike, lost: ArrayLike, n_items: int, confidence: float = 0.95) -> Limits:
    """Limits of the difference of two shares of right answers on other items like these, if these are a random sample.

    Half an item is added to each of the four counts (Agresti & Min 2005). They exclude 0 only if the exact sign test of
    the unequal items rejects it at the same level.

    Parameters
    ----------
    won, lost : array_like
        Items that the first alone gets right, and the second alone.
    n_items : int
        N, those that both or none gets right among them.
    confidence : float
        In (0, 1).
    """
    up, down, size = np.asarray(won, dtype=np.float64), np.asarray(lost, dtype=np.float64), n_items + 2
    middle = (up - down) / size
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    half = z * np.sqrt((up + down + 1) / size - middle**2) / math.sqrt(size)
    low, high = np.maximum(middle - half, -1.0), np.minimum(middle + half, 1.0)
    # In few items the exact sign test is stricter: 3 of 3 may be chance.
    unequal = np.rint(np.nan_to_num(up + down)).astype(np.int64)
    open_ = 2 * bdtr(np.minimum(up, down), unequal, 0.5) > 1 - confidence
    return Limits(np.where(open_, np.minimum(low, 0.0), low), np.where(open_, np.maximum(high, 0.0), high))


def _waves(
    values: NDArray[np.float64], strata: ArrayLike, sizes: ArrayLike, in_waves: Waves | None, bounded: bool
) -> Waves:
    """Values of labels in the waves that they were taken in, by default in one."""
    return waves([(values, strata, sizes)], bounded=bounded) if in_waves is None else in_waves.of(values, bounded)


def _verdicts(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    verdicts = np.asarray(values)
    if verdicts.dtype.kind not in "biuf" or np.any((verdicts != 0) & (verdicts != 1)):
        raise DesignError(f"A {name} is neither true nor false. Give True or False (1 or 0) for each labelled item.")
    return verdicts.astype(bool)


def _pair(
    first: ArrayLike, second: ArrayLike, name: str, other: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two values of each labelled item."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise DesignError(f"There are {a.size} {name} and {b.size} {other}. Give both for each labelled item.")
    return a, b


def _without_rounding(gaps: NDArray[np.float64], stratum: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """Differences, equal in a stratum if they differ by the rounding of losses as large as ``scale`` alone.

    What is only rounding must not pass for a variance: the interval would shrink to a point.
    """
    exact = gaps.copy()
    for member in (stratum == number for number in np.unique(stratum)):
        if np.ptp(gaps[member]) <= _ROUNDING * scale:
            exact[member] = gaps[member][0]
    return exact


def _share_limits(
    y: NDArray[np.float64],
    x: NDArray[np.float64],
    below: Waves,
    value: float,
    interval: Interval,
    weighted: WeightedLabels | None,
) -> Limits:
    """Limits of a share y/x, from labels of x in the waves of ``below``, by the tail at each ratio that is tried.

    Residuals y − θx of 0 ≤ y ≤ x ≤ 1 lie in [−θ, 1 − θ]; moved by θ they are losses whose mean is θ at the true θ.
    With weights they are in units of the largest weight of their stratum, whose share in the mean grows by as much.
    """
    most: float | Array = float(x.max())
    order, shares = below.cells.order, below.cells.weights
    if weighted is not None:
        strata = weighted.strata
        most, order = strata.tops[below.strata], strata.bands
        shares = strata.share / strata.share.sum()
    kinds, kind = np.unique(np.stack([y, x]) / most, axis=1, return_inverse=True)
    tallies, cells = below.tallies(kind.ravel()), below.cells
    step = 1.0 if np.isin(kinds[0], (0.0, 1.0)).all() else tilting.LEAST_STEP
    z, uppers = float(ndtri(0.5 + interval.confidence / 2)), np.array([False, True])

    def beyond(theta: Array) -> Array:
        """Return the distance of r* of the residuals from z, at a lower and an upper ratio (2,)."""
        values = np.broadcast_to((kinds[0] + theta[:, None] * (1 - kinds[1]))[:, None, :], (theta.size, *tallies.shape))
        labels = np.broadcast_to(tallies, values.shape)
        model = working_model(values, labels, cells.counts, cells.sizes, waves=order, weights=shares)
        flipped = model.mirror()
        at = np.where(uppers, 2 * model.base + model.rest - theta, theta)
        lower, upper = tilting.surprise(model, theta, step), tilting.surprise(flipped, at, step)
        return np.where(uppers, upper, lower) - z

    inside, outside = np.array([value, value]), np.array([0.0, 1.0])
    if value <= 0 or value >= 1:
        # The end itself is a limit.
        outside = np.where(outside == value, value, outside)
    return Limits(*tilting.roots(beyond, inside, outside, cut=z))
