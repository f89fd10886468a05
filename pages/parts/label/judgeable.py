"""Targets that can be judged, and the ways to answers if there are none."""

from __future__ import annotations

import streamlit as st

from core.study import Study
from core.words import counted
from pages.parts.app import address, state
from pages.parts.app.frame import in_callback
from pages.parts.markup import plain
from pages.parts.surrogate import roles as surrogate_role
from pages.parts.widgets.controls import LABEL_KIND


def judgeable(study: Study, alone: bool = False, files: bool = False) -> bool:
    """Whether there is an answer to judge; if not, the ways to one. Items that wait for theirs are named.

    Parameters
    ----------
    alone : for annotators, who cannot change the question.
    files : for lists that are handed out: who runs a model elsewhere may judge its runs there.
    """
    if study.kind == "gold":
        return True
    if files and not study.labels.answers and study.pool.targets:
        if study.target is None:
            st.warning("Name the new model above: its results are kept under that name.", icon=":material/badge:")
        else:
            st.caption(
                plain(
                    f"No answer of “{study.target}” to these items is known here. Run it on them where you like, and "
                    "write into the column “label” how each run went."
                )
            )
        return study.target is not None
    waiting = len(study.labels.unasked)
    # The list of a gate asks how good answers are, whatever else is known.
    way = "Run a target." if study.labels.of_gate else "Ask for the right answer instead, or run a target."
    if not study.labels.answers:
        st.warning(
            "No answer of a target to these items is known, so there is nothing to judge."
            + (" Tell whoever sent you this link." if alone else f" {way}"),
            icon=":material/rule:",
        )
    elif waiting:
        st.caption(
            f"{counted(waiting, 'item waits', 'items wait')} until the target has been asked: there is no answer to "
            "judge yet."
        )
    if waiting and not alone:
        with st.container(horizontal=True):
            if not study.labels.answers and not study.labels.of_gate:
                st.button("Ask for the right answer", icon=":material/edit_note:", on_click=_gold, key="ask-gold")
            if "prompt" in study.pool.item_columns:
                to_surrogate(study, "Run a target on these items", "run-these")
    return bool(study.labels.answers)


def to_surrogate(study: Study, title: str, key: str) -> None:
    """A button that opens page Surrogate to ask a target the items of this list."""
    if st.button(title, key=key, icon=":material/network_intelligence:", on_click=_hand, args=(study,)):
        st.switch_page("pages/surrogate.py", query_params=address.choices().parameters())


@in_callback
def _hand(study: Study) -> None:
    """Keep the list, and set page Surrogate to ask a target its items."""
    study.labels.save_plan(state.archive(), state.now())
    surrogate_role.preset(study.plan.plan_id)


def _gold() -> None:
    LABEL_KIND.set("gold")
