"""Which items the answer on page Plan is about."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from core.prospect import Prospect
from core.words import counted, shortened
from pages.parts.markup import plain
from pages.parts.plan.controls import PLAN_FOR, THIS_POOL

_LONGEST = 24


def about(pool: Pool, prospect: Prospect) -> None:
    """Say which pool the figures are about, with the way to the current one."""
    if prospect.has_pool:
        st.caption(plain(f"For your current pool, “{pool.name}”, with {counted(pool.n_items, 'item')}."))
        return
    size = prospect.question.n_items
    items = "very many items" if size is None else counted(size, "item")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(plain(f"For a new pool of {items}."), width="content")
        st.button(
            plain(f"Plan for “{shortened(pool.name, _LONGEST)}”"),
            key="plan-this-pool",
            type="tertiary",
            icon=":material/database:",
            on_click=_this_pool,
        )


def _this_pool() -> None:
    PLAN_FOR.set(THIS_POOL)
