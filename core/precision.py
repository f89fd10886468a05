"""How precise an estimate is, in words other than its interval: against Uniform sampling, and with more labels.

The pool's variance S² is estimated without bias from the stratified sample itself:
Ŝ² = N/(N−1) (Σ W_h mean_h(ℓ²) − R̂² + V̂) (Cochran 1977, 5A.11).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, stdtrit

from core import intervals
from core.allocation import allocate_many
from core.errors import DesignError
from core.estimation import Estimate, Sample, satterthwaite, variance_terms

# Confidence of a top-up's range.
_RANGE = 0.8


@dataclass(frozen=True, slots=True)
class Precision:
    """A stratified sample against a uniform one of as many labels.

    ``uniform``: what Uniform would have given, the same value with its own standard error and interval;
    ``design_effect`` V̂/V̂(Uniform), below 1 where the design helped; ``effective_size`` p̂(1−p̂)/V̂, independent labels
    worth as much; ``uniform_needed``: labels Uniform needs for the same standard error. NaN, and M labels, where no
    spread was observed.
    """

    uniform: Estimate
    design_effect: float
    effective_size: float
    uniform_needed: int

    def saved(self, labels: int) -> float:
        """Share of Uniform's labels saved by ``labels`` of this design, in (−∞, 1)."""
        return 1.0 - labels / self.uniform_needed


@dataclass(frozen=True, slots=True)
class _Guess:
    """What further labels are taken to find: the mean loss and the strata's variances (H,)."""

    value: float
    variances: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TopUp:
    """Labels for a wanted half-width.

    ``wanted`` half-width; ``current`` half-width; ``total`` labels in all, ``further`` of them new; ``least``, ``most``
    labels in all, the range of an 80 % confidence interval of the variance; ``reached``: whether the labels at hand do.
    """

    wanted: float
    current: float
    total: int
    further: int
    least: int
    most: int
    reached: bool


def population_variance(found: Sample) -> float:
    """Unbiased estimate Ŝ² of the pool's variance (denominator N − 1) from a stratified sample; NaN where V̂ is."""
    n_items = int(found.sizes.sum())
    return max(n_items / max(n_items - 1, 1) * (_weighted_spread(found) + found.variance), 0.0)


def survey_design_effect(found: Sample, replacement: bool = False) -> float:
    """V̂ over that of a simple random sample as R's survey reckons it, from M/(M−1) Σ w (ℓ − R̂)² / Σ w.

    ``replacement``: the simple random sample is drawn with replacement. It differs from `precision`'s, whose Ŝ² is
    unbiased, by a factor of about 1 + (1 − deff)/M.
    """
    labels, n_items = found.n_labels, int(found.sizes.sum())
    simple = _weighted_spread(found) / (labels - 1)
    return found.variance / (simple if replacement else simple * (1 - labels / n_items))


def precision(found: Sample, confidence: float = 0.95, bounded: bool = True, interval: str = "wilson") -> Precision:
    """The sample against a uniform one of as many labels, both reckoned from this sample.

    Parameters
    ----------
    found : of `core.estimation.sample`. confidence, bounded, interval : as in `core.estimation.stratified`.
    """
    labels, n_items = found.n_labels, int(found.sizes.sum())
    pool, variance, value = population_variance(found), found.variance, found.value
    simple = 0.0 if found.census else pool * (1 / labels - 1 / n_items)
    uniform = _uniform(value, simple, labels, confidence, interval if bounded else None, found.census)
    known = variance > 0 and simple > 0
    needed = labels
    if known:
        needed = min(max(math.ceil((1 - 1e-12) / (variance / pool + 1 / n_items)), 1), n_items)
    effective = float(intervals.effective_size(value, variance, labels)) if bounded and known else float(labels)
    return Precision(uniform, variance / simple if known else math.nan, effective, needed)


def top_up(
    weights: ArrayLike,
    found: Sample,
    wanted: float,
    confidence: float = 0.95,
    bounded: bool = True,
    interval: str = "wilson",
) -> TopUp:
    """Fewest labels of the same design whose interval is expected to reach a wanted half-width.

    Parameters
    ----------
    weights : (H,) of the design (`core.design.Design.weights`). found : the labels at hand. wanted : half-width of the
    interval, > 0, in the units of the loss (0.03 = three points). The others as in `core.estimation.stratified`.

    Returns
    -------
    TopUp. The estimate and the strata's variances are taken to stay as they are; a stratum without spread takes the
    pooled variance. ``least`` and ``most`` let the variance lie at the ends of its 80 % interval (χ², Satterthwaite);
    where no spread was observed at all, ``most`` takes the mean of largest variance that the present interval allows.

    Raises
    ------
    DesignError : the wanted half-width is not above 0.
    """
    if not 0 < wanted < math.inf:
        raise DesignError(f"The wanted half-width is {wanted}: it must be above 0, for instance 0.03.")
    if math.isnan(found.variance):
        raise DesignError("One label in each stratum shows no spread: label more items before planning further.")
    weight = np.asarray(weights, dtype=np.float64)
    name, labels = interval if bounded else None, found.n_labels
    current = _half_width(found, found.counts, _Guess(found.value, found.variances), confidence, name)
    if current <= wanted:
        return TopUp(wanted, current, labels, 0, labels, labels, True)
    likely = _Guess(found.value, _planning_variances(found))
    total, least, most = (
        _fewest(weight, found, guess, wanted, confidence, name)
        for guess in (likely, *_guessed_range(found, likely, confidence, name))
    )
    return TopUp(wanted, current, total, total - labels, min(least, total), max(most, total), False)


def _weighted_spread(found: Sample) -> float:
    """Σ W_h mean_h(ℓ²) − R̂², as squared distances from R̂ so that nothing cancels."""
    share = found.sizes / found.sizes.sum()
    within = np.where(found.counts > 1, found.variances * (found.counts - 1) / found.counts, 0.0)
    return float(share @ (within + (found.means - found.value) ** 2))


def _uniform(
    value: float, variance: float, labels: int, confidence: float, interval: str | None, census: bool
) -> Estimate:
    error = math.sqrt(variance) if variance >= 0 else math.nan
    if census:
        return Estimate(value, 0.0, value, value, labels, "census: every item is labelled")
    low, high = _limits(value, variance, labels, labels - 1, confidence, interval)
    words = "t" if interval is None else intervals.NAMES[interval]
    return Estimate(value, error, low, high, labels, f"{words}, variance estimated from the stratified sample")


def _limits(
    value: float, variance: float, labels: int, free: int, confidence: float, interval: str | None
) -> tuple[float, float]:
    """Limits by one of the bounded intervals, or by t where ``interval`` is None."""
    if interval is None:
        known = free > 0 and variance >= 0
        half = float(stdtrit(free, 0.5 + confidence / 2)) * math.sqrt(variance) if known else math.inf
        return value - half, value + half
    inside = min(max(value, 0.0), 1.0)
    reach = intervals.limits(interval, inside, variance, labels, free, confidence)
    return float(reach.low), float(reach.high)


def _half_width(
    found: Sample, counts: NDArray[np.int64], guess: _Guess, confidence: float, interval: str | None
) -> float:
    """Half the width of the interval of ``counts`` labels that find what is guessed."""
    if np.array_equal(counts, found.sizes):
        return 0.0
    variance = float(variance_terms(counts, guess.variances, found.sizes).sum())
    labels = int(counts.sum())
    low, high = _limits(guess.value, variance, labels, labels - counts.size, confidence, interval)
    return (high - low) / 2


def _fewest(
    weights: NDArray[np.float64],
    found: Sample,
    guess: _Guess,
    wanted: float,
    confidence: float,
    interval: str | None,
) -> int:
    """Fewest labels in all, at least those at hand, by bisection: the half-width falls with each further label."""

    def enough(budget: int) -> bool:
        counts = allocate_many(weights, found.sizes, [budget])[0]
        return _half_width(found, counts, guess, confidence, interval) <= wanted

    low, high = found.n_labels, int(found.sizes.sum())
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _planning_variances(found: Sample) -> NDArray[np.float64]:
    """s_h² as seen; in a stratum without spread the pooled one, as far as it has unlabelled items."""
    free = found.counts - 1
    pooled = float((found.variances * free).sum() / max(int(free.sum()), 1))
    return np.where(found.variances > 0, found.variances, pooled)


def _guessed_range(found: Sample, likely: _Guess, confidence: float, interval: str | None) -> tuple[_Guess, _Guess]:
    """The guess with the variances at the ends of an 80 % interval."""
    if found.variance > 0:
        free = satterthwaite(found)
        tails = [float(chdtri(free, q)) for q in ((1 - _RANGE) / 2, (1 + _RANGE) / 2)]
        smaller, larger = (_Guess(found.value, likely.variances * free / tail) for tail in tails)
        return smaller, larger
    if interval is None:
        return likely, likely
    low, high = _limits(found.value, 0.0, found.n_labels, found.free, confidence, interval)
    farthest = min(max(0.5, low), high)
    return likely, _Guess(farthest, np.maximum(likely.variances, farthest * (1 - farthest)))
