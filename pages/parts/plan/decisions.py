"""Decisions on page Plan: a release gate, and the comparison of targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.figures import planning as figures
from core.planning import (
    GATE,
    UNCLEAR,
    Gate,
    Pairing,
    SamplingFrame,
    answers_differ,
    difference_pool,
    labels_for,
    layout,
    middle_risks,
    simulate_belief,
)
from core.pool import Pool
from core.prospect import Prospect
from core.signals import answered
from core.words import counted, level, per_cent, width
from pages.parts.app import address, frame, kept, state
from pages.parts.markup import plain
from pages.parts.widgets import controls, prices

_GRID = 61
# Labels after which a gate that is looked at early gives up, in units of the fixed number, and its simulated runs.
_LONGEST, _TRIALS = 2, 120
_MOST_SIMULATED = 2000
# Page Label's controls for items drawn uniformly.
_UNIFORM = {controls.DESIGN.key: controls.PAPERS, controls.ALLOCATION.key: "uniform"}


@frame.fragment
def gate(asked: Prospect) -> None:
    """Draw the gate: its controls, labels for a clear answer, the chance of each, and what looking early takes."""
    cells = st.columns(3)
    with cells[0]:
        bar = controls.BAR.draw() / 100
    with cells[1]:
        band = controls.BAND.draw() / 100
    with cells[2]:
        chance = controls.CHANCE.draw()
    with frame.errors():
        rule = Gate(bar, band, power=chance, n_items=_size(asked))
    labels = _labels(rule)
    if labels is None:
        st.info("A clear answer takes more than 100,000 labels. Choose a wider band.", icon=":material/info:")
        return
    st.markdown(
        f"**Decide once, at the end: {_priced(labels)}**, drawn uniformly, give a clear answer with a chance of "
        f"{level(chance)} where the accuracy is {100 * band:.3g} points or more from {per_cent(bar, 1)}. "
        f"Each answer is wrong at most {level(1 - rule.confidence)} of the time."
    )
    table = rule.chances(labels, np.linspace(max(bar - 3 * band, 0), min(bar + 3 * band, 1), _GRID))
    alt = "Chance of ship, hold and unclear against the true accuracy."
    frame.chart(figures.gate_chances(table, bar, band), "gate", alt)
    limits = {controls.BAR.key: f"{100 * bar:g}", controls.BAND.key: f"{100 * band:g}"}
    if asked.has_pool:
        _to_label("Draw this list, and decide at its end", labels, **_UNIFORM, **limits)
    most = min(_LONGEST * labels, rule.items)
    if early := _early(rule, labels, most, asked):
        st.markdown(early)
    if asked.has_pool:
        _to_label("Draw this list, and check after every label", most, design=controls.GATE, **limits)
    st.caption(
        "If you decide once, the error rates are exact. If you check after every label, the answer rests on a "
        "confidence sequence by betting, which learns little from fine strata: its list has three strata, or is drawn "
        "uniformly where nothing is known of the items."
    )


def _priced(labels: int) -> str:
    money = prices.of_labels(labels)
    return f"{counted(labels, 'label')}{f' ({plain(money)})' if money else ''}"


def _to_label(title: str, budget: int, **design: str) -> None:
    """Draw the way to page Label with a design and a budget."""
    frame.step("pages/label.py", title, ":material/checklist:", budget=str(budget), **design)


def _early(rule: Gate, labels: int, most: int, asked: Prospect) -> str:
    """What looking after every label takes at either end of the band, simulated, and what its strata cost."""
    ends = [rule.bar + rule.band, rule.bar - rule.band]
    if labels > _MOST_SIMULATED or any(not 0 < end < 1 for end in ends):
        return ""
    runs = [_simulated(rule, end, asked.belief.auroc.middle, most, _name(asked), asked.frame) for end in ends]
    ship, hold = runs
    text = (
        f"**Check after every label: {_priced(round(ship.labels))}** on average to ship at "
        f"{per_cent(ends[0], 1)} (answered {per_cent(ship.decided)} of the time) and {hold.labels:,.0f} to hold at "
        f"{per_cent(ends[1], 1)} ({per_cent(hold.decided)}), {most:,} at most."
    )
    if asked.has_pool and asked.uniform:
        return text
    risks = middle_risks(asked.frame, asked.belief)
    half = layout(asked.frame, GATE, labels).half_width(risks, asked.question.interval)
    fine = labels_for(asked.frame, risks, "recommended", half, asked.question.interval) if half > 0 else None
    if fine is None:
        return text
    return (
        f"{text} To measure the accuracy, {labels:,} labels of this list give ±{width(half, True)}; the "
        f"recommended design takes {_priced(fine)} for the same."
    )


@dataclass(frozen=True, slots=True)
class EarlyRuns:
    """Mean labels of simulated gates, and the share of them with an answer."""

    labels: float
    decided: float


def _simulated(rule: Gate, accuracy: float, auroc: float, most: int, name: str, frame: SamplingFrame) -> EarlyRuns:
    def simulate() -> EarlyRuns:
        runs = simulate_belief(rule, frame, accuracy, auroc, most, _TRIALS)
        return EarlyRuns(float(runs["labels"].mean()), float((runs["answer"] != UNCLEAR).mean()))

    return kept.once("early gates", (rule, accuracy, auroc, most, name), simulate)


def _labels(rule: Gate) -> int | None:
    return kept.once("gates", rule, rule.labels)


def _name(asked: Prospect) -> str:
    """What tells these items from others, for caches."""
    return repr((asked.pool.digest, asked.question.basis) if asked.has_pool else asked.question.n_items)


def _size(asked: Prospect) -> int | None:
    """The number of items; None for very many."""
    return asked.pool.n_items if asked.has_pool else asked.question.n_items


@frame.fragment
def pairs(asked: Prospect, pool: Pool) -> None:
    """Draw the comparison: its controls, labels for a difference, and the difference that the plan's labels detect."""
    cells = st.columns(3)
    with cells[0]:
        agreement = controls.AGREEMENT.draw() / 100
    with cells[1]:
        gap = controls.DIFFERENCE.draw() / 100
    with cells[2]:
        targets = controls.TARGETS.draw()
    with frame.errors():
        confidence = asked.question.confidence
        pairing = Pairing(agreement, confidence=confidence, targets=targets, n_items=_size(asked))
        needed = pairing.labels(gap)
    joint = "" if targets == 2 else f", jointly for all {targets * (targets - 1) // 2} pairs"
    st.markdown(
        f"**{_priced(needed)}**, drawn uniformly, detect a difference of {100 * gap:.3g} points "
        f"with a chance of {level(pairing.power)} at {level(confidence)} confidence{joint}, all on the same items. "
        f"With {counted(asked.budget, 'label')} the smallest difference is "
        f"{100 * pairing.detectable(asked.budget):.1f} points."
    )
    if asked.has_pool:
        _to_label("Draw this list for the comparison", needed, **_UNIFORM)
    st.caption("Only items that one target gets right and the other wrong tell them apart.")
    if asked.has_pool and targets == 2:
        _where_answers_differ(pool, pairing, gap, asked)


def _where_answers_differ(pool: Pool, pairing: Pairing, gap: float, asked: Prospect) -> None:
    """Offer the items alone on which two targets can differ, where both targets' answers are known."""
    kind = asked.question.parser
    known = [name for name in pool.targets if pool.n_generations and answered(pool, name, kind)]
    if len(known) < 2:
        return
    known.sort(key=lambda name: name != asked.question.target)
    cells = st.columns(2)
    with cells[0]:
        first = controls.PAIRED.of({name: name for name in known}).draw()
    with cells[1]:
        second = controls.COMPARE.of({name: name for name in known if name != first}).draw()
    share = float(answers_differ(pool, first, second, kind).mean())
    differing = plain(f"“{first}” and “{second}” give different answers on {per_cent(share, 1)} of the items")
    if share < max(pairing.discordant, 1e-9):
        st.caption(f"{differing}, so they agree on more than you believe.")
        return
    needed = replace(pairing, differing=share).labels(gap)
    st.markdown(
        f"{differing}, and can only differ there: **{_priced(needed)}** among these items detect the same difference. "
        f"On all items, the difference is {per_cent(share, 1)} of the one on these."
    )
    if st.button("Draw this list where the answers differ", icon=":material/filter_alt:"):
        among = difference_pool(pool, first, second, kind)
        state.choose(among)
        # Right answers judge both targets.
        uniform = {controls.ALLOCATION.key: ["uniform"], controls.PART.key: [controls.PART.default]}
        listed = address.choices().replace(design=controls.PAPERS, plan=None, seed=None, others=uniform)
        listed = listed.replace(pool=state.shortened(among.digest), budget=needed, target=first, kind="gold")
        st.switch_page("pages/label.py", query_params=listed.parameters())
