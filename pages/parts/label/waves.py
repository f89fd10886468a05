"""The second of two waves, offered where the first is labelled."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.design import pool_profile
from core.study import Study
from core.words import counted
from pages.parts import state
from pages.parts.label.mismatch import open_plan


def offer(study: Study) -> None:
    """Say what the first wave waits for, or draw the second."""
    plan = study.plan
    if plan.earlier is not None or not plan.design.scheme.in_waves:
        return
    rest = counted(plan.design.budget - plan.ids.size, "more item")
    waiting = len(study.missing) + len(study.undecided)
    if waiting or study.partial() is not None:
        left = f"{counted(waiting, 'item')} of this list {'waits' if waiting == 1 else 'wait'} for a label"
        left = left if waiting else "In some strata no label says whether the target is right"
        st.caption(f":material/looks_one: The first of two waves. {left}; then the labels decide which {rest} follow.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/looks_two: The first wave is labelled. It decides which {rest} follow.", width="content"
        )
        st.button("Draw the second wave", key="second-wave", type="primary", on_click=_draw, args=(study,))


def _draw(study: Study) -> None:
    """Keep the second wave's plan and show its list; for a callback."""
    labels = study.outcomes.table
    losses = pd.Series(1.0 - labels["value"].to_numpy(dtype=float), index=labels["item_id"].to_numpy())
    # With the answers of targets that were run since.
    design = study.plan.design
    profile = pool_profile(study.pool, design.scheme, design.risk)
    second = replace(study, plan=study.plan.next_wave(losses, profile=profile))
    second.save_plan(state.archive(), state.now())
    open_plan(second.plan.plan_id, second.plan.design, study.kind)
