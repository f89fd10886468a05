"""The warning before labels are spread too unevenly, with the way out."""

from __future__ import annotations

import streamlit as st

from core.design import Guard
from pages.parts.widgets import controls


def warn(danger: Guard | None) -> None:
    """Warn where a design is not safe, with a button that makes it so."""
    if danger is None:
        return
    st.warning(danger.sentence, icon=":material/shield:")
    sayable = danger.safe == danger.scheme or controls.papers(danger.safe)
    title = danger.way if sayable else "Use the recommended design"
    st.button(title, key="make-safe", icon=":material/shield:", on_click=_make_safe, args=(danger,))


def _make_safe(danger: Guard) -> None:
    if danger.safe_budget != danger.budget:
        st.session_state[controls.BUDGET.key] = danger.safe_budget
    if danger.safe == danger.scheme:
        return
    shown = controls.papers(danger.scheme) if st.session_state[controls.DESIGN.key] == controls.PAPERS else {}
    values = controls.papers(danger.safe) or {controls.DESIGN.key: controls.BEST}
    st.session_state.update({key: value for key, value in values.items() if shown.get(key) != value})
