"""What both designs show on page Explore."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures import style
from core.prospect import Promise, Prospect
from core.stratification import Outcome
from core.words import counted
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.explore.chart import Setting
from pages.parts.markup import plain
from pages.parts.widgets import prices


def no_outcome() -> None:
    """Say what can be shown without an outcome, and what cannot."""
    st.info(
        "No outcome of a target model is known on this pool, so what the method would save cannot be known either. "
        "The strata, the allocation and the list of items to label need no outcome and are ready. To see the gain "
        "here, add a target’s answers and the truth, or its losses, to the pool.",
        icon=":material/info:",
    )


def partial(outcome: Outcome) -> None:
    """Say so where some outcomes are unknown."""
    if outcome.partial:
        st.warning(
            f"The target’s outcome is known for {outcome.losses.size:,} of {outcome.n_items:,} items. This page "
            "describes those items as if they were the whole pool; the label list is drawn from all items.",
            icon=":material/rule:",
        )


def caution(promised: Promise) -> None:
    """Say where another method is better; below the figure, which does not move when it comes and goes."""
    if promised.caveat:
        st.warning(promised.caveat, icon=":material/balance:")


def lines(*more: str) -> None:
    """Say what the lines are, and ``more``."""
    st.caption(
        f"Lines: exact, from the closed form of the variance. {more[0]}Below 100 %: fewer labels than Uniform for the "
        f"same precision. {' '.join(more[1:])}".strip()
    )


def strata(drawn: style.Figure, setting: Setting, table: pd.DataFrame, heading: str) -> None:
    """Draw the figure of the strata with its files below its finding."""
    frame.finding(heading)
    frame.chart(drawn, "strata-figure", heading, button=False)
    title = "Strata: share of the pool and of the labels, and what it rests on"
    notes = (*setting.notes[:2], "Exact: nothing here is simulated, and no seed is needed.")
    downloads.figure("strata", lambda: drawn, title, notes, setting.file("strata"), lambda: table)


def cost(labels: int) -> None:
    """Say what labels cost, where prices are set."""
    if money := prices.of_labels(labels):
        st.caption(plain(f"{counted(labels, 'label')}: {money}."))


def numbers(
    table: pd.DataFrame, prospect: Prospect, curve: pd.DataFrame | None, simulated: pd.DataFrame | None = None
) -> None:
    """Draw the tables behind the figures, in a panel."""
    panel = frame.panel("The numbers behind the figures", "numbers", "table")
    if panel is None:
        return
    with panel:
        downloads.strata(table, prospect.known is not None and prospect.share)
        if curve is not None:
            downloads.errors(curve, simulated)
