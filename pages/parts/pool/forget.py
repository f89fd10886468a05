"""Forget this pool: it leaves the lists of the home, after the page has said what the home holds of it."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from pages.parts.app import frame, session, state
from pages.parts.markup import plain


def section(pool: Pool) -> None:
    """Draw the way to forget the current pool; nothing for one that the home does not list."""
    if pool.digest not in set(state.archive().pools.listed()["digest"]):
        return
    with st.popover("Forget this pool", icon=":material/playlist_remove:", type="tertiary"), frame.errors():
        # Here, so that other pages do not wait for what only jobs use.
        from core.surrogate import forget_pool, pool_holdings

        held = pool_holdings(state.archive(), state.store(), pool.digest)
        st.markdown(plain(held.sentence))
        if held.running:
            st.caption(plain(f"The run {held.running[0]} works on it: stop it first, or wait until it is over."))
        pressed = st.button("Take it off the lists", key="forget-pool", disabled=bool(held.running))
        if not pressed:
            return
        forget_pool(state.archive(), state.store(), pool.digest)
        session.write({"pool": None})
        st.toast(plain(f"{pool.name} is off the lists."), icon=":material/check:")
        st.rerun()
