"""The result on page Estimate: one number, its interval, where it comes from, and what more labels would bring."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core import labels, report
from core import words as numbers
from core.figures import intervals as charts
from core.report import sentences
from core.report.provenance import Provenance
from pages.parts.estimate import compared as estimate_compared
from pages.parts.estimate import metrics as estimate_metrics
from pages.parts.estimate import provenance as estimate_given
from pages.parts.estimate import tables as estimate_tables
from pages.parts.estimate import topup as estimate_topup
from pages.parts.estimate.chosen import Chosen
from pages.parts.estimate.result import Outcomes
from pages.parts.frame import CONFIG
from pages.parts.markup import plain


def show(chosen: Chosen, found: labels.Settlement, seen: Outcomes, result: report.Result) -> None:
    """Everything that is to be said, figures before tables."""
    _number(result)
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    files = st.container()
    more = estimate_topup.section(chosen, found, result)
    compared = estimate_compared.section(chosen, found, seen)
    measured = estimate_metrics.section(chosen, seen)
    answered = estimate_metrics.answered(chosen, seen)
    own = estimate_given.of(chosen, found)
    with files:
        # What was chosen further down belongs into the files.
        _downloads(
            replace(result, comparison=compared, metrics=measured, answered=answered, more=more), own, chosen.rows
        )
    estimate_tables.section(result)
    estimate_given.section(chosen, own)


def _number(result: report.Result) -> None:
    """The number, its sentence, and its interval beside Uniform's."""
    # Boxes of a width of their own stand beside each other where there is room, else below each other, uncut.
    row = st.container(horizontal=True, gap="medium")
    estimate = result.estimate
    with row.container(width=260):
        st.metric(
            sentences.name(result),
            sentences.number(result, estimate.value),
            sentences.limits(result),
            delta_color="off",
            delta_arrow="off",
            border=True,
            help=f"{numbers.level(result.confidence)} confidence interval: {estimate.method}.",
        )
        st.caption(plain(sentences.spread(result)))
    with row.container(width=520):
        st.markdown(f"##### {plain(sentences.headline(result))}")
        st.markdown(plain(sentences.beside_uniform(result)))
    st.plotly_chart(
        charts.estimates(result.beside_uniform, result.bounded, compared=True),
        config=CONFIG,
        key="interval-figure",
        alt=sentences.headline(result),
    )


def _downloads(result: report.Result, given: Provenance, rows: pd.DataFrame) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: report.report_html(result, given),
            f"neyman-{result.plan_id}-report.html",
            "text/html",
            key="report",
            on_click="ignore",
            type="primary",
            icon=":material/description:",
        )
        st.download_button(
            "Everything as JSON",
            lambda: report.report_json(result, given, rows),
            f"neyman-{result.plan_id}.json",
            "application/json",
            key="report-json",
            on_click="ignore",
            icon=":material/data_object:",
        )
