"""The methods compared: Uniform, and the allocation rules on the strata.

Source: the paper, section "Effectiveness of allocation strategy"; docs/method.md, 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..stratification.moments import Moments, group_means
from .method import StrataFacts
from .optimum import allocate_many
from .rules import RULES


def weights(
    sizes: ArrayLike, consistency: ArrayLike, method: str, offset: float = 0.75, sds: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Allocation weights of a method, (H,).

    Parameters
    ----------
    sizes : (H,) int
        N_h ≥ 1.
    consistency : (H,) float
        p_h.
    method : str
        One of `core.allocation.RULES`; "uniform" has a single stratum.
    offset : float
        δ ≥ 0 of "proxy-neyman".
    sds : (H,) float, optional
        Standard deviations of the target's losses in the strata, for "oracle-neyman" alone.

    Raises
    ------
    DesignError
        An unknown method, "oracle-neyman" without standard deviations, or as the rule.
    """
    facts = StrataFacts(
        np.asarray(sizes, dtype=np.int64),
        np.asarray(consistency, dtype=np.float64),
        offset,
        None if sds is None else np.asarray(sds, dtype=np.float64),
    )
    return RULES[method].weights(facts)


def method_moments(population: Moments, method: str) -> Moments:
    """Strata a method samples from: the given ones, or the whole pool as one for Uniform."""
    return population.pooled() if RULES[method].whole else population


def method_allocations(
    population: Moments, consistency: ArrayLike, method: str, budgets: ArrayLike, offset: float = 0.75
) -> NDArray[np.int64]:
    """Labels of each stratum under a method at budgets (B,), (B, H); for Uniform the pool is one stratum, (B, 1)."""
    if RULES[method].whole:
        return allocate_many([1.0], [population.n_items], budgets)
    weight = weights(population.sizes, consistency, method, offset, population.sds)
    return allocate_many(weight, population.sizes, budgets)


def stratum_consistency(consistency: ArrayLike, strata: ArrayLike, n_strata: int) -> NDArray[np.float64]:
    """Stratum means p_h, (H,), of the items' self-consistency (N,); values that are (H,) already are returned."""
    values = np.asarray(consistency, dtype=np.float64)
    return values if values.size == n_strata != np.asarray(strata).size else group_means(values, strata)
