"""The promise of labels, with its figure, and a pool's own outcomes of its target."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import planning
from core.judge import named_judge
from core.pool import Pool
from core.prospect import PoolFact, Prospect
from core.words import level
from pages.parts.app import frame, state
from pages.parts.markup import meanings, plain
from pages.parts.plan.controls import THIS_POOL
from pages.parts.widgets import controls


def first(pool: Pool, fact: PoolFact | None) -> None:
    """Draw what is known already, before a plan; of a pool that comes with the app, that the plan is a rehearsal."""
    if fact is None:
        return
    if state.is_bundled(pool):
        st.markdown(plain(fact.rehearsal))
        return
    frame.finding(plain(fact.title))
    outcomes_section(pool, fact)


def labelled(prospect: Prospect, title: Callable[[str], object] = frame.finding) -> bool:
    """Draw what labels of this pool say of its target already, and the way to them; return whether they say it."""
    estimate = prospect.labelled
    if estimate is None:
        return False
    title(plain(estimate.title_of(prospect.question.target)))
    st.markdown(plain(estimate.because))
    frame.step("pages/estimate.py", "See the estimate", ":material/analytics:", plan=estimate.plan_id)
    return True


def part(prospect: Prospect) -> None:
    """Say so if the outcomes of some items alone are known."""
    if prospect.part is not None:
        assumed = prospect.question.expected is None
        st.warning(plain(prospect.part.sentence(assumed)), icon=":material/rule:")


def lacking(pool: Pool, target: str | None) -> str:
    """Return what has to be added to the file before the outcomes of ``target`` are known, as an object of “add”."""
    model = None if target is None else pool.targets.get(target)
    answers = [] if model is not None and (model.answers is not None or model.texts is not None) else ["its answers"]
    right = [] if "answer" in pool.item_columns else ["right answers"]
    return ", or ".join(filter(None, (" and ".join([*answers, *right]), "its scores")))


def outcomes_section(pool: Pool, fact: PoolFact, rehearsed: bool = True) -> None:
    """Draw below the fact who says so, the ways to what labels are for, and that a plan follows, if one does."""
    st.markdown(plain(fact.because))
    with st.container(horizontal=True):
        if named_judge(pool) is not None:
            frame.step("pages/judge.py", "Check the judge", ":material/gavel:")
        new = {controls.TARGET.key: controls.NEW, controls.PART.key: controls.LIST}
        frame.step("pages/label.py", "Draw a list for a new model", ":material/checklist:", **new)
        frame.step("pages/explore.py", "Explore every design", ":material/query_stats:")
    if rehearsed:
        st.markdown(plain(fact.rehearsal))


# The promise of labels, with its figure: wherever labels are counted.


def section(prospect: Prospect, reached: pd.DataFrame | None = None) -> None:
    """Draw what the labels promise, with the way to page Plan; nothing if it cannot be forecast.

    Parameters
    ----------
    prospect : Prospect
        The pool, the question and the budget.
    reached : DataFrame, optional
        Half-widths of labels that came in: labels, half_width.
    """
    try:
        promise, table = prospect.promise, prospect.half_width_curve()
    except NeymanError as error:
        st.caption(plain(f"Nothing can be forecast. {error}"))
        return
    frame.finding(plain(promise.title))
    st.markdown(plain(promise.statement), help=meanings(promise.statement))
    figure(prospect, table, 320, reached)
    shared = planning.shared_lines(table, prospect.forecast_method)
    st.caption(plain(f"{meaning(prospect)} {promise.rests_on} {shared}".rstrip()))
    if not promise.exact:
        way = {"plan-for": THIS_POOL}
        frame.step("pages/plan.py", "Change the assumptions", ":material/calculate:", **way)


def figure(prospect: Prospect, table: pd.DataFrame, height: int, reached: pd.DataFrame | None = None) -> None:
    """Draw half-widths against labels; nothing if losses are no shares, which have no points."""
    if prospect.share:
        method, ranges = prospect.forecast_method, prospect.promise.ranges
        drawn = planning.half_widths(table, prospect.budget, reached, height, method, ranges)
        frame.chart(drawn, "forecast", prospect.promise.sentence)


def meaning(prospect: Prospect) -> str:
    """Write what "±" means."""
    return f"± is the half-width of the {level(prospect.question.confidence)} interval."
