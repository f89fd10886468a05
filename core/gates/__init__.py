"""Decisions by labels: whether a model reaches an accuracy, and whether a new version is worse than an old one.

The accuracy gate is loaded when it is used: `neyman gate` needs no SciPy, and starts sooner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version_chances import Chances, chances
from .version_gate import VersionDecision, VersionGate
from .version_list import ONCE, points
from .version_plan import by_words, gate
from .version_pool import gate_of, known_losses, listed_pool, pool_of, request

if TYPE_CHECKING:
    from .accuracy_gate import HOLD, SHIP, Decision, Gate, decide, decide_in_order

__all__ = [
    "HOLD",
    "ONCE",
    "SHIP",
    "Chances",
    "Decision",
    "Gate",
    "VersionDecision",
    "VersionGate",
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.accuracy_gate"), name)
