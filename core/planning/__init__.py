"""Before any label: how precise it will be, what it costs, whether it helps, and what can be decided."""

from ..gates.accuracy_gate import Gate
from .belief import AUROCS, Belief, Range, belief
from .costs import Costs, duration, written
from .forecast import curve, forecast, grid, labels_for, middle_risks, textbook_size
from .outlook import Outlook, from_labels
from .pairs import Pairing, answers_differ, connor_size, difference_pool
from .sampling_frame import (
    ASSUMED,
    CHOSEN,
    GATE,
    METHODS,
    Partition,
    SamplingFrame,
    assumed_frame,
    beside,
    design_frame,
    gate_scheme,
    layout,
    pool_frame,
)
from .savings import Saving, saved_by, savings

__all__ = [
    "ASSUMED",
    "AUROCS",
    "CHOSEN",
    "GATE",
    "METHODS",
    "Belief",
    "Costs",
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
    "beside",
    "connor_size",
    "curve",
    "design_frame",
    "difference_pool",
    "duration",
    "forecast",
    "from_labels",
    "gate_scheme",
    "grid",
    "labels_for",
    "layout",
    "middle_risks",
    "pool_frame",
    "saved_by",
    "savings",
    "textbook_size",
    "written",
]
