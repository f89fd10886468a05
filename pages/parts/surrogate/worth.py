"""The gain from a cheap model's answers: labels saved, and precision beside a plain random sample's."""

from __future__ import annotations

import math

import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.prospect import ANSWERS, NOTHING, SURROGATE, PlanScenario, scenarios
from core.words import counted, per_cent, width
from pages.parts import prospects
from pages.parts.markup import plain
from pages.parts.views.bars import GREY, OURS, Bar, draw

_ABOUT = (
    "A surrogate is any cheap model. It answers every question **k** times; where it disagrees with itself, a label "
    "tells you most."
)
_RESUMES = "A run continues when you close this page. When you resume it, it asks only for what is missing."
_NAMES = {NOTHING: "A plain random sample", SURROGATE: "With a cheap model’s answers", ANSWERS: "… and your model’s"}


def head(pool: Pool) -> None:
    """Draw the page's finding, with the bars that show it; the page's name alone where it cannot be told."""
    rows = _rows(pool)
    if SURROGATE not in rows or math.isnan(rows[SURROGATE].saved):
        st.title("Surrogate")
        _about(pool)
        return
    ours = rows[SURROGATE]
    st.title(_finding(ours))
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with left:
        typical = "This pool has none yet, so a typical cheap model is assumed." if ours.assumed else ""
        _about(pool, ours.worth if ours.assumed else "", typical)
    with right:
        widest = max(one.half_width for one in rows.values())
        bars = [
            Bar(
                f"{_NAMES[name]}{' (typical)' * one.assumed}",
                f"±{width(one.half_width, one.prospect.share)}",
                one.half_width / widest,
                GREY if name == NOTHING else OURS,
            )
            for name, one in rows.items()
        ]
        draw("worth", counted(ours.labels, "label"), bars)


def _rows(pool: Pool) -> dict[str, PlanScenario]:
    """Return what a plan takes without a cheap model's answers, and with them; as on page Plan."""
    if pool.n_items > prospects.LARGE:
        return {}
    try:
        rows = scenarios(prospects.current(pool))
    except NeymanError:
        # Page Plan says what hinders a plan.
        return {}
    return {one.name: one for one in rows if one.name in _NAMES and one.half_width > 0}


def _finding(ours: PlanScenario) -> str:
    if ours.saved <= 0:
        return "A cheap model’s answers save no labels here"
    saves = "should save" if ours.assumed or not ours.prospect.promise.exact else "save"
    return f"A cheap model’s answers {saves} {per_cent(ours.saved)} of the labels"


def _about(pool: Pool, *said: str) -> None:
    """Write what a surrogate is, what is said beside it, and what a run can add to what the pool has."""
    st.markdown(_ABOUT, help=_RESUMES)
    has = (
        f"This pool has {'' if pool.complete else 'up to '}{pool.n_generations} answers to each item already. Run "
        "another surrogate, ask your model (the target), or have a judge group open-ended answers by meaning."
    )
    st.caption(plain(" ".join(filter(None, (*said, has if pool.n_generations else "")))))
