"""Items that the answer on page Plan is about."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from core.prospect import Prospect
from core.words import counted, shortened
from pages.parts.markup import plain
from pages.parts.plan.controls import NO_POOL, PLAN_FOR, THIS_POOL

_LONGEST = 24


def about(pool: Pool, prospect: Prospect) -> None:
    """Say which pool the figures are about, with the way to the other one."""
    if prospect.has_pool:
        said = f"For your current pool, “{pool.name}”, with {counted(pool.n_items, 'item')}."
        way, other, icon = "Plan for a new pool", NO_POOL, "add"
    else:
        size = prospect.question.n_items
        said = f"For a new pool of {'very many items' if size is None else counted(size, 'item')}."
        way, other, icon = f"Plan for “{shortened(pool.name, _LONGEST)}”", THIS_POOL, "database"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(plain(said), width="content")
        icon = f":material/{icon}:"
        st.button(plain(way), key="plan-for-other", type="tertiary", icon=icon, on_click=PLAN_FOR.set, args=(other,))
