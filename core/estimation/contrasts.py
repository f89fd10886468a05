"""More than one mean from one stratified sample: ratios of means, and the difference of two targets.

A ratio R̂ = Ŷ/X̂ of two means has the linearised residuals (y − R̂ x)/X̂, whose stratified variance is the ratio's
(Cochran 1977, 6.11; Särndal et al. 1992, 5.6; docs/method.md, 6.3). Precision, recall and F1 are such ratios.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr

from ..errors import DesignError
from .intervals import WILSON, Interval, Limits, within_pool
from .mean import CENSUS, POOLED, WIDENED, Estimate, student
from .variance import UNEVEN, conservative, fine, joined_df
from .waves import Waves, over_waves, waves

METRICS = ("accuracy", "precision", "recall", "f1")
_RATIO, _DIFFERENCE = "ratio", "difference in mean loss"
# Relative error of a few operations on doubles.
_ROUNDING = 1e-14


def ratio(
    numerator: ArrayLike,
    denominator: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    interval: Interval = WILSON,
    in_waves: Waves | None = None,
) -> Estimate:
    """Ratio of the pool's sums of y and x, estimated from a stratified sample.

    Parameters
    ----------
    numerator, denominator : (M,) float
        y and x of the labelled items, x ≥ 0.
    strata, sizes
        As in `core.estimation.stratified`.
    interval : Interval
        Used if the ratio is a share: bounded, and 0 ≤ y ≤ x for every labelled item, with conservative limits if
        a mean of these labels has them. Every other ratio gets R̂ ± t SE with Satterthwaite's degrees of freedom.
    in_waves : Waves, optional
        The same labels, if they were taken in waves: these then weight them, not ``strata`` and ``sizes``.

    Returns
    -------
    Estimate
        ``n_labels`` counts the labels with x > 0, the only ones that tell about the ratio. A share's degrees of freedom
        are these labels less the strata they lie in; in fine strata (`core.estimation.variance.fine`), where nearly
        each stratum has a single one, and for x of one value, those of the residuals in these strata, at most one fewer
        than these labels. Waves are joined as for a mean. If X̂ = 0 the ratio is undefined: NaN and the widest
        limits. A ratio that is not a share has no interval (±inf) if its labels give no variance.

    Raises
    ------
    DesignError
        As `core.estimation.stratified`, or a denominator below 0.
    """
    y, x = _pair(numerator, denominator, "numerators", "denominators")
    if np.any(x < 0):
        raise DesignError("A denominator lies below 0. Weights of items cannot be negative.")
    below = _waves(x, strata, sizes, in_waves, bounded=False)
    share = interval.bounded and bool(np.all((y >= 0) & (y <= x)))
    telling = x > 0
    labels = int(telling.sum())
    if below.value <= 0:
        widest = (0.0, 1.0) if share else (-math.inf, math.inf)
        return Estimate(math.nan, math.nan, *widest, labels, "undefined: no labelled item counts for it", _RATIO)
    value = below.of(y).value / below.value
    residuals = below.of((y - value * x) / below.value)
    if residuals.census:
        return Estimate(value, 0.0, value, value, labels, CENSUS, _RATIO)
    # Residuals of equal ratios are 0 up to rounding, which must not pass for a variance.
    scale = max(float(np.abs(y).max()), abs(value) * float(x.max())) / below.value
    variance = residuals.variance if not residuals.variance <= (_ROUNDING * scale) ** 2 else 0.0
    interval = replace(interval, bounded=share)
    method = f"{interval.method} of linearised residuals{residuals.words}" + (POOLED if residuals.pooled else "")
    if not share:
        estimate = student(interval, value, variance, residuals.satterthwaite_df, labels, method)
        return replace(estimate, measure=_RATIO)
    value = min(max(value, 0.0), 1.0)
    # The residuals of a label that counts most, wrong and right.
    most = float(x.max()) / below.value
    ends, alike = (-value * most, (1 - value) * most), bool(np.ptp(x[telling]) == 0)
    df, wide = _share_df(residuals, telling, alike, interval, ends)
    error = math.sqrt(variance) if df > 0 else math.nan
    if variance > 0 and wide is not None:
        variance, df = wide
        method += WIDENED
    limits = interval.limits(value, variance, labels, df)
    return Estimate(value, error, float(limits.low), float(limits.high), labels, method, _RATIO)


def metric(
    name: str,
    predicted: ArrayLike,
    true: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    interval: Interval = WILSON,
    in_waves: Waves | None = None,
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
    interval: Interval = WILSON,
    in_waves: Waves | None = None,
) -> Estimate:
    """Mean loss of one target less that of another, both labelled on the same items.

    Parameters
    ----------
    first, second : (M,) float
        The two targets' losses, in [0, 1] if ``interval.bounded``.
    strata, sizes
        As in `core.estimation.stratified`.
    interval : Interval
        Its confidence, whether losses are bounded, and when limits are conservative; limits are always those below.
    in_waves : Waves, optional
        As in `ratio`.

    Returns
    -------
    Estimate
        The difference, in [−1, 1] if bounded, with the standard error of the paired differences. Bounded: limits from
        Wilson's limits of the two parts in which the first loses more and in which the second does (Zou & Donner 2008,
        "MOVER"), so that two targets without an observed difference keep an interval of positive width; the limits of
        each part are widened as those of a mean, and the difference's are cut to what the labels leave possible.
        Otherwise t with Satterthwaite's degrees of freedom, and no interval (±inf) if the labels give no variance.

    Raises
    ------
    DesignError
        As `core.estimation.stratified`, or lengths that differ.
    """
    a, b = _pair(first, second, "losses of the first target", "of the second")
    both = _waves(a, strata, sizes, in_waves, interval.bounded)
    both.of(b, interval.bounded)
    gaps = _without_rounding(a - b, both.strata, float(max(np.abs(a).max(), np.abs(b).max())))
    paired = both.of(gaps)
    value, variance, labels = paired.value, paired.variance, paired.n_labels
    if paired.census:
        return Estimate(value, 0.0, value, value, labels, CENSUS, _DIFFERENCE)
    words = paired.words + (POOLED if paired.pooled else "")
    if math.isnan(variance) or not interval.bounded:
        unbounded = replace(interval, bounded=False)
        estimate = student(
            unbounded, value, variance, paired.satterthwaite_df, labels, f"paired {unbounded.method}{words}"
        )
        estimate = replace(estimate, measure=_DIFFERENCE)
        return replace(estimate, low=-1.0, high=1.0) if interval.bounded else estimate
    wilson = replace(interval, name="wilson")
    limits = _mover(paired, gaps, wilson)
    whole = bool(np.isin(gaps, (-1.0, 0.0, 1.0)).all())
    limits = within_pool(limits, value, float(gaps.sum()), labels, paired.n_items, whole, least=-1.0)
    method = f"paired, Wilson limits of both parts{words}" + (WIDENED if paired.widens(wilson) else "")
    return Estimate(value, math.sqrt(variance), float(limits.low), float(limits.high), labels, method, _DIFFERENCE)


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


def _mover(paired: Waves, gaps: NDArray[np.float64], wilson: Interval) -> Limits:
    """Limits of p⁺ − p⁻ from the limits of each part and the parts' correlation ρ = (V⁺ + V⁻ − V)/(2 √(V⁺V⁻))."""
    parts = [paired.of(np.maximum(sign * gaps, 0.0), bounded=True) for sign in (1.0, -1.0)]
    up, down = (part.limits(wilson) for part in parts)
    more, less = (min(part.value, 1.0) for part in parts)
    variances = [part.variance for part in parts]
    # If every label is in one of the parts, one takes what the other lacks.
    rho = -1.0 if more + less >= 1 else 0.0
    if min(variances) > 0:
        rho = float(
            np.clip((sum(variances) - paired.variance) / (2 * math.sqrt(variances[0] * variances[1])), -1.0, 1.0)
        )

    def combined(x: float, y: float) -> float:
        return math.sqrt(max(x * x + y * y - 2 * rho * x * y, 0.0))

    below = combined(more - float(up.low), float(down.high) - less)
    above = combined(float(up.high) - more, less - float(down.low))
    return Limits(np.asarray(more - less - below), np.asarray(more - less + above))


def _share_df(
    residuals: Waves, telling: NDArray[np.bool_], constant: bool, interval: Interval, ends: tuple[float, float]
) -> tuple[float, tuple[float, float] | None]:
    """Degrees of freedom of a share, and its conservative variance with the degrees of freedom of that if it counts.

    Both rest on the strata in which a label tells about the share.

    Parameters
    ----------
    residuals : Waves
        Of the share, as the labels were given.
    telling : (M,) bool
        Which labels tell about it.
    constant : bool
        Whether x has one value on them.
    interval : Interval
        Says whether the conservative variance counts.
    ends : tuple of float
        The least and the largest residual.
    """
    parts, terms, dfs, weights = [], [], [], []
    cells = zip(residuals.samples, residuals.by_wave(telling), residuals.by_wave(residuals.item_weights), strict=True)
    for factor, (one, among, weight) in zip(residuals.factors, cells, strict=True):
        # Strata without a label that tells leave the ratio where it is.
        inside = np.bincount(one.strata, weights=among, minlength=one.sizes.size) > 0
        if not inside.any():
            continue
        counts, labels = one.counts[inside], float(among.sum())
        df = labels - counts.size
        if constant and fine(one.counts):
            # Labels that do not tell are residuals of 0, so that two labels of a stratum show its spread even then.
            df = min(float(joined_df(one.terms[inside], counts)), labels - 1)
        parts.append((one, inside, factor))
        terms.append(factor * float(one.terms[inside].sum()))
        dfs.append(df)
        weights.append(weight[inside[one.strata]])
    df = min(over_waves(terms, dfs), float(telling.sum()) - 1) if sum(dfs) > 0 else 0.0
    if not (df > 0 and residuals.variance > 0 and _widens(np.concatenate(weights), interval)):
        return df, None
    wide, wide_dfs = [], []
    for one, inside, factor in parts:
        sizes = one.sizes[inside]
        variance, conservative_df = conservative(
            one.counts[inside], sizes, one.means[inside], one.variances[inside], ends=ends
        )
        wide.append(factor * float(variance) * (sizes.sum() / one.sizes.sum()) ** 2)
        wide_dfs.append(float(conservative_df))
    return df, (sum(wide) + float(residuals.weights**2 @ residuals.lacking), min(df, over_waves(wide, wide_dfs)))


def _widens(weights: NDArray[np.float64], interval: Interval) -> bool:
    """Whether limits are conservative, as of a mean of labels with these weights."""
    if interval.conservative is not None:
        return interval.conservative
    return bool(weights.size * (weights**2).sum() > UNEVEN * weights.sum() ** 2)
