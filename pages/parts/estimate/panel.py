"""The result on page Estimate: one number, its interval, ship or hold, and what more labels would give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures import intervals
from core.gates import HOLD, SHIP, Decision, decide, decide_in_order
from core.prospect import Prospect, gate_scheme
from core.report import everyday, promised, report_bundle, report_html, report_json, sentences
from core.study import Provenance, Result, Study, judged_items
from core.words import counted, per_cent
from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.estimate import figures, other_metrics, tables, topup
from pages.parts.markup import plain
from pages.parts.widgets import controls, prices

_FROM_INTERVAL = "From a one-sided test of all labels"
_IF_ONCE = "Valid if you decided beforehand when to look."
_SAYS = {SHIP: ("Ship", "at least"), HOLD: ("Hold", "below")}


def section(study: Study) -> Callable[[], str]:
    """Draw the gate in a panel, only if values are accuracies.

    Returns
    -------
    callable
        What the report says: the decision, if a bar was asked for or the list was drawn for one; else "".
    """
    outcomes = study.outcomes
    if not outcomes.bounded or outcomes.measure != "accuracy":
        return str
    scheme = study.plan.design.scheme
    drawn_for_it = scheme == gate_scheme(scheme) and scheme.allocation != "uniform"
    planned = drawn_for_it or controls.BAR.address is not None
    panel = frame.panel("Ship or hold?", "decision", "flag", planned)
    bar, band = controls.BAR.value / 100, controls.BAND.value / 100
    if panel is not None:
        with panel, frame.errors():
            cells = st.columns(2)
            with cells[0]:
                controls.BAR.draw()
            with cells[1]:
                controls.BAND.draw()
            once, early = _decided(study, bar, band)
            frame.headline(_said(once, early, bar, drawn_for_it))
            if early is not None:
                _looked_at(early, bar)
                if drawn_for_it:
                    st.caption(f"{_FROM_INTERVAL}. {_verdict(once, bar)} {_IF_ONCE}")
    return (lambda: _said(*_decided(study, bar, band), bar, drawn_for_it)) if planned else str


def _decided(study: Study, bar: float, band: float) -> tuple[Decision, Decision | None]:
    """Decide once by all labels, and by those in the list's order, if that can be done."""
    outcomes, early = study.outcomes, None
    once = decide(study.estimate, bar, interval=outcomes.interval, sample=outcomes.alone)
    if study.plan.earlier is None:
        early = decide_in_order(study.plan, outcomes.positions, outcomes.values, bar, band=band)
    return once, early


def _said(once: Decision, early: Decision | None, bar: float, drawn_for_it: bool) -> str:
    """Say the decision that counts."""
    if early is not None and drawn_for_it:
        return _verdict(early, bar)
    return f"{_verdict(once, bar)} {_FROM_INTERVAL}. {_IF_ONCE}"


def _looked_at(early: Decision, bar: float) -> None:
    st.markdown(_early(early, bar))
    st.caption(
        "From a confidence sequence by betting, on the labels in the list’s order. You may look at any time, with the "
        "bar and the band that you chose before labelling."
    )


def _verdict(decision: Decision, bar: float) -> str:
    least = 0.999
    sure = per_cent(decision.confidence, 1) if decision.confidence <= least else f"more than {per_cent(least, 1)}"
    if decision.answer in _SAYS:
        word, side = _SAYS[decision.answer]
        return f"{word}: the accuracy is {side} {per_cent(bar, 1)}. Confidence: {sure}."
    return f"Unclear whether the accuracy reaches {per_cent(bar, 1)}. Confidence in the likelier answer: {sure}."


def _early(decision: Decision, bar: float) -> str:
    if decision.answer in _SAYS:
        return (
            f"Checked after every label: **{decision.answer}**, decided after {decision.labels:,} of "
            f"{counted(decision.total, 'label')}."
        )
    return (
        f"Checked after every label: the first {counted(decision.total, 'label')} of the list, up to the first gap, do "
        f"not decide yet on {per_cent(bar, 1)}."
    )


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
    tables.items_section(study)
    for remark in sentences.remarks(result):
        st.warning(plain(remark), icon=":material/rule:")
    files = st.container()
    more = topup.section(study, result)
    decided = section(study)
    comparison = other_metrics.compared_section(study)
    metrics = other_metrics.section(study)
    other_metrics.answered(study, result.answered)
    provenance = study.labels.provenance()
    with files:
        # What was chosen further down belongs into the files.
        _downloads(
            study, replace(result, comparison=comparison, metrics=metrics, more=more), provenance, asked, decided
        )
    tables.section(study, result)
    tables.provenance_section(study, provenance)


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
    figures.show(
        study,
        "interval-figure",
        lambda: intervals.estimates(rows, result.bounded, True, figures.colour_of(result.plan.design.scheme)),
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
