"""Overview: what this is, the current pool, the headline on it, the next step."""

import numpy as np
import streamlit as st

from core.allocation import budgets
from core.figures import explore as figures
from core.simulation import exact, findings
from pages.parts import calls, frame, state
from pages.parts.frame import CONFIG
from pages.parts.markup import plain

_METHODS = ("uniform", "proxy-neyman", "oracle-neyman")

pool = frame.frame("Overview")
st.markdown(
    "Labels from experts are the dearest part of an evaluation. Neyman asks a cheap **surrogate** model each question "
    "several times, sorts the questions by how much its answers disagree, and tells you **which few items to have "
    "labelled** so that the target model’s accuracy is known as precisely as possible. The estimate is unbiased, "
    "whatever the surrogate does."
)
st.subheader("This pool")
st.caption(plain(pool.name))
frame.need_generations(pool)

with frame.errors():
    kind = state.answer_kind()
    profile = calls.pool_profile(pool, kind)
    agreeing = float(np.mean(profile.signal == 0))
    known = {name: found for name in pool.targets if (found := calls.target_outcome(pool, kind, name)) is not None}
    if not known:
        complete = bool((pool.classes(kind) >= 0).all())
        st.markdown(f"##### {findings.pool_finding(pool.n_items, pool.n_generations, agreeing, complete)}")
        st.write("No outcome of a target is known: strata and a label list can be made, but not what they save.")
    else:
        target, outcome = next(iter(known.items()))
        strata = outcome.profile.stratify()
        budget = budgets.default_budget(strata.n_strata, strata.n_items)
        moments = outcome.moments.merge(strata.of_level)
        found = findings.compare(moments, strata.consistency, budget)
        headline, caveat = findings.headline(found), findings.caveat(found)
        plain_words = findings.in_plain_words(found)
        st.markdown(f"##### {plain_words or headline}")
        if plain_words:
            st.markdown(headline)
        if caveat:
            st.warning(caveat, icon=":material/balance:")
        cells = st.columns(4)
        cells[0].metric("Items", f"{pool.n_items:,}", border=True)
        cells[1].metric("All answers agree", f"{agreeing:.0%}", border=True, help="Share of items with entropy 0.")
        # Shares wrong are percentages; other losses have the unit they came in.
        share = moments.binary
        cells[2].metric(
            "Target’s mean loss",
            f"{found.mean_loss:.1%}" if share else f"{found.mean_loss:.4g}",
            border=True,
            help="Share wrong of all items with an outcome." if share else "Mean over all items with an outcome.",
        )
        cells[3].metric(
            "Standard error",
            f"± {100 * found.standard_error:.1f} pts" if share else f"± {found.standard_error:.3g}",
            border=True,
            help=f"Of the Proxy-Neyman estimate of the mean loss with a budget of {budget:,}, exact"
            + ("; in percentage points." if share else "."),
        )
        grid = np.union1d(budgets.budget_grid(strata.n_strata, strata.n_items, 40), budget)
        curve = exact.curve(moments, strata.consistency, grid, methods=_METHODS)
        if curve["relative_mse"].notna().any():
            st.plotly_chart(figures.relative_mse(curve, None, budget), config=CONFIG, key="headline", alt=headline)
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
