"""Verdicts that are known already, and what they save: carried verdicts, gates between versions, versions over time."""

from .bank import COLUMNS, Bank, Grading
from .history import differences, history
from .home import gather
from .known import Known
from .version_gate import (
    ANY,
    FAIL,
    LOOKS,
    ONCE,
    PASS,
    UNDECIDED,
    VersionDecision,
    VersionGate,
    gate,
    labels_needed,
    same_answers,
)

__all__ = [
    "ANY",
    "COLUMNS",
    "FAIL",
    "LOOKS",
    "ONCE",
    "PASS",
    "UNDECIDED",
    "Bank",
    "Grading",
    "Known",
    "VersionDecision",
    "VersionGate",
    "differences",
    "gate",
    "gather",
    "history",
    "labels_needed",
    "same_answers",
]
