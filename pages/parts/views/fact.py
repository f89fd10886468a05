"""A pool's own outcomes of its target, and what labels could be for then."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.judge import named_judge
from core.pool import Pool
from core.prospect import PoolFact, Prospect
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.widgets import controls


def first(pool: Pool, fact: PoolFact | None) -> None:
    """Draw what is known already, before a plan; of a pool that comes with the app, that the plan is a rehearsal."""
    if fact is None:
        return
    if state.is_bundled(pool):
        st.markdown(plain(fact.rehearsal))
        return
    frame.finding(plain(fact.title))
    section(pool, fact)


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


def section(pool: Pool, fact: PoolFact, rehearsed: bool = True) -> None:
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
