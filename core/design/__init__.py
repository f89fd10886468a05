"""Schemes, designs, plans and manifests: the parameters, the sample that they draw, and the file that reproduces it."""

from core.design import manifest
from core.design.design import ALLOCATIONS, Design, Plan, first_plan_id, permanent_random_numbers, plan_id, pool_profile
from core.design.families import families, family
from core.design.recommend import fine, recommend
from core.design.scheme import INFEASIBLE, PAPER, SIGNALS, Scheme
from core.design.waves import LEAST_BUDGET

__all__ = [
    "ALLOCATIONS",
    "INFEASIBLE",
    "LEAST_BUDGET",
    "PAPER",
    "SIGNALS",
    "Design",
    "Plan",
    "Scheme",
    "families",
    "family",
    "fine",
    "first_plan_id",
    "manifest",
    "permanent_random_numbers",
    "plan_id",
    "pool_profile",
    "recommend",
]
