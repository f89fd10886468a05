"""Schemes, designs, plans and manifests: the parameters, the sample that they draw, and the file that reproduces it."""

from . import manifest
from .design import ALLOCATIONS, Design, Plan
from .families import families, family
from .guard import Guard, guard
from .plan_ids import first_plan_id, plan_id
from .recommend import carried_verdicts, carrying, fine, recommend
from .sampling import permanent_random_numbers
from .scheme import INFEASIBLE, PAPER, Scheme, pool_profile, pool_signal
from .two_waves import LEAST_BUDGET

__all__ = [
    "ALLOCATIONS",
    "INFEASIBLE",
    "LEAST_BUDGET",
    "PAPER",
    "Design",
    "Guard",
    "Plan",
    "Scheme",
    "carried_verdicts",
    "carrying",
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
