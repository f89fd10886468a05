"""The result on page Estimate: one number, its interval, where it comes from, and what more labels would bring."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core import labels, report
from core.report import charts, numbers, sentences
from pages.parts import estimate_compared, estimate_metrics, estimate_topup, state
from pages.parts.chart import CONFIG
from pages.parts.estimate_inputs import Chosen
from pages.parts.estimate_result import Outcomes
from pages.parts.labelling import DECISION
from pages.parts.markup import plain

# Source of decisions, as of labels given on page Label.
HERE = "here"


def odd(chosen: Chosen, found: labels.Settled) -> None:
    """What is odd about the kept labels, and ties to decide."""
    for sentence in found.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
    if chosen.beyond:
        more = numbers.counted(chosen.beyond, "further item is", "further items are")
        st.caption(f"{more} labelled on a larger list of this design: choose that plan to use them.")
    if not len(found.conflicts):
        return
    panel = st.expander(
        f"Where annotators disagree ({len(found.conflicts):,}, {len(found.undecided):,} undecided)",
        expanded=bool(found.undecided),
        icon=":material/balance:",
    )
    with panel:
        st.dataframe(found.conflicts, hide_index=True, alt="Items whose annotators disagree, and what counts.")
        disputed = found.conflicts["item_id"].tolist()
        item = st.selectbox("Item to decide", [*found.undecided, *(i for i in disputed if i not in found.undecided)])
        votes = found.conflicts.loc[found.conflicts["item_id"] == item, "votes"].iloc[0]
        options = [vote.rpartition(":")[0] for vote in str(votes).split(", ")]
        label = st.selectbox("Label that counts", options, key=f"decide-{item}")
        st.button("Decide", icon=":material/gavel:", on_click=_decide, args=(chosen, str(item), str(label)))


def show(chosen: Chosen, found: labels.Settled, seen: Outcomes, result: report.Result) -> None:
    """Everything that is to be said, figures before tables."""
    _number(result)
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    files = st.container()
    estimate_topup.section(chosen, result)
    compared = estimate_compared.section(chosen, found, seen)
    measured = estimate_metrics.section(chosen, found, seen)
    answered = estimate_metrics.answered(chosen, seen)
    with files:
        # What was chosen further down belongs into the files.
        _downloads(replace(result, comparison=compared, metrics=measured, answered=answered))
    _tables(result)


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


def _downloads(result: report.Result) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: report.report_html(result),
            f"neyman-{result.plan_id}-report.html",
            "text/html",
            key="report",
            on_click="ignore",
            type="primary",
            icon=":material/description:",
        )
        st.download_button(
            "Everything as JSON",
            lambda: report.report_json(result),
            f"neyman-{result.plan_id}.json",
            "application/json",
            key="report-json",
            on_click="ignore",
            icon=":material/data_object:",
        )


def _tables(result: report.Result) -> None:
    number = st.column_config.NumberColumn
    share = "percent" if result.bounded else "%.4g"
    shown = {
        c: number(c.replace("_", " "), format=share) for c in ("value", "low", "high", "standard_error", "width", "sd")
    }
    shown |= {c: number(c.replace("_", " "), format="percent") for c in ("share_of_pool", "share_of_variance")}
    strata = st.expander("Strata", icon=":material/stacked_bar_chart:")
    strata.dataframe(result.strata, hide_index=True, column_config=shown, alt="Labels and value of each stratum.")
    if result.groups is not None:
        groups = st.expander(f"Groups ({len(result.groups):,})", icon=":material/category:")
        groups.caption("Each group's interval holds on its own, not all at once.")
        groups.dataframe(result.groups, hide_index=True, column_config=shown, alt="Estimate of each group.")
    others = st.expander("Other intervals", icon=":material/straighten:")
    others.caption("Wald's is shown for comparison only: it misses too often for few labels or values near 0 or 1.")
    others.dataframe(result.intervals, hide_index=True, column_config=shown, alt="The interval by other methods.")


def _decide(chosen: Chosen, item: str, label: str) -> None:
    row = {"item_id": item, "label": label, "annotator": DECISION}
    chosen.archive.save_labels(chosen.plan.plan_id, pd.DataFrame([row]), state.now(), "here", chosen.asked)
