"""Strata: cuts of a signal, and the profile of a pool that they are made from."""

from core.stratification.cuts import METHODS, stratify
from core.stratification.moments import Moments
from core.stratification.profiles import Outcome, Profile, Stratification, outcome, profile, stratum_table

__all__ = [
    "METHODS",
    "Moments",
    "Outcome",
    "Profile",
    "Stratification",
    "outcome",
    "profile",
    "stratify",
    "stratum_table",
]
