"""Strata: cuts of a signal, and the profile of a pool that they are made from."""

from core.stratification.cuts import METHODS, stratify
from core.stratification.moments import Moments
from core.stratification.profiles import (
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
    "merged_table",
    "outcome",
    "profile",
    "signal_profile",
    "stratify",
    "stratum_table",
]
