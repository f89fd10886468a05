"""An exact test whether a version is worse, or better, than another by so many items, from the list of a version gate.

Of the D items whose answers differ the new version mended A (d = −1) and lost B (d = 1), and B − A is the difference. A
list finds some of them: hypergeometric counts, one where the old version is wrong, since only that can be mended, one
where it is right, and a pair of them where neither version is graded. So the chance of every finding is known for every
pair of versions, and a normal approximation, which lets a version pass too often if a few items decide, is not needed.

    p = max P(a list speaks as much against the difference), over versions with it that the finding leaves possible

Lists are ordered by the score z = (estimate − difference)/σ, σ that of the likeliest of these versions (Miettinen &
Nurminen 1985; Tango 1998). Versions are left possible by the limits for A + B, which miss with a probability that is
added to p (Berger & Boos 1994). docs/versions.md, 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..estimation.mean import Estimate
from .combinations import hypergeometric

# Of items on which the old version is wrong, right, and not graded.
Counts = tuple[int, int, int]
# Items mended where it was wrong, lost where it was right, and mended and lost where it is not graded.
Changes = tuple[int, int, int, int]
Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# The largest list that is tested, in findings that it can have; those of a larger one are as good as normal.
MOST_FINDINGS = 100_000
_ROUNDING = 1e-9
# How often the limits of A + B may miss, and the versions that are tried in one direction. Where some old verdicts are
# known versions with the same difference lie in three directions: a list that takes more probabilities is not tested.
_MISSED, _TRIED = 0.001, 201
_MOST_PROBABILITIES = _TRIED * MOST_FINDINGS
# Probabilities that are held at once.
_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Findings of a list that pass, and those that fail.

    Parameters
    ----------
    sizes, labels : (int, int, int)
        Items and listed items on which the old version is wrong, right, and not graded.
    least, most : int
        The smallest difference B − A that is not below the margin, and the largest that is not above it.
    level : float
        The largest p-value of a clear verdict.
    """

    sizes: Counts
    labels: Counts
    least: int
    most: int
    level: float

    @classmethod
    def of(cls, sizes: Counts, labels: Counts, margin: float, level: float) -> MarginTest:
        """The test at a margin in items, which need not be whole; parameters as of the class."""
        return cls(sizes, labels, math.ceil(margin - _ROUNDING), math.floor(margin + _ROUNDING), level)

    @property
    def passed(self) -> NDArray[np.bool_]:
        """Mask of the `findings` that exclude that the new version is worse by the margin, (F,)."""
        return p_values(self.sizes, self.labels, self.least, True) <= self.level

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Mask of the `findings` that exclude that it is not worse by more than the margin, (F,)."""
        return p_values(self.sizes, self.labels, self.most, False) <= self.level

    def verdicts(self, found: Changes) -> tuple[bool, bool]:
        """Whether a list passes, and whether it fails, that found these changes."""
        place = int(np.flatnonzero((findings(self.labels) == found).all(axis=1))[0])
        return bool(self.passed[place]), bool(self.failed[place])

    def limited(self, estimate: Estimate, found: Changes, fixed: float, n_items: int) -> Estimate:
        """An estimate with limits that lie on the side of the margin that the test says.

        Parameters
        ----------
        estimate : Estimate
            Of the difference on the whole pool.
        found : (int, int, int, int)
            Changes that the list found.
        fixed : float
            Part of the difference that is known without the list.
        n_items : int
            N.
        """
        passed, failed = self.verdicts(found)
        at = [fixed + count / n_items for count in (self.least - 1, self.least, self.most, self.most + 1)]
        # Rounding of the margin must not decide.
        high = min(estimate.high, at[0]) if passed else max(estimate.high, at[1] + _ROUNDING)
        low = max(estimate.low, at[3]) if failed else min(estimate.low, at[2] - _ROUNDING)
        method = f"{estimate.method}, an exact test at the margin"
        return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value), method=method)

    def chances(self, changes: Changes) -> tuple[float, float]:
        """Probabilities that a list of a version with these changes passes, and fails."""
        chance = probabilities(self.sizes, self.labels, np.array([changes]))[0]
        return float(chance @ self.passed), float(chance @ self.failed)

    def most_wrong(self) -> tuple[float, float]:
        """Largest probability, of tried versions, to pass one worse by the margin, and to fail one that is not.

        NaN if the items cannot make up the difference.
        """
        rates = [math.nan, math.nan]
        for place, (difference, verdicts) in enumerate(((self.least, self.passed), (self.most, self.failed))):
            versions = _versions(self.sizes, self.labels, difference)
            if versions.size:
                chance = probabilities(self.sizes, self.labels, versions)
                rates[place] = float((chance @ verdicts).max())
        return rates[0], rates[1]


def testable(sizes: Counts, labels: Counts) -> bool:
    """Whether a list can end in few enough `findings`, of few enough versions; parameters as in `MarginTest`."""
    wrong, right, unknown = labels
    ends = (wrong + 1) * (right + 1) * (unknown + 1) * (unknown + 2) // 2
    ways = (min(sizes[0], sizes[1] + 2 * sizes[2]), min(sizes[1], 2 * sizes[2]), sizes[2] // 2)
    tried = math.prod(min(way + 1, _tried(sizes, labels, way)) for way in ways)
    return ends <= MOST_FINDINGS and ends * tried <= _MOST_PROBABILITIES


@lru_cache(maxsize=16)
def findings(labels: Counts) -> Whole:
    """Return the changes that a list can find, (F, 4).

    Parameters
    ----------
    labels : (int, int, int)
        As in `MarginTest`.
    """
    wrong, right, unknown = labels
    every = np.indices((wrong + 1, right + 1, unknown + 1, unknown + 1)).reshape(4, -1).T
    return every[every[:, 2] + every[:, 3] <= unknown]


def probabilities(sizes: Counts, labels: Counts, versions: Whole) -> Array:
    """Probability of each of the `findings`, (K, F).

    Parameters
    ----------
    sizes, labels : (int, int, int)
        As in `MarginTest`.
    versions : (K, 4) int
        Changes of K new versions.
    """
    chance = np.ones((len(versions), 1))
    for size, count, changed in zip(sizes[:2], labels[:2], versions.T[:2], strict=True):
        found = np.arange(count + 1)
        side = hypergeometric((changed[:, None], size - changed[:, None]), (found, count - found))
        chance = (chance[:, :, None] * side[:, None, :]).reshape(len(versions), -1)
    a, b = findings((0, 0, labels[2])).T[2:]
    mended, lost = versions.T[2:, :, None]
    pair = hypergeometric((mended, lost, sizes[2] - mended - lost), (a, b, labels[2] - a - b))
    return np.asarray((chance[:, :, None] * pair[:, None, :]).reshape(len(versions), -1))


@lru_cache(maxsize=64)
def p_values(sizes: Counts, labels: Counts, difference: int, better: bool) -> Array:
    """Probability of findings that speak as much against a difference as each of the `findings` does, (F,).

    Parameters
    ----------
    sizes, labels
        As in `MarginTest`.
    difference : int
        B − A.
    better : bool
        Whether findings speak against it that make the new version look better than that, or else worse.
    """
    versions = _versions(sizes, labels, difference)
    possible = findings(labels)
    gap = np.round(_estimate(sizes, labels, possible) - difference, 9)
    if not versions.size:
        # Every version there is lies on the same side of it.
        return np.where((gap < 0) == better, 0.0, 1.0)
    blocks = np.array_split(versions, math.ceil(len(versions) * len(possible) / _BLOCK))
    likeliest, spread = np.zeros(len(possible)), np.zeros(len(possible))
    for block in blocks:
        chances = probabilities(sizes, labels, block)
        best, likely = np.sqrt(_variance(sizes, labels, block))[chances.argmax(axis=0)], chances.max(axis=0)
        spread, likeliest = np.where(likely > likeliest, best, spread), np.maximum(likely, likeliest)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(gap == 0, 0.0, gap / spread)
    score = np.round(score if better else -score, 9)
    # A finding on the other side speaks for the difference or worse, even if A + B rules out every version with it.
    order = np.argsort(score, kind="stable")[: int((score < 0).sum())]
    as_far = np.searchsorted(score[order], score[order], side="right") - 1
    found, reached = possible.sum(axis=1), np.zeros(len(order))
    for chance in (row for block in blocks for row in probabilities(sizes, labels, block)):
        total = np.bincount(found, weights=chance)
        left = np.minimum(np.cumsum(total), np.cumsum(total[::-1])[::-1]) >= _MISSED / 2
        reached = np.maximum(reached, np.cumsum(chance[order])[as_far] * left[found[order]])
    # Nothing is known of a finding that only versions between those that are tried can have.
    untried = _reached(sizes, labels, possible[order], difference)
    most = np.ones(len(possible))
    most[order] = np.where(likeliest[order] > 0, np.minimum(reached + _MISSED, 1.0), untried)
    return most


def _versions(sizes: Counts, labels: Counts, difference: int) -> Whole:
    """Changes of versions with a difference, (K, 4): all, or some that are spread over them."""
    wrong, right, unknown = sizes

    def spread(least: int, most: int) -> Whole:
        return _spread(least, most, _tried(sizes, labels, most - least))

    rows = [np.zeros((0, 4), dtype=np.int64)]
    for mended in spread(max(0, -unknown - difference), min(wrong, unknown + right - difference)):
        middle = difference + mended
        for lost in spread(max(0, middle - unknown), min(right, middle + unknown)):
            rest = middle - lost
            also = spread(max(0, -rest), (unknown - rest) // 2)
            rows.append(np.stack([0 * also + mended, 0 * also + lost, also, also + rest], axis=1))
    return np.concatenate(rows)


def _tried(sizes: Counts, labels: Counts, way: int) -> int:
    """Return how many versions to try along so many changes.

    From one to the next a list finds half an item more or fewer, or there is one change more.
    """
    step = min((size // (2 * count) for size, count in zip(sizes, labels, strict=True) if count), default=1)
    return min(way // max(step, 1) + 2, _TRIED)


def _reached(sizes: Counts, labels: Counts, found: Whole, difference: int) -> NDArray[np.bool_]:
    """Return a mask of the findings that a version with a difference can have, (F,)."""
    wrong, right, unknown = (size - count for size, count in zip(sizes, labels, strict=True))
    sure = found @ np.array([-1, 1, -1, 1])
    return np.asarray((sure - wrong - unknown <= difference) & (difference <= sure + right + unknown))


def _spread(least: int, most: int, count: int) -> Whole:
    """Whole numbers between two, at most so many; none if there is none."""
    if most < least:
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.linspace(least, most, min(most - least + 1, count)).round().astype(np.int64))


def _estimate(sizes: Counts, labels: Counts, found: Whole) -> Array:
    wrong, right, unknown = (size / max(count, 1) for size, count in zip(sizes, labels, strict=True))
    return np.asarray(found @ np.array([-wrong, right, -unknown, unknown]))


def _variance(sizes: Counts, labels: Counts, versions: Whole) -> Array:
    """Variance of `_estimate`, (K,)."""
    wrong, right, mended, lost = versions.T
    sums = ((wrong, wrong), (right, right), (lost - mended, lost + mended))
    return np.asarray(
        sum(
            size * (size - m) / max(m * (size - 1), 1) * np.maximum(square - total**2 / max(size, 1), 0.0)
            for size, m, (total, square) in zip(sizes, labels, sums, strict=True)
        )
    )
