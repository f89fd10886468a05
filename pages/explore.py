"""Explore: what a design gains on this pool, for every setting of its parameters."""

import streamlit as st

from pages.parts import prospects
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
with frame.errors():
    prospect = prospects.to_choose(pool, target, kind)
if design == controls.PAPERS:
    paper.section(prospect, top, right)
else:
    recommended.section(prospect, top, right, design == controls.GATE, prospects.earlier(pool, target))

frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
