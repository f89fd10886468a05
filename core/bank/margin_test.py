"""An exact test whether a version is worse, or better, than another by so many items, from the list of a version gate.

Of the D items whose answers differ the new version mended A (d = −1) and lost B (d = 1), and B − A is the difference. A
list finds a and b of them: two hypergeometric counts where the old version is graded, since only what it got wrong can
be mended; one multivariate count where neither version is. So the chance of every finding is known for every pair of
versions, and a normal approximation, which lets a version pass too often if a few items decide, is not needed.

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

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# The largest list that is tested, in findings that it can have; those of a larger one are as good as normal.
MOST_FINDINGS = 100_000
_ROUNDING = 1e-9
# How often the limits of A + B may miss, and the pairs of versions that are tried.
_MISSED, _TRIED = 0.001, 101


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Which findings of a list pass, and which fail.

    Parameters
    ----------
    sizes, labels : (H,) int
        Items and listed items on which the old version is wrong and right; one number each if it is graded on none.
    least, most : int
        The smallest difference B − A that is not below the margin, and the largest that is not above it.
    level : float
        The largest p-value of a clear verdict.
    """

    sizes: tuple[int, ...]
    labels: tuple[int, ...]
    least: int
    most: int
    level: float

    @classmethod
    def of(cls, sizes: tuple[int, ...], labels: tuple[int, ...], margin: float, level: float) -> MarginTest:
        """The test at a margin in items, which need not be whole; parameters as of the class."""
        return cls(sizes, labels, math.ceil(margin - _ROUNDING), math.floor(margin + _ROUNDING), level)

    @property
    def passed(self) -> NDArray[np.bool_]:
        """Which `findings` exclude that the new version is worse by the margin, (F,)."""
        return p_values(self.sizes, self.labels, self.least, True) <= self.level

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which `findings` exclude that it is not worse by more than the margin, (F,)."""
        return p_values(self.sizes, self.labels, self.most, False) <= self.level

    def verdicts(self, mended: int, lost: int) -> tuple[bool, bool]:
        """Whether a list passes, and whether it fails, on which so many items are mended and lost."""
        a, b = findings(self.labels)
        place = int(np.flatnonzero((a == mended) & (b == lost))[0])
        return bool(self.passed[place]), bool(self.failed[place])

    def limited(self, estimate: Estimate, mended: int, lost: int, fixed: float, n_items: int) -> Estimate:
        """An estimate with limits that lie on the side of the margin that the test says.

        Parameters
        ----------
        estimate : Estimate
            Of the difference on the whole pool.
        mended, lost : int
            Findings of the list.
        fixed : float
            Part of the difference that is known without the list.
        n_items : int
            N.
        """
        passed, failed = self.verdicts(mended, lost)
        at = [fixed + count / n_items for count in (self.least - 1, self.least, self.most, self.most + 1)]
        # Rounding of the margin must not decide.
        high = min(estimate.high, at[0]) if passed else max(estimate.high, at[1] + _ROUNDING)
        low = max(estimate.low, at[3]) if failed else min(estimate.low, at[2] - _ROUNDING)
        method = f"{estimate.method}, an exact test at the margin"
        return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value), method=method)

    def chances(self, mended: int, lost: int) -> tuple[float, float]:
        """Probabilities that a list of a version with so many mended and lost items passes, and fails."""
        chance = probabilities(self.sizes, self.labels, np.array([mended]), np.array([lost]))[0]
        return float(chance @ self.passed), float(chance @ self.failed)

    def most_wrong(self) -> tuple[float, float]:
        """Largest probability, of all versions, to pass one worse by the margin, and to fail one that is not.

        NaN if the items cannot make up the difference.
        """
        rates = [math.nan, math.nan]
        for place, (difference, verdicts) in enumerate(((self.least, self.passed), (self.most, self.failed))):
            mended = _versions(self.sizes, difference)
            if mended.size:
                chance = probabilities(self.sizes, self.labels, mended, mended + difference)
                rates[place] = float((chance @ verdicts).max())
        return rates[0], rates[1]


def testable(labels: tuple[int, ...]) -> bool:
    """Whether a list can end in few enough `findings`; parameters as there."""
    first, last = labels[0] + 1, labels[-1] + 1
    return (first * last if len(labels) > 1 else first * (first + 1) // 2) <= MOST_FINDINGS


@lru_cache(maxsize=16)
def findings(labels: tuple[int, ...]) -> tuple[Whole, Whole]:
    """What a list can find: a mended and b lost items, both (F,).

    Parameters
    ----------
    labels : (H,) int
        As in `MarginTest`.
    """
    a, b = (side.ravel() for side in np.indices((labels[0] + 1, labels[-1] + 1)))
    possible = a + b <= labels[0] if len(labels) == 1 else np.ones(a.size, dtype=bool)
    return a[possible], b[possible]


def probabilities(sizes: tuple[int, ...], labels: tuple[int, ...], mended: Whole, lost: Whole) -> Array:
    """Probability of each of the `findings`, (K, F).

    Parameters
    ----------
    sizes, labels : (H,) int
        As in `MarginTest`.
    mended, lost : (K,) int
        A and B of K new versions.
    """
    a, b = findings(labels)
    if len(sizes) == 1:
        same = _ways(sizes[0] - mended - lost, labels[0] - a - b)
        return np.asarray(np.exp(_ways(mended, a) + _ways(lost, b) + same - _all(sizes[0], labels[0])))
    sides = [
        np.exp(_ways(count, np.arange(m + 1)) + _ways(size - count, m - np.arange(m + 1)) - _all(size, m))
        for size, m, count in zip(sizes, labels, (mended, lost), strict=True)
    ]
    return np.asarray((sides[0][:, :, None] * sides[1][:, None, :]).reshape(mended.size, -1))


@lru_cache(maxsize=64)
def p_values(sizes: tuple[int, ...], labels: tuple[int, ...], difference: int, better: bool) -> Array:
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
    mended = _versions(sizes, difference)
    a, b = findings(labels)
    gap = _estimate(sizes, labels, a, b) - difference
    if not mended.size:
        # Every version there is lies on the same side of it.
        return np.where((gap < 0) == better, 0.0, 1.0)
    lost = mended + difference
    likely = probabilities(sizes, labels, mended, lost)
    spread = np.sqrt(_variance(sizes, labels, mended, lost, difference))[likely.argmax(axis=0)]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(gap == 0, 0.0, gap / np.where(likely.max(axis=0) > 0, spread, 0.0))
    score = np.round(score if better else -score, 9)
    order = np.argsort(score, kind="stable")
    as_far = np.searchsorted(score[order], score, side="right") - 1
    found, most = a + b, np.zeros(a.size)
    for chance in likely:
        total = np.bincount(found, weights=chance)
        tail = np.minimum(np.cumsum(total), np.cumsum(total[::-1])[::-1])[found]
        reached = np.cumsum(chance[order])[as_far]
        most = np.where(tail >= _MISSED / 2, np.maximum(most, reached), most)
    # A finding on the other side speaks for the difference or worse, even if A + B rules out every version with it.
    most = np.where(score >= 0, 1.0, np.minimum(most + _MISSED, 1.0))
    return np.where(np.isinf(score) & (score < 0), 0.0, most)


def _versions(sizes: tuple[int, ...], difference: int) -> Whole:
    """A of versions with a difference, at most `_TRIED` of them."""
    least = max(0, -difference)
    most = (sizes[0] - difference) // 2 if len(sizes) == 1 else min(sizes[0], sizes[1] - difference)
    if most < least:
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.linspace(least, most, min(most - least + 1, _TRIED)).round().astype(np.int64))


def _estimate(sizes: tuple[int, ...], labels: tuple[int, ...], a: Whole, b: Whole) -> Array:
    return np.asarray(b * (sizes[-1] / max(labels[-1], 1)) - a * (sizes[0] / max(labels[0], 1)))


def _variance(sizes: tuple[int, ...], labels: tuple[int, ...], mended: Whole, lost: Whole, difference: int) -> Array:
    """Variance of `_estimate`, (K,)."""
    if len(sizes) == 1:
        squares = [mended + lost - difference**2 / sizes[0]]
    else:
        squares = [count - count**2 / max(size, 1) for size, count in zip(sizes, (mended, lost), strict=True)]
    return np.asarray(
        sum(
            size * (size - m) / max(m * (size - 1), 1) * np.maximum(square, 0.0)
            for size, m, square in zip(sizes, labels, squares, strict=True)
        )
    )


def _all(size: int, labels: int) -> float:
    return float(_ways(np.array([size]), np.array([labels]))[0, 0])


def _ways(counts: Whole, chosen: Whole) -> Array:
    """Logarithm of the number of ways to choose, (K, F); −∞ where there is none."""
    n, k = counts[:, None], chosen[None, :]
    possible = (k >= 0) & (k <= n)
    table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, max(int(counts.max(initial=0)), 1) + 1)))])
    k = np.where(possible, k, 0)
    return np.where(possible, table[n] - table[k] - table[n - k], -np.inf)
