"""Explore: what a design gains on this pool, for every setting of its parameters."""

import streamlit as st

from pages.parts.app import frame
from pages.parts.explore import paper, recommended
from pages.parts.widgets import controls

pool = frame.frame("Explore")
left, right = st.columns([2, 5], gap="medium")
with left:
    top = st.container()
    kind = controls.parser()
with top:
    design = controls.design()
    if design == controls.PAPERS:
        frame.need_generations(pool)
    target = controls.target(pool, new=design != controls.PAPERS)
if design == controls.PAPERS:
    paper.section(pool, target, kind, top, right)
else:
    recommended.section(pool, target, kind, top, right, design == controls.GATE)

frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
