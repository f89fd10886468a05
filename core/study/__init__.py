"""A plan with its labels: what is to be labelled, what counts, and what follows from it."""

from core.study.bundle import reproduce
from core.study.comparison import Comparison, compare
from core.study.files import labelled, request
from core.study.labelling import Labelling
from core.study.metrics import Answered, Metrics
from core.study.outcomes import Outcomes
from core.study.partial import Partial, partial
from core.study.pilot import Pilot, pilot
from core.study.plans import KeptPlan, damaged_plans, kept_plan, kept_plans, larger, second_wave
from core.study.provenance import Provenance, provenance
from core.study.readings import Reading, presumed, readings, split
from core.study.result import Result
from core.study.study import Study

__all__ = [
    "Answered",
    "Comparison",
    "KeptPlan",
    "Labelling",
    "Metrics",
    "Outcomes",
    "Partial",
    "Pilot",
    "Provenance",
    "Reading",
    "Result",
    "Study",
    "compare",
    "damaged_plans",
    "kept_plan",
    "kept_plans",
    "labelled",
    "larger",
    "partial",
    "pilot",
    "presumed",
    "provenance",
    "readings",
    "reproduce",
    "request",
    "second_wave",
    "split",
]
