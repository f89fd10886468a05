"""A pool as stratification sees it: a signal and a self-consistency per item, reduced to the signal's distinct values.

Everything that a slider changes (stratifier, H, δ, budget) is computed from the few distinct values, so that a pool
of a million items answers as fast as one of a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.signals import self_consistency, semantic_entropy
from core.stratification.cuts import Levels, levels, stratify_levels
from core.stratification.moments import Moments, group_means, moments


@dataclass(frozen=True, slots=True)
class Profile:
    """Signal and self-consistency of N items.

    ``signal`` (N,) semantic entropy in nats, NaN = item without generations; ``consistency`` (N,) self-consistency;
    ``levels`` the signal's U distinct values; ``level_consistency`` (U,) mean self-consistency at each of them (an item
    without generations counts as 1/2).
    """

    signal: NDArray[np.float64]
    consistency: NDArray[np.float64]
    levels: Levels
    level_consistency: NDArray[np.float64]

    def stratify(self, n_strata: int = 5, method: str = "adaptive") -> Stratification:
        """Strata of the items, as `core.stratification.stratify`."""
        strata = stratify_levels(self.levels, n_strata, method)
        sizes = np.bincount(strata, weights=self.levels.counts)
        p = np.bincount(strata, weights=self.levels.counts * self.level_consistency) / sizes
        first = np.flatnonzero(np.diff(strata, prepend=-1))
        last = np.append(first[1:], strata.size) - 1
        # An item without a signal sits above every value: the stratum's range is that of the signals it has.
        top = np.where(np.isnan(self.levels.values[last]) & (last > first), last - 1, last)
        return Stratification(strata, sizes.astype(np.int64), p, self.levels.values[first], self.levels.values[top])

    def moments(self, losses: ArrayLike) -> Moments:
        """Moments of the losses (N,) at each level of the signal; merge them with a `Stratification`'s ``of_level``."""
        return moments(losses, self.levels.member)

    def subset(self, chosen: NDArray[np.bool_]) -> Profile:
        """The profile of the items where ``chosen`` (N,) is True, as if they were the whole pool."""
        return _profile(self.signal[chosen], self.consistency[chosen])


@dataclass(frozen=True, slots=True)
class Stratification:
    """H strata of a profile, ascending in the signal.

    Parameters
    ----------
    of_level : (U,) int
        Stratum of each level of the signal.
    sizes : (H,) int
        N_h ≥ 1.
    consistency : (H,) float
        p_h, the mean self-consistency.
    low, high : (H,) float
        Range of the signal; NaN where no item of the stratum has one.
    """

    of_level: NDArray[np.int64]
    sizes: NDArray[np.int64]
    consistency: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def n_strata(self) -> int:
        """H, the number of strata that resulted."""
        return self.sizes.size

    @property
    def n_items(self) -> int:
        """N."""
        return int(self.sizes.sum())


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of a target, over the items where it is known.

    ``profile`` of those items, as if they were the whole pool; ``moments`` of their losses at the levels of its signal;
    ``losses`` (n,) of those items, n ≤ N; ``n_items`` N of the whole pool.
    """

    profile: Profile
    moments: Moments
    losses: NDArray[np.float64]
    n_items: int

    @property
    def partial(self) -> bool:
        """Whether some items' outcome is unknown."""
        return self.losses.size < self.n_items


def outcome(whole: Profile, losses: ArrayLike) -> Outcome | None:
    """A target's outcome on a pool from its losses (N,), NaN = unknown; None where no loss is known.

    Raises
    ------
    DesignError : as many losses as items are not given.
    """
    loss = np.asarray(losses, dtype=np.float64)
    if loss.shape != whole.signal.shape:
        raise DesignError(f"There are {loss.size} losses for {whole.signal.size} items: give one loss for each item.")
    known = np.isfinite(loss)
    if not known.any():
        return None
    part = whole if known.all() else whole.subset(known)
    return Outcome(part, part.moments(loss[known]), loss[known], loss.size)


def profile(classes: ArrayLike) -> Profile:
    """Profile of a pool from the meaning classes of its generations.

    Parameters
    ----------
    classes : (N, k) int, N ≥ 1, −1 where a generation is missing.

    Raises
    ------
    DesignError : no items.
    """
    return _profile(semantic_entropy(classes), self_consistency(classes))


def stratum_table(
    strata: Stratification, allocation: ArrayLike, proxy: ArrayLike, outcome: Moments | None = None
) -> pd.DataFrame:
    """One row a stratum: what it holds, what it gets, and how well the proxy stands in for the truth.

    Parameters
    ----------
    allocation : (H,) int, m_h. proxy : (H,) float, √(p_h(1−p_h)) + δ. outcome : moments of the target's losses in the
    strata.

    Returns
    -------
    Frame: stratum, se_low, se_high, items, share_of_pool, consistency, labels, share_of_budget,
    inclusion_probability, proxy, and with an outcome mean_loss and sd (σ_h, denominator N_h − 1).
    """
    labels = np.asarray(allocation, dtype=np.int64)
    if labels.shape != strata.sizes.shape:
        raise DesignError(f"The allocation has {labels.size} entries for {strata.n_strata} strata.")
    table = pd.DataFrame(
        {
            "stratum": np.arange(strata.n_strata),
            "se_low": strata.low,
            "se_high": strata.high,
            "items": strata.sizes,
            "share_of_pool": strata.sizes / strata.n_items,
            "consistency": strata.consistency,
            "labels": labels,
            "share_of_budget": labels / labels.sum(),
            "inclusion_probability": labels / strata.sizes,
            "proxy": np.asarray(proxy, dtype=np.float64),
        }
    )
    if outcome is not None:
        table = table.assign(mean_loss=outcome.means, sd=outcome.sds)
    return table


def _profile(signal: NDArray[np.float64], consistency: NDArray[np.float64]) -> Profile:
    found = levels(signal)
    return Profile(signal, consistency, found, group_means(consistency, found.member))
