"""Labelling right here: the desk, who sits at it, and what it shows."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.gates import gate_of
from core.labels import NOBODY, is_reserved
from core.study import Study
from pages.parts.app import frame, session, visitor
from pages.parts.label import desk
from pages.parts.label import item as label_item
from pages.parts.label import judgeable as label_ways
from pages.parts.label import onward as label_onward
from pages.parts.label import plan as label_plan
from pages.parts.widgets.controls import ANNOTATOR

_desk = frame.fragment(desk.draw)


def section(study: Study, alone: bool = False, annotator: str | None = None, precision: str = "") -> None:
    """The next item of this person's list and the ways to answer, then the settings.

    Parameters
    ----------
    alone : for annotators, who are shown nothing that sways them.
    annotator : who labels; None asks for the name.
    precision : what all labels of the list give, such as “±5.5 points”.
    """
    items, below = st.container(), st.container()
    with below:
        onward = st.container(horizontal=True, vertical_alignment="center")
        truth, free = _settings(study, alone, annotator)
        desk.mount_waker()
    if not alone:
        with onward:
            label_onward.section(study)
            if study.labels.begun and gate_of(study.pool) is None and not desk.left(study, free):
                label_plan.new_list("next-list")
    with items:
        if is_reserved(ANNOTATOR.value):
            st.error("This name is reserved. Choose another one.", icon=":material/error:")
        elif alone and desk.person() == NOBODY:
            st.info(
                "Enter your name to begin: it keeps your labels apart from those of others.", icon=":material/badge:"
            )
        elif label_ways.judgeable(study, alone):
            _desk(study, truth, free, partial(_over, free=free, alone=alone), alone, precision)


def _settings(study: Study, alone: bool, annotator: str | None) -> tuple[bool, bool]:
    """Who labels; whether the truth is shown, and whether items that others have labelled are left out."""
    with st.container(horizontal=True, vertical_alignment="bottom" if annotator is None else "center"):
        # In the address, so that a reload keeps it and a link can carry it.
        if annotator is None:
            ANNOTATOR.draw("Needed to begin" if alone else "Optional", longest=80)
            if alone and desk.person() == NOBODY:
                return False, False
        else:
            ANNOTATOR.set(annotator)
            st.text(f"You label as {annotator}.", width="content")
        if visitor.links() is None and label_item.needs_folder(study) and frame.possible("A folder of images"):
            # As on page Surrogate, from which a field of this page does not take its value by itself.
            session.keep("images")
            st.text_input("Folder that the images’ paths are relative to", key="images", persist_state="session")
        known = not alone and "answer" in study.pool.item_columns
        truth = known and st.toggle("Show the truth", key="show-truth", persist_state="session")
        free = st.toggle("Only items without any label", key="only-free", persist_state="session")
    result = "estimate" if study.plan.design.judging is None else "result"
    later = "" if alone else f" The {result} stays on its own page until you open it."
    st.caption(f"Keyboard shortcuts work while you are not typing in a field.{later}")
    return truth, free


def _over(ids: list[str], free: bool, alone: bool) -> str:
    if not ids:
        return "Others have labelled every item." if free else "No item of the list can be labelled."
    whose = "has a label" if free else "has your label"
    return f"Every item of the list {whose}." + (" Thank you." if alone else " Next: the estimate, below.")
