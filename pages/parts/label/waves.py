"""The second of two waves, offered if the first is labelled."""

from __future__ import annotations

import streamlit as st

from core.design import pool_profile
from core.study import Study, second_wave
from core.words import counted
from pages.parts.app import state
from pages.parts.app.frame import in_callback
from pages.parts.label.mismatch import open_plan


def offer(study: Study) -> None:
    """Say what the first wave waits for, draw the second, or lead to it if it is drawn."""
    plan = study.plan
    if not plan.waits:
        return
    drawn = second_wave(state.archive(), plan)
    if drawn is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":material/looks_two: The second wave of this list is drawn.", width="content")
            args = drawn.plan_id, drawn.design, study.kind
            st.button("Open the second wave", key="second-wave", type="primary", on_click=open_plan, args=args)
        return
    waiting = len([item for item in study.labels.due if item not in study.labels.labelled]) + len(study.labels.ties)
    if waiting or study.partial() is not None:
        left = f"{counted(waiting, 'item')} of this list {'waits' if waiting == 1 else 'wait'} for a label"
        left = left if waiting else "In some strata no label says whether the target is right"
        rest = counted(plan.design.budget - plan.ids.size, "more item")
        st.caption(f":material/looks_one: The first of two waves. {left}; then the labels decide which {rest} follow.")
        return
    rest = counted(plan.design.budget - len(study.outcomes.table), "more item")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/looks_two: The first wave is labelled. It decides which {rest} follow.", width="content"
        )
        st.button("Draw the second wave", key="second-wave", type="primary", on_click=_draw, args=(study,))


@in_callback
def _draw(study: Study) -> None:
    """Keep the second wave's plan and show its list; for a callback."""
    design = study.plan.design
    # With the answers of targets that were run since.
    second = study.next_wave(pool_profile(study.pool, design.scheme, design.risk))
    second.labels.save_plan(state.archive(), state.now())
    open_plan(second.plan.plan_id, second.plan.design, study.kind)
