"""Size, mean and variance of the losses in each stratum: all that the exact formulas need to know of a pool.

Moments of finer groups merge into moments of coarser ones, so that a change of the stratification costs a pass over the
few distinct values of the signal instead of a pass over the items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Finite-population moments of the losses in G groups (levels of a signal, or strata).

    Parameters
    ----------
    sizes : (G,) int
        N_h ≥ 1.
    means : (G,) float
        Mean losses.
    squares : (G,) float
        Σ (ℓ − mean)² ≥ 0.
    binary : bool
        Whether every loss is 0 or 1, so that a group has ``sizes · means`` ones.
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

    @property
    def constant(self) -> bool:
        """Whether all losses are the same."""
        return not self.pooled().squares.any()

    def merge(self, groups: ArrayLike) -> Moments:
        """Moments of the coarser groups, 0 … H−1, to which ``groups`` (G,) assigns these."""
        target = np.asarray(groups, dtype=np.int64)
        sizes = np.asarray(np.bincount(target, weights=self.sizes), dtype=np.float64)
        means = _exact_for_constants(self.means, target, self.sizes, sizes)
        between = self.sizes * (self.means - means[target]) ** 2
        squares = np.asarray(np.bincount(target, weights=self.squares + between), dtype=np.float64)
        return Moments(sizes.astype(np.int64), means, squares, self.binary)

    def pooled(self) -> Moments:
        """Moments of the whole pool as one group."""
        return self.merge(np.zeros(self.sizes.size, dtype=np.int64))

    def __repr__(self) -> str:
        kind = "0/1 losses" if self.binary else "losses"
        return f"Moments of {self.n_items:,} {kind} in {self.sizes.size:,} groups, mean {self.mean:.3f}"


def moments(losses: ArrayLike, groups: ArrayLike) -> Moments:
    """Moments of the losses in each group.

    Parameters
    ----------
    losses : (N,) float
        Finite.
    groups : (N,) int
        0 … G−1, each with at least one item.

    Raises
    ------
    DesignError
        A loss is NaN or infinite (the message counts them), a group is empty, lengths differ, or N = 0.
    """
    loss, group = np.asarray(losses, dtype=np.float64), checked_groups(groups)
    if loss.shape != group.shape:
        raise DesignError(f"There are {loss.size} losses for {group.size} items. Give one loss for each item.")
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


def group_means(values: ArrayLike, groups: ArrayLike) -> NDArray[np.float64]:
    """Mean of the values in each group, (G,).

    Parameters
    ----------
    values : (N,) float
        Self-consistencies. NaN, of an item without generations, counts as 1/2, where p(1−p) is largest
        (docs/method.md, 5.6).
    groups : (N,) int
        0 … G−1, each with at least one item.
    """
    value, group = np.asarray(values, dtype=np.float64), checked_groups(groups)
    if value.shape != group.shape:
        raise DesignError(f"There are {value.size} values for {group.size} items. Give one value for each item.")
    return np.asarray(np.bincount(group, weights=np.where(np.isnan(value), 0.5, value)) / np.bincount(group))


def _exact_for_constants(
    values: NDArray[np.float64],
    groups: NDArray[np.int64],
    weights: NDArray[np.int64] | float,
    totals: NDArray[np.float64] | NDArray[np.int64],
) -> NDArray[np.float64]:
    """Weighted mean of each group, without rounding if all its values are equal: their variance is then 0."""
    one_of_each = np.zeros(totals.size)
    one_of_each[groups] = values
    return np.asarray(one_of_each + np.bincount(groups, weights=weights * (values - one_of_each[groups])) / totals)


def checked_groups(groups: ArrayLike) -> NDArray[np.int64]:
    """Array of groups 0 … G−1 with no group empty; DesignError otherwise."""
    group = np.asarray(groups)
    if group.ndim != 1 or group.size == 0:
        raise DesignError("The pool has no items, so there are no strata. Load a pool with at least one item.")
    if group.dtype.kind not in "iu":
        raise DesignError("Strata must be whole numbers from 0 upwards.")
    if group.min() < 0:
        raise DesignError("Strata must be numbered from 0 upwards. Found a negative number.")
    if int(group.max()) >= group.size or np.any(np.bincount(group) == 0):
        raise DesignError("Strata must be numbered 0, 1, 2 … without gaps. At least one of them is empty.")
    return np.asarray(group, dtype=np.int64)
