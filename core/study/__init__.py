"""A plan with its labels: what is to be labelled, what counts, and what follows from it."""

from .begun_gate import BegunGate, begun
from .bundle import reproduce
from .comparison import Comparison, compare
from .files import labelled, of_judged, request
from .incoming import Incoming, Mismatch
from .items import judged_items, leading
from .labelling import Labelling
from .metrics import Answered, Metrics
from .outcomes import Outcomes
from .partial import Partial, partial
from .pilot import pilot
from .plans import (
    KeptPlan,
    damaged_plans,
    kept_plan,
    kept_plans,
    larger,
    next_seed,
    plans_by_earlier_rules,
    second_wave,
)
from .provenance import Provenance, provenance
from .reached import reached
from .readings import Reading, presumed, readings, split, usual_kind
from .result import Result
from .run_findings import RunsEstimate, TargetRuns, runs
from .shown_answers import check_rows, other_answers
from .study import Study
from .worklist import Worklist

__all__ = [
    "Answered",
    "BegunGate",
    "Comparison",
    "Incoming",
    "KeptPlan",
    "Labelling",
    "Metrics",
    "Mismatch",
    "Outcomes",
    "Partial",
    "Provenance",
    "Reading",
    "Result",
    "RunsEstimate",
    "Study",
    "TargetRuns",
    "Worklist",
    "begun",
    "check_rows",
    "compare",
    "damaged_plans",
    "judged_items",
    "kept_plan",
    "kept_plans",
    "labelled",
    "larger",
    "leading",
    "next_seed",
    "of_judged",
    "other_answers",
    "partial",
    "pilot",
    "plans_by_earlier_rules",
    "presumed",
    "provenance",
    "reached",
    "readings",
    "reproduce",
    "request",
    "runs",
    "second_wave",
    "split",
    "usual_kind",
]
