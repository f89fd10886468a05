"""The methods compared: Uniform, and the allocation rules on the strata.

Source: the paper, section "Effectiveness of allocation strategy"; docs/method.md, 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation import optimum as alloc
from core.errors import DesignError
from core.stratification.moments import Moments, group_means

METHODS = ("uniform", *alloc.RULES)


def weights(population: Moments, consistency: ArrayLike, method: str, offset: float = 0.75) -> NDArray[np.float64]:
    """Allocation weights of a method, (H,).

    Parameters
    ----------
    population : Moments
        Of the target's losses in the strata; "oracle-neyman" uses their standard deviations.
    consistency : (H,) float
        p_h.
    method : str
        One of `core.allocation.RULES`.
    offset : float
        δ ≥ 0 of "proxy-neyman".

    Raises
    ------
    DesignError
        An unknown method, or as the rule.
    """
    rules: dict[str, Callable[[], NDArray[np.float64]]] = {
        "equal": lambda: alloc.equal(population.sizes),
        "proportional": lambda: alloc.proportional(population.sizes),
        "power": lambda: alloc.power(population.sizes),
        "proxy-neyman": lambda: alloc.proxy_neyman(population.sizes, consistency, offset),
        "oracle-neyman": lambda: alloc.neyman(population.sizes, population.sds),
    }
    if method not in rules:
        raise DesignError(f"There is no allocation called “{method}”. Choose one of {', '.join(rules)}.")
    return rules[method]()


def method_moments(population: Moments, method: str) -> Moments:
    """The strata a method samples from: the given ones, or the whole pool as one for Uniform."""
    return population.pooled() if method == "uniform" else population


def method_allocations(
    population: Moments, consistency: ArrayLike, method: str, budgets: ArrayLike, offset: float = 0.75
) -> NDArray[np.int64]:
    """Labels of each stratum under a method at budgets (B,), (B, H); for Uniform the pool is one stratum, (B, 1)."""
    if method == "uniform":
        return alloc.allocate_many([1.0], [population.n_items], budgets)
    return alloc.allocate_many(weights(population, consistency, method, offset), population.sizes, budgets)


def stratum_consistency(consistency: ArrayLike, strata: ArrayLike, n_strata: int) -> NDArray[np.float64]:
    """Stratum means p_h, (H,), of the items' self-consistency (N,); values that are (H,) already are returned."""
    values = np.asarray(consistency, dtype=np.float64)
    return values if values.size == n_strata != np.asarray(strata).size else group_means(values, strata)
