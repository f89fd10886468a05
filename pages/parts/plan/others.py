"""Savings of the recommended design on pools whose outcomes are known: the bundled, the current and the archive's."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.pool import Pool, compared_targets, left_aside
from core.prospect import Prospect, Saving, saved_by, savings
from pages.parts import downloads
from pages.parts.app import kept, state
from pages.parts.app.progress import Progress
from pages.parts.markup import plain

_MOST_POOLS = 6
# If no savings are shown.
NOTHING: tuple[str, list[Saving]] = ("", [])
_COLUMNS = {
    "pool": st.column_config.TextColumn("Pool"),
    "target": st.column_config.TextColumn("Target", pinned=True),
    "labels": st.column_config.NumberColumn("Labels", format="localized"),
    "saved": downloads.share("Labels saved"),
    "accuracy": downloads.share("Accuracy"),
    "auroc": st.column_config.NumberColumn("AUROC", format="%.2f"),
}


def savings_table(pool: Pool, chosen: Prospect | None = None) -> tuple[str, list[Saving]]:
    """Draw the savings of every target with known outcomes, with the range in a sentence above; return both.

    Parameters
    ----------
    pool : Pool
        The current pool.
    chosen : Prospect, optional
        Of the pool: the designs then follow the same signal.
    """
    signal, rows, remark = _known(pool, chosen)
    if remark:
        st.caption(plain(remark))
    if not rows:
        st.caption("No pool with known outcomes is like this one.")
        return NOTHING
    said = saved_by(rows, signal)
    st.markdown(plain(said))
    table = downloads.in_per_cent(pd.DataFrame(rows), ["saved", "accuracy"])
    alt = "Labels saved on each target with known outcomes."
    st.dataframe(table, hide_index=True, column_config=_COLUMNS, alt=alt, placeholder="–")
    return said, rows


def _known(pool: Pool, chosen: Prospect | None = None) -> tuple[str | None, list[Saving], str]:
    """Return the signal that all designs follow, None for the best of each, the savings, and of which targets."""
    bundled = [state.practice(), state.published()]
    digests = {one.digest for one in bundled}
    stored = [digest for digest in state.with_targets(pool) if digest not in digests]
    pools = [*state.opened(pool, stored[:_MOST_POOLS]), *bundled]
    signal = None if chosen is None or chosen.uniform else chosen.design.scheme.signal
    remark = left_aside((one.name, len(one.targets)) for one in pools)
    return signal, [row for one in pools for row in _saved(one, signal)], remark


def _saved(pool: Pool, signal: str | None) -> list[Saving]:
    def make() -> list[Saving]:
        title, number = "Computing what labels would have been saved", len(compared_targets(pool))
        with Progress(title, number, "targets") as progress:
            return savings(pool, signal=signal, progress=progress)

    return kept.once("savings", (pool.digest, signal), make)
