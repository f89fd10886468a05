"""The table of a target's runs on pages Pool and Estimate: to expect, and in these runs; what flips; what more give."""

from __future__ import annotations

import streamlit as st

from core.study import TargetRuns
from core.words import span, value
from pages.parts.markup import plain


def section(runs: TargetRuns) -> None:
    """Draw a row for each measure, and sentences on items that flip and on further runs."""
    rows = [
        {
            "": one.name[0].upper() + one.name[1:],
            "What it is": one.means,
            "To expect": value(one.expected.value, True),
            "Interval": span(one.expected.low, one.expected.high, True) if one.expected.has_interval else "none yet",
            "In these runs": one.here_in_words,
            "Items left out": one.left_out,
        }
        for one in runs.estimates()
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="content",
        alt="Expected accuracy, pass@k and pass^k with their intervals, and the same in these runs.",
    )
    for sentence in (runs.of_flips, *runs.of_more):
        st.markdown(plain(sentence))
