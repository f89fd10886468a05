"""Many stratified samples of one allocation at once, as simulations draw them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .intervals import DEFAULT, Interval, Limits, within_pool
from .variance import satterthwaite, stratum_variances, variance_terms

Array = NDArray[np.float64]

# Relative error of a sum of doubles.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """T stratified samples of one allocation.

    Parameters
    ----------
    counts, sizes : (H,) int
        Labels m_h and items N_h.
    means : (T, H) float
        Mean losses ℓ̄_h.
    squares : (T, H) float
        Sums of squares Σ (ℓ − ℓ̄_h)².
    losses : (T, H, S) float, optional
        The losses themselves, NaN beyond m_h. Tilted limits need them unless all are 0 or 1.
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    means: Array
    squares: Array
    losses: Array | None = None

    @property
    def known(self) -> bool:
        """Whether the labels give a variance: not with one label in each of several items' strata."""
        return bool(np.any(self.counts > 1) or np.all(self.counts == self.sizes))

    def estimates(self, interval: Interval = DEFAULT) -> pd.DataFrame:
        """Estimates of the samples, each as `core.estimation.mean.Sample.estimate`.

        Returns
        -------
        DataFrame
            One row a sample: value, standard_error, low, high.

        Raises
        ------
        ValueError
            Limits are to be tilted, and losses between 0 and 1 are not given.
        """
        variances = stratum_variances(self.counts, self.squares, (self.counts == 1) & (self.sizes > 1))
        terms = variance_terms(self.counts, variances, self.sizes)
        value, variance = self.means @ self.sizes / self.sizes.sum(), terms.sum(axis=-1)
        error, labels = np.sqrt(variance), int(self.counts.sum())
        if np.array_equal(self.counts, self.sizes):
            return pd.DataFrame({"value": value, "standard_error": 0.0, "low": value, "high": value})
        df: Array | int = labels - self.sizes.size
        if interval.bounded:
            value = np.clip(value, 0.0, 1.0)
        else:
            df = satterthwaite(terms, np.maximum(self.counts - 1, 1))
        tilted = interval.tilted and self.known
        limits = self._tilted(interval) if tilted else interval.limits(value, variance, labels, df)
        if self.known and interval.bounded and interval.name != "wald":
            total = self.means @ self.counts
            # Σ ℓ² is Σ ℓ for losses of 0 and 1, and below it if one lies between.
            binary = total - (self.squares + self.counts * self.means**2).sum(axis=-1) <= _ROUNDING * labels
            limits = within_pool(limits, value, total, labels, int(self.sizes.sum()), binary)
        return pd.DataFrame({"value": value, "standard_error": error, "low": limits.low, "high": limits.high})

    def _tilted(self, interval: Interval) -> Limits:
        if self.losses is not None:
            values, tallies = _tallies(self.losses)
            return interval.of_labels(values, tallies, self.counts, self.sizes)
        ones = np.rint(self.means * self.counts)
        if np.abs(self.means * self.counts - ones).max() > _ROUNDING * self.counts.max():
            raise ValueError("Tilted limits of losses between 0 and 1 need the losses.")
        # Of simulated samples many are alike.
        shown, which = np.unique(ones, axis=0, return_inverse=True)
        tallies = np.stack([self.counts - shown, shown], axis=-1)
        limits = interval.of_labels([0.0, 1.0], tallies, self.counts, self.sizes)
        return Limits(limits.low[which.ravel()], limits.high[which.ravel()])


def _tallies(losses: Array) -> tuple[Array, Array]:
    """Return values and how many labels have each, from losses (T, H, S) with NaN: a few levels, or one a label."""
    given = ~np.isnan(losses)
    levels = np.unique(losses[given])
    if levels.size > losses.shape[-1]:
        return np.where(given, losses, 0.0), given.astype(np.float64)
    return levels, np.stack([(losses == level).sum(axis=-1) for level in levels], axis=-1).astype(np.float64)
