"""Precision of an estimate beside that of a uniform sample: labels saved.

The pool's variance S² is estimated without bias from the stratified sample itself,
Ŝ² = N/(N−1) (Σ W_h mean_h(ℓ²) − R̂² + V̂) (Cochran 1977, 5A.11; docs/method.md, 6.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from ..allocation.optimum import uniform_needed, uniform_size
from . import shrinkage
from .carried import CarriedSample
from .intervals import DEFAULT, Interval, Limits, effective_size, within_pool
from .mean import CENSUS, Estimate, Sample
from .variance import fine, variance_terms

Array = NDArray[np.float64]

# Quantiles of draws of the strata whose range holds the truth in 80 % of samples or more (docs/method.md, 6.1).
_SAVED_ENDS = (0.01, 0.95)
# Quantiles of the limits for pairs that differ: labels say nothing if no pair does, and what is left leans to one side.
_PAIRS_ENDS = (0.05, 0.95)
# With fewer labels beyond one in each stratum, no range of what was saved is offered.
_FEWEST = 8
# Nor where strata of one label, which take the variance of the others, make up more than this share of V̂.
_MOST_POOLED = 0.1


@dataclass(frozen=True, slots=True)
class Precision:
    """A stratified sample beside a uniform one of the same size.

    Parameters
    ----------
    uniform : Estimate
        What Uniform would have given: the same value with its own standard error and interval.
    design_effect : float
        That of `design_effect`.
    effective_size : float
        p̂(1−p̂)/V̂, the independent labels worth as much; M if the labels give no variance.
    uniform_needed : int or None
        Labels Uniform needs for the same standard error; None if the labels give no variance.
    saved_least, saved_most : float
        80 % range of `saved` for this sample's labels: over draws of what the strata may be like
        (`core.estimation.shrinkage`), or in fine strata over how many strata may have two labels that differ. NaN if
        the labels give no variance, if M − H < 8, or if strata of one label make up more than a tenth of V̂, as in fine
        strata until each has two. How often it holds: docs/method.md, 6.1.
    """

    uniform: Estimate
    design_effect: float
    effective_size: float
    uniform_needed: int | None
    saved_least: float
    saved_most: float

    def saved(self, labels: int) -> float:
        """Share of Uniform's labels that ``labels`` of this design save, in (−∞, 1); NaN if it is unknown."""
        return math.nan if self.uniform_needed is None else 1.0 - labels / self.uniform_needed

    def as_narrow(self, width: float, labels: int, n_items: int) -> int | None:
        """Labels with which Uniform's interval, which narrows as its standard error does, is as narrow as another one.

        Parameters
        ----------
        width : float
            Of the interval, from its lower limit to its upper one; NaN if there is none, which gives None.
        labels : int
            M, that of ``uniform``.
        n_items : int
            N.
        """
        left = 1 / max(labels, 1) - 1 / n_items
        spread = (self.uniform.high - self.uniform.low) ** 2 / left if left > 0 else 0.0
        known = math.isfinite(width) and 0 < spread < math.inf
        return uniform_needed(width**2, spread, n_items) if known else None

    def __repr__(self) -> str:
        needed = "unknown" if self.uniform_needed is None else f"{self.uniform_needed:,} labels"
        return f"Precision: design effect {self.design_effect:.3f}, Uniform needs {needed} for the same standard error"


def population_variance(sample: Sample) -> float:
    """Unbiased estimate Ŝ² of the pool's variance (denominator N − 1); NaN if V̂ is."""
    n_items = int(sample.sizes.sum())
    return max(n_items / max(n_items - 1, 1) * (_plain_variance(sample) + sample.variance), 0.0)


def design_effect(sample: Sample, variance: float | None = None) -> float:
    """V̂ over what a simple random sample of the same size would have, below 1 if the design helped.

    Parameters
    ----------
    sample : Sample
        The labels.
    variance : float, optional
        V̂ if it is not the sample's.

    Returns
    -------
    float
        V̂ (M − 1)/(σ̂² (1 − M/N)) with the plain estimate σ̂² = Σ W_h mean_h(ℓ²) − R̂² of the pool's variance, p̂(1−p̂)
        for 0/1 losses, as statistical packages compute it (`population_variance` is larger by V̂ and without bias). NaN
        if either variance is 0 or unknown.

    Notes
    -----
    Kish 1965, 8.2.
    """
    labels, n_items = sample.n_labels, int(sample.sizes.sum())
    simple = _plain_variance(sample) / max(labels - 1, 1) * (1 - labels / n_items)
    designed = sample.variance if variance is None else variance
    return designed / simple if designed > 0 and simple > 0 else math.nan


def precision(sample: Sample, interval: Interval = DEFAULT, estimate: Estimate | None = None) -> Precision:
    """Compare the sample with a uniform one of the same size, both computed from this sample.

    Parameters
    ----------
    sample : Sample
        The labels.
    interval : Interval
        How Uniform's interval is made.
    estimate : Estimate, optional
        From the same labels in two waves; its value and variance then stand in for the sample's.
    """
    labels, n_items = sample.n_labels, int(sample.sizes.sum())
    pool, variance, value = population_variance(sample), sample.variance, sample.value
    if estimate is not None:
        variance, value = estimate.standard_error**2, estimate.value
    simple = 0.0 if sample.census else pool * (1 / labels - 1 / n_items)
    known = variance > 0 and simple > 0
    needed = uniform_needed(variance, pool, n_items) if known else None
    effective = float(effective_size(value, variance, labels)) if interval.bounded and known else float(labels)
    least, most = _saved_range(sample, variance, interval.bounded) if known else (math.nan, math.nan)
    uniform = _uniform(sample, value, simple, interval, estimate is None)
    return Precision(uniform, design_effect(sample, variance), effective, needed, least, most)


def precision_carried(carried: CarriedSample, interval: Interval = DEFAULT) -> Precision:
    """Compare labels beside carried verdicts with the same number drawn uniformly from the whole pool.

    Parameters
    ----------
    carried : CarriedSample
        The labels.
    interval : Interval
        How Uniform's interval is made.

    Returns
    -------
    Precision
        Without a range of what was saved. The pool's variance is p̂(1 − p̂) N/(N − 1), as of 0/1 losses.
    """
    n_items, labels = carried.n_items, carried.n_labels
    value, variance = min(max(carried.value, 0.0), 1.0), carried.variance
    pool = value * (1 - value) * n_items / max(n_items - 1, 1)
    simple = pool * (1 / labels - 1 / n_items) if labels else math.nan
    known = variance > 0 and simple > 0
    needed = uniform_needed(variance, pool, n_items) if known else None
    limits = _of_uniform(interval, value, simple if labels else math.nan, labels, n_items, binary=True)
    method = f"{interval.method}, variance estimated from these labels and carried verdicts"
    uniform = Estimate(value, math.sqrt(simple), float(limits.low), float(limits.high), labels, method)
    effective = float(effective_size(value, variance, labels)) if known else float(labels)
    return Precision(uniform, variance / simple if known else math.nan, effective, needed, math.nan, math.nan)


def _plain_variance(sample: Sample) -> float:
    """σ̂² = Σ W_h mean_h(ℓ²) − R̂², as squared distances from R̂ so that nothing cancels.

    With weights that of w (ℓ − R̂), which a weighted mean of items drawn uniformly has (Cochran 1977, 6.4).
    """
    share = sample.sizes / sample.sizes.sum()
    if sample.weighing is not None:
        residuals = sample.weighing.weights * (sample.weighing.losses - sample.value)
        return float((share / sample.counts)[sample.strata] @ residuals**2)
    within = np.where(sample.counts > 1, sample.variances * (sample.counts - 1) / sample.counts, 0.0)
    return float(share @ (within + (sample.means - sample.value) ** 2))


def _uniform(sample: Sample, value: float, variance: float, interval: Interval, estimated: bool) -> Estimate:
    """Estimate that Uniform would have given, of this value and variance; whether the value is the sample's own."""
    labels = sample.n_labels
    if sample.census:
        return Estimate(value, 0.0, value, value, labels, CENSUS)
    error = math.sqrt(variance) if variance >= 0 else math.nan
    # Rounding may lead out of [0, 1].
    clipped = min(max(value, 0.0), 1.0) if interval.bounded else value
    if sample.weighing is not None:
        limits = interval.limits(clipped, variance, labels, labels - 1)
    elif interval.tilted and estimated and not sample.binary and variance >= 0:
        limits = sample.as_uniform(interval)
    else:
        limits = _of_uniform(interval, clipped, variance, labels, int(sample.sizes.sum()), sample.binary)
    method = f"{interval.method if interval.bounded else 't'}, variance estimated from the stratified sample"
    return Estimate(value, error, float(limits.low), float(limits.high), labels, method)


def _of_uniform(interval: Interval, value: float, variance: float, labels: int, n_items: int, binary: bool) -> Limits:
    """Limits to expect of a uniform sample whose mean has this variance."""
    if not interval.tilted or not variance >= 0:
        return interval.limits(value, variance, max(labels, 1), max(labels - 1, 0))
    spread = variance * labels / max(1 - labels / n_items, 1 / n_items)
    moments = np.array([[value]]), np.array([[spread]])
    limits = interval.of_moments([labels], [n_items], *moments, binary)
    limits = within_pool(limits, value, labels * value, labels, n_items, binary)
    return Limits(limits.low[0], limits.high[0])


def _saved_range(sample: Sample, designed: float, bounded: bool) -> tuple[float, float]:
    """80 % range of the share of Uniform's labels that the design saves with a variance V̂ of ``designed``."""
    n_items, labels = int(sample.sizes.sum()), sample.n_labels
    if sample.weighing is not None:
        # Draws of strata in units of their largest weight say nothing of a weighted mean of other items.
        return math.nan, math.nan
    share = sample.sizes / n_items
    single = (sample.counts == 1) & (sample.sizes > 1)
    if labels - sample.sizes.size < _FEWEST or sample.terms[single].sum() > _MOST_POOLED * sample.variance:
        return math.nan, math.nan
    if fine(sample.counts):
        variance = designed * _of_pairs(sample)
        pool = n_items / max(n_items - 1, 1) * (_plain_variance(sample) + variance)
        least, most = 1 - labels * (variance / pool + 1 / n_items)
        return float(least), float(most)
    drawn = shrinkage.draws(sample.losses, sample.strata, sample.sizes, bounded)
    between = (drawn.means - (drawn.means @ share)[:, None]) ** 2
    pool = n_items / max(n_items - 1, 1) * ((drawn.variances + between) @ share)
    variance = variance_terms(sample.counts, drawn.variances, sample.sizes).sum(axis=1)
    variance *= designed / sample.variance if sample.variance > 0 else 1.0
    usable = (variance > 0) & (pool > 0)
    saved = 1 - labels * (variance[usable] / pool[usable] + 1 / n_items)
    if not saved.size:
        return math.nan, math.nan
    estimate = 1 - labels / uniform_size(designed, population_variance(sample), n_items)
    # Noise of the drawn means passes for differences between strata, so the draws are moved to the estimate. Their
    # upper end stays where it is further out: few labels say little of what an uneven design may lose.
    moved = saved - np.median(saved) + estimate
    least, most = np.quantile(moved, _SAVED_ENDS).tolist()
    return least, max(most, float(np.quantile(saved, _SAVED_ENDS[1])))


def _of_pairs(sample: Sample) -> Array:
    """Upper and lower end of an 80 % range of V over V̂ in fine strata, (2,): how many of their pairs would differ.

    The variances of D of K strata with two labels or three differ from 0. Clopper and Pearson's limits for D of K are
    exact for like strata. Of strata of unlike weight, two ranges are joined: both numbers counted as if the strata had
    equal weight, (Σ w)²/Σ w², and as they are, had all strata the mean variance of those that differ: pairs of small
    strata alone say little of V̂.
    """
    several = (sample.counts > 1) & (sample.counts < sample.sizes)
    weight, variances = (sample.sizes[several] / sample.sizes.sum()) ** 2, sample.variances[several]
    terms, some = weight * variances, variances > 0
    if not terms.any():
        return np.full(2, math.nan)
    known, differing = (one.sum() ** 2 / (one**2).sum() for one in (weight, terms))
    # Unlike weights may make it seem that more than all differ.
    ratio = known / min(differing, known)
    ends = _share_of_pairs(differing, known) * ratio
    as_they_are = weight.sum() * variances[some].mean() / terms.sum()
    alike = _share_of_pairs(some.sum(), some.size) * as_they_are
    return np.array([max(ends[0], alike[0]), min(ends[1], alike[1])])


def _share_of_pairs(differing: float, known: float) -> Array:
    """Upper and lower limit of the share of pairs that differ, (2,)."""
    differing = min(differing, known)
    most = betaincinv(differing + 1, max(known - differing, 1e-9), _PAIRS_ENDS[1])
    return np.array([most, betaincinv(differing, known - differing + 1, _PAIRS_ENDS[0])])
