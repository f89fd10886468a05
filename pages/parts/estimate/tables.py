"""The tables behind the number: strata, groups, the interval by other methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import streamlit as st

from core.figures import intervals as charts
from core.report import breakdown, sentences
from core.study import Result, Study
from core.words import SPACE, UNKNOWN
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.estimate import figures as estimate_figures
from pages.parts.estimate import items as estimate_items
from pages.parts.markup import plain

_SHARES = ("value", "low", "high", "standard_error", "model_value", "model_low", "model_high")
_number = st.column_config.NumberColumn
_text = st.column_config.TextColumn


def section(study: Study, result: Result) -> None:
    """Closed panels: strata, groups if the pool has some, the interval by other methods if there are any."""
    groups = 0 if result.groups is None else len(result.groups)
    panels: list[tuple[str, str, str, Callable[[Study, Result], None]]] = [
        ("Strata", "strata-panel", "stacked_bar_chart", _strata)
    ]
    if groups:
        panels.append((f"Groups ({groups:,})", "groups-panel", "category", _groups))
    if len(result.intervals) > 1:
        panels.append(("Other intervals", "intervals-panel", "straighten", _intervals))
    for title, key, icon, draw in panels:
        if panel := frame.panel(title, key, icon):
            with panel:
                draw(study, result)


def _strata(study: Study, result: Result) -> None:
    st.markdown(plain(breakdown.strata_finding(result)))
    signal, unit = ("Entropy", " (nats)") if sentences.along_entropy(result) else ("Signal", "")
    st.caption("Choose a row to see its items.")
    event = st.dataframe(
        downloads.in_per_cent(
            result.strata_table, ["share_of_pool", "share_of_variance", *(["value"] if result.bounded else [])]
        ),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config={
            "stratum": _number("Stratum", pinned=True),
            "se_low": _number(f"{signal} from{unit}", format="%.3f"),
            "se_high": _number(f"{signal} to{unit}", format="%.3f"),
            "items": _number("Items", format="localized"),
            "share_of_pool": downloads.share("Share of pool"),
            "planned": _number("Planned", format="localized"),
            "labels": _number("Labels", format="localized"),
            "value": _shown(result, sentences.name(result)),
            "sd": _number("Spread", format="%.3f", help="Standard deviation of the labels in the stratum."),
            "share_of_variance": downloads.share("Share of variance"),
        },
        alt="Labels and value of each stratum.",
        **estimate_items.ROWS,
        key="stratum-rows",
    )
    estimate_items.of_row(study, "stratum", result.strata_table["stratum"], event["selection"]["rows"])


def _groups(study: Study, result: Result) -> None:
    if result.groups is None:
        return
    finding = breakdown.groups_finding(result)
    st.markdown(plain(finding))
    rows = breakdown.group_intervals(result)
    estimate_figures.show(
        study,
        "groups-figure",
        lambda: charts.estimates(rows, result.bounded),
        finding,
        f"{sentences.name(result)} by group",
        lambda: rows,
    )
    st.caption(
        "Each group’s interval holds on its own, not all at once. The model-based estimate borrows from the other "
        "groups: closer for few labels, and biased towards them. Choose a row to see its items."
    )
    shown = {
        "group": _text("Group", pinned=True),
        "items": _number("Items", format="localized"),
        "labels": _number("Labels", format="localized"),
        "value": _shown(result, sentences.name(result)),
        "low": _shown(result, "From"),
        "high": _shown(result, "To"),
        "standard_error": _width(result, "Standard error"),
        "estimator": _text("Estimator"),
        "model_value": _shown(result, "Model-based"),
        "model_low": _shown(result, "Model-based, from"),
        "model_high": _shown(result, "Model-based, to"),
    }
    of_groups = result.groups.replace([math.inf, -math.inf], math.nan)
    event = st.dataframe(
        downloads.in_per_cent(of_groups, [name for name in shown if name in _SHARES] if result.bounded else []),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=shown,
        column_order=list(shown),
        alt="Estimate of each group.",
        **estimate_items.ROWS,
        key="group-rows",
    )
    estimate_items.of_row(study, "group", of_groups["group"], event["selection"]["rows"])


def _intervals(_: Study, result: Result) -> None:
    st.caption("Wald’s is shown for comparison only: it misses too often for few labels or values near 0 or 1.")
    shown = {
        "label": _text("Interval", pinned=True),
        "low": _shown(result, "From"),
        "high": _shown(result, "To"),
        "width": _width(result, "Width"),
    }
    by_kind = result.intervals
    by_kind = by_kind.assign(
        label=by_kind["label"].where(by_kind["recommended"], by_kind["label"] + " (for comparison only)")
    )
    st.dataframe(
        downloads.in_per_cent(by_kind, ["low", "high", "width"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=shown,
        column_order=list(shown),
        alt="The interval by other methods.",
    )


def _shown(result: Result, title: str) -> Any:
    """A column of values on the result's scale."""
    return downloads.share(title) if result.bounded else _number(title, format="%.4g")


def _width(result: Result, title: str) -> Any:
    """A column of widths: points if values are shares."""
    return _number(title, format=f"%.1f{SPACE}points" if result.bounded else "%.3g")
