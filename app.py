"""Overview: what this is, what it saves on the current pool, and the guided tour."""

import streamlit as st

from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.overview import hero, tour
from pages.parts.widgets import controls

pool = frame.frame("Overview", titled=False)
with frame.errors():
    prospect = prospects.current(pool)
    if stop := tour.stop():
        # Only if the truth is known can it be seen how intervals land on it.
        tour.section(prospect if hero.playable(prospect) else prospects.current(state.practice()), stop)
        st.stop()
    if prospect.uniform:
        hero.nothing(prospect)
    hero.section(prospect)

st.header("Next")
steps = [*st.columns(2), *st.columns(2)]
with steps[0]:
    frame.step("pages/explore.py", "Explore the parameters", ":material/query_stats:")
    st.caption("What each design saves on this pool: the recommended one, the paper’s, and every parameter.")
with steps[1]:
    frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
    st.caption("If grading is expensive: experts grade only the answers on this list.")
with steps[2]:
    run = {"target": controls.NEW} if pool.targets else {}
    frame.step("pages/label.py", "Draw the items to run", ":material/terminal:", part="The list", **run)
    st.caption("If running is expensive, as with agents: run your model only on the items of this list.")
with steps[3]:
    frame.step("pages/pool.py", "Bring your own pool", ":material/database:")
    st.caption("JSON Lines, CSV, Parquet, or MMLU-Pro’s published results.")
