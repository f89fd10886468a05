"""Slow, obvious versions of what core computes: plain Python, whole enumerations, fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def partitions(total: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Every way to write ``total`` as a sum of positive integers, largest part first."""
    if total == 0:
        yield ()
        return
    for part in range(min(total, largest or total), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


def row_of(counts: Sequence[int], width: int | None = None) -> list[int]:
    """A row of classes with these class counts, padded with −1 up to ``width``."""
    labels = [label for label, count in enumerate(counts) for _ in range(count)]
    return labels + [-1] * ((width or len(labels)) - len(labels))


def entropy_key(counts: Sequence[int]) -> int:
    """Π c^c, a whole number: of two partitions of one n, those with equal entropy have an equal product, no others."""
    return math.prod(count**count for count in counts)


def likelihood_entropy(classes: Sequence[int], logprobs: Sequence[float]) -> float:
    """Likelihood-weighted semantic entropy of one item, generations of class −1 left out."""
    peak = max(lp for label, lp in zip(classes, logprobs, strict=True) if label >= 0)
    mass: dict[int, float] = {}
    for label, logprob in zip(classes, logprobs, strict=True):
        if label >= 0:
            mass[label] = mass.get(label, 0.0) + math.exp(logprob - peak)
    total = math.fsum(mass.values())
    return -math.fsum(p * math.log(p) for p in (m / total for m in mass.values()) if p > 0)


def nearest_cuts(counts: Sequence[int], n_strata: int) -> list[int]:
    """First level of each new quantile bin: nearest cumulative count to j·N/H, the lower of two equally near."""
    cumulative = list(itertools.accumulate(counts))
    cuts = set()
    for j in range(1, n_strata):
        ideal = Fraction(j * cumulative[-1], n_strata)
        interior = range(len(counts) - 1)
        if interior:
            cuts.add(1 + min(interior, key=lambda i: (abs(cumulative[i] - ideal), i)))
    return sorted(cuts)


def interval_partitions(n_levels: int, n_strata: int) -> Iterator[list[int]]:
    """Every way to cut ``n_levels`` ordered levels into ``n_strata`` non-empty intervals: stratum of each level."""
    for cuts in itertools.combinations(range(1, n_levels), n_strata - 1):
        yield [sum(level >= cut for cut in cuts) for level in range(n_levels)]


def within_squares(signal: NDArray[np.float64], strata: NDArray[np.int64]) -> float:
    """Sum over the strata of the squared distances to the stratum's mean."""
    return math.fsum(
        float(((signal[strata == h] - signal[strata == h].mean()) ** 2).sum()) for h in range(int(strata.max()) + 1)
    )


def greedy(weights: Sequence[float], sizes: Sequence[int], budget: int) -> list[int]:
    """Greedy allocation, one label at a time, to the first stratum with the largest gain that has room."""
    labels = [1] * len(sizes)
    while sum(labels) < budget:
        gains = [
            w / math.sqrt(m * (m + 1.0)) if m < n else -1.0 for w, m, n in zip(weights, labels, sizes, strict=True)
        ]
        labels[gains.index(max(gains))] += 1
    return labels


def allocations(sizes: Sequence[int], budget: int) -> Iterator[tuple[int, ...]]:
    """Every allocation of the budget with 1 ≤ m_h ≤ N_h."""
    if len(sizes) == 1:
        if 1 <= budget <= sizes[0]:
            yield (budget,)
        return
    for first in range(1, min(sizes[0], budget - len(sizes) + 1) + 1):
        for rest in allocations(sizes[1:], budget - first):
            yield (first, *rest)


def objective(weights: Sequence[float], labels: Sequence[int]) -> float:
    """Σ w²/m."""
    return math.fsum(w * w / m for w, m in zip(weights, labels, strict=True))


def samples(strata: NDArray[np.int64], allocation: Sequence[int]) -> Iterator[list[int]]:
    """Every sample of a stratified design, as positions of items."""
    choices = [itertools.combinations(np.flatnonzero(strata == h).tolist(), m) for h, m in enumerate(allocation)]
    for parts in itertools.product(*choices):
        yield [position for part in parts for position in part]
