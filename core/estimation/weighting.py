"""Weighted means: each item counts by its weight, R = Σ w ℓ/Σ w (docs/method.md, 5.13).

With u_h the largest weight of a stratum, z = (w/u_h) ℓ is a loss in [0, 1], and the mean is R = Σ W_h mean_h(z) with
W_h = N_h u_h/Σ w, which the stratified estimate of z estimates without bias (Horvitz & Thompson 1952). Of values
v = 1 − ℓ it is 1 − R: z = 1 − (w/u_h)(1 − v), and Σ W_h mean_h(z) + 1 − Σ W_h.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from .mean import Sample, Weighing, sample
from .variance import variance_terms

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class WeightedStrata:
    """Strata of a pool whose items have weights.

    Parameters
    ----------
    weights : (N,) float
        Above 0, with a mean of 1.
    stratum : (N,) int
        Stratum of each item, 0 … H−1.
    band : (N,) int
        Band of each item, in which strata are cut (`core.stratification.equal_mass.bands`).
    """

    weights: Array
    stratum: NDArray[np.int64]
    band: NDArray[np.int64]

    @classmethod
    def of(cls, weights: ArrayLike, stratum: NDArray[np.int64], band: NDArray[np.int64]) -> WeightedStrata:
        """Strata with weights of any scale."""
        given = np.asarray(weights, dtype=np.float64)
        return cls(given / given.mean(), stratum, band)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """N_h, (H,)."""
        return np.bincount(self.stratum)

    @property
    def tops(self) -> Array:
        """u_h, the largest weight of each stratum, (H,)."""
        return self._largest(self.weights)

    @property
    def bands(self) -> NDArray[np.int64]:
        """Band of each stratum, (H,)."""
        return self._largest(self.band)

    def _largest(self, each: NDArray[Any]) -> NDArray[Any]:
        largest = np.zeros(int(self.stratum.max()) + 1, dtype=each.dtype)
        np.maximum.at(largest, self.stratum, each)
        return largest

    @property
    def share(self) -> Array:
        """W_h = N_h u_h/Σ w, (H,)."""
        return self.sizes * self.tops / self.weights.size

    def scaled(self, losses: Array, positions: NDArray[np.int64] | slice = slice(None)) -> Array:
        """Return z = (w/u_h) ℓ of the items at these places."""
        return losses * (self.weights / self.tops[self.stratum])[positions]

    def sample(
        self, losses: ArrayLike, positions: NDArray[np.int64], bounded: bool = True, centre: float = 0.0
    ) -> Sample:
        """Sample of labelled items, for an estimate of the weighted mean.

        Parameters
        ----------
        losses : (M,) float
            Their losses, in [0, 1] if ``bounded``.
        positions : (M,) int
            Their places in the pool.
        bounded : bool
            As in `core.estimation.mean.sample`.
        centre : float
            The loss that counts the same whatever the weight, of bounded ones: 0, 1 of values 1 − loss, ½ of halved
            differences (d + 1)/2. If all have it, the estimate is exact.

        Raises
        ------
        DesignError
            As `core.estimation.mean.sample`.
        """
        loss, weight, sizes = np.asarray(losses, dtype=np.float64), self.weights[positions], self.sizes
        if bounded and np.any((loss < 0) | (loss > 1)):
            raise DesignError("Some losses lie outside 0 … 1: use bounded=False for such losses.")
        middle = centre if bounded else 0.0
        z = middle + self.scaled(loss - middle, positions)
        plain, share = sample(z, self.stratum[positions], sizes, bounded), self.share
        known, rest = float(weight @ loss) / self.weights.size, 1.0 - float(weight.sum()) / self.weights.size
        shift = middle * (1.0 - float(share.sum()))
        weighing = Weighing(share, shift, known, max(rest, 0.0), weight, loss, self.bands)
        terms = variance_terms(plain.counts, plain.variances, sizes, weights=share)
        return replace(plain, terms=terms, weighing=weighing)

    def part(self, member: NDArray[np.bool_]) -> WeightedStrata:
        """Strata of some of the items, as if they were the whole pool; those without one of them leave."""
        weights, place = self.weights[member], np.unique(self.stratum[member], return_inverse=True)[1]
        return WeightedStrata(weights / weights.mean(), place.astype(np.int64), self.band[member])


@dataclass(frozen=True, slots=True, eq=False)
class WeightedLabels:
    """Labelled items of strata whose items have weights, in the place of `core.estimation.waves.Waves`.

    Parameters
    ----------
    strata : WeightedStrata
        The strata.
    positions : (M,) int
        Places of the labelled items in the pool.
    """

    strata: WeightedStrata
    positions: NDArray[np.int64]

    @property
    def weights(self) -> Array:
        """Weights of the labelled items, (M,)."""
        return self.strata.weights[self.positions]

    def of(self, values: ArrayLike, bounded: bool = False, centre: float = 1.0) -> Sample:
        """Sample of these items with values; parameters as of `Waves.of` and `WeightedStrata.sample`."""
        return self.strata.sample(values, self.positions, bounded, centre)

    def only(self, chosen: NDArray[np.bool_]) -> WeightedLabels:
        """Some of the labels."""
        return WeightedLabels(self.strata, self.positions[chosen])

    def among(self, member: NDArray[np.bool_]) -> WeightedLabels:
        """The labels of some of the items of the pool, as if these were the whole pool."""
        dense = np.cumsum(member) - 1
        return WeightedLabels(self.strata.part(member), dense[self.positions[member[self.positions]]])
