"""The share of items that people fail among those with one verdict of the judge, with its limits (docs/judge.md, 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import gammaincinv

# Of fewer fails than that, in labels of a plain random sample, the limit follows from the Poisson distribution.
_RARE, _RARE_LEVEL = 3.0, 0.05
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
        """The limits of the rate, within what is `possible`; parameters as in `spread`."""
        return _held(self.spread(z), self.possible)

    def spread(self, z: float) -> tuple[float, float]:
        """The limits of the rate before they are held to what is `possible`.

        Parameters
        ----------
        z : float
            Of the normal distribution: 1.959964 for two-sided limits of 95 %.

        Notes
        -----
        Wilson's with n; of rare fails at most, and of rare passes at least, that of the Poisson distribution; of a
        class labelled by more than half outward to multiples of 1/N_v.
        """
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
        """The limits of the rate, within what is `possible`; parameters as in `spread`."""
        return _held(self.spread(z), self.possible)

    def spread(self, z: float) -> tuple[float, float]:
        """The limits of the rate before they are held to what is `possible`; parameters as of `VerdictSample`."""
        rate = self.rate
        ends = [spread_of(part, part.size / self.size, z) for part in self.parts]
        below = math.hypot(*(one.value - one.low for one in ends))
        above = math.hypot(*(one.high - one.value for one in ends))
        return rate - below, rate + above


VerdictClass = VerdictSample | VerdictUnion


def spread_of(part: VerdictClass, share: float, z: float) -> Spread:
    """The share of the pool that has a verdict and that people fail.

    Parameters
    ----------
    part : VerdictSample or VerdictUnion
        The items with the verdict.
    share : float
        Their share of the pool.
    z : float
        Of the normal distribution.
    """
    low, high = part.spread(z) if part.size else (0.0, 0.0)
    return Spread(share * part.rate, share * low, share * high)


def possible_of(part: VerdictClass, share: float) -> tuple[float, float]:
    """The least and the most that the share of `spread_of` can be."""
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


def _rare(count: float) -> float:
    return float(gammaincinv(count, _RARE_LEVEL))
