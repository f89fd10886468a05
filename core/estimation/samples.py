"""Many stratified samples of one allocation at once, as simulations draw them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .intervals import WILSON, Interval, within_pool
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
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    means: Array
    squares: Array

    @property
    def known(self) -> bool:
        """Whether the labels give a variance: not with one label in each of several items' strata."""
        return bool(np.any(self.counts > 1) or np.all(self.counts == self.sizes))

    def widened(self, interval: Interval = WILSON) -> bool:
        """Whether the limits are the conservative ones."""
        return self.known and interval.widens(self.counts, self.sizes)

    def estimates(self, interval: Interval = WILSON) -> pd.DataFrame:
        """Estimates of the samples, each as `core.estimation.mean.Sample.estimate`.

        Returns
        -------
        DataFrame
            One row a sample: value, standard_error, low, high.
        """
        variances = stratum_variances(self.counts, self.squares, (self.counts == 1) & (self.sizes > 1))
        terms = variance_terms(self.counts, variances, self.sizes)
        value, variance = self.means @ self.sizes / self.sizes.sum(), terms.sum(axis=-1)
        error, labels = np.sqrt(variance), int(self.counts.sum())
        if np.array_equal(self.counts, self.sizes):
            return pd.DataFrame({"value": value, "standard_error": 0.0, "low": value, "high": value})
        if interval.bounded:
            value, widened = np.clip(value, 0.0, 1.0), self.widened(interval)
            variance, df, lean = interval.variance(self.counts, self.sizes, self.means, variances, widened)
        else:
            df, lean = satterthwaite(terms, np.maximum(self.counts - 1, 1)), np.full(variance.shape, math.nan)
        total = self.means @ self.counts
        # Σ ℓ² is Σ ℓ for losses of 0 and 1, and below it if one lies between.
        ones = (self.squares + self.counts * self.means**2).sum(axis=-1)
        binary = total - ones <= _ROUNDING * labels
        told = interval.evidence(self.counts, self.sizes, self.means, binary, lean)
        limits = interval.limits(value, variance, labels, df, told)
        if self.known and interval.bounded and interval.name != "wald":
            limits = within_pool(limits, value, total, labels, int(self.sizes.sum()), binary)
        return pd.DataFrame({"value": value, "standard_error": error, "low": limits.low, "high": limits.high})
