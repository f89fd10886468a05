"""Ship or hold, on page Estimate: the verdict of the labels at hand, and whether it could have come earlier."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.gates import HOLD, SHIP, Decision, decide, decide_in_order
from core.prospect import gate_scheme
from core.study import Study
from core.words import counted, per_cent
from pages.parts.app import frame
from pages.parts.widgets import controls

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
