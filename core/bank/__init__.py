"""Verdicts that are known already, and what they save: carried verdicts, gates between versions, versions over time."""

from .bank import COLUMNS, Bank, Grading
from .gate_chances import Chances, chances
from .history import differences, history
from .home import gather
from .known import Known
from .listed_gate import BegunGate, begun, gate_of, listed_pool, pool_of
from .version_gate import (
    ANY,
    FAIL,
    LOOKS,
    ONCE,
    PASS,
    UNDECIDED,
    VersionDecision,
    VersionGate,
    answering,
    gate,
    labels_needed,
    points,
    same_answers,
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
    "begun",
    "chances",
    "differences",
    "gate",
    "gate_of",
    "gather",
    "history",
    "known_losses",
    "labels_needed",
    "listed_pool",
    "points",
    "pool_of",
    "request",
    "same_answers",
]
