"""Designs on known outcomes: exact errors, Monte Carlo, rounds of labelling, label savings, findings."""

from . import findings, trials
from .courses import Courses, Race, courses
from .exact import Savings, beside, curve, exact_mse, in_units, label_savings, relative_mse_curve, uniform_mse
from .replications import rounds
from .trials import monte_carlo, monte_carlo_curve

__all__ = [
    "Courses",
    "Race",
    "Savings",
    "beside",
    "courses",
    "curve",
    "exact_mse",
    "findings",
    "in_units",
    "label_savings",
    "monte_carlo",
    "monte_carlo_curve",
    "relative_mse_curve",
    "rounds",
    "trials",
    "uniform_mse",
]
