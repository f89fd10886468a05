"""Differences d = new − old loss on the items whose answers differ: their strata, and the limits of their mean.

Strata are those of the old version's verdict, so that each has its own least and largest d. With L = (d + 1)/2, which
lies in [0, 1], the difference on the whole pool is Δ = fixed + δ(2 R_L − 1), δ the share of the items to be graded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..estimation.intervals import Limits

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# Strata of the items whose answers differ, by the old version's verdict.
OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN = "old version wrong", "old version right", "old version not graded"
STRATA = (OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN)


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Items that have to be graded, in strata, beside what is known of the others.

    Parameters
    ----------
    strata : (H,) int
        Numbers of the gate's strata that have such items, ascending.
    sizes : (H,) int
        Items of each.
    least, most : (H,) float
        The least and the largest d of each.
    fixed : float
        Part of Δ that is known.
    n_items : int
        N.
    """

    strata: Whole
    sizes: Whole
    least: Array
    most: Array
    fixed: float
    n_items: int

    @classmethod
    def of(cls, stratum: Whole, old: Array, new: Array, n_items: int) -> Gaps:
        """Cut what is known of the losses, (D,) each with NaN, into the items to be graded and the others."""
        waiting = np.isnan(new - old)
        strata, at = np.unique(stratum[waiting], return_inverse=True)
        least, most = np.full(strata.size, np.inf), np.full(strata.size, -np.inf)
        low, high = gap_limits(old, new)
        np.minimum.at(least, at, low[waiting])
        np.maximum.at(most, at, high[waiting])
        fixed = float((new - old)[~waiting].sum()) / n_items
        return cls(strata, np.bincount(at, minlength=strata.size), least, most, fixed, n_items)

    @property
    def share(self) -> float:
        """δ."""
        return float(self.sizes.sum()) / self.n_items

    def difference(self, mean: float) -> float:
        """Δ if the mean of L is this."""
        return self.fixed + self.share * (2 * mean - 1)

    def mean(self, difference: float) -> float:
        """The mean of L with which Δ is this; NaN if nothing has to be graded."""
        return ((difference - self.fixed) / self.share + 1) / 2 if self.share else np.nan

    def limits(self, values: Array, tallies: Whole, level: float) -> Limits:
        """Limits of Δ, (R,), cut to what is possible.

        Parameters
        ----------
        values : (K,) float
            d of labels.
        tallies : (R, H, K) int
            Labels with each; every stratum has one.
        level : float
            Two-sided.
        """
        # Here, so that planning a gate does not wait for SciPy.
        from ..estimation.intervals import Interval, Limits

        counts, span = tallies[0].sum(axis=-1), self.most - self.least
        places = np.clip((values - self.least[:, None]) / span[:, None], 0.0, 1.0)
        base = self.fixed + float(self.sizes @ self.least) / self.n_items
        found = base + (tallies * places).sum(axis=-1) @ span / self.n_items
        if np.array_equal(counts, self.sizes):
            exact = self.fixed + ((tallies @ values) @ np.ones(self.sizes.size)) / self.n_items
            return Limits(exact, exact)
        weights = self.sizes * span / self.n_items
        limits = Interval(confidence=level).of_labels(
            np.broadcast_to(places, tallies.shape), tallies, counts, self.sizes, weights=weights
        )
        furthest = found + float((self.sizes - counts) @ span) / self.n_items
        return Limits(np.maximum(base + limits.low, found), np.minimum(base + limits.high, furthest))


def kinds_of(old: Array) -> Whole:
    """Places in `STRATA` of items by the old version's losses, NaN if it is not graded."""
    return np.where(np.isnan(old), 2, np.where(old >= 0.5, 0, 1))


def gap_limits(old: Array, new: Array) -> tuple[Array, Array]:
    """The least and the largest d of each item, from losses in [0, 1] of which some are not known."""
    best, worst = (np.nan_to_num(new, nan=loss) - np.nan_to_num(old, nan=1 - loss) for loss in (0.0, 1.0))
    return best, worst
