"""The limits of measures of a judge: a value is inside unless the labels would be surprising if it were the true one.

“The measure is at least t” is L(t) = Σ c x + C ≥ 0, with x the shares of the pool in each class of verdicts that people
fail, and c and C linear in t. At the true t, L = 0: a mean of labels in weighted strata whose value is known, which
`core.estimation.tilting` asks about. A label of a class with c < 0 counts as its opposite, so that all weights W_h |c|
are positive.

Strata of one class have labels of equal weight, those of several have not: their sums lie on no lattice. Half a step is
then too much; it is taken times Σ π², with π the share of each class in the variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..estimation import tilting
from ..estimation.working_model import working_model
from .rates import VerdictSample

Array = NDArray[np.float64]
# So small a weight tells nothing, and divides nothing by 0; so small a difference is rounding.
_NO_WEIGHT, _ROUNDING = 1e-12, 1e-9


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
    """

    sizes: Array
    classes: NDArray[np.int64]
    labels: Array
    fails: Array

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
        both = Labelled(self.sizes, self.classes, *(np.repeat(one, 2, axis=0) for one in (self.labels, self.fails)))
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
        weights = self.sizes / self.sizes.sum() * np.maximum(np.abs(c), _NO_WEIGHT)
        target = np.where(c < 0, weights, 0.0).sum(axis=1) - line[:, -1]
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
        for side in (False, True):
            rows = told & (upper == side)
            if rows.any():
                given = counted[rows], labels[rows], weights[rows], target[rows]
                result[rows] = _surprise(*given, sizes, classes, side)
        return result


def _surprise(
    counted: Array, labels: Array, weights: Array, target: Array, sizes: Array, classes: NDArray[np.int64], upper: bool
) -> Array:
    """Return r* of samples of strata with such weights if their means were these, (R,)."""
    tallies = np.stack([labels - counted, counted], axis=-1)
    model = working_model([0.0, 1.0], tallies, labels, sizes, weights=weights)
    if model.steps.shape[1] < classes.size:
        classes = classes[labels[0] < sizes]
    variance = model.draws * model.steps**2 * model.laws.spread
    shares = variance @ (classes[:, None] == np.unique(classes)) / variance.sum(axis=1, keepdims=True)
    model = replace(model, correction=model.correction * (shares**2).sum(axis=1))
    if upper:
        return tilting.surprise(model.mirror(), 2 * model.base + model.rest - target)
    return tilting.surprise(model, target)


def labelled(samples: Sequence[Sequence[VerdictSample]]) -> Labelled:
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
    return Labelled(sizes[0], classes, labels, fails)


def lines_of(rules: Sequence[Callable[[float], Sequence[float]]]) -> Array:
    """Return c of each class and C at t = 0 and at t = 1, (R, 2, K + 1), of rules from t to them."""
    return np.array([[rule(0.0), rule(1.0)] for rule in rules])
