"""Overview: what this is, the current pool, the headline on it, the next step."""

import numpy as np
import streamlit as st

from core import words
from core.allocation import default_budget
from core.figures import explore as figures
from core.simulation import findings
from pages.parts import calls, frame, prices, recommendation, state
from pages.parts.markup import plain

pool = frame.frame("Overview")
st.markdown(
    "Expert labels are the expensive part of an evaluation. Neyman predicts which questions the target model fails, "
    "from the answers of a cheap **surrogate** model or from what other models did, and shows you **which few items to "
    "label** to measure the target’s accuracy as precisely as possible. If you label every "
    "item of the list, the estimate is unbiased, however good the prediction is."
)
st.subheader("This pool")
st.caption(plain(pool.name))

with frame.errors():
    kind = state.answer_kind()
    target = next((name for name in pool.targets if np.isfinite(pool.losses(name, kind)).any()), None)
    chosen = recommendation.best(pool, target, kind)
    if chosen.uniform:
        frame.need_generations(pool)
    profile = calls.pool_profile(pool, kind) if pool.n_generations else None
    outcome = chosen.outcome(pool)
    if outcome is None:
        st.markdown(f"##### {findings.pool_finding(pool, profile)}")
        st.write("No outcome of a target is known: strata and a label list can be made, but not what they save.")
    else:
        budget = default_budget(min(2, outcome.losses.size), outcome.losses.size)
        curve, gain = recommendation.compared(pool, chosen, outcome, budget)
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
            words.UNKNOWN if profile is None else words.per_cent(profile.agreeing),
            border=True,
            help="Items with a semantic entropy of 0.",
        )
        # Losses of 0 and 1 are wrong answers, so that people read an accuracy; others have the unit they came in.
        share = outcome.moments.binary
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
            help=f"Exact, for the recommended design’s estimate of the {measure} with "
            f"{words.counted(budget, 'label')}.",
        )
        if curve["relative_mse"].notna().any():
            frame.chart(figures.relative_mse(curve, None, budget), "headline", headline)
        whole = f", over the {outcome.losses.size:,} items whose outcome is known" if outcome.partial else ""
        paper = " Proxy-Neyman is the paper’s design (five strata, δ = 0.75)." if pool.n_generations else ""
        money = prices.of_labels(budget)
        cost = f" {words.counted(budget, 'label')} cost {plain(money)}." if money else ""
        st.caption(f"Exact, for the target {plain(str(target))}{whole}.{paper}{cost}")

st.subheader("Next")
steps = st.columns(3)
with steps[0]:
    frame.step("pages/explore.py", "Explore the parameters", ":material/query_stats:")
    st.caption("What each design saves on this pool: the recommended one, the paper’s, and every parameter.")
with steps[1]:
    frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
    st.caption("A list for your annotators, with the manifest that reproduces it.")
with steps[2]:
    frame.step("pages/pool.py", "Bring your own pool", ":material/database:")
    st.caption("JSON Lines, CSV, Parquet, or MMLU-Pro’s published results.")
