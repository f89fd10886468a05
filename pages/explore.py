"""Explore: what a design gains on this pool, for every setting of its parameters."""

import streamlit as st

from pages.parts import prospects
from pages.parts.app import frame
from pages.parts.explore import designs, figure, panels, strata
from pages.parts.widgets import controls

pool = frame.frame(
    "Explore",
    about="What designs save for your model (the target). A design cuts the items into strata (groups that look alike) "
    "and shares the labels among them.",
)
left, right = frame.controls_and_figures(2, 5)
with left, frame.errors():
    target = controls.target(pool, new=True)
    sliders, more = st.container(), st.expander("More settings", icon=":material/tune:")
    with more:
        kind = controls.parser()
    prospect = prospects.to_choose(pool, target, kind)
    chosen = designs.choose(prospect, sliders, more)
with right, frame.errors():
    simulated = figure.section(chosen)
    strata.section(chosen)
with frame.errors():
    panels.section(chosen, simulated)
frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
