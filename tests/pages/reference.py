"""What the pages' exact numbers must be: the textbook's formulas on the items themselves, without core's shortcuts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import allocate
from core.estimation.intervals import DEFAULT
from core.estimation.top_ups import half_widths
from core.pool import Pool
from core.stratification import profile, stratify


def exact_errors(
    chosen: Pool, target: str, n_strata: int = 5, method: str = "adaptive", budget: int = 100, offset: float = 0.75
) -> dict[str, float]:
    """The exact squared error of each method at one budget, by the textbook's formula on the items themselves."""
    seen_by, losses = profile(chosen.classes()), chosen.losses(target)
    known = np.isfinite(losses)
    signal, consistency, losses = seen_by.signal[known], seen_by.consistency[known], losses[known]
    strata = stratify(signal, n_strata, method)
    sizes = np.bincount(strata)
    variances = np.array([losses[strata == h].var(ddof=1) if n > 1 else 0.0 for h, n in enumerate(sizes)])
    p = np.bincount(strata, consistency) / sizes
    weights = {
        "Equal": np.ones(sizes.size),
        "Proportional": sizes,
        "Power": np.sqrt(sizes),
        "Proxy-Neyman": sizes * (np.sqrt(p * (1 - p)) + offset),
        "Oracle-Neyman": sizes * np.sqrt(variances),
    }
    errors = {"Uniform": losses.var(ddof=1) * (1 / budget - 1 / losses.size)}
    for name, weight in weights.items():
        m = allocate(weight, sizes, budget)
        errors[name] = float(((sizes / losses.size) ** 2 * (1 - m / sizes) * variances / m).sum())
    return errors


def of_uniform(chosen: Pool, target: str, **settings: Any) -> dict[str, float]:
    """Errors in per cent of Uniform's."""
    errors = exact_errors(chosen, target, **settings)
    return {name: 100 * error / errors["Uniform"] for name, error in errors.items()}


def uniform_needs(chosen: Pool, target: str, error: float, half_width: float | None = None) -> int:
    """Labels with which Uniform's squared error is at most so large, or its interval at most so wide."""
    losses = known_losses(chosen, target)
    exact = math.ceil(1 / (error / losses.var(ddof=1) + 1 / losses.size) - 1e-9)
    mean, variance = np.array([[losses.mean()]]), np.array([[losses.var(ddof=1)]])
    sizes = np.array([losses.size])
    for labels in range(1, exact if half_width is not None else 1):
        if half_widths(sizes, np.array([labels]), mean, variance, DEFAULT, True)[0] <= half_width:
            return labels
    return exact


def known_losses(chosen: Pool, target: str) -> NDArray[np.float64]:
    """The losses that are known."""
    losses = chosen.losses(target)
    return losses[np.isfinite(losses)]
