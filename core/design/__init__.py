"""Design, plan and manifest: the parameters, the sample that they draw, and the file that reproduces it."""

from core.design.design import ALLOCATIONS, SIGNALS, Design, Plan, permanent_random_numbers, plan_id
from core.design.families import common, family
from core.design.scheme import PAPER, Scheme

__all__ = [
    "ALLOCATIONS",
    "PAPER",
    "SIGNALS",
    "Design",
    "Plan",
    "Scheme",
    "common",
    "family",
    "permanent_random_numbers",
    "plan_id",
]
