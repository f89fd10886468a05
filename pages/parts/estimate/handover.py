"""From page Estimate to the list on page Label: the same design, question and target."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core.archive import is_by_hand
from core.study import Study
from pages.parts.app import session
from pages.parts.app.address import choices
from pages.parts.widgets.controls import DESK, LIST, PART


def label_more(
    study: Study,
    budget: int,
    title: str,
    key: str,
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
    only_new: bool = True,
) -> None:
    """A button that opens page Label with this plan's design, another budget, and the same question and target.

    ``only_new``: list and desk there leave out what anybody has labelled; what was labelled there goes on there.
    """
    clicked = st.button(title, key=key, icon=":material/checklist:", on_click=_show_new, args=(only_new,), type=kind)
    if clicked:
        list_of = choices().replace(
            design=None,
            plan=study.plan.plan_id,
            budget=budget,
            kind=study.kind,
            target=study.target,
            others={PART.key: [DESK if _by_hand(study) else LIST]},
        )
        st.switch_page("pages/label.py", query_params=list_of.parameters())


def back_to_the_list(study: Study) -> None:
    """A button to all of the plan's list on page Label."""
    label_more(study, study.plan.design.budget, "Back to the list", "label-list", "tertiary", False)


def _by_hand(study: Study) -> bool:
    """Whether the latest label was given on page Label; otherwise the list is labelled elsewhere."""
    sources = study.labels.log["source"]
    return not sources.empty and is_by_hand(sources.iloc[-1])


def _show_new(only_new: bool) -> None:
    """Have the list there begin with what has no label."""
    if only_new:
        # Neither of them alone: what is without a label may be replacements and others.
        session.show("only-new", True)
        session.show("only-spare", False)
        # At the desk too: what others have labelled has a label.
        session.show("only-free", True)
