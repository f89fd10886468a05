"""The result on page Estimate: one number, its interval, where it comes from, and what more labels would bring."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core import labels, report
from core.report import charts, numbers, sentences
from pages.parts import estimate_compared, estimate_metrics, estimate_tables, estimate_topup, state
from pages.parts.chart import CONFIG
from pages.parts.estimate_inputs import Chosen
from pages.parts.estimate_result import Outcomes
from pages.parts.labelling import DECISION
from pages.parts.markup import plain


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
        st.dataframe(
            found.conflicts.fillna({"label": "undecided"}),
            hide_index=True,
            column_config={"item_id": "Item", "votes": "Votes", "label": "What counts"},
            alt="Items whose annotators disagree, and what counts.",
        )
        disputed = found.conflicts["item_id"].tolist()
        item = st.selectbox("Item to decide", [*found.undecided, *(i for i in disputed if i not in found.undecided)])
        prompt = chosen.pool.items.loc[item].get("prompt")
        if isinstance(prompt, str):
            st.text(prompt)
        label = st.selectbox("Label that counts", _given(chosen, str(item)), key=f"decide-{item}")
        st.button("Decide", icon=":material/gavel:", on_click=_decide, args=(chosen, str(item), str(label)))


def show(chosen: Chosen, found: labels.Settled, seen: Outcomes, result: report.Result) -> None:
    """Everything that is to be said, figures before tables."""
    _number(result)
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    files = st.container()
    estimate_topup.section(chosen, result)
    compared = estimate_compared.section(chosen, found, seen)
    measured = estimate_metrics.section(chosen, seen)
    answered = estimate_metrics.answered(chosen, seen)
    with files:
        # What was chosen further down belongs into the files.
        _downloads(replace(result, comparison=compared, metrics=measured, answered=answered))
    estimate_tables.section(result)


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


def _given(chosen: Chosen, item: str) -> list[str]:
    """The different labels of an item, as they count."""
    own = chosen.rows[(chosen.rows["item_id"] == item) & (chosen.rows["annotator"] != DECISION)]
    choices = labels.choices_of(chosen.pool.items, [item])[0]
    read = [labels.canonical(str(label), chosen.asked, choices) for label in own["label"].dropna()]
    return list(dict.fromkeys(label for label in read if label is not None))


def _decide(chosen: Chosen, item: str, label: str) -> None:
    row = pd.DataFrame([{"item_id": item, "label": label, "annotator": DECISION}])
    chosen.archive.save_labels(chosen.plan.plan_id, row, state.now(), "here", chosen.asked, chosen.judged)
