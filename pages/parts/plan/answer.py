"""The answer on page Plan in words: what its signs mean, and what it rests on."""

from __future__ import annotations

import math

import streamlit as st

from core.planning import Outlook, textbook_size
from core.pool import Pool
from core.simulation import findings
from core.words import counted, level, per_cent, shortened, value, width
from pages.parts import comparison
from pages.parts.markup import plain
from pages.parts.plan.inputs import Inputs
from pages.parts.widgets import controls

_LONGEST = 24
# Standard errors on either side of the truth within which 95 % of estimates land.
_NORMAL = 1.96


def about(pool: Pool, inputs: Inputs) -> None:
    """Say which pool the figures are about, with the way to the current one."""
    if inputs.chosen is not None:
        st.caption(plain(f"For your current pool, “{pool.name}”, with {counted(pool.n_items, 'item')}."))
        return
    size = inputs.outlook.n_items
    items = "very many items" if size is None else counted(size, "item")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(plain(f"For a new pool of {items}."), width="content")
        st.button(
            plain(f"Plan for “{shortened(pool.name, _LONGEST)}”"),
            key="plan-this-pool",
            type="tertiary",
            icon=":material/database:",
            on_click=_this_pool,
        )


def known(pool: Pool, inputs: Inputs) -> None:
    """Say what the same number of labels saves for the target where its outcomes are known: exact, not forecast."""
    chosen, labels = inputs.chosen, inputs.outlook.labels
    outcome = None if chosen is None or chosen.uniform else chosen.outcome(pool)
    if chosen is None or outcome is None or not chosen.least(outcome) <= labels <= outcome.losses.size:
        return
    gain, share = comparison.gained(pool, chosen, outcome, labels), outcome.moments.binary
    half, accuracy = width(_NORMAL * gain.standard_error, share), value(1 - gain.mean_loss, True)
    where = f" at its accuracy of {accuracy}" if share else ""
    st.markdown(
        plain(
            f"That is a forecast for a new model. The outcomes of “{chosen.basis.target}” are known here, so it is "
            f"exact: {counted(labels, 'label')} give ±{half}{where}. {findings.saving(gain)}"
        )
    )


def _this_pool() -> None:
    st.session_state[controls.PLAN_FOR.key] = controls.THIS_POOL


def meaning(outlook: Outlook, confidence: float) -> str:
    """Write what "±" and "Uniform" mean, for somebody who has heard of neither."""
    return (
        f"±{width(outlook.half_width, True)} is the margin: {level(confidence)} of such evaluations come that close to "
        "the true accuracy. Uniform draws every item with the same chance."
    )


def rests_on(inputs: Inputs) -> str:
    """Write what the forecast rests on, and what a calculator would say."""
    outlook = inputs.outlook
    if inputs.chosen is not None and inputs.chosen.uniform:
        text = "Nothing is known of these items before any label, so the recommended design draws them uniformly."
    else:
        text = (
            "The recommended design labels more of the items that your model probably gets wrong. It sorts them by "
            f"{inputs.frame.signal}."
        )
    if inputs.chosen is not None and not math.isnan(outlook.agreeing):
        text += f" Another model’s answers agree with each other on {per_cent(outlook.agreeing)} of the items."
    if 0 < outlook.half_width < 1:
        accuracy, confidence = inputs.belief.accuracy.middle, inputs.interval.confidence
        labels = textbook_size(outlook.half_width, accuracy, outlook.n_items, confidence)
        text += f" The textbook’s formula for Uniform: {labels:,} labels."
    if inputs.frame.paper is not None:
        text += " The paper’s design has five groups of items, by how much another model’s answers disagree."
    return text
