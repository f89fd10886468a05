"""Exact squared error from the strata's moments, and what follows from it: curves over budgets and labels needed.

R̂ is unbiased, so its mean squared error is its variance, which has a closed form (METHOD 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.allocation.methods import METHODS, method_allocations, method_moments
from core.stratification.moments import Moments


def stratified_mse(found: Moments, allocations: NDArray[np.int64]) -> NDArray[np.float64]:
    """`exact_mse` of several allocations (A, H) from the strata's moments: (A,)."""
    share = found.sizes / found.n_items
    return np.asarray((share**2 * found.variances * (1.0 / allocations - 1.0 / found.sizes)).sum(axis=1))


def curve(
    found: Moments,
    consistency: ArrayLike,
    budgets: Sequence[int] | NDArray[np.int64],
    offset: float = 0.75,
    methods: Sequence[str] = METHODS,
) -> pd.DataFrame:
    """`relative_mse_curve` from the strata's moments and p_h (H,)."""
    uniform = stratified_mse(found.pooled(), method_allocations(found, consistency, "uniform", budgets))
    budget = np.asarray(budgets).astype(np.int64)
    errors = [
        stratified_mse(method_moments(found, method), method_allocations(found, consistency, method, budget, offset))
        for method in methods
    ]
    return pd.DataFrame(
        {
            "method": np.repeat(np.asarray(methods, dtype=object), budget.size),
            "budget": np.tile(budget, len(methods)),
            "mse": np.concatenate(errors) if errors else np.empty(0),
            "relative_mse": np.concatenate([ratio(e, uniform) for e in errors]) if errors else np.empty(0),
        }
    )


def labels_for(found: Moments, consistency: ArrayLike, method: str, mse: float, offset: float = 0.75) -> int:
    """Fewest labels with which a method's exact mean squared error is at most ``mse`` (≥ 0).

    Allocations of growing budgets are nested, so the error never rises with the budget and bisection finds it.
    """
    strata = method_moments(found, method)
    if method == "uniform":
        # (1/M − 1/N) S² = mse, solved for M.
        spread, n_items = float(strata.variances[0]), found.n_items
        needed = math.ceil(spread / (mse + spread / n_items) * (1 - 1e-12)) if spread > 0 else 1
        return min(max(needed, 1), n_items)
    smallest = found.sizes.size
    low, high = smallest, found.n_items
    # One part in 10¹² forgives rounding: at equal designs the two sides are the same number computed along two paths.
    goal = mse * (1 + 1e-12)
    while low < high:
        tried = np.unique(np.linspace(low, high, 18)[:-1].astype(np.int64))
        errors = stratified_mse(strata, method_allocations(found, consistency, method, tried, offset))
        good = np.flatnonzero(errors <= goal)
        first = int(good[0]) if good.size else tried.size
        high = int(tried[first]) if first < tried.size else high
        low = int(tried[first - 1]) + 1 if first else high
    return high


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elementwise ratio; NaN where the denominator is 0."""
    return np.asarray(np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0))
