"""Before labels: what is asked of a pool, what is known of it, the design that follows, and what it promises."""

from .decisions import Differing, EarlyGate, Finding, GatePromise, KnownPair, PairPromise
from .dots import Dots
from .fact import PoolFact
from .forecast import forecast
from .memo import BoundedCache, Memo
from .pairs import difference_pool
from .past_savings import Saving, saved_by, savings
from .promise import Promise
from .proposal import KEPT
from .prospect import Prospect
from .question import ELSEWHERE, Costs, Pilot, Question
from .sampling_frame import GATE, gate_scheme
from .scenarios import ANSWERS, NOTHING, SURROGATE, PlanScenario, own_scenario, scenario_table, scenarios

__all__ = [
    "ANSWERS",
    "ELSEWHERE",
    "GATE",
    "KEPT",
    "NOTHING",
    "SURROGATE",
    "BoundedCache",
    "Costs",
    "Differing",
    "Dots",
    "EarlyGate",
    "Finding",
    "GatePromise",
    "KnownPair",
    "Memo",
    "PairPromise",
    "Pilot",
    "PlanScenario",
    "PoolFact",
    "Promise",
    "Prospect",
    "Question",
    "Saving",
    "difference_pool",
    "forecast",
    "gate_scheme",
    "own_scenario",
    "saved_by",
    "savings",
    "scenario_table",
    "scenarios",
]
