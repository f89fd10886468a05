"""The share of items that people fail among those with one verdict of the judge, with its limits (docs/judge.md, 3)."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv, gammaln, ndtr

# Of fewer fails than that, in labels of a plain random sample, the limit follows from the Poisson distribution.
_RARE, _RARE_LEVEL = 3.0, 0.05
# Pools and classes of fewer items, in which counts are so coarse that approximate limits may miss the truth.
SMALL = 1_000
# The rate of a class of which no item is labelled.
_UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Spread:
    """A share with its limits."""

    value: float
    low: float
    high: float


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
    """

    sizes: tuple[int, ...]
    labels: tuple[float, ...]
    fails: tuple[float, ...]

    @property
    def size(self) -> int:
        """N_v."""
        return sum(self.sizes)

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
        p, terms = self.rate, 0.0
        if self.sizes and not self.n_labels:
            return p * (1 - p)
        for size, labels, found in zip(self.sizes, self.labels, self.fails, strict=True):
            if labels < size:
                own, drawn = found / labels, (found + 2 * p) / (labels + 2)
                spread = max(own * (1 - own), drawn * (1 - drawn)) * labels / max(labels - 1, 1)
                terms += (size / self.size) ** 2 * (1 - labels / size) * spread / labels
        return terms

    @property
    def effective(self) -> float:
        """n, the labels of a plain random sample of an endless class that would say as much; ∞ of a whole class."""
        if self.whole:
            return math.inf
        if self.variance > 0:
            return self.rate * (1 - self.rate) / self.variance
        f = self.n_labels / self.size
        spread = sum(
            (size / self.size) ** 2 * (1 - labels / size) / labels
            for size, labels in zip(self.sizes, self.labels, strict=True)
        )
        return self.n_labels / (1 - f) / max(1.0, self.n_labels * spread / (1 - f))

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the most that the rate can be, whatever the other items are."""
        size = self.size
        return self.n_fails / size, 1 - (self.n_labels - self.n_fails) / size

    def limits(self, z: float) -> tuple[float, float]:
        """The limits of the rate alone, within what is `possible`; parameters as in `spread`."""
        return _held(self.spread(z, alone=True), self.possible)

    def spread(self, z: float, alone: bool = False) -> tuple[float, float]:
        """The limits of the rate before they are held to what is `possible`.

        Parameters
        ----------
        z : float
            Of the normal distribution: 1.959964 for two-sided limits of 95 %.
        alone : bool
            Whether nothing else of what they are used for is uncertain.

        Notes
        -----
        Wilson's with n; of rare fails at most, and of rare passes at least, that of the Poisson distribution; of a
        class labelled by more than half outward to multiples of 1/N_v. Alone, those of a small class are no narrower
        than by the hypergeometric distribution: no other class makes up for what Wilson's lack.
        """
        low, high = self._wilson(z)
        if alone and 0 < self.n_labels < self.size < SMALL:
            labels = round(self.n_labels)
            # Off whole numbers by what rounding leaves, one stratum's fails would take the next limits.
            least, most = _exact(self.size, labels, round(self.rate * labels, 9), float(ndtr(-z)))
            low, high = min(low, least), max(high, most)
        return low, high

    def _wilson(self, z: float) -> tuple[float, float]:
        p, size = self.rate, self.size
        if self.whole:
            return p, p
        if not self.n_labels:
            return 0.0, 1.0
        n = self.effective
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
        if 0 < n * p <= _RARE:
            low = min(low, _rare(n * p) / n)
        if 0 < n * (1 - p) <= _RARE:
            high = max(high, 1 - _rare(n * (1 - p)) / n)
        if self.n_labels > size / 2:
            # A hair, so that a limit that is such a multiple stays there.
            low, high = math.floor(low * size + 1e-9) / size, math.ceil(high * size - 1e-9) / size
        return low, high


@dataclass(frozen=True, slots=True)
class VerdictUnion:
    """Items with one verdict of a judge, of a list that was drawn by the verdicts of another.

    Those that the other fails and those that it passes had other chances; each part is a sample, and the limits of both
    are joined by MOVER.

    Parameters
    ----------
    parts : tuple of VerdictSample
        None of them empty.
    """

    parts: tuple[VerdictSample, ...]

    @property
    def size(self) -> int:
        """N_v."""
        return sum(part.size for part in self.parts)

    @property
    def n_labels(self) -> float:
        """M."""
        return sum(part.n_labels for part in self.parts)

    @property
    def n_fails(self) -> float:
        """k, the fails found."""
        return sum(part.n_fails for part in self.parts)

    @property
    def rate(self) -> float:
        """The share that people fail."""
        return sum(part.size * part.rate for part in self.parts) / max(self.size, 1)

    @property
    def unknown(self) -> int:
        """Items of parts of which nothing is known."""
        return sum(part.unknown for part in self.parts)

    @property
    def whole(self) -> bool:
        """Whether every item is labelled."""
        return all(part.whole for part in self.parts)

    @property
    def variance(self) -> float:
        """V."""
        return sum((part.size / self.size) ** 2 * part.variance for part in self.parts)

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the most that the rate can be, whatever the other items are."""
        return self.n_fails / self.size, 1 - (self.n_labels - self.n_fails) / self.size

    def limits(self, z: float) -> tuple[float, float]:
        """The limits of the rate alone, within what is `possible`; parameters as in `spread`."""
        return _held(self.spread(z, alone=True), self.possible)

    def spread(self, z: float, alone: bool = False) -> tuple[float, float]:
        """The limits of the rate before they are held to what is `possible`; parameters as of `VerdictSample`."""
        rate = self.rate
        ends = spreads_of(self.parts, [part.size / self.size for part in self.parts], z, alone)
        below = math.hypot(*(one.value - one.low for one in ends))
        above = math.hypot(*(one.high - one.value for one in ends))
        return rate - below, rate + above


VerdictClass = VerdictSample | VerdictUnion


def spreads_of(parts: Sequence[VerdictClass], shares: Sequence[float], z: float, alone: bool = True) -> list[Spread]:
    """The shares of the pool that have each verdict and that people fail.

    Parameters
    ----------
    parts : sequence of VerdictSample or VerdictUnion
        The items with each verdict.
    shares : sequence of float
        Their shares of the pool.
    z, alone
        As of `VerdictSample.spread`: whether nothing but these is uncertain.
    """
    open_parts = sum(not part.whole for part in parts)
    spreads = []
    for part, share in zip(parts, shares, strict=True):
        low, high = part.spread(z, alone and open_parts == 1) if part.size else (0.0, 0.0)
        spreads.append(Spread(share * part.rate, share * low, share * high))
    return spreads


def possible_of(part: VerdictClass, share: float) -> tuple[float, float]:
    """The least and the most that the share of `spreads_of` can be."""
    least, most = part.possible if part.size else (0.0, 0.0)
    return share * least, share * most


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


def _held(limits: tuple[float, float], possible: tuple[float, float]) -> tuple[float, float]:
    return max(limits[0], possible[0]), min(limits[1], possible[1])


def _exact(size: int, labels: int, fails: float, tail: float) -> tuple[float, float]:
    """Limits by the hypergeometric distribution; between two numbers of fails in proportion."""
    below, above = (_exact_at(size, labels, found, tail) for found in (math.floor(fails), math.ceil(fails)))
    part = fails - math.floor(fails)
    return below[0] + part * (above[0] - below[0]), below[1] + part * (above[1] - below[1])


@lru_cache(maxsize=4096)
def _exact_at(size: int, labels: int, found: int, tail: float) -> tuple[float, float]:
    """The least rate at which as many fails or more are likelier than the tail, the most at which as few are."""

    def chance(fails: int, least: int, most: int) -> float:
        """How likely labels find from the least to the most of so many fails."""
        numbers = np.arange(max(least, labels - size + fails), min(most, fails) + 1)
        ways = _ways(fails, numbers) + _ways(size - fails, labels - numbers) - _ways(size, labels)
        return float(np.exp(ways).sum())

    possible = range(found, size - labels + found + 1)
    least = bisect_left(possible, True, key=lambda fails: chance(fails, found, labels) > tail)
    most = bisect_left(possible, True, key=lambda fails: chance(fails, 0, found) <= tail)
    return possible[least] / size, possible[most - 1] / size


def _ways(of: int, chosen: ArrayLike) -> NDArray[np.float64]:
    """The logarithm of the number of ways to choose."""
    number = np.asarray(chosen)
    return np.asarray(gammaln(of + 1) - gammaln(number + 1) - gammaln(of - number + 1))


def _rare(count: float) -> float:
    return float(gammaincinv(count, _RARE_LEVEL))
