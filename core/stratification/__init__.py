"""Strata: cuts of a signal, and the profile of a pool that they are made from."""

from .cuts import METHODS, Stratifier, stratify
from .described import by_group, in_order, value_counts
from .moments import Moments
from .profiles import (
    EQUAL_MASS,
    STRATIFIERS,
    Outcome,
    Profile,
    Stratification,
    merged_table,
    outcome,
    profile,
    signal_profile,
    stratum_table,
)

__all__ = [
    "EQUAL_MASS",
    "METHODS",
    "STRATIFIERS",
    "Moments",
    "Outcome",
    "Profile",
    "Stratification",
    "Stratifier",
    "by_group",
    "in_order",
    "merged_table",
    "outcome",
    "profile",
    "signal_profile",
    "stratify",
    "stratum_table",
    "value_counts",
]
