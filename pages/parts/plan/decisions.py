"""Decisions before labels: an accuracy gate on page Plan, the comparison of two models on page Models."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from core.errors import DesignError
from core.figures import planning as figures
from core.prospect import GatePromise, KnownPair, PairPromise, PlanScenario, Prospect, difference_pool
from core.report import Sheet
from pages.parts.app import address, frame, state
from pages.parts.markup import strong
from pages.parts.plan.controls import AGREEMENT, CHANCE, DIFFERENCE, PAIRED, TARGETS
from pages.parts.widgets import controls
from pages.parts.widgets.numbers import Number

# Page Label's controls for items drawn uniformly.
_UNIFORM = {controls.DESIGN.key: controls.PAPERS, controls.ALLOCATION.key: "uniform"}


def current_gate(asked: Prospect) -> GatePromise:
    """Return the gate that the controls ask for; DesignError for a band that does not fit."""
    return asked.gate(controls.BAR.value / 100, controls.BAND.value / 100, CHANCE.value)


def current_pairs(asked: Prospect) -> PairPromise:
    """Return the comparison that the controls ask for; DesignError for a difference that cannot be."""
    return asked.pairs(_agreement(asked).value / 100, DIFFERENCE.value / 100, TARGETS.value)


def sheet(asked: Prospect, rows: tuple[PlanScenario, ...], chosen: PlanScenario, note: str) -> Callable[[], Sheet]:
    """Return what makes the page's file; nothing is computed before.

    Parameters
    ----------
    asked : Prospect
        What the page is about.
    rows, chosen : PlanScenario
        What may be known of the items, and the row that is looked at.
    note : str
        What is assumed of prices.
    """
    # Made in another thread, which knows no address.
    rule = controls.BAR.value / 100, controls.BAND.value / 100, CHANCE.value
    believed = _agreement(asked).value / 100, DIFFERENCE.value / 100, TARGETS.value

    def make() -> Sheet:
        gate = pairs = None
        # What cannot be, such as a band beyond 100 %, is said beside its controls.
        with suppress(DesignError):
            gate = asked.gate(*rule)
        with suppress(DesignError):
            pairs = asked.pairs(*believed)
        early = None if gate is None else asked.gate_checked_early(gate)
        return Sheet(asked, gate, early, pairs, rows=rows, chosen=chosen, note=note)

    return make


@frame.fragment
def gate(asked: Prospect) -> None:
    """Draw the gate: its controls, labels for a clear answer, the chance of each, and what looking early takes."""
    cells = st.columns(3)
    with cells[0]:
        controls.BAR.draw()
    with cells[1]:
        controls.BAND.draw()
    with cells[2]:
        CHANCE.draw()
    try:
        promise = current_gate(asked)
    except DesignError as error:
        frame.show_error(error)
        return
    rule, labels = promise.rule, promise.labels
    known = None if asked.has_pool and state.is_bundled(asked.pool) else asked.gate_known(rule)
    if known is not None:
        st.markdown(strong(known))
    if labels is None:
        st.info(str(promise.finding), icon=":material/info:")
        st.markdown(strong(promise.of_planned))
        return
    st.markdown(strong(promise.finding))
    st.markdown(strong(promise.of_planned))
    alt = "Chance of ship, hold and unclear against the true accuracy."
    frame.chart(figures.gate_chances(promise.chances, rule.bar, rule.band), "gate", alt)
    limits = {controls.BAR.key: f"{100 * rule.bar:g}", controls.BAND.key: f"{100 * rule.band:g}"}
    if asked.has_pool:
        _to_label("Draw this list, and decide at its end", labels, **_UNIFORM, **limits)
    if early := asked.gate_checked_early(promise):
        st.markdown(strong(early.finding))
    if asked.has_pool:
        _to_label("Draw this list, and check after every label", promise.most, design=controls.GATE, **limits)
    st.caption(promise.about)


def _pair(asked: Prospect) -> KnownPair | None:
    """Return the pool's knowledge of its two targets; None of a bundled pool, where a plan is a rehearsal."""
    return asked.known_pair if asked.has_pool and not state.is_bundled(asked.pool) else None


def _agreement(asked: Prospect) -> Number:
    """The control of the share that both get right or wrong, at what is known if the difference leaves room for it."""
    known = _pair(asked)
    if known is None or 100 * (1 - known.agreement) < max(DIFFERENCE.value, 100 - AGREEMENT.high):
        return AGREEMENT
    return replace(AGREEMENT, default=round(100 * known.agreement, 2))


def _to_label(title: str, budget: int, **design: str) -> None:
    """Draw the way to page Label with a design and a budget."""
    frame.step("pages/label.py", title, ":material/checklist:", budget=str(budget), **design)


@frame.fragment
def pairs(asked: Prospect) -> None:
    """Draw the comparison: its controls, labels for a difference, and the difference that the plan's labels detect."""
    cells = st.columns(3)
    with cells[0]:
        _agreement(asked).draw()
    with cells[1]:
        DIFFERENCE.draw()
    with cells[2]:
        TARGETS.draw()
    with frame.errors():
        promise = current_pairs(asked)
    if (known := _pair(asked)) is not None and promise.rule.targets == 2:
        st.markdown(strong(known.finding))
    st.markdown(strong(promise.finding))
    if asked.has_pool:
        _to_label("Draw this list for the comparison", promise.labels, **_UNIFORM)
    st.caption(promise.about)
    if asked.has_pool and promise.rule.targets == 2:
        _where_answers_differ(asked, promise)


def _where_answers_differ(asked: Prospect, promise: PairPromise) -> None:
    """Offer the items alone on which two targets can differ, if both targets' answers are known."""
    known = asked.answered
    if len(known) < 2:
        return
    cells = st.columns(2)
    with cells[0]:
        first = PAIRED.of({name: name for name in known}).draw()
    with cells[1]:
        second = controls.COMPARE.of({name: name for name in known if name != first}).draw()
    differing = asked.differing(promise, first, second)
    if differing.labels is None:
        st.caption(strong(differing.finding))
        return
    st.markdown(strong(differing.finding))
    if st.button("Draw this list where the answers differ", icon=":material/filter_alt:"):
        among = difference_pool(asked.pool, first, second, asked.question.parser)
        # How answers are read holds for these items too, and the address forgets it with the pool.
        here = address.choices()
        state.choose(among)
        # Right answers judge both targets.
        uniform = {controls.ALLOCATION.key: ["uniform"], controls.PART.key: [controls.PART.default]}
        listed = here.replace(design=controls.PAPERS, plan=None, seed=None, others=uniform)
        listed = listed.replace(pool=state.shortened(among.digest), budget=differing.labels, target=first, kind="gold")
        st.switch_page("pages/label.py", query_params=listed.parameters())
