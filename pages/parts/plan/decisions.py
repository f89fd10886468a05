"""Decisions on page Plan: a release gate, and the comparison of targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.figures import planning as figures
from core.planning import UNCLEAR, Gate, Pairing, SamplingFrame, answers_differ, difference_pool, simulate_belief
from core.pool import Pool
from core.signals import answered
from core.words import counted, level, per_cent
from pages.parts import controls, frame, prices, state
from pages.parts.markup import plain
from pages.parts.plan.inputs import Inputs
from pages.parts.recommendation import Recommendation

_GRID = 61
# Labels after which a gate that is looked at early gives up, in units of the fixed number, and its simulated runs.
_LONGEST, _TRIALS = 2, 200
_MOST_SIMULATED = 2000


def gate(inputs: Inputs) -> None:
    """Draw the gate: its controls, labels for a clear answer, the chance of each, and what looking early takes."""
    cells = st.columns(3)
    with cells[0]:
        bar = controls.BAR.draw() / 100
    with cells[1]:
        band = controls.BAND.draw() / 100
    with cells[2]:
        chance = controls.CHANCE.draw()
    with frame.errors():
        rule = Gate(bar, band, power=chance, n_items=inputs.outlook.n_items)
    labels = _labels(rule)
    if labels is None:
        st.info("A clear answer takes more than 100,000 labels. Choose a wider band.", icon=":material/info:")
        return
    money = prices.of_labels(labels)
    st.markdown(
        f"**{counted(labels, 'label')}{f' ({money})' if money else ''}**, drawn at random, give a clear answer with a "
        f"chance of {level(chance)} where the accuracy is {100 * band:.3g} points or more from {per_cent(bar, 1)}. "
        f"Each answer is wrong at most {level(1 - rule.confidence)} of the time."
    )
    table = rule.chances(labels, np.linspace(max(bar - 3 * band, 0), min(bar + 3 * band, 1), _GRID))
    alt = "Chance of ship, hold and unclear against the true accuracy."
    frame.chart(figures.gate_chances(table, bar, band), "gate", alt)
    early = _early(rule, labels, inputs)
    if early:
        st.markdown(early)
    if inputs.chosen is not None:
        uniform = {"design": controls.PAPERS, "allocation": "uniform", "budget": str(labels)}
        frame.step("pages/label.py", "Draw these labels uniformly", ":material/checklist:", **uniform)
    st.caption(
        "Exact for labels drawn uniformly. Looked at after every label, the answer rests on a confidence sequence by "
        "betting; its design has three strata, since fine strata leave it little to learn from."
    )


def _early(rule: Gate, labels: int, inputs: Inputs) -> str:
    """What looking after every label takes at either end of the band, simulated."""
    ends = [rule.bar + rule.band, rule.bar - rule.band]
    if labels > _MOST_SIMULATED or any(not 0 < end < 1 for end in ends):
        return ""
    runs = [_simulated(rule, end, inputs.belief.auroc.middle, labels, inputs.name, inputs.frame) for end in ends]
    ship, hold = runs
    spent = prices.of_labels(round(ship.labels))
    money = f" ({spent})" if spent else ""
    return (
        f"Looked at after every label and stopped at {_LONGEST * labels:,} at the latest, it takes about "
        f"**{ship.labels:,.0f} labels**{money} on average to ship at {per_cent(ends[0], 1)} (answered "
        f"{per_cent(ship.decided)} of the time) and {hold.labels:,.0f} to hold at {per_cent(ends[1], 1)} "
        f"({per_cent(hold.decided)})."
    )


@dataclass(frozen=True, slots=True)
class EarlyRuns:
    """Mean labels of simulated gates, and the share of them with an answer."""

    labels: float
    decided: float


@st.cache_data(max_entries=64, show_spinner=False)
def _simulated(rule: Gate, accuracy: float, auroc: float, labels: int, name: str, _frame: SamplingFrame) -> EarlyRuns:
    runs = simulate_belief(rule, _frame, accuracy, auroc, min(_LONGEST * labels, rule.items), _TRIALS)
    return EarlyRuns(float(runs["labels"].mean()), float((runs["answer"] != UNCLEAR).mean()))


@st.cache_data(max_entries=64, show_spinner=False)
def _labels(rule: Gate) -> int | None:
    return rule.labels()


def pairs(inputs: Inputs, pool: Pool) -> None:
    """Draw the comparison: its controls, labels for a difference, and the difference that the plan's labels detect."""
    cells = st.columns(3)
    with cells[0]:
        agreement = controls.AGREEMENT.draw() / 100
    with cells[1]:
        gap = controls.DIFFERENCE.draw() / 100
    with cells[2]:
        targets = controls.TARGETS.draw()
    with frame.errors():
        confidence = inputs.interval.confidence
        pairing = Pairing(agreement, confidence=confidence, targets=targets, n_items=inputs.outlook.n_items)
        needed = pairing.labels(gap)
    money = prices.of_labels(needed)
    joint = "" if targets == 2 else f", jointly for all {targets * (targets - 1) // 2} pairs"
    st.markdown(
        f"**{counted(needed, 'label')}{f' ({money})' if money else ''}** detect a difference of {100 * gap:.3g} points "
        f"with a chance of {level(pairing.power)} at {level(confidence)} confidence{joint}, all on the same items. "
        f"With {counted(inputs.outlook.labels, 'label')} the smallest difference is "
        f"{100 * pairing.detectable(inputs.outlook.labels):.1f} points."
    )
    st.caption("Only items that one target gets right and the other wrong tell them apart.")
    if inputs.chosen is not None and targets == 2:
        _where_answers_differ(pool, pairing, gap, inputs.chosen)


def _where_answers_differ(pool: Pool, pairing: Pairing, gap: float, chosen: Recommendation) -> None:
    """Offer the items alone on which two targets can differ, where both targets' answers are known."""
    first, kind = chosen.basis.target, chosen.basis.parser
    known = [name for name in pool.targets if pool.n_generations and answered(pool, name, kind)]
    if first not in known or len(known) < 2:
        return
    second = controls.COMPARE.of({name: name for name in known if name != first}).draw()
    share = float(answers_differ(pool, str(first), second, kind).mean())
    if share < max(pairing.discordant, 1e-9):
        st.caption(
            plain(
                f"“{first}” and “{second}” give other answers on {per_cent(share, 1)} of the items, so they agree on "
                f"more than you believe."
            )
        )
        return
    needed = replace(pairing, differing=share).labels(gap)
    st.markdown(
        plain(
            f"“{first}” and “{second}” give other answers on {per_cent(share, 1)} of the items, and can only differ "
            f"there: {counted(needed, 'label')} among these items detect the same difference."
        )
    )
    if st.button("Open the pool of these items", icon=":material/filter_alt:"):
        state.choose(difference_pool(pool, str(first), second, kind))
        st.rerun()
