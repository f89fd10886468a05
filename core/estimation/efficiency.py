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

from core.allocation.optimum import allocate_many
from core.errors import DesignError
from core.estimation import intervals, shrinkage
from core.estimation.mean import Estimate, Sample, satterthwaite
from core.estimation.variance import cautious, variance_terms

# The ends of an 80 % range and its middle, as quantiles.
_ENDS = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Precision:
    """A stratified sample against a uniform one of as many labels.

    ``uniform``: what Uniform would have given, the same value with its own standard error and interval;
    ``design_effect``: of `design_effect`; ``effective_size`` p̂(1−p̂)/V̂, independent labels worth as much (M where no
    spread was observed); ``uniform_needed``: labels Uniform needs for the same standard error, None where no spread was
    observed. ``saved_least``, ``saved_most``: 80 % range of `saved` for this sample's labels, from draws of
    what the strata may be like (`core.estimation.shrinkage`); NaN where no spread was observed. On real pools it holds
    the true share in 78 to 93 % of samples.
    """

    uniform: Estimate
    design_effect: float
    effective_size: float
    uniform_needed: int | None
    saved_least: float
    saved_most: float

    def saved(self, labels: int) -> float:
        """Share of Uniform's labels saved by ``labels`` of this design, in (−∞, 1); NaN where it cannot be told."""
        return math.nan if self.uniform_needed is None else 1.0 - labels / self.uniform_needed


@dataclass(frozen=True, slots=True)
class TopUp:
    """Labels for a wanted half-width.

    ``wanted`` half-width; ``current`` half-width; ``total`` labels in all, ``further`` of them new; ``least``, ``most``
    labels in all, the ends of an 80 % range; ``reached``: whether the labels at hand do.
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


def design_effect(found: Sample, replacement: bool = False) -> float:
    """V̂ over what a simple random sample of as many labels would have, below 1 where the design helped.

    Parameters
    ----------
    found : of `core.estimation.sample`. replacement : the simple random sample is drawn with replacement.

    Returns
    -------
    V̂ (n − 1)/(σ̂² (1 − n/N)), with the plain estimate σ̂² = Σ W_h mean_h(ℓ²) − R̂² (p̂(1−p̂) for 0/1 losses) of the
    pool's variance, as statistical packages reckon it; `population_variance` is larger by V̂ and without bias. NaN where
    either variance is 0 or unknown.

    Source: Kish 1965, 8.2.
    """
    labels, n_items = found.n_labels, int(found.sizes.sum())
    simple = _weighted_spread(found) / max(labels - 1, 1) * (1.0 if replacement else 1 - labels / n_items)
    return found.variance / simple if found.variance > 0 and simple > 0 else math.nan


def precision(found: Sample, confidence: float = 0.95, bounded: bool = True, interval: str = "wilson") -> Precision:
    """The sample against a uniform one of as many labels, both reckoned from this sample.

    Parameters
    ----------
    found : of `core.estimation.sample`. confidence, bounded, interval : as in `core.estimation.stratified`.

    Raises
    ------
    DesignError : an unknown interval, or a confidence outside (0, 1).
    """
    intervals.check(interval, confidence)
    labels, n_items = found.n_labels, int(found.sizes.sum())
    pool, variance, value = population_variance(found), found.variance, found.value
    simple = 0.0 if found.census else pool * (1 / labels - 1 / n_items)
    uniform = _uniform(value, simple, labels, confidence, interval if bounded else None, found.census)
    known = variance > 0 and simple > 0
    needed = None
    if known:
        needed = min(max(math.ceil((1 - 1e-12) / (variance / pool + 1 / n_items)), 1), n_items)
    effective = float(intervals.effective_size(value, variance, labels)) if bounded and known else float(labels)
    least, most = _saved_range(found, bounded) if known else (math.nan, math.nan)
    return Precision(uniform, design_effect(found), effective, needed, least, most)


def top_up(
    weights: ArrayLike,
    found: Sample,
    wanted: float,
    confidence: float = 0.95,
    bounded: bool = True,
    interval: str = "wilson",
    current: float | None = None,
    sturdy: bool = False,
) -> TopUp:
    """Fewest labels of the same design whose interval is expected to reach a wanted half-width.

    Parameters
    ----------
    weights : (H,) of the design (`core.design.Design.weights`). found : the labels at hand. wanted : half-width of the
    interval, > 0, in the units of the loss (0.03 = three points). current : half-width of the labels at hand; None = by
    the interval as planned. sturdy : the interval as planned is `core.estimation.variance.cautious`. The others as in
    `core.estimation.stratified`.

    Returns
    -------
    TopUp. For losses in [0, 1] the labels are reckoned for each of many draws of what the strata may be like
    (`core.estimation.shrinkage.draws`); ``total`` is their median, ``least`` and ``most`` their 10 % and 90 %
    quantiles. Against the smallest budget whose median half-width is the wanted one, on four real pools with 40 to 100
    labels at hand, the median total is within 4 % of it, and the range holds it in 72 to 88 % of samples: less than 80
    % where hardly an item of a stratum differs from the rest. For unbounded losses the strata's variances are taken as
    seen, pooled in a stratum without spread, and the range is that of an 80 % interval of the variance (χ²,
    Satterthwaite). All budgets are at least that of the smallest sample of the design that holds the labels at hand:
    what is missing comes first.

    Raises
    ------
    DesignError : the wanted half-width is not above 0, or no spread can be seen.
    """
    if not 0 < wanted < math.inf:
        raise DesignError(f"The wanted half-width is {wanted}: it must be above 0, for instance 0.03.")
    if math.isnan(found.variance):
        raise DesignError("One label in each stratum shows no spread: label more items before planning further.")
    if not bounded and not found.variance > 0 and not found.census:
        raise DesignError("The labels of each stratum agree and show no spread: label more items first.")
    weight = np.asarray(weights, dtype=np.float64)
    name, labels = interval if bounded else None, found.n_labels
    if current is None:
        own = found.means[None], found.variances[None]
        current = float(_half_widths(found, found.counts[None], *own, confidence, name, sturdy)[0])
    if current <= wanted:
        return TopUp(wanted, current, labels, 0, labels, labels, True)
    totals = _fewest(weight, found, *_guesses(found, bounded), wanted, confidence, name, sturdy)
    if bounded:
        least, total, most = np.quantile(totals, _ENDS, method="inverted_cdf").tolist()
    else:
        least, total, most = totals.tolist()
    # The labels at hand are known not to do.
    total = max(total, labels + 1)
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
    words = f"{words}, variance estimated from the stratified sample"
    return Estimate(value, error, float(low), float(high), labels, words)


def _limits(
    value: ArrayLike, variance: ArrayLike, labels: ArrayLike, free: ArrayLike, confidence: float, interval: str | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits by one of the bounded intervals, or by t where ``interval`` is None."""
    if interval is None:
        centre, spread, nu = (np.asarray(x, dtype=np.float64) for x in (value, variance, free))
        known = (nu > 0) & (spread > 0)
        t = stdtrit(np.where(known, nu, 1.0), 0.5 + confidence / 2)
        half = np.where(known, t * np.sqrt(np.where(known, spread, 0.0)), math.inf)
        return centre - half, centre + half
    reach = intervals.limits(interval, np.clip(value, 0.0, 1.0), variance, labels, free, confidence)
    return reach.low, reach.high


def _half_widths(
    found: Sample,
    counts: NDArray[np.int64],
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    confidence: float,
    interval: str | None,
    sturdy: bool,
) -> NDArray[np.float64]:
    """Half the widths (D,) of the intervals of ``counts`` labels in strata of these means and variances, all (D, H)."""
    labels = counts.sum(axis=1)
    variance, free = variance_terms(counts, variances, found.sizes).sum(axis=1), labels - found.sizes.size
    if sturdy and interval is not None:
        variance, free = cautious(counts, found.sizes, means, variances)
    value = means @ found.sizes / found.sizes.sum()
    low, high = _limits(value, variance, labels, free, confidence, interval)
    return np.asarray(np.where((counts == found.sizes).all(axis=1), 0.0, (high - low) / 2))


def _fewest(
    weights: NDArray[np.float64],
    found: Sample,
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    wanted: float,
    confidence: float,
    interval: str | None,
    sturdy: bool,
) -> NDArray[np.int64]:
    """Fewest labels in all, those at hand among them, for each row of means and variances (D, H), by bisection.

    The half-width falls with each further label.
    """
    low = np.full(len(means), found.n_labels, dtype=np.int64)
    high = np.full(len(means), int(found.sizes.sum()), dtype=np.int64)
    while np.any(low < high):
        middle = (low + high) // 2
        budgets, place = np.unique(middle, return_inverse=True)
        counts = allocate_many(weights, found.sizes, budgets)[place]
        enough = _half_widths(found, counts, means, variances, confidence, interval, sturdy) <= wanted
        enough &= (counts >= found.counts).all(axis=1)
        low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
    return low


def _guesses(found: Sample, bounded: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and variances that further labels may find: draws; without bounds the range's lower end, middle, upper."""
    if bounded:
        drawn = shrinkage.draws(found.losses, found.strata, found.sizes)
        return drawn.means, drawn.variances
    free = found.counts - 1
    pooled = float((found.variances * free).sum() / max(int(free.sum()), 1))
    likely = np.where(found.variances > 0, found.variances, pooled)
    factors = np.ones(3)
    if found.variance > 0:
        nu = satterthwaite(found)
        factors = np.array([nu / float(chdtri(nu, _ENDS[0])), 1.0, nu / float(chdtri(nu, _ENDS[2]))])
    return np.tile(found.means, (3, 1)), factors[:, None] * likely


def _saved_range(found: Sample, bounded: bool) -> tuple[float, float]:
    """80 % range of the share of Uniform's labels that the design saves, which the estimate itself lies in."""
    n_items, labels = int(found.sizes.sum()), found.n_labels
    share = found.sizes / n_items
    drawn = shrinkage.draws(found.losses, found.strata, found.sizes, bounded)
    apart = (drawn.means - (drawn.means @ share)[:, None]) ** 2
    pool = n_items / max(n_items - 1, 1) * ((drawn.variances + apart) @ share)
    variance = variance_terms(found.counts, drawn.variances, found.sizes).sum(axis=1)
    usable = (variance > 0) & (pool > 0)
    saved = 1 - labels * (variance[usable] / pool[usable] + 1 / n_items)
    if not saved.size:
        return math.nan, math.nan
    seen = 1 - labels * (found.variance / population_variance(found) + 1 / n_items)
    least, most = np.quantile(saved, (_ENDS[0], _ENDS[2])).tolist()
    return min(least, seen), max(most, seen)
