"""A design compared with others on a known outcome: exact errors, simulated rounds and the gain, cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from core.allocation import budget_grid
from core.memo import BoundedCache
from core.pool import Pool
from core.signals import Quality, quality
from core.simulation import curve, findings, in_units
from core.stratification import Outcome
from pages.parts import calls
from pages.parts.recommendation import Recommendation

# Errors in units, and the gain at one budget.
Compared: TypeAlias = tuple[pd.DataFrame, findings.Gain]
_T = TypeVar("_T")

# Lines drawn beside the recommended design's: the paper's design, and what its strata allow.
_OF_PAPER = ("uniform", "proportional", "proxy-neyman", "oracle-neyman")
# Budgets of the recommended design's line, each with its own strata: as many as take about a second.
_LARGE, _POINTS, _FEW = 50_000, 16, 6
_SIMULATED_POINTS, _LEAST_SIMULATED = 3, 10
# Places of the sliders: 64 of either design, each with errors and simulated rounds.
_KEPT = 256


def gained(pool: Pool, chosen: Recommendation, known: Outcome, budget: int) -> findings.Gain:
    """Return what the recommended design gains at one budget, beside the paper's where the pool has generations."""
    beside = _of_paper(pool, chosen, budget, 1) if pool.n_generations else pd.DataFrame()
    return _gain(chosen, known, budget, beside)


def compared(pool: Pool, chosen: Recommendation, known: Outcome, budget: int) -> Compared:
    """Return exact errors of the recommended design, of Uniform and of the paper's, and the gain at one budget.

    The errors are in units, as of `core.simulation.in_units`.
    """
    return once(("errors", chosen.digest, chosen.basis, budget), lambda: _compared(pool, chosen, known, budget))


def _compared(pool: Pool, chosen: Recommendation, known: Outcome, budget: int) -> Compared:
    size, low = known.losses.size, chosen.least(known)
    points = _POINTS if size <= _LARGE else _FEW
    beside = pd.DataFrame()
    if pool.n_generations:
        # Every line has the same budgets, so that one crosshair names them all.
        beside = _of_paper(pool, chosen, budget, low, points)
        low = int(beside["budget"].min())
    few = np.union1d(budget_grid(min(low, size), size, points), budget)
    errors = chosen.errors(known, few.tolist())
    uniform = curve(known.moments.pooled(), [0.5], few, methods=["uniform"])
    line = uniform.assign(
        method=chosen.method, mse=errors, relative_mse=errors / uniform["mse"].where(uniform["mse"] > 0)
    )
    lines = in_units(pd.concat([line, beside if len(beside) else uniform], ignore_index=True), size)
    return lines, _gain(chosen, known, budget, beside)


def _of_paper(pool: Pool, chosen: Recommendation, budget: int, least: int, points: int = 0) -> pd.DataFrame:
    """Exact errors of the paper's design and of what its strata allow, at so many budgets and at this one."""
    paper = calls.target_outcome(pool, chosen.basis.parser, str(chosen.basis.target))
    assert paper is not None
    strata = paper.profile.stratify()
    # The paper's lines need a label in each of its strata.
    low, size = max(least, strata.n_strata), paper.losses.size
    grid = budget_grid(low, size, points) if points else np.empty(0, dtype=np.int64)
    grid = np.union1d(grid, max(budget, low))
    return curve(paper.moments_in(strata), strata.consistency, grid, methods=_OF_PAPER)


def _gain(chosen: Recommendation, known: Outcome, budget: int, beside: pd.DataFrame) -> findings.Gain:
    here = beside[beside["budget"] == budget] if len(beside) else pd.DataFrame({"method": [], "relative_mse": []})
    others = dict(zip(here["method"], here["relative_mse"], strict=True))
    error = float(chosen.errors(known, [budget])[0])
    return findings.recommended_gain(known.moments, budget, error, others, chosen.method)


def simulated(
    chosen: Recommendation, known: Outcome, lines: pd.DataFrame, budget: int, trials: int
) -> pd.DataFrame | None:
    """Simulate rounds of the recommended design at this budget and a few of its line, in units; None for no trials."""
    key = ("rounds", chosen.digest, chosen.basis, budget, trials)
    return once(key, lambda: _simulated(chosen, known, lines, budget, trials)) if trials else None


def _simulated(chosen: Recommendation, known: Outcome, lines: pd.DataFrame, budget: int, trials: int) -> pd.DataFrame:
    line = lines[lines["method"] == chosen.method].set_index("budget")
    points = {budget}
    # Where the losses have to be drawn item by item, one budget takes as long as all of them otherwise.
    if not calls.is_slow(known, trials):
        usual = line.index[(line.index >= _LEAST_SIMULATED) & (2 * line.index <= known.losses.size)]
        points.update(usual[np.linspace(0, len(usual) - 1, min(_SIMULATED_POINTS, len(usual))).astype(int)].tolist())
    rows = chosen.simulated(known, sorted(points), trials)
    at = line.loc[rows["budget"]]
    scale = (at["relative_mse"] / at["mse"].where(at["mse"] > 0)).to_numpy()
    relative = {"relative_mse": rows["mse"] * scale, "relative_standard_error": rows["standard_error"] * scale}
    return in_units(rows.assign(method=chosen.method, **relative), known.losses.size)


def judged(chosen: Recommendation, known: Outcome) -> Quality:
    """Return how good the design's signal is, by the known outcomes."""
    key = ("quality", chosen.digest, chosen.basis)
    return once(key, lambda: quality(known.profile.signal, known.profile.risk, known.losses))


def once(key: tuple[Hashable, ...], compute: Callable[[], _T]) -> _T:
    """Return what is computed of a design at one place of its sliders, and keep it for when they come back."""
    value: _T = _comparisons().once(key, compute)
    return value


@st.cache_resource
def _comparisons() -> BoundedCache[tuple[Hashable, ...], Any]:
    return BoundedCache(_KEPT)
