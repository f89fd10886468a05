"""Versions: whether a new version is worse, by the items alone whose answers differ, and all versions side by side."""

import streamlit as st

from core.gates import gate_of
from pages.parts import prospects, targets
from pages.parts.app import frame
from pages.parts.plan import decisions, over_time, versions
from pages.parts.plan.controls import GATE_TAB, HISTORY_TAB, VERSIONS_TAB

pool = frame.frame("Versions", "is the new version worse?")
if gate_of(pool) is not None:
    # A list of a gate: what it decides is all that it says.
    with frame.errors():
        versions.section(pool)
    st.stop()
for tab, name in zip(VERSIONS_TAB.draw_tabs(), VERSIONS_TAB.names, strict=True):
    if tab.open:
        with tab, frame.errors():
            if name == GATE_TAB:
                versions.section(pool)
            elif name == HISTORY_TAB:
                over_time.section(targets.known(pool))
            else:
                decisions.pairs(prospects.current(pool))
