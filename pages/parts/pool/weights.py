"""Weights of the items: the choice between none, a column, and shares of groups."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.pool import Pool
from core.signals import numeric_columns
from core.words import PER_CENT, counted, per_cent
from pages.parts.app import state
from pages.parts.markup import plain

_SAME, _SHARES = "All items the same", "By shares of groups"
_NAME = " (weighted)"
# Fields for the largest groups, in so many columns.
_MOST, _ACROSS = 12, 3


def section(pool: Pool) -> None:
    """Draw the choice of weights, and the button that gives them to the pool."""
    if pool.weights is not None:
        st.markdown(plain(" ".join(note for note in pool.remarks if note.startswith("Items count"))))
        if st.button("No weights", key="no-weights", icon=":material/balance:"):
            _choose(replace(pool.weighted(None), name=pool.name.removesuffix(_NAME)))
        return
    columns = {f"By column “{name}”": name for name in numeric_columns(pool)}
    ways = [_SAME, *columns, *([_SHARES] if pool.groups is not None else [])]
    way = st.selectbox("How much items count", ways, key="weights-by", persist_state="session")
    if way == _SAME:
        st.caption(
            f"If some items matter more, such as questions that are 40{PER_CENT} of your traffic, choose a column of "
            "numbers (0 or more) or give shares of groups. Accuracies then count each item by its weight, and heavy "
            "ones are more likely to be labelled. An item of weight 0 never needs a label."
        )
        return
    shares = _shares(pool) if way == _SHARES else {}
    ready = way in columns or bool(shares)
    if st.button("Use these weights", key="use-weights", type="primary", disabled=not ready):
        weighted = pool.weighted(columns.get(way, shares))
        _choose(replace(weighted, name=f"{pool.name}{_NAME}"))


def _shares(pool: Pool) -> dict[str, float]:
    """Draw a field for the share of each of the largest groups, and return those that are filled in."""
    assert pool.groups is not None
    sizes = pd.Series([name or "" for name in pool.group_names])[pool.groups].value_counts()
    cells, given = st.columns(_ACROSS), {}
    for place, (name, items) in enumerate(sizes.head(_MOST).items()):
        share = cells[place % _ACROSS].number_input(
            plain(f"{name or 'no group'}, %"),
            0.0,
            100.0,
            None,
            key=f"share-{pool.digest[:8]}-{place}",
            placeholder=f"{per_cent(items / pool.n_items)} of the items",
        )
        if share is not None:
            given[str(name)] = share
    others = len(sizes) - len(given)
    left = 100 - sum(given.values())
    if given and others:
        st.caption(f"{counted(others, 'other group')} together: {left:g}{PER_CENT}, in proportion to their items.")
    return given


def _choose(pool: Pool) -> None:
    state.choose(pool)
    st.toast("Weights of items changed.", icon=":material/balance:")
    st.rerun()
