"""The result on page Estimate: one number, its interval, where it comes from, and what more labels would bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures import intervals as charts
from core.prospect import Prospect
from core.report import everyday, promised, report_bundle, report_html, report_json, sentences
from core.study import Provenance, Result, Study, judged_items
from core.words import counted
from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.estimate import compared as estimate_compared
from pages.parts.estimate import figures as estimate_figures
from pages.parts.estimate import gate as estimate_gate
from pages.parts.estimate import items as estimate_items
from pages.parts.estimate import metrics as estimate_metrics
from pages.parts.estimate import provenance as estimate_given
from pages.parts.estimate import tables as estimate_tables
from pages.parts.estimate import topup as estimate_topup
from pages.parts.markup import plain
from pages.parts.widgets import prices

_BUNDLE = (
    "A zip with the report, all numbers, the plan, the labels and the strata of the pool: with the pool’s file, three "
    "lines of Python compute the number again."
)

# Pixels of the box with the number, and of the sentence beside it: with one number, and with a range, which is longer.
_ONE, _RANGE = (260, 520), (304, 480)


def show(study: Study, number: DeltaGenerator) -> None:
    """Everything that is to be said, figures before tables; the number in its place at the top."""
    result, asked = study.result(made=state.made()), _asked(study)
    if result.n_items <= prospects.LARGE:
        result = replace(result, promise=promised(study, asked))
    with number:
        _number(study, result, _known(result, asked))
    estimate_items.section(study)
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    files = st.container()
    more = estimate_topup.section(study, result)
    decided = estimate_gate.section(study)
    comparison = estimate_compared.section(study)
    metrics = estimate_metrics.section(study)
    estimate_metrics.answered(study, result.answered)
    provenance = study.labels.provenance()
    with files:
        # What was chosen further down belongs into the files.
        _downloads(
            study, replace(result, comparison=comparison, metrics=metrics, more=more), provenance, asked, decided
        )
    estimate_tables.section(study, result)
    estimate_given.section(study, provenance)


def _known(result: Result, asked: Prospect) -> str:
    """Return the pool's own outcome, if it has one and labels leave the number open."""
    estimate = result.estimate
    if result.measure != "accuracy" or result.census or result.n_items > prospects.LARGE or not estimate.has_interval:
        return ""
    return "" if asked.fact is None else asked.fact.beside(estimate.low, estimate.high, result.confidence)


def _number(study: Study, result: Result, known: str) -> None:
    """The number, its sentence, what the pool says itself, and its interval beside Uniform's."""
    # Boxes of different widths stand side by side if there is room, else below each other, uncut.
    row = st.container(horizontal=True, gap="medium")
    box, sentence = _ONE if result.settled is None else _RANGE
    with row.container(width=box):
        st.metric(
            sentences.name(result),
            sentences.main_number(result),
            sentences.limits(result),
            delta_color="off",
            delta_arrow="off",
            border=True,
            help=sentences.about_precision(result),
        )
        st.caption(plain(sentences.precision(result)))
        if words := everyday.before_labels(result):
            st.caption(plain(words))
    with row.container(width=sentence):
        headline, rests = sentences.finding(result)
        frame.finding(plain(headline))
        st.markdown(plain(f"{rests} {sentences.beside_uniform(result)}"))
        if known:
            st.markdown(plain(known))
        if result.undecided:
            wait = counted(result.undecided, "disputed item waits", "disputed items wait")
            st.caption(f"{wait} for your decision, below the figure.")
    rows = result.beside_uniform
    estimate_figures.show(
        study,
        "interval-figure",
        lambda: charts.estimates(rows, result.bounded, True, estimate_figures.colour_of(result.plan.design.scheme)),
        sentences.headline(result),
        f"{sentences.name(result)} {sentences.main_number(result)} ({sentences.limits(result)})",
        lambda: rows,
    )


def _asked(study: Study) -> Prospect:
    """Return the prospect with which page Label drew this list before its labels."""
    labels, budget = study.labels, study.plan.design.budget
    return prospects.of(study.pool, study.target, labels.parser, budget, confidence=labels.interval.confidence)


def _downloads(
    study: Study, result: Result, provenance: Provenance, asked: Prospect, decided: Callable[[], str]
) -> None:
    price, name = prices.current().spent, f"neyman-{result.plan.plan_id}"

    def full() -> Result:
        return replace(result, promise=result.promise or promised(study, asked), decided=decided())

    files: tuple[tuple[str, Callable[[], str | bytes], str, str, str, str], ...] = (
        (
            "Report (HTML)",
            lambda: report_html(full(), provenance, price, judged_items(study)),
            f"{name}-report.html",
            "text/html",
            "report",
            "description",
        ),
        (
            "Everything as JSON",
            lambda: report_json(full(), provenance, study.labels.rows),
            f"{name}.json",
            "application/json",
            "report-json",
            "data_object",
        ),
        (
            "Bundle to reproduce it",
            lambda: report_bundle(study, full(), price, f"{name}.zip"),
            f"{name}.zip",
            "application/zip",
            "report-bundle",
            "folder_zip",
        ),
    )
    with st.container(horizontal=True):
        for label, make, file, mime, key, icon in files:
            st.download_button(
                label,
                make,
                file,
                mime,
                key=key,
                on_click="ignore",
                type="primary" if key == "report" else "secondary",
                icon=f":material/{icon}:",
                help=_BUNDLE if key == "report-bundle" else None,
            )
