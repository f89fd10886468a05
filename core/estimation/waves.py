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
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..words import counted
from .intervals import DEFAULT, Interval, Limits, within_pool
from .mean import CENSUS, LONELY, POOLED, Estimate, Sample, sample, student, tallied
from .variance import satterthwaite, variance_terms

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Strata of several waves, each before the strata of what the next one is drawn from.

    Parameters
    ----------
    counts, sizes : (C,) int
        Labels and items. What earlier waves labelled is a stratum of each later one, with the labels that are left.
    order : (C,) int
        Ascending number of the group of strata that share one order of risk.
    wave : (C,) int
        Wave that the stratum belongs to.
    weights : (C,) float
        What its mean counts with in R̂.
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    order: NDArray[np.int64]
    wave: NDArray[np.int64]
    weights: Array


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
    def losses(self) -> Array:
        """Losses of the labels as they were given, (M,)."""
        return self._as_given([one.losses for one in self.samples])

    @property
    def values(self) -> Array:
        """Estimates R̂_j of each wave, (J,)."""
        before = np.array([0.0, *(one.sizes[0] * one.value for one in self.layers[1::2])])
        return before / self.n_items + self.shares * [one.value for one in self.samples]

    @property
    def value(self) -> float:
        """R̂ = Σ w_j R̂_j."""
        return float(self.weights @ self.values)

    @property
    def mean(self) -> float:
        """R̂; the mean of all labels, which is exact, if every item is labelled."""
        return float(np.concatenate([one.losses for one in self.samples]).mean()) if self.census else self.value

    @cached_property
    def terms(self) -> tuple[Array, ...]:
        """Variance terms w_j² (N_j/N)² W_jh² (1−f_jh) s_jh²/m_jh of the strata of each wave."""
        return tuple(factor * one.terms for factor, one in zip(self.factors, self.samples, strict=True))

    @cached_property
    def factors(self) -> Array:
        """Factor of each wave's variance in V̂, w_j² (N_j/N)², (J,)."""
        return (self.weights * self.shares) ** 2

    @cached_property
    def lacking(self) -> Array:
        """Variance terms in V̂_j of the labels of earlier waves that are missing by now, (J,); 0 if none is."""
        return np.array([0.0, *((one.sizes[0] / self.n_items) ** 2 * one.variance for one in self.layers[1::2])])

    @cached_property
    def variance(self) -> float:
        """V̂ = Σ w_j² V̂_j; NaN if a wave's labels give none."""
        return float(np.concatenate([*self.terms, self.weights**2 * self.lacking]).sum())

    @property
    def satterthwaite_df(self) -> float:
        """Degrees of freedom of V̂ over all terms; a stratum of one label counts with one."""
        counts = np.concatenate([one.counts for one in self.samples])
        return float(satterthwaite(np.concatenate(self.terms), np.maximum(counts - 1, 1)))

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
        """Number of waves in words, for the method of an estimate; "" for one."""
        return f", {counted(len(self.samples), 'wave')}" if len(self.samples) > 1 else ""

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

    @property
    def has_limits(self) -> bool:
        """Whether limits of bounded losses have to be found: not of a census, nor without a variance in some wave."""
        return not self.census and not math.isnan(self.variance)

    def estimate(self, interval: Interval = DEFAULT, limits: Limits | None = None) -> Estimate:
        """Estimate from all waves.

        Parameters
        ----------
        interval : Interval
            As for a single sample. Without bounds degrees of freedom are Satterthwaite's over the terms of all waves.
        limits : Limits, optional
            Those of `limits`, if they are known already.

        Returns
        -------
        Estimate
            Without a variance in one of the waves the limits are the widest there are. If every item is labelled,
            the mean of all labels, which is exact.
        """
        value, variance, labels, method = self.mean, self.variance, self.n_labels, interval.method + self.words
        if self.census:
            return Estimate(value, 0.0, value, value, labels, CENSUS)
        method += POOLED if self.pooled else ""
        if not interval.bounded:
            return student(interval, value, variance, self.satterthwaite_df, labels, method)
        if math.isnan(variance):
            return Estimate(value, math.nan, 0.0, 1.0, labels, LONELY)
        error, value = math.sqrt(variance), min(max(value, 0.0), 1.0)
        limits = self.limits(interval) if limits is None else limits
        if interval.name != "wald":
            limits = self.within_pool(limits)
        return Estimate(value, error, float(limits.low), float(limits.high), labels, method)

    def limits(self, interval: Interval = DEFAULT) -> Limits:
        """Limits of bounded losses, not cut to what is possible."""
        if not interval.tilted:
            df = satterthwaite(self.factors * [one.variance for one in self.samples], [one.df for one in self.samples])
            return interval.limits(min(max(self.value, 0.0), 1.0), self.variance, self.n_labels, df)
        return _tilted([self], interval)[0]

    def within_pool(self, limits: Limits) -> Limits:
        """Limits cut to what the labels leave possible; each label counts once."""
        total, binary = sum(float(one.losses.sum()) for one in self.samples), all(one.binary for one in self.samples)
        return within_pool(limits, min(max(self.value, 0.0), 1.0), total, self.n_labels, self.n_items, binary)

    @cached_property
    def layers(self) -> list[Sample]:
        """The samples of all waves, each but the first after a sample of what earlier waves labelled.

        All of that is known, but for labels that are missing by now.
        """
        layers = [self.samples[0]]
        before = _with_earlier([one.losses for one in self.samples])[1::2]
        for losses, one in zip(before, self.samples[1:], strict=True):
            items = self.n_items - int(one.sizes.sum())
            layers += [sample(losses, np.zeros(losses.size, dtype=np.int64), [items], bounded=False), one]
        return layers

    @cached_property
    def cells(self) -> Cells:
        """The strata of all waves, with what each counts for."""
        counts, sizes = (np.concatenate([getattr(one, name) for one in self.layers]) for name in ("counts", "sizes"))
        order = np.repeat(np.arange(len(self.layers)), [one.sizes.size for one in self.layers])
        wave = (order + 1) // 2
        return Cells(counts, sizes, order, wave, self.weights[wave] * sizes / self.n_items)

    def tallies(self, kinds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels of each kind in the `cells`, from the kind of each as the labels were given, (M,)."""
        n_kinds, of_layers = int(kinds.max()) + 1, zip(self.layers, _with_earlier(self.by_wave(kinds)), strict=True)
        return np.concatenate([tallied(one.strata, kind, one.sizes.size, n_kinds) for one, kind in of_layers])

    def extended(
        self, counts: NDArray[np.int64], means: Array, variances: Array, interval: Interval, binary: bool
    ) -> Limits:
        """Limits as `limits`, had the last wave other numbers of labels, and its strata other means and variances.

        Parameters
        ----------
        counts : (D, H) int
            Labels of the strata of the last wave. The weights of the earlier waves fall as all labels become more.
        means, variances : (D, H) float
            Of the losses there.
        interval : Interval
            How limits are made.
        binary : bool
            As in `Interval.of_moments`.
        """
        *earlier, last = self.samples
        labels = self.n_labels - last.n_labels + counts.sum(axis=-1)
        weights = self.weights[:-1] * self.n_labels / labels[:, None]
        weights = np.column_stack([weights, 1 - weights.sum(axis=-1)])
        if not interval.bounded:
            new = variance_terms(counts, variances, last.sizes).sum(axis=-1)
            old = np.broadcast_to([one.variance for one in earlier], (len(counts), len(earlier)))
            dfs = np.column_stack(
                [np.tile([one.df for one in earlier], (len(counts), 1)), counts.sum(1) - last.sizes.size]
            )
            parts = (weights * self.shares) ** 2 * np.column_stack([old, new])
            variance = parts.sum(axis=-1) + weights**2 @ self.lacking
            return interval.limits(0.0, variance, labels, satterthwaite(parts, np.maximum(dfs, 1.0)))
        cells, fixed = self.cells, self.layers[:-1]
        spreads = [one.losses.var(keepdims=True) if place % 2 else one.variances for place, one in enumerate(fixed)]
        known = (
            cells.counts[: -last.sizes.size],
            np.concatenate([one.means for one in fixed]),
            np.concatenate(spreads),
        )
        m, p, v = (
            np.column_stack([np.tile(one, (len(counts), 1)), new])
            for one, new in zip(known, (counts, means, variances), strict=True)
        )
        share = weights[:, cells.wave] * cells.sizes / self.n_items
        return interval.of_moments(m, cells.sizes, p, v, binary, waves=cells.order, weights=share)

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


def estimates_in_waves(many: Iterable[Waves], interval: Interval = DEFAULT) -> list[Estimate]:
    """Return the estimates of many samples in waves, each as `Waves.estimate`, in less time.

    Parameters
    ----------
    many : iterable of Waves
        The samples.
    interval : Interval
        As for a single sample.
    """
    every = list(many)
    if not interval.tilted:
        return [one.estimate(interval) for one in every]
    asked = [one for one in every if one.has_limits]
    limits = dict(zip(map(id, asked), _tilted(asked, interval), strict=True))
    return [one.estimate(interval, limits.get(id(one))) for one in every]


def _tilted(many: Sequence[Waves], interval: Interval) -> list[Limits]:
    """Return tilted limits as `Waves.limits`; of samples whose strata are as many they are found at once."""
    alike: defaultdict[tuple[bytes, bytes], list[tuple[int, Array, NDArray[np.int64], Cells]]] = defaultdict(list)
    for place, one in enumerate(many):
        values, kinds = np.unique(one.losses, return_inverse=True)
        alike[one.cells.order.tobytes(), values.tobytes()].append((place, values, one.tallies(kinds), one.cells))
    found = dict[int, Limits]()
    for part in alike.values():
        places, (values, *_), tallies, cells = zip(*part, strict=True)
        counts, sizes, weights = (
            np.stack([getattr(one, name) for one in cells]) for name in ("counts", "sizes", "weights")
        )
        limits = interval.of_labels(values, np.stack(tallies), counts, sizes, waves=cells[0].order, weights=weights)
        found |= dict(zip(places, map(Limits, limits.low, limits.high), strict=True))
    return [found[place] for place in range(len(many))]


def _with_earlier(of_waves: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the values of each wave's labels, each but the first after those of all labels before it."""
    later = ((np.concatenate(of_waves[:number]), one) for number, one in enumerate(of_waves) if number)
    return [of_waves[0], *(part for pair in later for part in pair)]


def _samples(parts: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike]], bounded: bool) -> tuple[Sample, ...]:
    """The sample of each wave; an error names the wave if there are several."""
    given, samples = list(parts), []
    for number, part in enumerate(given, start=1):
        try:
            samples.append(sample(*part, bounded))
        except DesignError as error:
            raise DesignError(f"Wave {number}: {error}" if len(given) > 1 else str(error)) from error
    return tuple(samples)
