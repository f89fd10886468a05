"""Estimates from several waves of labels, each drawn after the labels of the earlier ones were known.

Wave j is a stratified sample of the items that no earlier wave labelled; its strata and sizes may depend on their
labels. With B_j the sum of the losses labelled before and N_jh, ℓ̄_jh the items and mean losses of its strata,

    R̂_j = (B_j + Σ_h N_jh ℓ̄_jh)/N,    R̂ = Σ_j w_j R̂_j,    V̂ = Σ_j w_j² V̂_j.

Given the earlier waves B_j is known and the rest is a stratified sample, so E[R̂_j | waves before j] = R, and V̂_j, the
variance of the stratified sample times (N_j/N)², is unbiased for the conditional variance. With weights fixed before
the first label, Σ w_j = 1, R̂ is therefore exactly unbiased. For i < j the covariance is
E[(R̂_i − R) E[R̂_j − R | waves before j]] = 0, since R̂_i is known after wave i: variances add, and V̂ is exactly
unbiased wherever each stratum has two labels or all of its items (docs/method.md, 6.5).

A label of an earlier wave that is missing by now, because people came to disagree or another target has no answer
there, counts like the mean of the labels that there are, which adds the variance of such a sample to V̂_j.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..words import counted
from .intervals import WILSON, Interval, Limits, within_pool
from .mean import CENSUS, LONELY, POOLED, WIDENED, Estimate, Sample, sample, student
from .variance import UNEVEN, satterthwaite

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Waves:
    """Waves of labels of one pool, of `waves`.

    Parameters
    ----------
    samples : tuple of Sample
        Each wave's labels as a stratified sample of the items that no earlier wave labelled.
    weights : (J,) float
        w_j, fixed before the first label.
    order : (M,) int
        Index of each label, wave after wave, among the labels as they were given.
    """

    samples: tuple[Sample, ...]
    weights: Array
    order: NDArray[np.int64]

    @cached_property
    def n_items(self) -> int:
        """Items of the pool, N."""
        return int(self.samples[0].sizes.sum())

    @property
    def n_labels(self) -> int:
        """Labels of all waves, M."""
        return self.order.size

    @cached_property
    def shares(self) -> Array:
        """Shares N_j/N of the pool that were open before each wave, (J,)."""
        return np.array([one.sizes.sum() for one in self.samples]) / self.n_items

    @property
    def strata(self) -> NDArray[np.int64]:
        """Strata of the labels as they were given, (M,), numbered through all waves."""
        starts = np.cumsum([0, *(one.sizes.size for one in self.samples)])
        return self._as_given([one.strata + start for one, start in zip(self.samples, starts, strict=False)])

    @property
    def before(self) -> Array:
        """Sums B_j of the losses labelled before each wave, (J,)."""
        totals = [float(one.counts @ one.means) for one in self.samples]
        return np.cumsum([0.0, *totals[:-1]]) * self._standing

    @property
    def values(self) -> Array:
        """Estimates R̂_j of each wave, (J,)."""
        return self.before / self.n_items + self.shares * [one.value for one in self.samples]

    @property
    def value(self) -> float:
        """R̂ = Σ w_j R̂_j."""
        return float(self.weights @ self.values)

    @cached_property
    def terms(self) -> tuple[Array, ...]:
        """Variance terms w_j² (N_j/N)² W_jh² (1−f_jh) s_jh²/m_jh of the strata of each wave."""
        return tuple(factor * one.terms for factor, one in zip(self.factors, self.samples, strict=True))

    @cached_property
    def factors(self) -> Array:
        """What a variance of each wave counts with in V̂, w_j² (N_j/N)², (J,)."""
        return (self.weights * self.shares) ** 2

    @cached_property
    def lacking(self) -> Array:
        """Variance terms in V̂_j of the labels of earlier waves that are missing by now, (J,); 0 if none is."""
        terms = np.zeros(len(self.samples))
        for number in np.flatnonzero(self._standing > 1):
            losses = np.concatenate([one.losses for one in self.samples[:number]])
            earlier = round(losses.size * self._standing[number])
            simple = sample(losses, np.zeros(losses.size, dtype=np.int64), [earlier], bounded=False)
            terms[number] = (earlier / self.n_items) ** 2 * simple.variance
        return terms

    @cached_property
    def variance(self) -> float:
        """V̂ = Σ w_j² V̂_j; NaN if a wave's labels give none."""
        return float(np.concatenate([*self.terms, self.weights**2 * self.lacking]).sum())

    @property
    def satterthwaite_df(self) -> float:
        """Degrees of freedom of V̂ over all terms; a stratum of one label counts with one."""
        counts = np.concatenate([one.counts for one in self.samples])
        return float(satterthwaite(np.concatenate(self.terms), np.maximum(counts - 1, 1)))

    @cached_property
    def item_weights(self) -> Array:
        """Weights of the labels as they were given, (M,): R̂ is their weighted sum, and they sum to 1.

        A label counts with w_j N_jh/(m_jh N) in its own wave and with w_i/N in each later wave i.
        """
        each = self.weights * self._standing / self.n_items
        later = each.sum() - np.cumsum(each)
        parts = [
            (weight * one.sizes / one.counts / self.n_items)[one.strata] + rest
            for weight, rest, one in zip(self.weights, later, self.samples, strict=True)
        ]
        return self._as_given(parts)

    @property
    def uneven(self) -> bool:
        """Whether Kish's design effect of the labels' weights, M Σ ω², exceeds that of `core.estimation.variance`."""
        weights = self.item_weights
        return bool(weights.size * (weights**2).sum() > UNEVEN)

    @property
    def census(self) -> bool:
        """Whether every item is labelled, so that nothing is left to estimate."""
        return self.n_labels == self.n_items

    @property
    def pooled(self) -> bool:
        """Whether a stratum of one label took the pooled variance of its wave."""
        return any(one.pooled for one in self.samples)

    @property
    def words(self) -> str:
        """How many waves there are, for the method of an estimate; "" for one."""
        return f", {counted(len(self.samples), 'wave')}" if len(self.samples) > 1 else ""

    def widens(self, interval: Interval) -> bool:
        """Whether the limits are the conservative ones."""
        return interval.bounded and (self.uneven if interval.conservative is None else interval.conservative)

    def by_wave(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Split by wave what belongs to the labels as they were given, (M,)."""
        ends = np.cumsum([one.n_labels for one in self.samples])[:-1]
        return np.split(values[self.order], ends)

    def of(self, values: ArrayLike, bounded: bool = False) -> Waves:
        """Waves of the same labels with other values.

        Parameters
        ----------
        values : (M,) float
            In the order in which the labels were given.
        bounded : bool
            Whether they lie in [0, 1].
        """
        parts = zip(self.by_wave(np.asarray(values, dtype=np.float64)), self.samples, strict=True)
        return replace(self, samples=_samples([(x, one.strata, one.sizes) for x, one in parts], bounded))

    def only(self, chosen: NDArray[np.bool_]) -> Waves:
        """Waves of some of the labels.

        Parameters
        ----------
        chosen : (M,) bool
            Which, in the order in which they were given.

        Raises
        ------
        DesignError
            A stratum has none of them.
        """
        parts = zip(self.by_wave(chosen), self.samples, strict=True)
        samples = _samples([(one.losses[among], one.strata[among], one.sizes) for among, one in parts], bounded=False)
        order = (np.cumsum(chosen) - 1)[self.order[chosen[self.order]]]
        return replace(self, samples=samples, order=order)

    def estimate(self, interval: Interval = WILSON) -> Estimate:
        """Estimate from all waves.

        Parameters
        ----------
        interval : Interval
            As for a single sample, with the variances of the waves and their degrees of freedom joined by `over_waves`;
            conservative limits if the labels' weights are `uneven`. Without bounds degrees of freedom are
            Satterthwaite's over the terms of all waves.

        Returns
        -------
        Estimate
            Without a variance in one of the waves the limits are the widest there are. If every item is labelled,
            the mean of all labels, which is exact.
        """
        value, variance, labels, method = self.value, self.variance, self.n_labels, interval.method + self.words
        losses = np.concatenate([one.losses for one in self.samples])
        if self.census:
            known = float(losses.mean())
            return Estimate(known, 0.0, known, known, labels, CENSUS)
        method += POOLED if self.pooled else ""
        if not interval.bounded:
            return student(interval, value, variance, self.satterthwaite_df, labels, method)
        if math.isnan(variance):
            return Estimate(value, math.nan, 0.0, 1.0, labels, LONELY)
        error, value = math.sqrt(variance), min(max(value, 0.0), 1.0)
        method += WIDENED if self.widens(interval) else ""
        limits = self.limits(interval)
        if interval.name != "wald":
            binary = bool(np.isin(losses, (0.0, 1.0)).all())
            limits = within_pool(limits, value, float(losses.sum()), labels, self.n_items, binary)
        return Estimate(value, error, float(limits.low), float(limits.high), labels, method)

    def limits(self, interval: Interval = WILSON) -> Limits:
        """Limits of bounded losses by the formula, conservative if the interval is; not cut to what is possible."""
        widened = self.widens(interval)
        variances, dfs, leans = zip(*(_variance(one, interval, widened) for one in self.samples), strict=True)
        variance = float(self.factors @ variances + self.weights**2 @ self.lacking)
        df = over_waves(self.factors * variances, dfs)
        first, *later = self.samples
        told = None if later else interval.evidence(first.counts, first.sizes, first.means, first.binary, leans[0])
        return interval.limits(min(max(self.value, 0.0), 1.0), variance, self.n_labels, df, told)

    def extended(self, counts: NDArray[np.int64], means: Array, variances: Array, interval: Interval) -> Limits:
        """Limits as `limits`, had the last wave other numbers of labels, and its strata other means and variances.

        Parameters
        ----------
        counts : (D, H) int
            Labels of the strata of the last wave. The weights of the earlier waves fall as all labels become more.
        means, variances : (D, H) float
            Of the losses there.
        interval : Interval
            How limits are made; conservative or not.
        """
        *earlier, last = self.samples
        labels = self.n_labels - last.n_labels + counts.sum(axis=-1)
        weights = self.weights[:-1] * self.n_labels / labels[:, None]
        weights = np.column_stack([weights, 1 - weights.sum(axis=-1)])
        widened = bool(interval.conservative)
        new, new_df, _ = interval.variance(counts, last.sizes, means, variances, widened)
        fixed = [_variance(one, interval, widened)[:2] for one in earlier]
        known, known_df = (
            np.broadcast_to(column, (len(counts), len(earlier))) for column in np.array(fixed).reshape(-1, 2).T
        )
        parts = (weights * self.shares) ** 2 * np.column_stack([known, new])
        df = satterthwaite(parts, np.maximum(np.column_stack([known_df, new_df]), 1.0))
        newest = self.before[-1] / self.n_items + self.shares[-1] * (means @ last.sizes) / last.sizes.sum()
        value = weights[:, :-1] @ self.values[:-1] + weights[:, -1] * newest
        variance = parts.sum(axis=-1) + weights**2 @ self.lacking
        return interval.limits(np.clip(value, 0.0, 1.0) if interval.bounded else value, variance, labels, df)

    @cached_property
    def _standing(self) -> Array:
        """For how many items that had a label before wave j each label left of them stands, (J,): 1 if none is gone."""
        if len(self.samples) == 1:
            return np.ones(1)
        items = self.n_items - np.array([one.sizes.sum() for one in self.samples])
        labels = np.cumsum([0, *(one.n_labels for one in self.samples[:-1])])
        return np.asarray(np.where(labels > 0, items / np.maximum(labels, 1), 1.0))

    def _as_given(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Put what belongs to the labels, wave after wave, into the order in which they were given."""
        given: NDArray[Any] = np.concatenate(parts)[np.argsort(self.order)]
        return given

    def __repr__(self) -> str:
        sizes = " + ".join(f"{one.n_labels:,}" for one in self.samples)
        return f"Waves of {sizes} labels among {self.n_items:,} items"


def waves(
    parts: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike]],
    weights: ArrayLike | None = None,
    bounded: bool = True,
    missing: int = 0,
) -> Waves:
    """Waves of labels, the first first.

    Parameters
    ----------
    parts : sequence of (losses, strata, sizes)
        For each wave what `core.estimation.sample` takes: losses (m_j,) and strata (m_j,) of the items labelled in it,
        and items N_jh (H_j,) of its strata, which together are all items that no earlier wave labelled.
    weights : (J,) float, optional
        w_j ≥ 0 with sum 1. They must have been fixed before the first label. None takes m_j/M, which is legitimate
        if the sizes of the waves were fixed then.
    bounded : bool
        Whether losses lie in [0, 1].
    missing : int
        Labels of the first wave that were there when the second was drawn, and that are not among ``parts``.

    Raises
    ------
    DesignError
        No wave, weights that are not one for each wave or do not sum to 1, a wave whose strata do not hold what the
        earlier ones left, or as `core.estimation.sample`.
    """
    samples = _samples(parts, bounded)
    if not samples:
        raise DesignError("There is no wave of labels. Give the losses, strata and sizes of at least one.")
    labels = np.array([one.n_labels for one in samples])
    weight = labels / labels.sum() if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != labels.shape or not np.all(weight >= 0) or abs(weight.sum() - 1) > 1e-9:
        raise DesignError(f"Give {counted(len(samples), 'weight')}, one for each wave: none below 0, with a sum of 1.")
    left, gone = int(samples[0].sizes.sum()), missing
    for number, one in enumerate(samples, start=1):
        if int(one.sizes.sum()) != left:
            raise DesignError(
                f"The strata of wave {number} hold {int(one.sizes.sum()):,} items, but {left:,} had no label before it."
            )
        left, gone = left - one.n_labels - gone, 0
    return Waves(samples, weight, np.arange(labels.sum()))


def over_waves(terms: Sequence[float] | Array, df: Sequence[float] | Array) -> float:
    """Degrees of freedom of a variance that is a sum over waves, by Satterthwaite's formula; a single wave's as given.

    Parameters
    ----------
    terms, df : (J,) float
        Variance terms of the waves and their degrees of freedom, which count with 1 at least.
    """
    return float(df[0]) if len(df) == 1 else float(satterthwaite(np.asarray(terms), np.maximum(df, 1.0)))


def _samples(parts: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike]], bounded: bool) -> tuple[Sample, ...]:
    """The sample of each wave; an error names the wave if there are several."""
    given, samples = list(parts), []
    for number, part in enumerate(given, start=1):
        try:
            samples.append(sample(*part, bounded))
        except DesignError as error:
            raise DesignError(f"Wave {number}: {error}" if len(given) > 1 else str(error)) from error
    return tuple(samples)


def _variance(one: Sample, interval: Interval, widened: bool) -> tuple[float, float, float]:
    """Variance of a wave in its share of the pool as limits need it, its degrees of freedom, and its lean."""
    variance, df, lean = interval.variance(one.counts, one.sizes, one.means, one.variances, widened)
    return float(variance), float(df), float(lean)
