"""The methods compared: Uniform, and the allocation rules on the strata.

Source: the paper, section "Effectiveness of allocation strategy"; docs/method.md, 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..stratification.moments import Moments, group_means
from . import optimum as alloc

METHODS = ("uniform", *alloc.RULES)


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
        One of `METHODS`; "uniform" has a single stratum.
    offset : float
        δ ≥ 0 of "proxy-neyman".
    sds : (H,) float, optional
        Standard deviations of the target's losses in the strata, for "oracle-neyman" alone.

    Raises
    ------
    DesignError
        An unknown method, "oracle-neyman" without standard deviations, or as the rule.
    """
    rules: dict[str, Callable[[], NDArray[np.float64]]] = {
        "uniform": lambda: alloc.equal(sizes),
        "equal": lambda: alloc.equal(sizes),
        "proportional": lambda: alloc.proportional(sizes),
        "power": lambda: alloc.power(sizes),
        "proxy-neyman": lambda: alloc.proxy_neyman(sizes, consistency, offset),
    }
    if sds is not None:
        rules["oracle-neyman"] = lambda: alloc.neyman(sizes, sds)
    elif method == "oracle-neyman":
        raise DesignError("“oracle-neyman” needs the losses that you are about to label. Choose another allocation.")
    if method not in rules:
        raise DesignError(f"There is no allocation called “{method}”. Choose one of {', '.join(rules)}.")
    return rules[method]()


def method_moments(population: Moments, method: str) -> Moments:
    """Strata a method samples from: the given ones, or the whole pool as one for Uniform."""
    return population.pooled() if method == "uniform" else population


def method_allocations(
    population: Moments, consistency: ArrayLike, method: str, budgets: ArrayLike, offset: float = 0.75
) -> NDArray[np.int64]:
    """Labels of each stratum under a method at budgets (B,), (B, H); for Uniform the pool is one stratum, (B, 1)."""
    if method == "uniform":
        return alloc.allocate_many([1.0], [population.n_items], budgets)
    weight = weights(population.sizes, consistency, method, offset, population.sds)
    return alloc.allocate_many(weight, population.sizes, budgets)


def stratum_consistency(consistency: ArrayLike, strata: ArrayLike, n_strata: int) -> NDArray[np.float64]:
    """Stratum means p_h, (H,), of the items' self-consistency (N,); values that are (H,) already are returned."""
    values = np.asarray(consistency, dtype=np.float64)
    return values if values.size == n_strata != np.asarray(strata).size else group_means(values, strata)
