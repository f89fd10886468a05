"""The paper's design on page Explore: every parameter, every method, exact and simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.allocation import bernoulli_proxy, budget_grid
from core.design import Scheme
from core.figures import strata as figures
from core.planning import Partition
from core.pool import Pool
from core.simulation import curve as exact_curve
from core.simulation import findings, in_units
from core.stratification import STRATIFIERS, Moments, Outcome, Stratification, stratum_table
from pages.parts import calls, comparison, forecast, guarded, recommendation
from pages.parts.app import frame
from pages.parts.app.progress import Progress
from pages.parts.explore import chart, race, shown
from pages.parts.widgets import controls

_EXACT_POINTS = 30
_SIMULATED_POINTS = 3
_LEAST_SIMULATED = 10


def section(pool: Pool, target: str | None, kind: str | None, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Draw the controls on the left, the figures on the right, and their numbers below."""
    with left:
        with frame.errors():
            profile = calls.pool_profile(pool, kind)
            outcome = None if target is None else calls.target_outcome(pool, kind, target)
            scheme = controls.scheme(kind)
            strata = scheme.stratify(profile if outcome is None else outcome.profile)
            budget = controls.budget(strata.n_strata, strata.n_items)
        simulate = outcome is not None and controls.SIMULATE.draw()
        trials = controls.TRIALS.draw() if simulate else 0

    proxy = bernoulli_proxy(strata.consistency, scheme.offset)
    moments = None if outcome is None else outcome.moments_in(strata)
    table = stratum_table(strata, scheme.allocate(strata, budget), proxy, moments)
    curve = simulated = None
    words = (STRATIFIERS[scheme.stratifier].title, f"H = {scheme.n_strata}", f"δ = {scheme.offset:g}")
    setting = chart.Setting(pool, target, words, budget, trials)
    with right:
        if target is None or outcome is None or moments is None:
            shown.no_outcome()
            chosen = Partition(scheme, strata, profile)
            forecast.section(pool, recommendation.best(pool, target, kind), budget, partition=chosen)
            guarded.warn(scheme, strata, budget)
        else:
            shown.partial(outcome)
            known = Explored(pool, target, scheme, outcome, strata, moments, budget, trials)
            curve, gain = known.compared()
            headline = shown.finding(gain)
            if curve["relative_mse"].notna().any():
                simulated = chart.section(
                    setting,
                    curve,
                    "proxy-neyman",
                    moments.binary,
                    known.least(),
                    headline,
                    known.simulated,
                    calls.is_slow(outcome, trials),
                )
            shown.caution(gain)
            shown.cost(budget)
            guarded.warn(scheme, strata, budget)
            shown.lines(
                f"Points: {trials:,} simulated rounds of labelling each, with bars of one standard error. "
                if simulated is not None
                else "",
                "Oracle-Neyman knows the target’s losses, which nobody has before labelling.",
            )
            race.section(outcome, strata, scheme.allocate(strata, budget), "proxy-neyman")
        shown.strata(figures.strata(table), setting, table, findings.strata_finding(table, scheme.n_strata))
    shown.numbers(table, moments, curve, simulated)


@dataclass(frozen=True, slots=True)
class Explored:
    """A scheme on a pool with a known outcome, at one budget."""

    pool: Pool
    target: str
    scheme: Scheme
    outcome: Outcome
    strata: Stratification
    moments: Moments
    budget: int
    trials: int

    def compared(self) -> comparison.Compared:
        """Return the exact errors of every method in units, also at the budgets that are simulated, and the gain."""
        return comparison.once(("errors", self.pool.digest, self.target, self.scheme, self.budget), self._compared)

    def least(self) -> float:
        """Return the smallest relative error of the optimum on as many strata as there may be."""
        return _least(self.pool.digest, self.target, self.scheme.parser, self.scheme.stratifier, self.outcome)

    def simulated(self) -> pd.DataFrame | None:
        """Simulate every method at a few budgets and at this one, in units; None where there is nothing to simulate."""
        if not self.trials or not self.moments.squares.sum() > 0:
            return None
        key = ("rounds", self.pool.digest, self.target, self.scheme, self.budget, self.trials)
        return comparison.once(key, lambda: in_units(self._simulated(), self.strata.n_items))

    def _compared(self) -> comparison.Compared:
        low, high = self.strata.n_strata, self.strata.n_items
        grid = np.union1d(budget_grid(low, high, _EXACT_POINTS), [*self._points(), self.budget])
        curve = exact_curve(self.moments, self.strata.consistency, grid, self.scheme.offset)
        gain = findings.gain(self.moments, self.strata.consistency, self.budget, self.scheme.offset)
        return in_units(curve, high), gain

    def _simulated(self) -> pd.DataFrame:
        points = self._points()
        key = calls.CurveKey(self.pool.digest, self.target, self.scheme, points, self.trials, seed=0)
        with frame.errors(), Progress("Simulating item by item", self.trials, "trials") as progress:
            simulated = calls.simulated(key, self.outcome, self.strata, progress)
            if self.budget not in points:
                # On its own, so that a move of the budget simulates one budget and not all.
                here = calls.simulated(replace(key, budgets=(self.budget,)), self.outcome, self.strata, progress)
                simulated = pd.concat([simulated, here]).sort_values("budget", kind="stable")
            return simulated

    def _points(self) -> tuple[int, ...]:
        half = max(self.strata.n_items // 2, self.strata.n_strata)
        # From a fixed budget on: random numbers are kept for each budget, and serve again when H moves.
        least = min(max(_LEAST_SIMULATED, self.strata.n_strata), half)
        return tuple(budget_grid(least, half, _SIMULATED_POINTS).tolist())


@st.cache_data(max_entries=24, show_spinner=False)
def _least(digest: str, target: str, parser: str | None, stratifier: str, _outcome: Outcome) -> float:
    strata = _outcome.profile.stratify(controls.STRATA.high, stratifier)
    grid = budget_grid(strata.n_strata, strata.n_items, _EXACT_POINTS)
    best = exact_curve(_outcome.moments_in(strata), strata.consistency, grid, methods=["oracle-neyman"])
    return float(best["relative_mse"].min())
