"""The answer on page Plan in words: what its signs mean, and what it rests on."""

from __future__ import annotations

import streamlit as st

from core.planning import textbook_size
from core.pool import Pool
from core.prospect import Prospect
from core.words import counted, level, per_cent, shortened, width
from pages.parts.markup import plain
from pages.parts.widgets import controls

_LONGEST = 24


def about(pool: Pool, prospect: Prospect) -> None:
    """Say which pool the figures are about, with the way to the current one."""
    if prospect.has_pool:
        st.caption(plain(f"For your current pool, “{pool.name}”, with {counted(pool.n_items, 'item')}."))
        return
    size = prospect.question.n_items
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


def _this_pool() -> None:
    controls.PLAN_FOR.set(controls.THIS_POOL)


def meaning(prospect: Prospect) -> str:
    """Write what "±" and "Uniform" mean, for somebody who has heard of neither."""
    promise, confidence = prospect.promise, prospect.question.confidence
    return (
        f"±{width(promise.half_width, prospect.share)} is the margin: {level(confidence)} of such evaluations come "
        f"that close to the true {prospect.measure}. Uniform draws every item with the same chance."
    )


def rests_on(prospect: Prospect) -> str:
    """Write what the answer rests on, and what a calculator would say."""
    promise, known = prospect.promise, prospect.has_pool
    if known and prospect.uniform:
        text = "Nothing is known of these items before any label, so the recommended design draws them uniformly."
    else:
        signal = prospect.signal if known else prospect.frame.signal
        text = (
            "The recommended design labels more of the items that your model probably gets wrong. It sorts them by "
            f"{signal}."
        )
    if known and prospect.pool.n_generations:
        agreeing = per_cent(prospect.profile.agreeing)
        text += f" Another model’s answers agree with each other on {agreeing} of the items."
    if 0 < promise.half_width < 1 and prospect.share:
        accuracy = prospect.truth if promise.exact else prospect.belief.accuracy.middle
        size = prospect.pool.n_items if known else prospect.question.n_items
        labels = textbook_size(promise.half_width, accuracy, size, prospect.question.confidence)
        text += f" The textbook’s formula for Uniform: {labels:,} labels."
    if not known or prospect.pool.n_generations:
        text += " The paper’s design has five groups of items, by how much another model’s answers disagree."
    return f"{promise.rests_on} {text}"
