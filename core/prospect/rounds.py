"""Simulated rounds of labelling at a few budgets, if the target's outcome is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.budgets import budget_grid
from ..allocation.rules import METHODS
from ..design.scheme import Scheme
from ..simulation import trials as monte_carlo
from ..stratification.moments import Moments
from ..stratification.profiles import Outcome, Stratification
from .memo import Memo

# Random numbers that a simulation may draw without a progress bar: about a second of work.
_QUIET_DRAWS = 30_000_000
_MOST_STRATA = 10
# Budgets that are simulated beside the one asked for, from so many labels on.
_POINTS, _LEAST = 3, 10
SEED = 0

Key = tuple[object, ...]


def is_slow(known: Outcome, trials: int) -> bool:
    """Whether a simulation draws item by item and takes more than about a second."""
    return not known.moments.binary and known.losses.size * trials > _QUIET_DRAWS


def usual_budgets(least: int, n_items: int) -> list[int]:
    """Budgets at which a scheme is simulated, ascending: fixed ones, so that random numbers serve again."""
    half = max(n_items // 2, least)
    return [int(budget) for budget in budget_grid(min(max(_LEAST, least), half), half, _POINTS)]


def line_budgets(budgets: NDArray[np.int64], budget: int, n_items: int, slow: bool) -> list[int]:
    """Budgets of a line at which fine strata are simulated, ascending, this one among them."""
    points = {budget}
    # If the losses have to be drawn item by item, one budget takes as long as all of them otherwise.
    if not slow:
        usual = budgets[(budgets >= _LEAST) & (2 * budgets <= n_items)]
        points.update(usual[np.linspace(0, len(usual) - 1, min(_POINTS, len(usual))).astype(int)].tolist())
    return sorted(points)


def squared_error(
    known: Outcome,
    stratum: NDArray[np.int64],
    labels: NDArray[np.int64],
    trials: int,
    progress: Callable[[float], None],
) -> tuple[float, float]:
    """Mean squared error of simulated rounds of one design, and its standard error."""
    values = monte_carlo.monte_carlo(known.losses, stratum, labels, trials, SEED, progress)
    squared = (values - known.moments.mean) ** 2
    return float(squared.mean()), float(squared.std(ddof=1)) / math.sqrt(trials)


def beside_exact(errors: pd.DataFrame, line: pd.DataFrame, method: str) -> pd.DataFrame:
    """Simulated errors with their ratios to Uniform's exact error, taken from the exact line of the same method."""
    at = line.set_index("budget").loc[errors["budget"]]
    scale = (at["relative_mse"] / at["mse"].where(at["mse"] > 0)).to_numpy()
    relative = {"relative_mse": errors["mse"] * scale, "relative_standard_error": errors["standard_error"] * scale}
    return errors.assign(method=method, **relative)


def simulated(
    memo: Memo, key: Key, scheme: Scheme, known: Outcome, strata: Stratification, budgets: Sequence[int], trials: int
) -> pd.DataFrame:
    """Simulate every rule on a scheme's strata; a rule's curve is kept while nothing changes that it depends on.

    Parameters
    ----------
    memo : Memo
        Where curves are kept.
    key : tuple
        What the outcome depends on.
    scheme : Scheme
        Its offset counts, and what its rules depend on.
    known : Outcome
        The target's.
    strata : Stratification
        Of the scheme.
    budgets : sequence of int
        Ascending.
    trials : int
        T ≥ 2.
    """
    moments: Moments = known.moments_in(strata)
    store, setting = memo.shelf("simulated"), (*key, tuple(budgets), trials)

    def simulate(
        methods: tuple[str, ...],
        parts: list[NDArray[np.float64]] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> pd.DataFrame:
        at = np.asarray(budgets, dtype=np.int64)
        return monte_carlo.simulated_curve(
            moments, strata.consistency, at, scheme.offset, methods, trials, SEED, parts, progress
        )

    if not moments.binary:

        def item_by_item() -> pd.DataFrame:
            parts = monte_carlo.split(known.losses, known.profile.stratum(strata))
            with memo.watch("Simulating item by item", trials, "trials") as progress:
                return simulate(METHODS, parts, progress if is_slow(known, trials) else None)

        return memo.once("simulated", (*setting, scheme), item_by_item)
    if len(budgets) > 1:
        # Once, with the first figure: a move of H then finds its random numbers drawn, whatever H is.
        prepared = partial(monte_carlo.prepare, budgets, len(METHODS), _MOST_STRATA, trials, SEED)
        memo.once("prepared", (tuple(budgets), trials), prepared)
    # What a method does not depend on leaves its curve as it is while a slider moves.
    keys = {method: (*setting, scheme.relevant(method), method) for method in METHODS}
    curves: dict[str, pd.DataFrame] = {
        method: curve for method, key in keys.items() if (curve := store.get(key)) is not None
    }
    missing = tuple(method for method in METHODS if method not in curves)
    if missing:
        rows, size = simulate(missing), len(budgets)
        for place, method in enumerate(missing):
            curves[method] = store.put(keys[method], rows.iloc[place * size : (place + 1) * size])
    return pd.concat([curves[method] for method in METHODS], ignore_index=True)
