"""Allocation: weights of the strata, the integer optimum for a budget, and the budgets people choose from."""

from .budgets import budget_grid, budget_options, default_budget, nearest
from .methods import METHODS
from .optimum import (
    RULES,
    allocate,
    allocate_many,
    bernoulli_proxy,
    equal,
    label_order,
    neyman,
    power,
    proportional,
    proxy_neyman,
)

__all__ = [
    "METHODS",
    "RULES",
    "allocate",
    "allocate_many",
    "bernoulli_proxy",
    "budget_grid",
    "budget_options",
    "default_budget",
    "equal",
    "label_order",
    "nearest",
    "neyman",
    "power",
    "proportional",
    "proxy_neyman",
]
