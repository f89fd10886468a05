"""Speed of the numbers behind the sliders: signals, strata, exact curves, Monte Carlo."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench import Row, median
from core.allocation import METHODS, budget_grid
from core.signals import self_consistency, semantic_entropy
from core.simulation import curve, monte_carlo_curve, relative_mse_curve, trials
from core.stratification import METHODS as STRATIFIERS
from core.stratification import Profile, profile, stratify

SMALL, LARGE = 12_032, 1_000_000
STRATIFIED = METHODS[1:]


def rows() -> list[Row]:
    table = []
    for n_items, limits in ((SMALL, (0.05, 0.010, 0.05)), (LARGE, (3.0, 0.300, 0.15))):
        classes = made_up_classes(n_items)
        pool = profile(classes)
        losses = (np.random.default_rng(2).random(n_items) < 0.05 + 0.6 * (1 - pool.consistency)).astype(np.float64)
        strata = stratify(pool.signal)
        budgets = budget_grid(5, n_items, 20)
        size = f"N = {n_items:,}"
        table += [
            (f"signals, {size} × 10", median(partial(signals, classes)), limits[0]),
            (
                f"relative_mse_curve, 6 methods × 20 budgets, {size}",
                median(partial(relative_mse_curve, losses, strata, pool.consistency, budgets), 9),
                limits[1],
            ),
            (
                f"a slider move without the page, {size}",
                median(partial(slider_move, pool, losses, budgets), 9),
                limits[2],
            ),
            *monte_carlo(losses, strata, pool.consistency, budgets, size),
        ]
        if n_items == LARGE:
            table += [
                (f"stratify SE, {method}, {size}", median(partial(stratify, pool.signal, 5, method)), 0.3)
                for method in STRATIFIERS
            ]
            continuous = np.random.default_rng(1).gamma(1.0, 1.0, n_items)
            table.append((f"stratify SE without ties, {size}", median(partial(stratify, continuous)), 0.3))
    return table


def monte_carlo(
    losses: NDArray[np.float64],
    strata: NDArray[np.int64],
    consistency: NDArray[np.float64],
    budgets: NDArray[np.int64],
    size: str,
) -> list[Row]:
    """With the kept uniform numbers forgotten before each run, and with them at hand."""
    work = partial(monte_carlo_curve, losses, strata, consistency, budgets, methods=STRATIFIED, trials=3000)
    name = f"Monte Carlo, T = 3,000 × 20 budgets × 5 methods, {size}"
    forget = trials._uniforms.cache_clear
    return [(f"{name}, cold", median(work, before=forget), 0.5), (f"{name}, warm", median(work), 0.5)]


def signals(classes: NDArray[np.int16]) -> None:
    semantic_entropy(classes)
    self_consistency(classes)


def slider_move(pool: Profile, losses: NDArray[np.float64], budgets: NDArray[np.int64]) -> None:
    """Time a new stratification: strata, moments and curves of a pool whose profile is known."""
    strata = pool.stratify(4)
    curve(pool.moments(losses).merge(strata.of_level), strata.consistency, budgets)


def made_up_classes(n_items: int) -> NDArray[np.int16]:
    """Ten generations of each item, of four answers at most; on two items in five they agree."""
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 4, (n_items, 10), dtype=np.int16)
    answers[rng.random((n_items, 10)) < rng.random((n_items, 1))] = 0
    answers[rng.random(n_items) < 0.4] = 0
    return answers
