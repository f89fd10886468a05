"""The tables behind the number: strata, groups, the interval by other methods."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import report
from core.report import sentences

_number = st.column_config.NumberColumn
_text = st.column_config.TextColumn


def section(result: report.Result) -> None:
    """Three closed panels; groups where the pool has some."""
    value = sentences.name(result)
    strata = st.expander("Strata", icon=":material/stacked_bar_chart:")
    strata.dataframe(
        result.strata,
        hide_index=True,
        column_config={
            "stratum": _number("Stratum"),
            "se_low": _number("SE from", format="%.3f"),
            "se_high": _number("SE to", format="%.3f"),
            "items": _number("Items", format="localized"),
            "share_of_pool": _number("Share of pool", format="percent"),
            "planned": _number("Planned", format="localized"),
            "labels": _number("Labels", format="localized"),
            "value": _shown(result, value),
            "sd": _number("Spread", format="%.3f", help="Standard deviation of the labels in the stratum."),
            "share_of_variance": _number("Share of variance", format="percent"),
        },
        alt="Labels and value of each stratum.",
    )
    if result.groups is not None:
        groups = st.expander(f"Groups ({len(result.groups):,})", icon=":material/category:")
        groups.caption("Each group’s interval holds on its own, not all at once.")
        shown = {
            "group": _text("Group"),
            "items": _number("Items", format="localized"),
            "labels": _number("Labels", format="localized"),
            "value": _shown(result, value),
            "low": _shown(result, "From"),
            "high": _shown(result, "To"),
            "standard_error": _shown(result, "Standard error"),
            "estimator": _text("Estimator"),
        }
        groups.dataframe(
            result.groups,
            hide_index=True,
            column_config=shown,
            column_order=list(shown),
            alt="Estimate of each group.",
        )
    _intervals(result)


def _intervals(result: report.Result) -> None:
    others = st.expander("Other intervals", icon=":material/straighten:")
    if result.bounded:
        others.caption("Wald’s is shown for comparison only: it misses too often for few labels or values near 0 or 1.")
    shown = {
        "label": _text("Interval"),
        "low": _shown(result, "From"),
        "high": _shown(result, "To"),
        "width": _shown(result, "Width"),
    }
    others.dataframe(
        result.intervals,
        hide_index=True,
        column_config=shown,
        column_order=list(shown),
        alt="The interval by other methods.",
    )


def _shown(result: report.Result, title: str) -> Any:
    """A column of values on the result's scale."""
    return _number(title, format="percent" if result.bounded else "%.4g")
