"""Will it help me? What the recommended design should save on this pool, on page Pool."""

from __future__ import annotations

import math

import streamlit as st

from core.allocation import default_budget
from core.pool import Pool
from core.words import per_cent
from pages.parts import controls, forecast, frame, recommendation
from pages.parts.markup import plain
from pages.parts.plan.others import savings_table

# Larger pools take seconds to sort; page Plan does it when it is opened.
_LARGE = 50_000


def section(pool: Pool, kind: str | None) -> None:
    """Draw the verdict with its range, and the way to page Plan; nothing where nothing is known of the items."""
    if not 1 < pool.n_items <= _LARGE:
        return
    with frame.errors():
        chosen = recommendation.best(pool, next(iter(pool.targets), None), kind)
    if chosen.uniform:
        return
    outlook = forecast.verdict(pool, chosen, default_budget(min(2, pool.n_items), pool.n_items))
    if outlook is None:
        return
    st.subheader("Will it help me?")
    st.markdown(plain(outlook.verdict()))
    agreeing = (
        "" if math.isnan(outlook.agreeing) else f" All answers agree on {per_cent(outlook.agreeing)} of the items."
    )
    st.caption(plain(f"Forecast for {outlook.labels:,} labels, sorted by {chosen.signal}.{agreeing}"))
    if panel := frame.panel("What pools like this one saved", "savings-panel", "savings"):
        with panel, frame.errors():
            savings_table(pool, chosen)
    plan = {"plan-for": controls.THIS_POOL}
    frame.step("pages/plan.py", "Plan labels, precision and money", ":material/calculate:", **plan)
