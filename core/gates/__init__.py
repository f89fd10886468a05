"""Decisions by labels: whether a model reaches an accuracy, and whether a new version is worse than an old one.

Names are loaded when they are used: `neyman gate` needs no SciPy, and starts sooner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .accuracy_gate import HOLD, SHIP, Decision, Gate, decide, decide_in_order
    from .version_chances import chances
    from .version_gate import ONCE, VersionGate, points
    from .version_plan import answering, by_words, gate
    from .version_pool import gate_of, known_losses, listed_pool, pool_of, request

__all__ = [
    "HOLD",
    "ONCE",
    "SHIP",
    "Decision",
    "Gate",
    "VersionGate",
    "answering",
    "by_words",
    "chances",
    "decide",
    "decide_in_order",
    "gate",
    "gate_of",
    "known_losses",
    "listed_pool",
    "points",
    "pool_of",
    "request",
]

_MODULES = {
    "accuracy_gate": ("HOLD", "SHIP", "Decision", "Gate", "decide", "decide_in_order"),
    "version_chances": ("chances",),
    "version_gate": ("ONCE", "VersionGate", "points"),
    "version_plan": ("answering", "by_words", "gate"),
    "version_pool": ("gate_of", "known_losses", "listed_pool", "pool_of", "request"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
