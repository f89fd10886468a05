"""Decisions by labels: whether a model reaches an accuracy, and whether a new version is worse than an old one.

Names are loaded when they are used: `neyman gate` needs no SciPy, and starts sooner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .accuracy_gate import HOLD, SHIP, UNCLEAR, Gate, simulate
    from .betting import Blocks, blocks, limits
    from .decision import Decision, decide, decide_early, decide_in_order
    from .version_chances import Chances, chances
    from .version_decision import ANY, FAIL, LOOKS, ONCE, PASS, UNDECIDED, VersionDecision, points
    from .version_gate import VersionGate
    from .version_gradings import known_losses, request
    from .version_plan import answering, by_words, gate, labels_needed, same_answers
    from .version_pool import gate_of, listed_pool, pool_of

__all__ = [
    "ANY",
    "FAIL",
    "HOLD",
    "LOOKS",
    "ONCE",
    "PASS",
    "SHIP",
    "UNCLEAR",
    "UNDECIDED",
    "Blocks",
    "Chances",
    "Decision",
    "Gate",
    "VersionDecision",
    "VersionGate",
    "answering",
    "blocks",
    "by_words",
    "chances",
    "decide",
    "decide_early",
    "decide_in_order",
    "gate",
    "gate_of",
    "known_losses",
    "labels_needed",
    "limits",
    "listed_pool",
    "points",
    "pool_of",
    "request",
    "same_answers",
    "simulate",
]

_MODULES = {
    "accuracy_gate": ("HOLD", "SHIP", "UNCLEAR", "Gate", "simulate"),
    "betting": ("Blocks", "blocks", "limits"),
    "decision": ("Decision", "decide", "decide_early", "decide_in_order"),
    "version_chances": ("Chances", "chances"),
    "version_decision": ("ANY", "FAIL", "LOOKS", "ONCE", "PASS", "UNDECIDED", "VersionDecision", "points"),
    "version_gate": ("VersionGate",),
    "version_gradings": ("known_losses", "request"),
    "version_plan": ("answering", "by_words", "gate", "labels_needed", "same_answers"),
    "version_pool": ("gate_of", "listed_pool", "pool_of"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
