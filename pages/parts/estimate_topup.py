"""More precision: how many labels further lead to a wanted width."""

from __future__ import annotations

import math

import streamlit as st

from core import report
from core.report import numbers, sentences
from pages.parts.estimate_inputs import Chosen, label_more


def section(chosen: Chosen, result: report.Result) -> None:
    """A field for the wanted half-width, and the way to the list of new items."""
    st.subheader("More precision")
    unit = 100.0 if result.bounded else 1.0
    now = result.half_width * unit
    if math.isnan(result.estimate.standard_error):
        st.caption("One label in each stratum shows no spread: label more items before planning further.")
        return
    if not 0 < now < math.inf:
        st.caption("There is no width to improve on.")
        return
    least = float(f"{now / 100:.1g}")
    wanted = st.number_input(
        "Wanted half-width" + (" (percentage points)" if result.bounded else ""),
        min_value=least,
        value=max(unit * numbers.half(result.half_width / 2, result.bounded), least),
        format="%.4g",
        # What is proposed belongs to what is estimated.
        key=f"half-{result.plan_id}-{result.measure}-{chosen.asked}-{chosen.target}-{chosen.parser}",
        width=320,
        help="Half the width of the interval.",
    )
    more = result.top_up(wanted / unit)
    if more.reached:
        st.markdown("The labels at hand reach it already.")
        return
    before, after = numbers.bare(now / unit, result.bounded), sentences.points(result, wanted / unit)
    said = (
        f"To bring half the interval’s width from {before} down to {after}: about "
        f"**{numbers.counted(more.further, 'more label')}**, {more.total:,} in all"
    )
    if more.least < more.most:
        said += f" ({numbers.level(0.8)} range {more.least:,} to {more.most:,})"
    st.markdown(f"{said}. Every label given so far is kept.")
    label_more(chosen, more.total, f"List the {numbers.counted(more.further, 'new item')}", "label-more")
