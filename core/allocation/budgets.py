"""Budgets to look at: grids for curves and steps for sliders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Labels to begin with, on every page and in every command.
USUAL_BUDGET = 100


def budget_grid(n_strata: int, n_items: int, points: int = 40) -> NDArray[np.int64]:
    """Budgets from H to N in about equal steps of their logarithm, distinct whole numbers, both ends included."""
    steps = np.geomspace(max(n_strata, 1), max(n_items, 1), points)
    return np.unique(np.rint(steps).astype(np.int64))


def budget_options(n_strata: int, n_items: int) -> list[int]:
    """Round budgets from H to N for a slider, in about equal steps of their logarithm, both ends included."""
    steps = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8)
    round_numbers = {int(s * 10**p) for p in range(12) for s in steps if s * 10**p == int(s * 10**p)}
    low, high = min(n_strata, n_items), n_items
    return sorted({low, high} | {b for b in round_numbers if low < b < high})


def nearest(options: list[int], budget: int) -> int:
    """Option nearest to a budget, the smaller one of two that are equally near."""
    return min(options, key=lambda option: (abs(option - budget), option))


def default_budget(n_strata: int, n_items: int) -> int:
    """Budget to begin with: the option nearest to 100 labels, or to a third of a pool of fewer than 300 items."""
    return nearest(budget_options(n_strata, n_items), min(USUAL_BUDGET, max(n_items // 3, 1)))
