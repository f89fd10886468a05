"""From page Estimate to the list on page Label: the same design, question and target."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core.study import Study
from pages.parts.app import address
from pages.parts.widgets import controls


def label_more(
    study: Study,
    budget: int,
    title: str,
    key: str,
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
    only_new: bool = True,
) -> None:
    """A button that opens page Label with this plan's design, another budget, and the same question and target.

    ``only_new``: the list there leaves out what has a label.
    """
    clicked = st.button(
        title, key=key, icon=":material/checklist:", on_click=_hand_over, args=(study, budget, only_new), type=kind
    )
    if clicked:
        # The target's control is on this page too: its parameter goes along by itself.
        design = controls.address(study.plan.plan_id, budget, study.kind)
        st.switch_page("pages/label.py", query_params=address.parameters(study.labels.origin.digest, **design))


def back_to_the_list(study: Study) -> None:
    """A button to all of the plan's list on page Label."""
    label_more(study, study.plan.design.budget, "Back to the list", "label-list", "tertiary", False)


def _hand_over(study: Study, budget: int, only_new: bool) -> None:
    """Set page Label's controls before they are drawn."""
    controls.adopt(study.plan.plan_id, budget, study.kind)
    if only_new:
        # Neither of them alone: what is without a label may be replacements and others.
        st.session_state.update({"only-new": True, "only-spare": False})
    if study.target is not None:
        st.session_state["target"] = study.target
