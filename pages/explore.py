"""Explore: what the method gains on this pool, for every setting of its parameters."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core.allocation import allocate, bernoulli_proxy, budget_grid
from core.figures import explore as figures
from core.simulation import curve as exact_curve
from core.simulation import findings
from core.stratification import stratum_table
from pages.parts import calls, controls, downloads, frame
from pages.parts.progress import Progress

_EXACT_POINTS = 40
_SIMULATED_POINTS = 3
_LEAST_SIMULATED = 10

pool = frame.frame("Explore")
frame.need_generations(pool)
left, right = st.columns([1, 3], gap="large")
with left:
    top = st.container()
    kind = controls.parser()
with top:
    with frame.errors():
        profile = calls.pool_profile(pool, kind)
    target = controls.target(pool)
    with frame.errors():
        outcome = None if target is None else calls.target_outcome(pool, kind, target)
        scheme = controls.scheme(kind)
        strata = scheme.stratify(profile if outcome is None else outcome.profile)
        budget = controls.budget(strata)
    simulate = outcome is not None and controls.SIMULATE.draw()
    trials = controls.TRIALS.draw() if simulate else 0

proxy = bernoulli_proxy(strata.consistency, scheme.offset)
labels = allocate(scheme.weights(strata), strata.sizes, budget)
moments = None if outcome is None else outcome.moments_in(strata)
table = stratum_table(strata, labels, proxy, moments)
curve = simulated = None

with right:
    if target is None or outcome is None or moments is None:
        st.info(
            "No outcome of a target model is known on this pool, so what the method would save cannot be known either. "
            "The strata, the allocation and the list of items to label need no outcome and are ready. To see the gain "
            "here, add a target’s answers and the truth, or its losses, to the pool.",
            icon=":material/info:",
        )
    else:
        if outcome.partial:
            st.warning(
                f"The target’s outcome is known for {outcome.losses.size:,} of {outcome.n_items:,} items. This page "
                "describes those items as if they were the whole pool; the label list is drawn from all items.",
                icon=":material/rule:",
            )
        half = max(strata.n_items // 2, strata.n_strata)
        # From a fixed budget on: random numbers are kept for each budget, and serve again when H moves.
        least = min(max(_LEAST_SIMULATED, strata.n_strata), half)
        points = budget_grid(least, half, _SIMULATED_POINTS).tolist()
        grid = budget_grid(strata.n_strata, strata.n_items, _EXACT_POINTS)
        grid = np.union1d(grid, [*points, budget])
        curve = exact_curve(moments, strata.consistency, grid, scheme.offset)
        gain = findings.gain(moments, strata.consistency, budget, scheme.offset)
        headline, caveat = findings.headline(gain), findings.caveat(gain)
        st.markdown(f"##### {headline}")
        if caveat:
            st.warning(caveat, icon=":material/balance:")
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

if numbers := frame.panel("The numbers behind the figures", "numbers", "table"):
    with numbers:
        downloads.strata(table, moments is not None and moments.binary)
        if curve is not None:
            downloads.errors(curve, simulated)

frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
