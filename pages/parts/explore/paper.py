"""The paper's design on page Explore: every parameter, every method, exact and simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.allocation import bernoulli_proxy, budget_grid
from core.figures import explore as figures
from core.planning import Partition
from core.pool import Pool
from core.simulation import curve as exact_curve
from core.simulation import findings
from core.stratification import stratum_table
from pages.parts import calls, controls, forecast, frame, guarded, recommendation
from pages.parts.explore import shown
from pages.parts.progress import Progress

_EXACT_POINTS = 40
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

    with right:
        if target is None or outcome is None or moments is None:
            shown.no_outcome()
            chosen = Partition(scheme, strata, profile.stratum(strata))
            forecast.section(pool, recommendation.best(pool, target, kind), budget, partition=chosen)
            guarded.warn(scheme, strata, budget)
        else:
            shown.partial(outcome)
            half = max(strata.n_items // 2, strata.n_strata)
            # From a fixed budget on: random numbers are kept for each budget, and serve again when H moves.
            least = min(max(_LEAST_SIMULATED, strata.n_strata), half)
            points = budget_grid(least, half, _SIMULATED_POINTS).tolist()
            grid = budget_grid(strata.n_strata, strata.n_items, _EXACT_POINTS)
            grid = np.union1d(grid, [*points, budget])
            curve = exact_curve(moments, strata.consistency, grid, scheme.offset)
            headline = shown.finding(findings.gain(moments, strata.consistency, budget, scheme.offset))
            shown.cost(budget)
            guarded.warn(scheme, strata, budget)
            chart = st.empty()
            if simulate and moments.squares.sum() > 0:
                wanted = calls.CurveKey(pool.digest, target, scheme, tuple(points), trials, seed=0)
                if calls.is_slow(outcome, trials):
                    with chart:
                        frame.chart(figures.relative_mse(curve, None, budget), "curve-exact", headline)
                with frame.errors(), Progress("Simulating item by item", trials, "trials") as progress:
                    simulated = calls.simulated(wanted, outcome, strata, progress)
                    if budget not in points:
                        # On its own, so that a move of the budget simulates one budget and not all.
                        here = calls.simulated(replace(wanted, budgets=(budget,)), outcome, strata, progress)
                        simulated = pd.concat([simulated, here]).sort_values("budget", kind="stable")
            if curve["relative_mse"].notna().any():
                with chart:
                    frame.chart(figures.relative_mse(curve, simulated, budget), "curve", headline)
                points_are = f"Points: {trials:,} simulated rounds of labelling each, with bars of one standard error. "
                st.caption(
                    "Lines: exact, from the closed form of the variance. "
                    + (points_are if simulated is not None else "")
                    + "Below 100 %: fewer labels than Uniform for the same precision. "
                    "Oracle-Neyman knows the target’s losses, which nobody has before labelling."
                )
        st.markdown(f"##### {findings.strata_finding(table, scheme.n_strata)}")
        frame.chart(
            figures.strata(table),
            "strata-figure",
            "Share of the pool and of the labels of each stratum, and the proxy beside the true standard deviation.",
        )
    shown.numbers(table, moments, curve, simulated)
