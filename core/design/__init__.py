"""Schemes, designs, plans and manifests: the parameters, the sample that they draw, and the file that reproduces it."""

from core.design import manifest
from core.design.basis import pool_profile, pool_signal
from core.design.design import ALLOCATIONS, Design, Plan
from core.design.families import families, family
from core.design.guard import Guard, guard
from core.design.plan_ids import first_plan_id, plan_id
from core.design.recommend import fine, recommend
from core.design.sampling import permanent_random_numbers
from core.design.scheme import INFEASIBLE, PAPER, Scheme
from core.design.waves import LEAST_BUDGET

__all__ = [
    "ALLOCATIONS",
    "INFEASIBLE",
    "LEAST_BUDGET",
    "PAPER",
    "Design",
    "Guard",
    "Plan",
    "Scheme",
    "families",
    "family",
    "fine",
    "first_plan_id",
    "guard",
    "manifest",
    "permanent_random_numbers",
    "plan_id",
    "pool_profile",
    "pool_signal",
    "recommend",
]
