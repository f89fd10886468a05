"""Before any label: how precise it will be, what it costs, whether it helps, and what can be decided."""

from core.planning.belief import AUROCS, Belief, Range, belief
from core.planning.betting import Blocks, blocks, limits
from core.planning.costs import Costs, duration, written
from core.planning.forecast import curve, forecast, grid, labels_for, middle_risks, textbook_size
from core.planning.gate import (
    HOLD,
    SHIP,
    UNCLEAR,
    Decision,
    Gate,
    decide,
    decide_early,
    decide_in_order,
    gate_design,
    simulate,
    simulate_belief,
)
from core.planning.outlook import Outlook, from_half_width, from_labels, from_money
from core.planning.pairs import Pairing, answers_differ, connor_size, difference_pool, mcnemar_power
from core.planning.sampling_frame import (
    ASSUMED,
    CHOSEN,
    GATE,
    METHODS,
    Partition,
    SamplingFrame,
    assumed_frame,
    design_frame,
    gate_scheme,
    pool_frame,
)
from core.planning.savings import Saving, measured_auroc, savings
from core.planning.sheet import sheet

__all__ = [
    "ASSUMED",
    "AUROCS",
    "CHOSEN",
    "GATE",
    "HOLD",
    "METHODS",
    "SHIP",
    "UNCLEAR",
    "Belief",
    "Blocks",
    "Costs",
    "Decision",
    "Gate",
    "Outlook",
    "Pairing",
    "Partition",
    "Range",
    "SamplingFrame",
    "Saving",
    "answers_differ",
    "assumed_frame",
    "belief",
    "blocks",
    "connor_size",
    "curve",
    "decide",
    "decide_early",
    "decide_in_order",
    "design_frame",
    "difference_pool",
    "duration",
    "forecast",
    "from_half_width",
    "from_labels",
    "from_money",
    "gate_design",
    "gate_scheme",
    "grid",
    "labels_for",
    "limits",
    "mcnemar_power",
    "measured_auroc",
    "middle_risks",
    "pool_frame",
    "savings",
    "sheet",
    "simulate",
    "simulate_belief",
    "textbook_size",
    "written",
]
