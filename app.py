"""Overview: what this is, the current pool, the headline on it, the next step."""

import numpy as np
import streamlit as st

from core import words
from core.allocation import budget_grid, default_budget
from core.figures import explore as figures
from core.simulation import curve as exact_curve
from core.simulation import findings
from pages.parts import calls, frame, state
from pages.parts.markup import plain

_METHODS = ("uniform", "proxy-neyman", "oracle-neyman")

pool = frame.frame("Overview")
st.markdown(
    "Expert labels are the expensive part of an evaluation. Neyman asks a cheap **surrogate** model each question "
    "several times, groups the questions by how much its answers disagree, and shows you **which few items to label** "
    "to measure the target model’s accuracy as precisely as possible. The estimate is unbiased, whatever the surrogate "
    "does."
)
st.subheader("This pool")
st.caption(plain(pool.name))
frame.need_generations(pool)

with frame.errors():
    kind = state.answer_kind()
    profile = calls.pool_profile(pool, kind)
    known = {name: outcome for name in pool.targets if (outcome := calls.target_outcome(pool, kind, name)) is not None}
    if not known:
        st.markdown(f"##### {findings.pool_finding(pool, profile)}")
        st.write("No outcome of a target is known: strata and a label list can be made, but not what they save.")
    else:
        target, outcome = next(iter(known.items()))
        strata = outcome.profile.stratify()
        budget = default_budget(strata.n_strata, strata.n_items)
        moments = outcome.moments_in(strata)
        gain = findings.gain(moments, strata.consistency, budget)
        headline, caveat = findings.headline(gain), findings.caveat(gain)
        plain_words = findings.in_plain_words(gain)
        st.markdown(f"##### {plain_words or headline}")
        if plain_words:
            st.markdown(headline)
        if caveat:
            st.warning(caveat, icon=":material/balance:")
        cells = st.columns(4)
        cells[0].metric("Items", f"{pool.n_items:,}", border=True)
        cells[1].metric(
            "All answers agree",
            words.per_cent(profile.agreeing),
            border=True,
            help="Items with a semantic entropy of 0.",
        )
        # Losses of 0 and 1 are wrong answers, so that people read an accuracy; others have the unit they came in.
        share = moments.binary
        measure = "accuracy" if share else "mean loss"
        cells[2].metric(
            f"Target’s {measure}",
            words.value(1 - gain.mean_loss if share else gain.mean_loss, share),
            border=True,
            help="Over all items with an outcome.",
        )
        cells[3].metric(
            "Standard error",
            words.width(gain.standard_error, share),
            border=True,
            help=f"Exact, for Proxy-Neyman’s estimate of the {measure} with {words.counted(budget, 'label')}.",
        )
        grid = np.union1d(budget_grid(strata.n_strata, strata.n_items, 40), budget)
        curve = exact_curve(moments, strata.consistency, grid, methods=_METHODS)
        if curve["relative_mse"].notna().any():
            frame.chart(figures.relative_mse(curve, None, budget), "headline", headline)
        whole = f", over the {strata.n_items:,} items whose outcome is known" if outcome.partial else ""
        st.caption(f"Exact, for the target {plain(target)} with the paper’s settings (five strata, δ = 0.75){whole}.")

st.subheader("Next")
steps = st.columns(3)
with steps[0]:
    frame.step("pages/explore.py", "Explore the parameters", ":material/query_stats:")
    st.caption("Strata, offset and budget as sliders; every method, exact and simulated.")
with steps[1]:
    frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
    st.caption("A list for your annotators, with the manifest that reproduces it.")
with steps[2]:
    frame.step("pages/pool.py", "Bring your own pool", ":material/database:")
    st.caption("JSON Lines, CSV, Parquet, or MMLU-Pro’s published results.")
