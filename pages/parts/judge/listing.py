"""The list that people label: to the desk on page Label, or as a file."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core import labels
from core.design import Plan
from core.judge import labelling, request
from core.pool import Pool
from pages.parts import downloads, targets
from pages.parts.app import address, state
from pages.parts.app.frame import in_callback
from pages.parts.judge.inputs import JudgeQuestion
from pages.parts.widgets import controls

_RIGHT_WRONG = "right-wrong"


def section(asked: JudgeQuestion) -> None:
    """Draw the ways to label the list, and to bring labels back."""
    plan = asked.plan
    judging = plan.design.judging
    assert judging is not None
    target = labels.asked(judging)[0]
    at_desk = target in targets.asked(plan, asked.known).targets
    with st.container(horizontal=True):
        if at_desk and st.button("Label these items", type="primary", icon=":material/checklist:", key="label-judge"):
            _keep(asked.pool, plan)
            _open(plan, target, controls.DESK)
        make, keep = downloads.in_turn(
            lambda: labels.to_csv(request(plan).drop(columns="label", errors="ignore")),
            partial(_keep, asked.pool, plan),
        )
        name = f"{downloads.slug('neyman-judge', judging.judge)}.csv"
        st.download_button("List as CSV", make, name, "text/csv", on_click=keep, icon=":material/download:")
        if at_desk and st.button("Take a filled list back", icon=":material/upload:", key="judge-back"):
            _keep(asked.pool, plan)
            _open(plan, target, "Take labels back")
    st.caption(
        "The list shows neither the judge’s verdict nor its reason. Fill the column “label”, or the one of each "
        "criterion, with pass or fail; two people for each item, if you can."
    )


def _open(plan: Plan, target: str, part: str) -> None:
    """Go to the list on page Label."""
    where = address.choices().replace(
        plan=plan.plan_id,
        budget=plan.design.budget,
        design=None,
        kind=_RIGHT_WRONG,
        target=target,
        others={controls.PART.key: [part]},
    )
    st.switch_page("pages/label.py", query_params=where.parameters())


@in_callback
def _keep(pool: Pool, plan: Plan) -> None:
    """Keep the list, so that labels find it when they come back."""
    archive = state.archive()
    labelling(archive, plan, pool).save_plan(archive, state.now())
