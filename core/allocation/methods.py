"""The methods compared: Uniform, and the allocation rules on the strata.

Source: METHOD 3; paper, section "Effectiveness of allocation strategy".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation import optimum as alloc
from core.errors import DesignError
from core.stratification.moments import Moments, group_means

METHODS = ("uniform", *alloc.RULES)


def weights(found: Moments, consistency: ArrayLike, method: str, offset: float = 0.75) -> NDArray[np.float64]:
    """Allocation weights (H,) of a method named in `core.allocation.RULES`."""
    rules: dict[str, Callable[[], NDArray[np.float64]]] = {
        "equal": lambda: alloc.equal(found.sizes),
        "proportional": lambda: alloc.proportional(found.sizes),
        "power": lambda: alloc.power(found.sizes),
        "proxy-neyman": lambda: alloc.proxy_neyman(found.sizes, consistency, offset),
        "oracle-neyman": lambda: alloc.neyman(found.sizes, found.sds),
    }
    if method not in rules:
        raise DesignError(f"There is no allocation called “{method}”: choose one of {', '.join(rules)}.")
    return rules[method]()


def method_moments(found: Moments, method: str) -> Moments:
    """The strata a method samples from: the given ones, or the whole pool as one for Uniform."""
    return found.pooled() if method == "uniform" else found


def method_allocations(
    found: Moments, consistency: ArrayLike, method: str, budgets: ArrayLike, offset: float = 0.75
) -> NDArray[np.int64]:
    """Labels of each stratum under a method, (B, H); for Uniform the pool is one stratum, (B, 1)."""
    if method == "uniform":
        return alloc.allocate_many([1.0], [found.n_items], budgets)
    return alloc.allocate_many(weights(found, consistency, method, offset), found.sizes, budgets)


def stratum_consistency(consistency: ArrayLike, strata: ArrayLike, n_strata: int) -> NDArray[np.float64]:
    """p_h (H,) from the items' self-consistency (N,); given as (H,) already, it is returned as it is."""
    values = np.asarray(consistency, dtype=np.float64)
    return values if values.size == n_strata != np.asarray(strata).size else group_means(values, strata)
