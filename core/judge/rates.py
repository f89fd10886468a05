"""The share of items that people fail among those with one verdict of the judge (docs/judge.md, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..estimation.variance import variance_terms

Array = NDArray[np.float64]
# The rate of a class of which no item is labelled.
_UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class VerdictWeights:
    """Weights of the items of a class, 1 on average over the pool, in the strata of a `VerdictSample`.

    A label ℓ (1 fails) counts as z = c + (w/u_h)(ℓ − c), with u_h the largest weight of its stratum and c what the
    judge says: the weight that people fail is Σ N_h u_h z̄_h + c Σ (mass − N_h u_h), without bias, and exactly what the
    judge says where people agree with it (`core.estimation.weighting`).

    Parameters
    ----------
    mass, tops : tuple of float
        Σ w and u_h of each stratum.
    of_labels : tuple of tuple of float
        Weights of the labelled items of each stratum.
    failed : tuple of tuple of bool
        Whether people fail them.
    centre : float
        c.
    """

    mass: tuple[float, ...]
    tops: tuple[float, ...]
    of_labels: tuple[tuple[float, ...], ...]
    failed: tuple[tuple[bool, ...], ...]
    centre: float

    @classmethod
    def of(cls, weights: Sequence[Array], failed: Sequence[Sequence[bool]], centre: float) -> VerdictWeights:
        """Weights of strata that are labelled whole."""
        mass, tops = (tuple(float(end(one)) for one in weights) for end in (np.sum, np.max))
        of_labels, fails = tuple(tuple(one.tolist()) for one in weights), tuple(map(tuple, failed))
        return cls(mass, tops, of_labels, fails, centre)

    def scaled(self) -> tuple[tuple[float, ...], ...]:
        """Return z of the labels of each stratum."""
        c = self.centre
        return tuple(
            tuple(c + weight / top * (failed - c) for weight, failed in zip(weights, fails, strict=True))
            for top, weights, fails in zip(self.tops, self.of_labels, self.failed, strict=True)
        )


@dataclass(frozen=True, slots=True)
class VerdictSample:
    """Labels of the items with one verdict of the judge.

    Parameters
    ----------
    sizes : tuple of int
        N_h ≥ 1 of each stratum; () if the judge gave nobody this verdict.
    labels : tuple of float
        m_h: at least 1, and at least 2 of each of several strata that is not labelled whole; or 0 of the only one: then
        nothing is known of the class. A forecast's need not be whole numbers.
    fails : tuple of float
        d_h, how many of them people fail.
    weights : VerdictWeights or None
        Weights of the items; None if every item counts once.
    """

    sizes: tuple[int, ...]
    labels: tuple[float, ...]
    fails: tuple[float, ...]
    weights: VerdictWeights | None = None

    @property
    def size(self) -> int:
        """N_v."""
        return sum(self.sizes)

    @property
    def mass(self) -> float:
        """Weight of the class: N_v if every item counts once."""
        return self.size if self.weights is None else sum(self.weights.mass)

    @property
    def scale(self) -> tuple[float, ...]:
        """Weight of the class that the mean of each stratum's labels is of: N_h if every item counts once."""
        if self.weights is None:
            return self.sizes
        return tuple(size * top for size, top in zip(self.sizes, self.weights.tops, strict=True))

    @property
    def shift(self) -> float:
        """Weight that people fail beside Σ scale_h z̄_h: 0 if every item counts once."""
        return 0.0 if self.weights is None else self.weights.centre * (self.mass - sum(self.scale))

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """Return what the labels of each stratum count as, z; () if every item counts once."""
        return () if self.weights is None else self.weights.scaled()

    @property
    def n_labels(self) -> float:
        """M."""
        return sum(self.labels)

    @property
    def n_fails(self) -> float:
        """k, the fails found."""
        return sum(self.fails)

    @property
    def rate(self) -> float:
        """P = Σ W_h d_h/m_h, the share that people fail; 0 of an empty class, and a half if nothing is known."""
        if self.sizes and not self.n_labels:
            return _UNKNOWN
        if self.weights is not None:
            means = [sum(z) / len(z) for z in self.values]
            found = sum(scale * mean for scale, mean in zip(self.scale, means, strict=True)) + self.shift
            return min(max(found / self.mass, 0.0), 1.0)
        return sum(
            size / self.size * found / labels
            for size, labels, found in zip(self.sizes, self.labels, self.fails, strict=True)
        )

    @property
    def unknown(self) -> int:
        """Items of which nothing is known: all, or none."""
        return 0 if self.n_labels else self.size

    @property
    def whole(self) -> bool:
        """Whether every item is labelled."""
        return self.n_labels >= self.size

    @property
    def variance(self) -> float:
        """V = Σ W_h² (1 − f_h) s_h²/m_h, each s_h² at least that of a rate drawn to the class's."""
        p = self.rate
        if not self.n_labels:
            return p * (1 - p)
        sizes, fails = np.array(self.sizes), np.array(self.fails)
        labels = np.minimum(self.labels, sizes)
        if self.weights is not None:
            return self._weighted_variance(labels.astype(np.int64), sizes.astype(np.int64))
        own, drawn = fails / labels, (fails + 2 * p) / (labels + 2)
        spread = np.maximum(own * (1 - own), drawn * (1 - drawn)) * labels / np.maximum(labels - 1, 1)
        return float(variance_terms(labels, spread, sizes).sum())

    def _weighted_variance(self, labels: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
        """V, each s_h² at least that of labels drawn to what all of the class have."""
        share = np.array(self.scale) / self.mass
        terms = np.array([[len(z), sum(z), sum(one * one for one in z)] for z in self.values])
        count, total, squares = terms.T
        p, spread = total.sum() / count.sum(), squares.sum() / count.sum()
        own = squares / count - (total / count) ** 2
        drawn = (squares + 2 * spread) / (count + 2) - ((total + 2 * p) / (count + 2)) ** 2
        variances = np.maximum(np.maximum(own, drawn), 0.0) * count / np.maximum(count - 1, 1)
        return float(variance_terms(labels, variances, sizes, weights=share).sum())

    def possible(self, share: float) -> tuple[float, float]:
        """Return the least and the most of the class's share of the pool that people can fail, whatever the others are.

        Parameters
        ----------
        share : float
            Of the class itself in the pool.
        """
        items = max(self.size, 1)
        if self.weights is not None:
            given = [
                (w, fails)
                for one in zip(self.weights.of_labels, self.weights.failed, strict=True)
                for w, fails in zip(*one, strict=True)
            ]
            found, labelled = sum(w for w, fails in given if fails), sum(w for w, _ in given)
            return share * found / self.mass, share * (found + max(self.mass - labelled, 0.0)) / self.mass
        return share * self.n_fails / items, share * (self.size - self.n_labels + self.n_fails) / items


# A class without an item.
NOTHING = VerdictSample((), (), ())


@dataclass(frozen=True, slots=True)
class VerdictUnion(VerdictSample):
    """Items with one verdict of a judge, of a list that was drawn by the verdicts of another.

    Those that the other fails and those that it passes had other chances; each part is a sample.

    Parameters
    ----------
    parts : tuple of VerdictSample
        None of them empty.
    """

    parts: tuple[VerdictSample, ...] = ()

    @classmethod
    def of(cls, parts: tuple[VerdictSample, ...]) -> VerdictUnion:
        """Return the strata of all parts as one sample."""
        rows = (row for one in parts for row in zip(one.sizes, one.labels, one.fails, strict=True))
        sizes, labels, fails = zip(*rows, strict=True)
        return cls(sizes, labels, fails, parts=parts)

    @property
    def rate(self) -> float:
        """The share that people fail."""
        return sum(part.size * part.rate for part in self.parts) / max(self.size, 1)

    @property
    def unknown(self) -> int:
        """Items of parts of which nothing is known."""
        return sum(part.unknown for part in self.parts)

    @property
    def variance(self) -> float:
        """V."""
        return sum((part.size / self.size) ** 2 * part.variance for part in self.parts)


def merged(sizes: Sequence[int], labels: Sequence[int], fails: Sequence[int]) -> VerdictSample:
    """A class some of whose strata may have too few labels yet: each joins the one before it, or else after it.

    Parameters
    ----------
    sizes, labels, fails : sequence of int
        N_h, m_h and d_h of each stratum, along the risk.
    """
    parts: list[list[int]] = []
    for part in zip(sizes, labels, fails, strict=True):
        if parts and (_is_thin(parts[-1]) or _is_thin(part)):
            parts[-1] = [a + b for a, b in zip(parts[-1], part, strict=True)]
        else:
            parts.append(list(part))
    while len(parts) > 1 and _is_thin(parts[-1]):
        last = parts.pop()
        parts[-1] = [a + b for a, b in zip(parts[-1], last, strict=True)]
    columns = [tuple(column) for column in zip(*parts, strict=True)] or [(), (), ()]
    return VerdictSample(columns[0], columns[1], columns[2])


def _is_thin(part: Sequence[int]) -> bool:
    size, labels, _ = part
    return labels < min(2, size)
