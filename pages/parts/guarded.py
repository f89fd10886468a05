"""The warning before labels are spread too unevenly, with the way out."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.design import Guard
from pages.parts.app import session
from pages.parts.widgets import controls
from pages.parts.widgets.every import choose


def warn(danger: Guard | None) -> None:
    """Warn if a design is not safe, with a button that makes it so."""
    if danger is None:
        return
    st.warning(danger.sentence, icon=":material/shield:")
    sayable = danger.safe == danger.scheme or controls.papers(danger.safe)
    title = danger.way if sayable else "Use the recommended design"
    st.button(title, key="make-safe", icon=":material/shield:", on_click=_make_safe, args=(danger,))


def _make_safe(danger: Guard) -> None:
    values: dict[str, Any] = {} if danger.safe == danger.scheme else controls.papers(danger.safe)
    if not values and danger.safe != danger.scheme:
        session.write(controls.another_list())
    budget = {controls.BUDGET.key: danger.safe_budget} if danger.safe_budget != danger.budget else {}
    choose(values | budget)
