"""Estimates from several waves of labels, each drawn after the labels of the earlier ones were known.

Wave j is a stratified sample of the items that no earlier wave labelled; its strata and sizes may depend on their
labels. With B_j the sum of the losses labelled before and N_jh, ℓ̄_jh the items and mean losses of its strata,

    R̂_j = (B_j + Σ_h N_jh ℓ̄_jh)/N,    R̂ = Σ_j w_j R̂_j,    V̂ = Σ_j w_j² V̂_j.

Given the earlier waves B_j is known and the rest is a stratified sample, so E[R̂_j | waves before j] = R, and V̂_j, the
variance of the stratified sample times (N_j/N)², is unbiased for the conditional variance. With weights fixed before
the first label, Σ w_j = 1, R̂ is therefore exactly unbiased. For i < j the covariance is
E[(R̂_i − R) E[R̂_j − R | waves before j]] = 0, since R̂_i is known after wave i: variances add, and V̂ is exactly
unbiased wherever each stratum has two labels or all of its items (docs/method.md, 6.5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.estimation.intervals import WILSON, Interval, within_pool
from core.estimation.mean import CENSUS, CONSTANT, LONELY, POOLED, WIDENED, Estimate, Sample, sample
from core.estimation.variance import UNEVEN, conservative, joined_df, satterthwaite
from core.words import counted

Array = NDArray[np.float64]

# Relative error of a few operations on doubles.
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Waves:
    """Waves of labels of one pool, of `waves`.

    Parameters
    ----------
    samples : tuple of Sample
        Each wave's labels as a stratified sample of the items that no earlier wave labelled.
    weights : (J,) float
        w_j, fixed before the first label.
    """

    samples: tuple[Sample, ...]
    weights: Array

    @property
    def n_items(self) -> int:
        """Items of the pool, N."""
        return int(self.samples[0].sizes.sum())

    @property
    def n_labels(self) -> int:
        """Labels of all waves, M."""
        return sum(one.n_labels for one in self.samples)

    @property
    def shares(self) -> Array:
        """Shares N_j/N of the pool that were open before each wave, (J,)."""
        return np.array([one.sizes.sum() for one in self.samples]) / self.n_items

    @property
    def before(self) -> Array:
        """Sums B_j of the losses labelled before each wave, (J,)."""
        totals = [float(one.counts @ one.means) for one in self.samples]
        return np.cumsum([0.0, *totals[:-1]])

    @property
    def values(self) -> Array:
        """Estimates R̂_j of each wave, (J,)."""
        return self.before / self.n_items + self.shares * [one.value for one in self.samples]

    @property
    def value(self) -> float:
        """R̂ = Σ w_j R̂_j."""
        return float(self.weights @ self.values)

    @property
    def terms(self) -> Array:
        """Variance terms w_j² (N_j/N)² W_jh² (1−f_jh) s_jh²/m_jh of all strata of all waves."""
        factors = (self.weights * self.shares) ** 2
        return np.concatenate([factor * one.terms for factor, one in zip(factors, self.samples, strict=True)])

    @property
    def variance(self) -> float:
        """V̂ = Σ w_j² V̂_j; NaN where a wave's labels give none."""
        return float(self.terms.sum())

    @property
    def satterthwaite_df(self) -> float:
        """Degrees of freedom of V̂ over all terms; a stratum of one label counts with one."""
        counts = np.concatenate([one.counts for one in self.samples])
        return float(satterthwaite(self.terms, np.maximum(counts - 1, 1)))

    @property
    def df(self) -> float:
        """Degrees of freedom of V̂ for bounded losses: each wave's, joined by Satterthwaite's formula over the waves."""
        terms = np.array([one.variance for one in self.samples]) * (self.weights * self.shares) ** 2
        df = [float(joined_df(one.terms, one.counts)) for one in self.samples]
        return float(satterthwaite(terms, np.maximum(df, 1.0)))

    @property
    def item_weights(self) -> Array:
        """Weights of the labels, (M,): R̂ is their weighted sum, and they sum to 1.

        A label counts with w_j N_jh/(m_jh N) in its own wave and with w_i/N in each later wave i.
        """
        later = (self.weights.sum() - np.cumsum(self.weights)) / self.n_items
        own = [
            (weight * one.sizes / one.counts / self.n_items)[one.strata] + rest
            for weight, rest, one in zip(self.weights, later, self.samples, strict=True)
        ]
        return np.concatenate(own)

    @property
    def uneven(self) -> bool:
        """Whether Kish's design effect of the labels' weights, M Σ ω², exceeds that of `core.estimation.variance`."""
        weights = self.item_weights
        return bool(weights.size * (weights**2).sum() > UNEVEN)

    def estimate(self, interval: Interval = WILSON) -> Estimate:
        """Estimate from all waves.

        Parameters
        ----------
        interval : Interval
            As for a single sample, with the degrees of freedom `df`; conservative limits where the labels' weights are
            `uneven`. Without bounds degrees of freedom are Satterthwaite's over the terms of all waves.

        Returns
        -------
        Estimate
            Without a variance in one of the waves the limits are the widest there are. Where every item is labelled,
            the mean of all labels, which is exact.
        """
        value, variance, labels, method = self.value, self.variance, self.n_labels, interval.method
        losses = np.concatenate([one.losses for one in self.samples])
        if labels == self.n_items:
            known = float(losses.mean())
            return Estimate(known, 0.0, known, known, labels, CENSUS)
        method += f", {counted(len(self.samples), 'wave')}"
        method += POOLED if any(one.pooled for one in self.samples) else ""
        widest = (0.0, 1.0) if interval.bounded else (-math.inf, math.inf)
        if math.isnan(variance) or not (interval.bounded or variance > 0):
            error, reason = (math.nan, LONELY) if math.isnan(variance) else (0.0, CONSTANT)
            return Estimate(value, error, *widest, labels, reason)
        error, df = math.sqrt(variance), self.df
        if not interval.bounded:
            limits = interval.limits(value, variance, labels, self.satterthwaite_df)
            return Estimate(value, error, float(limits.low), float(limits.high), labels, method)
        value = min(max(value, 0.0), 1.0)
        if self.uneven if interval.conservative is None else interval.conservative:
            variance, df = self._conservative()
            method += WIDENED
        limits = interval.limits(value, variance, labels, df)
        if interval.name != "wald":
            binary = bool(np.isin(losses, (0.0, 1.0)).all())
            limits = within_pool(limits, value, float(losses.sum()), labels, self.n_items, binary)
        return Estimate(value, error, float(limits.low), float(limits.high), labels, method)

    def mean_of(self, member: NDArray[np.bool_], interval: Interval = WILSON) -> Estimate:
        """Mean loss of the items of a group, as the ratio Σ ω ℓ / Σ ω over its labels.

        Parameters
        ----------
        member : (M,) bool
            Which labels, in the order of the waves, are of the group; at least one.
        interval : Interval
            As in `estimate`, with the labels less the strata that they lie in as degrees of freedom.

        Returns
        -------
        Estimate
            With linearised variance (docs/method.md, 6.3); without one where no stratum has two of the labels.
        """
        weights, losses = self.item_weights * member, np.concatenate([one.losses for one in self.samples])
        size = float(weights.sum())
        value, labels = float(weights @ losses) / size, int(member.sum())
        ends = np.cumsum([one.n_labels for one in self.samples])[:-1]
        residuals, inside = np.split(member * (losses - value) / size, ends), np.split(member, ends)
        parts = [(part, one.strata, one.sizes) for part, one in zip(residuals, self.samples, strict=True)]
        variance = waves(parts, self.weights, bounded=False).variance
        # Residuals of equal losses are 0 up to rounding, which must not pass for a variance.
        if variance <= (_ROUNDING * float(np.abs(losses).max()) / size) ** 2:
            variance = 0.0
        occupied = sum(np.unique(one.strata[own]).size for own, one in zip(inside, self.samples, strict=True))
        df = float(labels - occupied)
        method = f"{interval.method} of linearised residuals, {counted(len(self.samples), 'wave')}"
        if interval.bounded:
            value = min(max(value, 0.0), 1.0)
        known = df > 0 and not math.isnan(variance)
        limits = interval.limits(value, variance if known else math.nan, labels, df)
        error = math.sqrt(variance) if known else math.nan
        return Estimate(value, error, float(limits.low), float(limits.high), labels, method)

    def _conservative(self) -> tuple[float, float]:
        """Conservative variance of all waves, and its degrees of freedom by Satterthwaite over the waves."""
        parts = [conservative(one.counts, one.sizes, one.means, one.variances) for one in self.samples]
        factors = (self.weights * self.shares) ** 2
        terms = factors * [float(variance) for variance, _ in parts]
        df = satterthwaite(terms, np.maximum([float(df) for _, df in parts], 1.0))
        return float(terms.sum()), float(df)

    def __repr__(self) -> str:
        sizes = " + ".join(f"{one.n_labels:,}" for one in self.samples)
        return f"Waves of {sizes} labels among {self.n_items:,} items"


def waves(
    parts: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike]],
    weights: ArrayLike | None = None,
    bounded: bool = True,
) -> Waves:
    """Waves of labels, the first first.

    Parameters
    ----------
    parts : sequence of (losses, strata, sizes)
        For each wave what `core.estimation.sample` takes: losses (m_j,) and strata (m_j,) of the items labelled in it,
        and items N_jh (H_j,) of its strata, which together are all items that no earlier wave labelled.
    weights : (J,) float, optional
        w_j ≥ 0 with sum 1. They must have been fixed before the first label. None takes m_j/M, which is legitimate
        where the sizes of the waves were fixed then.
    bounded : bool
        Whether losses lie in [0, 1].

    Raises
    ------
    DesignError
        No wave, weights that are not one for each wave or do not sum to 1, a wave whose strata do not hold what the
        earlier ones left, or as `core.estimation.sample`.
    """
    samples = tuple(sample(*part, bounded) for part in parts)
    if not samples:
        raise DesignError("There is no wave of labels. Give the losses, strata and sizes of at least one.")
    labels = np.array([one.n_labels for one in samples])
    weight = labels / labels.sum() if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != labels.shape or not np.all(weight >= 0) or abs(weight.sum() - 1) > 1e-9:
        raise DesignError(
            f"The weights of {counted(len(samples), 'wave')} must be as many numbers of at least 0 that sum to 1."
        )
    left = int(samples[0].sizes.sum())
    for number, one in enumerate(samples, start=1):
        if int(one.sizes.sum()) != left:
            raise DesignError(
                f"The strata of wave {number} hold {int(one.sizes.sum()):,} items, but {left:,} had no label before it."
            )
        left -= one.n_labels
    return Waves(samples, weight)
