"""The warning before labels are spread too unevenly, with the way out."""

from __future__ import annotations

import streamlit as st

from core.design import Scheme
from core.estimation import Guard, guard
from core.stratification import Stratification
from pages.parts import controls


def warn(scheme: Scheme, strata: Stratification, budget: int) -> None:
    """Warn where a design of the paper is not safe, with a button that makes it so."""
    if scheme.allocation != "proxy-neyman" or scheme.in_waves:
        return
    danger = guard(strata.sizes, strata.consistency, budget, scheme.offset)
    if danger is None:
        return
    st.warning(danger.sentence, icon=":material/shield:")
    title = "Use Proportional" if danger.safe_offset is None else f"Use δ = {danger.safe_offset:g}"
    st.button(title, key="make-safe", icon=":material/shield:", on_click=_make_safe, args=(danger,))


def _make_safe(danger: Guard) -> None:
    st.session_state[controls.DESIGN.key] = controls.PAPERS
    if danger.safe_offset is None:
        st.session_state[controls.ALLOCATION.key] = "proportional"
    else:
        st.session_state[controls.OFFSET.key] = danger.safe_offset
