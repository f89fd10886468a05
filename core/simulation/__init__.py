"""What a design would have given: exact errors, Monte Carlo, label savings, findings."""

from core.simulation.exact import curve
from core.simulation.simulation import (
    Savings,
    exact_mse,
    label_savings,
    monte_carlo,
    monte_carlo_curve,
    relative_mse_curve,
    uniform_mse,
)

__all__ = [
    "Savings",
    "curve",
    "exact_mse",
    "label_savings",
    "monte_carlo",
    "monte_carlo_curve",
    "relative_mse_curve",
    "uniform_mse",
]
