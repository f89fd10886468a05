"""More than one mean from one stratified sample: ratios of means, and the difference of two targets.

A ratio R̂ = Ŷ/X̂ of two means has the linearised residuals (y − R̂ x)/X̂, whose stratified variance is the ratio's
(Cochran 1977, 6.11; Särndal et al. 1992, 5.6). Precision, recall and F1 are such ratios.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from core.errors import DesignError
from core.estimation import intervals
from core.estimation.mean import Estimate, Sample, sample, satterthwaite

METRICS = ("accuracy", "precision", "recall", "f1")
# Relative error of a few operations on doubles.
_ROUNDING = 1e-14


def ratio(
    numerator: ArrayLike,
    denominator: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    confidence: float = 0.95,
    interval: str = "wilson",
    bounded: bool = True,
) -> Estimate:
    """Ratio of the pool's sums of y and x, estimated from a stratified sample.

    Parameters
    ----------
    numerator, denominator : (M,) float, y and x of the labelled items, x ≥ 0. strata, sizes : as in
    `core.estimation.stratified`. interval : of `core.estimation.intervals.NAMES`, used where 0 ≤ y ≤ x for every item;
    a ratio that may leave [0, 1] gets R̂ ± t SE with Satterthwaite degrees of freedom, and so does every ratio if not
    ``bounded``: that labelled items lie in [0, 1] does not bound the others.

    Returns
    -------
    Estimate. ``n_labels``: labels with x > 0, the only ones that tell something of the ratio. A share's degrees of
    freedom are these labels less the strata they lie in. Where X̂ = 0 the ratio is undefined: NaN and the widest limits.
    A ratio that is no share and shows no spread has no interval: ±inf.

    Raises
    ------
    DesignError : as `core.estimation.stratified`, or a denominator below 0.
    """
    intervals.check(interval, confidence)
    y, x = _pair(numerator, denominator, "numerators", "denominators")
    if np.any(x < 0):
        raise DesignError("A denominator lies below 0: weights of items cannot be negative.")
    over = sample(x, strata, sizes, bounded=False)
    share = bounded and bool(np.all((y >= 0) & (y <= x)))
    telling, stratum = x > 0, np.asarray(strata, dtype=np.int64)
    labels = int(telling.sum())
    if over.value <= 0:
        widest = (0.0, 1.0) if share else (-math.inf, math.inf)
        return Estimate(math.nan, math.nan, *widest, labels, "undefined: no labelled item counts for it")
    value = sample(y, strata, sizes, bounded=False).value / over.value
    residuals = sample((y - value * x) / over.value, strata, sizes, bounded=False)
    if residuals.census:
        return Estimate(value, 0.0, value, value, labels, "census: every item is labelled")
    # Residuals of equal ratios are 0 up to rounding, which must not pass for a spread.
    scale = max(float(np.abs(y).max()), abs(value) * float(x.max())) / over.value
    variance = residuals.variance if not residuals.variance <= (_ROUNDING * scale) ** 2 else 0.0
    note = " of linearised residuals"
    if share:
        value = min(max(value, 0.0), 1.0)
        free = labels - np.unique(stratum[telling]).size
        reach = intervals.limits(interval, value, variance, labels, free, confidence)
        error = math.sqrt(variance) if free > 0 else math.nan
        note += _borrowed(residuals)
        return Estimate(value, error, float(reach.low), float(reach.high), labels, intervals.NAMES[interval] + note)
    return _student(residuals, value, variance, labels, confidence, "stratified t, Satterthwaite" + note)


def metric(
    name: str,
    predicted: ArrayLike,
    true: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    confidence: float = 0.95,
    interval: str = "wilson",
) -> Estimate:
    """Accuracy, precision, recall or F1 of a yes/no prediction on the whole pool.

    Parameters
    ----------
    name : of `METRICS`. predicted, true : (M,) bool, prediction and truth of the labelled items. The others as in
    `ratio`. With TP, FP, FN the numbers of the pool: precision TP/(TP+FP), recall TP/(TP+FN), F1 2TP/(2TP+FP+FN).

    Raises
    ------
    DesignError : there is no such metric, lengths differ, a value is neither true nor false, or as `ratio`.
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
        raise DesignError(f"There is no metric called “{name}”: choose one of {', '.join(METRICS)}.")
    return ratio(*sums[name], strata, sizes, confidence, interval)


def difference(
    first: ArrayLike,
    second: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    confidence: float = 0.95,
    bounded: bool = True,
) -> Estimate:
    """Mean loss of one target less that of another, both labelled on the same items.

    Parameters
    ----------
    first, second : (M,) float, the two targets' losses; in [0, 1] if ``bounded``. strata, sizes : as in
    `core.estimation.stratified`. confidence : in (0, 1).

    Returns
    -------
    Estimate of the difference, in [−1, 1] if ``bounded``; the standard error is that of the paired differences.
    ``bounded``: limits from Wilson's of the two parts in which the first loses more and in which the second does
    (Zou & Donner 2008, "MOVER"), so that two targets without an observed difference keep an interval of positive
    width. Otherwise t with Satterthwaite degrees of freedom, and no interval (±inf) without a spread.

    Raises
    ------
    DesignError : as `core.estimation.stratified`, or lengths differ.
    """
    a, b = _pair(first, second, "losses of the first target", "of the second")
    for loss in (a, b):
        sample(loss, strata, sizes, bounded)
    gaps = _without_rounding(a - b, np.asarray(strata, dtype=np.int64), float(max(np.abs(a).max(), np.abs(b).max())))
    whole = sample(gaps, strata, sizes, bounded=False)
    value, variance, labels = whole.value, whole.variance, whole.n_labels
    if whole.census:
        return Estimate(value, 0.0, value, value, labels, "census: every item is labelled")
    if math.isnan(variance) or not bounded:
        words, far = "paired stratified t, Satterthwaite", 1.0 if bounded else math.inf
        return _student(whole, value, variance, labels, confidence, words, far)
    low, high = _mover(gaps, strata, sizes, variance, confidence)
    words = "paired, Wilson limits of both parts" + _borrowed(whole)
    return Estimate(value, math.sqrt(variance), max(-1.0, low), min(1.0, high), labels, words)


def _verdicts(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    given = np.asarray(values)
    if given.dtype.kind not in "biuf" or np.any((given != 0) & (given != 1)):
        raise DesignError(f"A {name} is neither true nor false: give True or False (1 or 0) for each labelled item.")
    return given.astype(bool)


def _pair(
    first: ArrayLike, second: ArrayLike, name: str, other: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two values of each labelled item."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise DesignError(f"There are {a.size} {name} and {b.size} {other}: give both for each labelled item.")
    return a, b


def _borrowed(found: Sample) -> str:
    """That strata of one label took the pooled variance, to be told with the method."""
    return " with the pooled variance for strata of one label" if found.borrowed else ""


def _student(
    found: Sample, value: float, variance: float, labels: int, confidence: float, words: str, far: float = math.inf
) -> Estimate:
    """value ± t SE with Satterthwaite degrees of freedom; ± ``far`` where the labels show no variance."""
    if math.isnan(variance):
        return Estimate(value, math.nan, -far, far, labels, "no interval: one label in each stratum shows no spread")
    if not variance > 0:
        return Estimate(value, 0.0, -far, far, labels, "no interval: labels that agree show no spread")
    error = math.sqrt(variance)
    half = float(stdtrit(satterthwaite(found), 0.5 + confidence / 2)) * error
    return Estimate(value, error, value - half, value + half, labels, words + _borrowed(found))


def _without_rounding(gaps: NDArray[np.float64], stratum: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """The gaps, equal in a stratum where they differ by the rounding of losses as large as ``scale`` alone.

    What is only rounding must not pass for a spread: the interval would shrink to a point.
    """
    found = gaps.copy()
    for own in (stratum == number for number in np.unique(stratum)):
        if np.ptp(gaps[own]) <= _ROUNDING * scale:
            found[own] = gaps[own][0]
    return found


def _mover(
    gaps: NDArray[np.float64], strata: ArrayLike, sizes: ArrayLike, variance: float, confidence: float
) -> tuple[float, float]:
    """Limits of p⁺ − p⁻ from the limits of each part and the parts' correlation ρ = (V⁺ + V⁻ − V)/(2 √(V⁺V⁻))."""
    parts = [sample(np.maximum(sign * gaps, 0.0), strata, sizes) for sign in (1.0, -1.0)]
    up, down = (
        intervals.limits("wilson", min(p.value, 1.0), p.variance, p.n_labels, p.free, confidence) for p in parts
    )
    spreads = [p.variance for p in parts]
    more, less = parts[0].value, parts[1].value
    # Where every label is in one of the parts, one takes what the other lacks.
    rho = -1.0 if more + less >= 1 else 0.0
    if min(spreads) > 0:
        rho = float(np.clip((sum(spreads) - variance) / (2 * math.sqrt(spreads[0] * spreads[1])), -1.0, 1.0))

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(x * x + y * y - 2 * rho * x * y, 0.0))

    below = reach(more - float(up.low), float(down.high) - less)
    above = reach(float(up.high) - more, less - float(down.low))
    return more - less - below, more - less + above
