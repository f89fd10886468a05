"""The result on page Estimate: one number, its interval, ship or hold, and what more labels would give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures import intervals, style
from core.gates import HOLD, SHIP, Decision, decide, decide_in_order
from core.prospect import Prospect, gate_scheme
from core.report import everyday, promised, report_bundle, report_html, report_json, sentences
from core.study import Provenance, Result, Study, judged_items
from core.words import counted, per_cent
from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.estimate import figures, oddities, other_metrics, tables, topup
from pages.parts.estimate.controls import ABOUT
from pages.parts.markup import plain
from pages.parts.views import run_tables
from pages.parts.widgets import controls, prices

_FROM_INTERVAL = "From a one-sided test of all labels"
_IF_ONCE = "Valid if you decided beforehand when to look."
_SAYS = {SHIP: ("Ship", "at least"), HOLD: ("Hold", "below")}
# Whether a verdict is good, and the colour of its figure.
_LOOKS = {SHIP: (True, style.TRUTH), HOLD: (False, style.CONTRAST)}


def decides(study: Study) -> bool:
    """Whether there is a bar that the estimate can reach: values are accuracies."""
    return study.outcomes.bounded and study.outcomes.measure == "accuracy"


def _drawn_for_it(study: Study) -> bool:
    scheme = study.plan.design.scheme
    return scheme == gate_scheme(scheme) and scheme.allocation != "uniform"


def decided(study: Study) -> Callable[[], str]:
    """Return what says the decision, for the report: "" unless a bar was asked for, or the list was drawn for one."""
    if not decides(study) or not (_drawn_for_it(study) or controls.BAR.address is not None):
        return str
    bar, band = controls.BAR.value / 100, controls.BAND.value / 100
    return lambda: _said(*_decided(study, bar, band), bar, _drawn_for_it(study))


def decision_section(study: Study) -> None:
    """Draw the bar, the verdict in its colour, and the estimate beside the bar."""
    cells = st.columns(2, vertical_alignment="bottom")
    with cells[0]:
        controls.BAR.draw()
    for_it, bar = _drawn_for_it(study), controls.BAR.value / 100
    early_panel = None
    if _in_turn(study):
        with cells[1]:
            early_panel = st.popover("Checked after every label", icon=":material/timeline:", key="decide-early")
            with early_panel:
                controls.BAND.draw()
    once, early = _decided(study, bar, controls.BAND.value / 100)
    counts = early if early is not None and for_it else once
    is_good, colour = _LOOKS.get(counts.answer, (None, style.GREY))
    word = _SAYS[counts.answer][0] if counts.answer in _SAYS else "Unclear"
    frame.verdict(word, is_good, _said(once, early, bar, for_it).removeprefix(f"{word}: "))
    estimate = study.estimate()
    if estimate.has_interval:
        name = "Accuracy" if study.outcomes.settled is None else "Accuracy, disputes open"
        row = pd.DataFrame({"label": [name], "value": [estimate.value], "low": [estimate.low], "high": [estimate.high]})
        frame.chart(intervals.at_bar(row, bar, colour), "bar-figure", _verdict(counts, bar), button=False)
    if early is not None and early_panel is not None:
        with early_panel:
            _looked_at(early, bar)
            if for_it:
                st.caption(f"{_FROM_INTERVAL}. {_verdict(once, bar)} {_IF_ONCE}")


def _in_turn(study: Study) -> bool:
    """Whether labels can be looked at one by one, in the list's order."""
    return study.plan.earlier is None and study.plan.design.weights is None


def _decided(study: Study, bar: float, band: float) -> tuple[Decision, Decision | None]:
    """Decide once by all labels, and by those in the list's order, if that can be done, at the interval's level."""
    outcomes, early = study.outcomes, None
    sure = outcomes.confidence
    once = decide(study.estimate, bar, sure, interval=outcomes.interval, sample=outcomes.alone)
    if _in_turn(study):
        early = decide_in_order(study.plan, outcomes.positions, outcomes.values, bar, sure, band)
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
    unclear = f"Unclear: the accuracy may be on either side of {per_cent(bar, 1)}."
    if not decision.likely or decision.confidence <= 0.5:
        return unclear
    return f"{unclear} “{_SAYS[decision.likely][0]}” is the likelier answer. Confidence in it: {sure}."


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


def show(study: Study, number: DeltaGenerator) -> None:
    """Draw the number and the way on in their place at the top, then a tab for all that there is more."""
    result, asked = study.result(made=state.made()), _asked(study)
    if result.n_items <= prospects.LARGE:
        result = replace(result, promise=promised(study, asked))
    other_metrics.refuse(study)
    provenance, more = study.labels.provenance(), topup.planned(study, result)
    chosen = replace(result, comparison=other_metrics.compared(study), metrics=other_metrics.metrics(study), more=more)
    with number:
        _number(study, result, _known(result, asked))
        with st.container(horizontal=True):
            topup.next_step(study, result, more)
            _download(study, chosen, provenance, asked, *_REPORT)
    small = result.weights_line
    oddities.show_remarks([*oddities.remarks(study), *(one for one in sentences.remarks(result) if one != small)])
    parts: dict[str, tuple[str, Callable[[], None]]] = {}
    if decides(study):
        parts["decide"] = "", partial(decision_section, study)
    if not study.plan.waits:
        parts["precision"] = "", partial(topup.section, study, result)
    if result.answered is not None or other_metrics.others(study) or study.labels.positives:
        parts["metrics"] = "", partial(_other_numbers, study, result)
    if study.runs is not None:
        parts["runs"] = "", partial(run_tables.section, study.runs)
    if result.groups is not None and len(result.groups):
        parts["groups"] = f" ({len(result.groups):,})", partial(tables.groups_section, study, result)
    parts["items"] = f" ({len(study.outcomes.values):,})", partial(tables.items_section, study)
    parts["labels"] = "", partial(labels_section, study)
    parts["how"] = "", partial(_how, study, result, chosen, provenance, asked)
    tabs(study, parts)


def tabs(study: Study, parts: dict[str, tuple[str, Callable[[], None]]]) -> None:
    """Draw tabs, of which only the open one is made; that of disputes is the first while one waits.

    Parameters
    ----------
    study : Study
        Whose disputes are walked through.
    parts : dict
        For each option of `controls.ABOUT` what follows its name, and what draws the tab.
    """
    disputed = len(study.labels.settlement.conflicts)
    if disputed:
        walk = {"disputes": (f" ({disputed:,})", partial(oddities.disagreements, study))}
        parts = walk | parts if study.labels.ties else parts | walk
    frame.tabs(ABOUT, parts)


def _other_numbers(study: Study, result: Result) -> None:
    other_metrics.compared_section(study)
    other_metrics.section(study)
    other_metrics.answered(study, result.answered)


def labels_section(study: Study) -> None:
    """Draw the items of the list without a label, and every label as it was given."""
    if account := study.labels.account.sentence:
        st.caption(plain(account))
    oddities.items(study)
    tables.provenance_section(study, study.labels.provenance())


def _how(study: Study, result: Result, chosen: Result, provenance: Provenance, asked: Prospect) -> None:
    """Draw what the number rests on: strata, other intervals, and the files."""
    st.caption(plain(sentences.about_precision(result)))
    tables.strata_section(study, result)
    tables.intervals_section(result)
    with st.container(horizontal=True):
        for file in _FILES:
            _download(study, chosen, provenance, asked, *file)
        figures.files(study, *_figure(result))


def _known(result: Result, asked: Prospect) -> str:
    """Return the pool's own outcome, if it has one and labels leave the number open."""
    estimate = result.estimate
    if result.measure != "accuracy" or result.census or result.n_items > prospects.LARGE or not estimate.has_interval:
        return ""
    return "" if asked.fact is None else asked.fact.beside(estimate.low, estimate.high, result.confidence)


def _number(study: Study, result: Result, known: str) -> None:
    """The number with its interval, what it rests on, what the pool says itself, and its interval beside Uniform's."""
    headline, rests = sentences.finding(result)
    frame.finding(plain(headline), plain(sentences.about_precision(result)))
    st.markdown(plain(rests), help=plain(sentences.beside_uniform(result)))
    if result.weights_line:
        st.caption(plain(result.weights_line))
    if known:
        st.markdown(plain(known))
    if words := everyday.before_labels(result):
        st.caption(plain(words))
    if result.undecided:
        wait = counted(result.undecided, "disputed item waits", "disputed items wait")
        st.caption(f"{wait} for your decision, below the figure.")
    key, draw, title, table = _figure(result)
    figures.show(study, key, draw, sentences.headline(result), title, table, with_files=False)


def _figure(result: Result) -> tuple[str, Callable[[], style.Figure], str, Callable[[], pd.DataFrame]]:
    """Return key, figure, title and numbers of the result beside Uniform's."""
    rows = result.beside_uniform
    return (
        "interval-figure",
        lambda: intervals.estimates(rows, result.unit, True, figures.colour_of(result.plan.design.scheme)),
        f"{sentences.name(result)} {sentences.main_number(result)} ({sentences.limits(result)})",
        lambda: rows,
    )


def _asked(study: Study) -> Prospect:
    """Return the prospect with which page Label drew this list before its labels."""
    labels, budget = study.labels, study.plan.design.budget
    return prospects.of(study.pool, study.target, labels.parser, budget, confidence=labels.interval.confidence)


# Label, ending, key and icon of each file.
_REPORT = ("Report (HTML)", "-report.html", "report", "description")
_FILES = (
    ("Everything as JSON", ".json", "report-json", "data_object"),
    ("Bundle to reproduce it", ".zip", "report-bundle", "folder_zip"),
)
_MIME = {"report": "text/html", "report-json": "application/json", "report-bundle": "application/zip"}


def _download(
    study: Study, result: Result, provenance: Provenance, asked: Prospect, label: str, ending: str, key: str, icon: str
) -> None:
    """Draw the button of a file, which is made as it is taken."""
    price, name = prices.current().spent, f"neyman-{result.plan.plan_id}"
    said = decided(study)

    def make() -> str | bytes:
        full = replace(result, promise=result.promise or promised(study, asked), decided=said())
        if key == "report":
            return report_html(full, provenance, price, judged_items(study))
        if key == "report-json":
            return report_json(full, provenance, study.labels.rows)
        return report_bundle(study, full, price, f"{name}.zip")

    st.download_button(
        label,
        make,
        f"{name}{ending}",
        _MIME[key],
        key=key,
        on_click="ignore",
        type="primary" if key == "report" else "secondary",
        icon=f":material/{icon}:",
        help=_BUNDLE if key == "report-bundle" else None,
    )
