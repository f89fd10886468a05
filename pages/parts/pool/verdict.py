"""Will it help me? What the recommended design saves on this pool, exact if outcomes are known, else forecast."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from core.prospect import Prospect
from core.words import counted, per_cent
from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.plan.others import savings_table
from pages.parts.views import promises

# Larger pools take seconds to sort; pages Explore and Plan do it when they are opened.
_LARGE = 50_000


def prospect_of(pool: Pool) -> Prospect | None:
    """Return what is known of a pool beforehand; None for one item, and for a pool that takes seconds to sort."""
    if not 1 < pool.n_items <= _LARGE:
        return None
    with frame.errors():
        return prospects.current(pool)


def section(prospect: Prospect | None) -> None:
    """Draw the verdict and what similar pools saved; nothing if nothing is known of the items."""
    if prospect is None or prospect.uniform:
        return
    with frame.errors():
        promise = prospect.promise
    pool, kind = prospect.pool, "" if promise.exact else f" With {counted(promise.labels, 'label')}."
    st.header("Will it help me?")
    if (fact := prospect.fact) is not None and not state.is_bundled(pool):
        st.markdown(plain(f"{fact.title}. {fact.because} {fact.rehearsal}"))
    promises.part(prospect)
    st.markdown(plain(promise.verdict))
    agreeing = f" All answers agree on {per_cent(prospect.profile.agreeing)} of them." if pool.n_generations else ""
    st.caption(plain(f"{promise.rests_on}{kind} Items are sorted by {prospect.signal}.{agreeing}"))
    if panel := frame.panel("What pools like this one saved", "savings-panel", "savings"):
        with panel, frame.errors():
            savings_table(pool, prospect)
