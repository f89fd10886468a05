"""Allocation: weights of the strata, the integer optimum for a budget, and the budgets people choose from."""

from .optimum import (
    USUAL_BUDGET,
    allocate,
    allocate_many,
    bernoulli_proxy,
    budget_grid,
    budget_options,
    default_budget,
    equal,
    label_order,
    nearest,
    neyman,
    power,
    proportional,
    proxy_neyman,
)
from .ways import METHODS, ON_STRATA, RULES, WAYS, Method, Rule

__all__ = [
    "METHODS",
    "ON_STRATA",
    "RULES",
    "USUAL_BUDGET",
    "WAYS",
    "Method",
    "Rule",
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
