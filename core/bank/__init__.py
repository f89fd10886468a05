"""Verdicts that are known already, and what they save: carried verdicts, versions over time."""

from .bank import Bank, bank_versions, with_version
from .home import correct, edits, gather, is_on, remove, switch, take_in
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
from .verdict_rows import Known

__all__ = [
    "Bank",
    "Known",
    "bank_versions",
    "best_first",
    "best_title",
    "correct",
    "differences",
    "differences_title",
    "edits",
    "elsewhere",
    "gather",
    "history",
    "informative",
    "is_on",
    "limits_of",
    "oldest_first",
    "predecessors",
    "remove",
    "switch",
    "take_in",
    "with_version",
]
