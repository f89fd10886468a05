"""Measures of how a judge agrees with people, and their limits.

Items fall into classes by what the judge says of them, or two judges. With x the share of the pool in each class that
people fail, “the measure is at least t” is L(t) = Σ c x + C ≥ 0, where c and C are linear in t. The estimate is the
root of L; its limits are those t at which the labels begin to be surprising (docs/judge.md, 3): at the true t, L = 0, a
mean of labels in weighted strata whose value is known, which `core.estimation.tilting` asks about. A label of a class
with c < 0 counts as its opposite, so that all weights W_h |c| are positive.

Strata of one class have labels of equal weight, those of several have not: their sums lie on no lattice. Half a step is
then too much; it is taken times Σ π², with π the share of each class in the variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..errors import DesignError
from ..estimation import tilting
from ..estimation.working_model import working_model
from ..words.catalogue import Catalogue
from .rates import VerdictSample

Array = NDArray[np.float64]
Z_TWO_SIDED, Z_ONE_SIDED = 1.959964, 1.644854
# So small a share is nothing; so small a weight tells nothing, and divides nothing by 0; so small a difference is
# rounding.
_NOTHING, _NO_WEIGHT, _ROUNDING = 1e-12, 1e-12, 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeMeasure:
    """A measure of how a judge agrees with people.

    Parameters
    ----------
    name : str
        In frames and JSON.
    title : str
        In tables: the field's word.
    plainly : str
        What it is, in a few words.
    rule : callable
        From t and the share of each class in the pool to each c and C; linear in t.
    lowest : float
        The smallest value that it can have.
    of_failures : bool
        Whether there is nothing to measure if nobody fails an item.
    """

    name: str
    title: str
    plainly: str
    rule: Callable[..., tuple[float, ...]]
    lowest: float = 0.0
    of_failures: bool = False
    aliases: tuple[str, ...] = ()


# Their classes are the items that the judge passes, q of all, and those that it fails, u.
TNR = JudgeMeasure(
    name="tnr",
    title="Failures caught (TNR)",
    plainly="of the items that people fail, the share that the judge fails",
    rule=lambda t, q, u: (-t, 1 - t, 0.0),
)
TPR = JudgeMeasure(
    name="tpr",
    title="Good answers passed (TPR)",
    plainly="of the items that people pass, the share that the judge passes",
    rule=lambda t, q, u: (t - 1, t, q * (1 - t) - u * t),
)
PASS_RATE = JudgeMeasure(
    name="pass_rate",
    title="Corrected pass rate",
    plainly="the share of all items that people pass",
    rule=lambda t, q, u: (-1.0, -1.0, 1 - t),
)
AGREEMENT = JudgeMeasure(
    name="agreement",
    title="Agreement",
    plainly="the share of all items on which the judge and people say the same",
    rule=lambda t, q, u: (-1.0, 1.0, q - t),
)
KAPPA = JudgeMeasure(
    name="kappa",
    title="Cohen’s κ",
    plainly="agreement beyond chance: 1 is perfect, 0 is what chance gives",
    rule=lambda t, q, u: (-2 * u - t * (q - u), 2 * q - t * (q - u), -t * u),
    lowest=-1.0,
    of_failures=True,
)
# What no catalogue lists: a difference, in points.
BIAS = "Bias of the judge’s rate"
MEASURES = Catalogue("measure of a judge", (PASS_RATE, TPR, TNR, AGREEMENT, KAPPA), DesignError)


@dataclass(frozen=True, slots=True)
class VerdictClasses:
    """Labels of classes of verdicts.

    Parameters
    ----------
    parts : tuple of VerdictSample
        The classes, those first that people fail least; together at least one item.
    """

    parts: tuple[VerdictSample, ...]

    @property
    def size(self) -> int:
        """N."""
        return sum(part.size for part in self.parts)

    @property
    def whole(self) -> bool:
        """Whether every item is labelled."""
        return all(part.whole for part in self.parts)

    @property
    def weighted(self) -> bool:
        """Whether items count by their weights."""
        return any(part.weights is not None for part in self.parts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each class in the pool."""
        mass = sum(part.mass for part in self.parts)
        return tuple(part.mass / mass for part in self.parts)

    @property
    def found(self) -> float:
        """Failing items found, by people’s labels."""
        return sum(part.n_fails for part in self.parts)

    def value(self, measure: JudgeMeasure) -> float:
        """Return the estimate; NaN if there is nothing to measure, such as failures caught without a failure found."""
        return self._root(measure, self._failing)[0]

    def standard_error(self, measure: JudgeMeasure) -> float:
        """Return it by the first derivatives in each x; NaN if there is nothing to measure."""
        value, slope = self._root(measure, self._failing)
        if math.isnan(value):
            return math.nan
        terms = zip(self.line(measure, value), self.shares, self.parts, strict=False)
        return math.hypot(*(c * share * math.sqrt(part.variance) for c, share, part in terms)) / abs(slope)

    def limits(self, measure: JudgeMeasure, z: float = Z_TWO_SIDED) -> tuple[float, float]:
        """Return the limits of a measure of `MEASURES`.

        Parameters
        ----------
        measure : JudgeMeasure
            Of `MEASURES`.
        z : float
            Of the normal distribution.
        """
        return _limits(self, z)[measure.name]

    def line(self, measure: JudgeMeasure, t: float) -> tuple[float, ...]:
        """Return each c and C at t."""
        return measure.rule(t, *self.shares)

    def possible(self, measure: JudgeMeasure) -> tuple[float, float]:
        """Return the least and the most that a measure can be: it rises or falls with each class's rate alone."""
        ranges = [part.possible(share) for part, share in zip(self.parts, self.shares, strict=True)]
        corners = [self._root(measure, x)[0] for x in product(*ranges)]
        return (measure.lowest, 1.0) if any(map(math.isnan, corners)) else (min(corners), max(corners))

    @property
    def _failing(self) -> tuple[float, ...]:
        return tuple(share * part.rate for part, share in zip(self.parts, self.shares, strict=True))

    def _root(self, measure: JudgeMeasure, x: Sequence[float]) -> tuple[float, float]:
        """Return the measure if x were these, NaN for nothing, and the slope of L in t."""
        lines = (self.line(measure, t) for t in (0.0, 1.0))
        start, end = (sum(c * one for c, one in zip(line, (*x, 1.0), strict=True)) for line in lines)
        slope = end - start
        nothing = abs(slope) < _NOTHING or (measure.of_failures and sum(x) < _NOTHING)
        return math.nan if nothing else -start / slope, slope


class VerdictPair(VerdictClasses):
    """Labels of both classes: the items that the judge fails, and those that it passes.

    Parameters
    ----------
    fails, passes : VerdictSample
        Of F and of P; together at least one item.
    """

    __slots__ = ()

    def __init__(self, fails: VerdictSample, passes: VerdictSample) -> None:
        super().__init__((passes, fails))

    @property
    def fails(self) -> VerdictSample:
        """Labels of F."""
        return self.parts[1]

    @property
    def passes(self) -> VerdictSample:
        """Labels of P."""
        return self.parts[0]

    @property
    def u(self) -> float:
        """Share of fail verdicts."""
        return self.shares[1]

    @property
    def q(self) -> float:
        """Share of pass verdicts: the judge-only pass rate."""
        return self.shares[0]


@lru_cache(maxsize=256)
def _limits(classes: VerdictClasses, z: float) -> dict[str, tuple[float, float]]:
    """Return the limits of every measure."""
    low_high = limits_of([classes], MEASURES.entries, z)[0].tolist()
    return {one.name: (low, high) for one, (low, high) in zip(MEASURES.entries, low_high, strict=True)}


def limits_of(classes: Sequence[VerdictClasses], measures: Sequence[JudgeMeasure], z: float = Z_TWO_SIDED) -> Array:
    """Return the limits of measures of several samples of the same strata, (R, K, 2).

    Parameters
    ----------
    classes : sequence of VerdictClasses
        R samples.
    measures : sequence of JudgeMeasure
        K measures of these classes.
    z : float
        Of the normal distribution.
    """
    asked = [(sample, one) for sample in classes for one in measures]
    inside = np.array([sample.value(one) for sample, one in asked])
    # κ is 0 where nobody fails an item.
    nobody = [one is KAPPA and sample.shares[1] > 0 and not sample.whole for sample, one in asked]
    inside[np.isnan(inside) & nobody] = 0.0
    limits = np.array([sample.possible(one) for sample, one in asked])
    if any(sample.weighted for sample in classes):
        # Few labels may estimate less than the weight that they show.
        limits = np.stack([np.fmin(limits[:, 0], inside), np.fmax(limits[:, 1], inside)], axis=1)
    ends = np.array([(one.lowest, 1.0) for _, one in asked])
    limits[np.isnan(inside)] = ends[np.isnan(inside)]
    open_ = np.flatnonzero(~np.isnan(inside) & (limits[:, 0] < limits[:, 1]))
    if open_.size:
        chosen = [asked[place] for place in open_]
        lines = np.array([[sample.line(one, t) for t in (0.0, 1.0)] for sample, one in chosen])
        every = Labelled.of([sample.parts for sample, _ in chosen])
        limits[open_] = every.limits(lines, z, inside[open_], limits[open_])
    # Rounding leaves a limit below an end by a few units in the last place.
    return np.clip(limits, ends[:, :1], ends[:, 1:]).reshape(len(classes), len(measures), 2)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Labels of R samples from classes of verdicts.

    Parameters
    ----------
    sizes : (H,) float
        Items of each stratum, class after class, those first that people fail least.
    classes : (H,) int
        The class of each.
    labels, fails : (R, H) float
        Labels, and those that people fail; a stratum without a label may hold anything.
    weighing : LabelWeights or None
        If items count by their weights.
    """

    sizes: Array
    classes: NDArray[np.int64]
    labels: Array
    fails: Array
    weighing: LabelWeights | None = None

    @classmethod
    def of(cls, samples: Sequence[Sequence[VerdictSample]]) -> Labelled:
        """Return the labels of the items with each verdict in several samples of the same strata.

        Parameters
        ----------
        samples : sequence of sequence of VerdictSample
            The classes of each sample, those first that people fail least.
        """
        classes = np.repeat(np.arange(len(samples[0])), [len(one.sizes) for one in samples[0]])
        sizes, labels, fails = (
            np.array([[x for one in sample for x in getattr(one, name)] for sample in samples], dtype=np.float64)
            for name in ("sizes", "labels", "fails")
        )
        weighing = LabelWeights.of(samples) if any(one.weights is not None for one in samples[0]) else None
        if weighing is not None:
            fails = weighing.values.sum(axis=-1)
        return cls(sizes[0], classes, labels, fails, weighing)

    def limits(self, lines: Array, z: float, inside: Array, outside: Array) -> Array:
        """Return the lower and the upper limit of a measure of each sample, (R, 2).

        Parameters
        ----------
        lines : (R, 2, K + 1) float
            c of each of K classes and C, at t = 0 and at t = 1.
        z : float
            Of the normal distribution.
        inside : (R,) float
            The measure's estimates.
        outside : (R, 2) float
            The least and the most that it can be.
        """
        labels, fails = (np.repeat(one, 2, axis=0) for one in (self.labels, self.fails))
        weighing = None if self.weighing is None else self.weighing.rows(np.repeat(np.arange(len(self.labels)), 2))
        both = Labelled(self.sizes, self.classes, labels, fails, weighing)
        twice, upper = np.repeat(lines, 2, axis=0), np.tile([False, True], len(inside))
        beyond = tilting.roots(
            lambda t: both.surprise(twice, t, upper) - z, np.repeat(inside, 2), np.ravel(outside), cut=z
        )
        return beyond.reshape(-1, 2)

    def surprise(self, lines: Array, t: Array, upper: NDArray[np.bool_]) -> Array:
        """Return r* of each sample if its measure were t, (R,): how surprisingly high it is, or low if ``upper``.

        Parameters
        ----------
        lines
            As in `limits`.
        t : (R,) float
            The measure.
        upper : (R,) bool
            Whether t is to be above the labels, as an upper limit is.
        """
        line = lines[:, 0] + t[:, None] * (lines[:, 1] - lines[:, 0])
        c = line[:, :-1][:, self.classes]
        scale = self.sizes / self.sizes.sum() if self.weighing is None else self.weighing.scale
        weights = scale * np.maximum(np.abs(c), _NO_WEIGHT)
        target = np.where(c < 0, weights, 0.0).sum(axis=1) - line[:, -1]
        if self.weighing is not None:
            target -= line[:, :-1] @ self.weighing.shift
        known = (self.labels > 0).all(axis=0)
        # Of what is unknown, all counts for t.
        target -= np.where(upper, weights[:, ~known].sum(axis=1), 0.0)
        labels, fails = self.labels[:, known], self.fails[:, known]
        counted = np.where(c[:, known] < 0, labels - fails, fails)
        sizes, weights, classes = self.sizes[known], weights[:, known], self.classes[known]
        # Where all that counts is labelled, nothing is left to surprise.
        gap = np.where(upper, -1, 1) * ((weights * counted / labels).sum(axis=1) - target)
        result = np.where(gap > _ROUNDING, np.inf, -np.inf)
        told = (weights * (labels < sizes)).sum(axis=1) > _ROUNDING
        values, step = np.array([0.0, 1.0]), 1.0
        tallies = np.stack([labels - counted, counted], axis=-1)
        if self.weighing is not None:
            given = self.weighing.there[:, known]
            z = self.weighing.values[:, known]
            values, tallies = np.where((c[:, known] < 0)[..., None], (1 - z) * given, z), given
            step = self.weighing.step
        for side in (False, True):
            rows = told & (upper == side)
            if rows.any():
                of = values if values.ndim == 1 else values[rows]
                parts = of, tallies[rows], labels[rows], weights[rows], target[rows]
                result[rows] = _surprise(*parts, sizes, classes, side, step)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class LabelWeights:
    """Weights of the items of R samples of the same strata (`core.judge.rates.VerdictWeights`).

    Parameters
    ----------
    scale : (H,) float
        Share of the pool's weight that the mean of each stratum's labels is of.
    shift : (K,) float
        Share of it that people fail in each class beside these means.
    values, there : (R, H, S) float
        What each label counts, and 1 for a label, 0 beyond those of the stratum.
    """

    scale: Array
    shift: Array
    values: Array
    there: Array

    @classmethod
    def of(cls, samples: Sequence[Sequence[VerdictSample]]) -> LabelWeights:
        """Return the weights of several samples of the same strata."""
        mass = sum(one.mass for one in samples[0])
        rows = [[z for one in sample for z in one.values] for sample in samples]
        longest = max(len(z) for row in rows for z in row)
        values, there = np.zeros((2, len(rows), len(rows[0]), longest))
        for number, row in enumerate(rows):
            for place, z in enumerate(row):
                values[number, place, : len(z)], there[number, place, : len(z)] = z, 1.0
        scale = np.array([x for one in samples[0] for x in one.scale]) / mass
        return cls(scale, np.array([one.shift for one in samples[0]]) / mass, values, there)

    def rows(self, chosen: NDArray[np.int64]) -> LabelWeights:
        """Return those of some of the samples."""
        return replace(self, values=self.values[chosen], there=self.there[chosen])

    @property
    def step(self) -> float:
        """Step of the scale that labels lie on: 1 if they count 0 or 1."""
        return 1.0 if np.isin(self.values, (0.0, 1.0)).all() else tilting.LEAST_STEP


def _surprise(
    values: Array,
    tallies: Array,
    labels: Array,
    weights: Array,
    target: Array,
    sizes: Array,
    classes: NDArray[np.int64],
    upper: bool,
    step: float,
) -> Array:
    """Return r* of samples of strata with such weights if their means were these, (R,)."""
    model = working_model(values, tallies, labels, sizes, weights=weights)
    if model.steps.shape[1] < classes.size:
        classes = classes[labels[0] < sizes]
    variance = model.draws * model.steps**2 * model.laws.spread
    shares = variance @ (classes[:, None] == np.unique(classes)) / variance.sum(axis=1, keepdims=True)
    if step == 1.0:
        model = replace(model, correction=model.correction * (shares**2).sum(axis=1))
    if upper:
        return tilting.surprise(model.mirror(), 2 * model.base + model.rest - target, step)
    return tilting.surprise(model, target, step)
