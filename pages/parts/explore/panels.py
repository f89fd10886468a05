"""Panels behind the figures of page Explore: the worth of each signal, and the numbers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.prospect import Prospect
from core.words import PER_CENT, UNKNOWN
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.explore.designs import Designs

_WORTH_COLUMNS = {
    "signal": st.column_config.TextColumn("Signal"),
    "error": downloads.share("Expected error"),
    "low": downloads.share("From"),
    "high": downloads.share("To"),
    "why": st.column_config.TextColumn("What this rests on"),
    "how": st.column_config.TextColumn("How it is made"),
}


def section(designs: Designs, simulated: pd.DataFrame | None) -> None:
    """Draw the panels; ``simulated``: what the figure shows beside the exact lines."""
    if not designs.recommended.uniform and (
        panel := frame.panel("What each signal is worth to sort items by", "worth", "insights")
    ):
        with panel, frame.errors():
            _worth(designs.recommended)
    if panel := frame.panel("The numbers behind the figures", "numbers", "table"):
        drawn = designs.drawn
        with panel:
            downloads.strata(drawn.table, drawn.known is not None and drawn.share)
            if drawn.known is not None:
                downloads.errors(designs.curve, simulated)


def _worth(recommended: Prospect) -> None:
    st.caption(f"Before any label: the expected squared error with the same number of labels, Uniform = 100{PER_CENT}.")
    st.dataframe(
        downloads.in_per_cent(recommended.signals, ["error", "low", "high"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=_WORTH_COLUMNS,
        alt="Each signal with its expected error, its range, what that rests on, and how it is made.",
    )
