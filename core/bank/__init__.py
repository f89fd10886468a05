"""Verdicts that are known already, and what they save: carried verdicts, gates between versions, versions over time.

Names are loaded when they are used: `neyman gate` needs neither studies nor the archive, and starts sooner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bank import Bank
    from .gate_chances import Chances, chances
    from .gate_plan import answering, by_words, gate, labels_needed, same_answers
    from .home import correct, edits, gather, is_on, remove, switch, take_in
    from .known import Known
    from .listed_gate import BegunGate, begun, gate_of, listed_pool, pool_of
    from .other_versions import bank_versions, with_version
    from .over_time import (
        best_first,
        best_title,
        differences,
        differences_title,
        elsewhere,
        history,
        informative,
        limits_of,
        oldest_first,
        predecessors,
    )
    from .verdict_rows import COLUMNS, Grading
    from .version_gate import (
        ANY,
        FAIL,
        LOOKS,
        ONCE,
        PASS,
        UNDECIDED,
        VersionDecision,
        VersionGate,
        points,
    )
    from .version_lists import known_losses, request

__all__ = [
    "ANY",
    "COLUMNS",
    "FAIL",
    "LOOKS",
    "ONCE",
    "PASS",
    "UNDECIDED",
    "Bank",
    "BegunGate",
    "Chances",
    "Grading",
    "Known",
    "VersionDecision",
    "VersionGate",
    "answering",
    "bank_versions",
    "begun",
    "best_first",
    "best_title",
    "by_words",
    "chances",
    "correct",
    "differences",
    "differences_title",
    "edits",
    "elsewhere",
    "gate",
    "gate_of",
    "gather",
    "history",
    "informative",
    "is_on",
    "known_losses",
    "labels_needed",
    "limits_of",
    "listed_pool",
    "oldest_first",
    "points",
    "pool_of",
    "predecessors",
    "remove",
    "request",
    "same_answers",
    "switch",
    "take_in",
    "with_version",
]

_MODULES = {
    "Bank": "bank",
    "BegunGate": "listed_gate",
    "COLUMNS": "verdict_rows",
    "Chances": "gate_chances",
    "Grading": "verdict_rows",
    "Known": "known",
    "answering": "gate_plan",
    "bank_versions": "other_versions",
    "begun": "listed_gate",
    "best_first": "over_time",
    "best_title": "over_time",
    "by_words": "gate_plan",
    "chances": "gate_chances",
    "differences": "over_time",
    "differences_title": "over_time",
    "elsewhere": "over_time",
    "gate": "gate_plan",
    "gate_of": "listed_gate",
    "correct": "home",
    "edits": "home",
    "gather": "home",
    "is_on": "home",
    "remove": "home",
    "switch": "home",
    "take_in": "home",
    "history": "over_time",
    "informative": "over_time",
    "known_losses": "version_lists",
    "labels_needed": "gate_plan",
    "limits_of": "over_time",
    "listed_pool": "listed_gate",
    "oldest_first": "over_time",
    "pool_of": "listed_gate",
    "predecessors": "over_time",
    "request": "version_lists",
    "same_answers": "gate_plan",
    "with_version": "other_versions",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'version_gate')}"), name)
