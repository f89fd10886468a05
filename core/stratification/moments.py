"""Size, mean and spread of the losses in each stratum: all that the exact formulas need to know of a pool.

Moments of finer groups merge into moments of coarser ones, so that a change of the stratification costs a pass over the
few distinct values of the signal instead of a pass over the items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError


@dataclass(frozen=True, slots=True)
class Moments:
    """Finite-population moments of G groups (levels of a signal, or strata).

    ``sizes`` (G,) int ≥ 1, N_h; ``means`` (G,) float, mean loss; ``squares`` (G,) float ≥ 0, Σ (ℓ − mean)² in the
    group; ``binary``: every loss is 0 or 1, so that the number of ones in a group is ``sizes · means``.
    """

    sizes: NDArray[np.int64]
    means: NDArray[np.float64]
    squares: NDArray[np.float64]
    binary: bool

    @property
    def n_items(self) -> int:
        """N, the number of items in all groups."""
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        """R, the mean loss of the pool."""
        return float(self.sizes @ self.means / self.sizes.sum())

    @property
    def variances(self) -> NDArray[np.float64]:
        """S_h² with denominator N_h − 1, (G,); 0 in a group of one item."""
        return np.asarray(self.squares / np.maximum(self.sizes - 1, 1))

    @property
    def sds(self) -> NDArray[np.float64]:
        """S_h, (G,)."""
        return np.sqrt(self.variances)

    @property
    def ones(self) -> NDArray[np.int64]:
        """Number of losses equal to 1 in each group, (G,); meaningful for binary losses only."""
        return np.rint(self.sizes * self.means).astype(np.int64)

    def merge(self, groups: ArrayLike) -> Moments:
        """Moments of the coarser groups to which ``groups`` (G,) int assigns these."""
        target = np.asarray(groups, dtype=np.int64)
        sizes = np.asarray(np.bincount(target, weights=self.sizes), dtype=np.float64)
        means = _exact_for_constants(self.means, target, self.sizes, sizes)
        between = self.sizes * (self.means - means[target]) ** 2
        squares = np.asarray(np.bincount(target, weights=self.squares + between), dtype=np.float64)
        return Moments(sizes.astype(np.int64), means, squares, self.binary)

    def pooled(self) -> Moments:
        """Moments of the whole pool as one group."""
        return self.merge(np.zeros(self.sizes.size, dtype=np.int64))


def moments(losses: ArrayLike, groups: ArrayLike) -> Moments:
    """Moments of the losses in each group.

    Parameters
    ----------
    losses : (N,) float, finite. groups : (N,) int, 0 … G−1, each with at least one item.

    Raises
    ------
    DesignError : a loss is NaN or infinite (the message counts them), a group is empty, lengths differ, or N = 0.
    """
    loss, group = np.asarray(losses, dtype=np.float64), checked_groups(groups)
    if loss.shape != group.shape:
        raise DesignError(f"There are {loss.size} losses for {group.size} items: give one loss for each item.")
    unknown = int((~np.isfinite(loss)).sum())
    if unknown:
        raise DesignError(
            f"{unknown} of {loss.size} losses are unknown (NaN or infinite): the exact error needs every item's loss."
        )
    sizes = np.bincount(group)
    binary = bool(np.all((loss == 0) | (loss == 1)))
    if binary:
        means = np.asarray(np.bincount(group, weights=loss) / sizes)
        squares = sizes * means * (1.0 - means)
    else:
        # Losses far from 0 would lose their digits in Σℓ² − (Σℓ)²/N; deviations from the group's mean do not.
        means = _exact_for_constants(loss, group, 1.0, sizes)
        squares = np.asarray(np.bincount(group, weights=(loss - means[group]) ** 2), dtype=np.float64)
    return Moments(sizes.astype(np.int64), means, squares, binary)


def group_means(values: ArrayLike, groups: ArrayLike, missing: float = 0.5) -> NDArray[np.float64]:
    """Mean of ``values`` (N,) in each group, (G,); a NaN counts as ``missing``.

    For the self-consistency of an item without generations the convention is 1/2, where p(1−p) is largest (METHOD 5.6).
    """
    value, group = np.asarray(values, dtype=np.float64), checked_groups(groups)
    if value.shape != group.shape:
        raise DesignError(f"There are {value.size} values for {group.size} items: give one value for each item.")
    return np.asarray(np.bincount(group, weights=np.where(np.isnan(value), missing, value)) / np.bincount(group))


def _exact_for_constants(
    values: NDArray[np.float64],
    groups: NDArray[np.int64],
    weights: NDArray[np.int64] | float,
    totals: NDArray[np.float64] | NDArray[np.int64],
) -> NDArray[np.float64]:
    """Weighted mean of each group, without rounding where all its values are equal: their spread is then exactly 0."""
    one_of_each = np.zeros(totals.size)
    one_of_each[groups] = values
    return np.asarray(one_of_each + np.bincount(groups, weights=weights * (values - one_of_each[groups])) / totals)


def checked_groups(groups: ArrayLike) -> NDArray[np.int64]:
    """``groups`` as an int array, 0 … G−1 with no group empty; DesignError otherwise."""
    group = np.asarray(groups)
    if group.ndim != 1 or group.size == 0:
        raise DesignError("The pool has no items, so there are no strata: load a pool with at least one item.")
    if group.dtype.kind not in "iu":
        raise DesignError("Strata must be whole numbers from 0 upwards.")
    if group.min() < 0:
        raise DesignError("Strata must be numbered from 0 upwards; a negative number was given.")
    if int(group.max()) >= group.size or np.any(np.bincount(group) == 0):
        raise DesignError("Strata must be numbered 0, 1, 2 … without gaps: at least one of them is empty.")
    return np.asarray(group, dtype=np.int64)
