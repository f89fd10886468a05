"""The result on page Estimate: one number, its interval, where it comes from, and what more labels would bring."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pandas as pd
import streamlit as st

from core import words as numbers
from core.figures import intervals as charts
from core.report import report_html, report_json, sentences
from core.study import Provenance, Result, Study
from pages.parts import frame, prices, state
from pages.parts.estimate import compared as estimate_compared
from pages.parts.estimate import gate as estimate_gate
from pages.parts.estimate import items as estimate_items
from pages.parts.estimate import metrics as estimate_metrics
from pages.parts.estimate import provenance as estimate_given
from pages.parts.estimate import tables as estimate_tables
from pages.parts.estimate import topup as estimate_topup
from pages.parts.markup import plain


def show(study: Study) -> None:
    """Everything that is to be said, figures before tables."""
    result = study.result(made=_made())
    _number(result)
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    files = st.container()
    more = estimate_topup.section(study, result)
    estimate_gate.section(study)
    comparison = estimate_compared.section(study)
    metrics = estimate_metrics.section(study)
    estimate_metrics.answered(result.answered)
    provenance = study.provenance()
    with files:
        # What was chosen further down belongs into the files.
        _downloads(replace(result, comparison=comparison, metrics=metrics, more=more), provenance, study.rows)
    estimate_tables.section(result)
    estimate_items.section(study)
    estimate_given.section(study, provenance)


def _number(result: Result) -> None:
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
        st.caption(plain(sentences.precision(result)))
    with row.container(width=520):
        st.markdown(f"##### {plain(sentences.headline(result))}")
        st.markdown(plain(sentences.beside_uniform(result)))
    figure = charts.estimates(result.beside_uniform, result.bounded, compared=True)
    frame.chart(figure, "interval-figure", sentences.headline(result))


def _downloads(result: Result, provenance: Provenance, rows: pd.DataFrame) -> None:
    costs = prices.current()
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: report_html(result, provenance, costs.spent),
            f"neyman-{result.plan.plan_id}-report.html",
            "text/html",
            key="report",
            on_click="ignore",
            type="primary",
            icon=":material/description:",
        )
        st.download_button(
            "Everything as JSON",
            lambda: report_json(result, provenance, rows),
            f"neyman-{result.plan.plan_id}.json",
            "application/json",
            key="report-json",
            on_click="ignore",
            icon=":material/data_object:",
        )


def _made() -> str:
    """When the result was made, in words."""
    now = datetime.fromisoformat(state.now())
    return f"Made {now.day} {now:%B %Y, %H:%M} UTC"
