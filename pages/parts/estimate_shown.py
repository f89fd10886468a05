"""The result on page Estimate: one number, its interval, where it comes from, and what more labels would bring."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels, report
from core.errors import DesignError
from core.report import charts, numbers, sentences
from pages.parts import controls, state
from pages.parts.chart import CONFIG
from pages.parts.estimate_inputs import Chosen
from pages.parts.frame import show_error, step
from pages.parts.labelling import DECISION
from pages.parts.markup import plain


def odd(chosen: Chosen, found: labels.Settled) -> None:
    """What is odd about the kept labels, and ties to decide."""
    for sentence in found.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
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


def show(chosen: Chosen, found: labels.Settled, result: report.Result) -> None:
    """Everything that is to be said, figures before tables."""
    left, right = st.columns([1, 2], gap="large")
    estimate = result.estimate
    with left:
        st.metric(
            sentences.name(result),
            sentences.number(result, estimate.value),
            f"{sentences.span(result, estimate.low, estimate.high)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
            help=f"{numbers.level(result.confidence)} confidence interval: {estimate.method}.",
        )
        st.caption(plain(sentences.spread(result)))
    with right:
        st.markdown(f"##### {plain(sentences.headline(result))}")
        st.markdown(plain(sentences.beside_uniform(result)))
        st.plotly_chart(
            charts.estimates(result.beside_uniform, result.bounded, compared=True),
            config=CONFIG,
            key="interval-figure",
            alt=sentences.headline(result),
        )
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    _downloads(result)
    _more(chosen, result)
    _tables(result)
    _missing(chosen, found)


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


def _more(chosen: Chosen, result: report.Result) -> None:
    st.subheader("More precision")
    unit = 100.0 if result.bounded else 1.0
    now = result.half_width * unit
    if not 0 < now < float("inf"):
        st.caption("There is no width to improve on.")
        return
    wanted = st.number_input(
        "Wanted half-width" + (" (percentage points)" if result.bounded else ""),
        min_value=now / 100,
        value=max(round(now / 2, 2), now / 100),
        key=f"half-{result.plan_id}",
        width=320,
    )
    try:
        more = result.top_up(wanted / unit)
    except DesignError as error:
        show_error(error)
        return
    if more.reached:
        st.markdown("The labels at hand reach it already.")
        return
    before, after = numbers.bare(now / unit, result.bounded), sentences.points(result, wanted / unit)
    st.markdown(
        f"To bring half the interval’s width from {before} down to {after}: about "
        f"**{numbers.counted(more.further, 'more label')}**, {more.total:,} in all "
        f"({numbers.level(0.8)} range {more.least:,} to {more.most:,}). Every label given so far is kept."
    )
    st.button(
        f"Set page Label to {more.total:,} labels",
        icon=":material/playlist_add:",
        on_click=controls.adopt,
        args=(chosen.plan.design, more.total, chosen.asked),
    )
    if st.session_state.get("budget") == more.total:
        step("pages/label.py", f"List the {more.further:,} new items", ":material/checklist:")


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


def _missing(chosen: Chosen, found: labels.Settled) -> None:
    listed = [item for item in found.missing if item in set(map(str, chosen.plan.ids))]
    step("pages/label.py", "Back to the list", ":material/checklist:")
    if not listed:
        return
    panel = st.expander(
        f"Labels still missing ({len(listed):,})", key="missing", on_change="rerun", icon=":material/pending:"
    )
    if not panel.open:
        return
    with panel:
        st.caption(
            "Items that will never get a label are replaced by the next ones of their stratum in the design's order."
        )
        ids = chosen.pool.items.index.to_numpy(dtype=object)
        spare = labels.replacements(chosen.plan, chosen.profile, ids, listed)
        st.dataframe({"still missing": listed}, alt="Items of the list without a label.")
        st.dataframe(spare, hide_index=True, alt="Replacements, in the design's order.")
        rows = spare.assign(plan_id=chosen.plan.plan_id)[["item_id", "plan_id"]]
        if "prompt" in chosen.pool.items:
            rows = rows.assign(prompt=chosen.pool.items["prompt"].iloc[spare["place"]].array)
        st.download_button(
            "Replacements as CSV",
            lambda: labels.to_csv(rows),
            f"neyman-{chosen.plan.plan_id}-replacements.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
        )


def _decide(chosen: Chosen, item: str, label: str) -> None:
    row = {"item_id": item, "label": label, "annotator": DECISION}
    chosen.archive.save_labels(chosen.plan.plan_id, pd.DataFrame([row]), state.now(), "here", chosen.asked)
