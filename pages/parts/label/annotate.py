"""Labelling right here: one item at a time, every label kept the moment it is given."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.archive import BY_HAND, is_by_hand
from core.labels import DECISION, GIVEN_UP, NOBODY, POOL, SKIPPED, is_reserved
from core.study import Study
from core.words import counted
from pages.parts import state
from pages.parts.controls import ANNOTATOR
from pages.parts.frame import in_callback
from pages.parts.label import answers as label_answers
from pages.parts.label import item as label_item
from pages.parts.label import judgeable as label_ways
from pages.parts.label import unsaved
from pages.parts.markup import plain

_PAUSE = 600.0


def section(study: Study, alone: bool = False, annotator: str | None = None) -> None:
    """The next item of this person's list, and the ways to answer.

    Parameters
    ----------
    alone : for annotators, who are shown nothing that sways them.
    annotator : who labels; None asks for the name.
    """
    truth, free = _settings(alone, annotator)
    if is_reserved(str(st.session_state.get("annotator") or "")):
        st.error("Nobody can be called so: give another name.", icon=":material/error:")
        return
    if alone and _name() == NOBODY:
        st.info("Give your name first: it keeps your labels apart from those of others.", icon=":material/badge:")
        return
    if not label_ways.judgeable(study, alone):
        return
    message = st.session_state.pop("label-message", None)
    if message:
        st.info(plain(message), icon=":material/group:")
    kept = study.relevant
    own = kept[kept["annotator"] == _name()]
    given = set(own.loc[own["label"].notna(), "item_id"])
    skipped = set(own.loc[own["status"] == SKIPPED, "item_id"]) - given
    # A label that cannot be read is none: its item is asked again.
    unread = set(own.loc[own["label"].notna() & ~own["item_id"].isin(study.labelled), "item_id"])
    seen = set(own["item_id"]) - unread
    waiting = set(study.unasked) | (_of_others(study) - seen if free else set())
    ids = [item for item in study.due if item not in waiting]
    # What was skipped comes again at the end.
    left = [item for item in ids if item not in seen] + [item for item in ids if item in skipped]
    _progress(study, len(ids) - len(left), len(ids), own)
    # One container each, whatever is in it: the field in which one types keeps its place and the cursor.
    shown, answers, below = st.container(), st.container(), st.container()
    if not left:
        shown.success(_done(ids, free, alone), icon=":material/check_circle:")
        with below:
            _undo(study, own, st.button, False)
        return
    item = unsaved.item() or left[0]
    with shown:
        label_item.show(study, item, truth)
    with answers:
        if not unsaved.section(unsaved.ANSWER):
            _answers(study, item, own)
    with below:
        st.text_input("Note", key=_note_key(study, item), max_chars=500, placeholder="Optional, kept with the label")
        later = "" if alone else " The estimate stays on its own page until you open it."
        st.caption(f"Keys work while no field is being typed in.{later}")


def _settings(alone: bool, annotator: str | None) -> tuple[bool, bool]:
    """Who labels; whether the truth is shown, and whether items that others have labelled are left out."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # In the address, so that a reload keeps it and a link can carry it.
        if annotator is None:
            ANNOTATOR.draw("Needed to begin" if alone else "Optional", longest=80)
        else:
            st.session_state[ANNOTATOR.key] = annotator
            st.text(f"You label as {annotator}.", width="content")
        truth = not alone and st.toggle("Show the truth", key="show-truth", persist_state="session")
        free = st.toggle("Only items without any label", key="only-free", persist_state="session")
    return truth, free


def _of_others(study: Study) -> set[str]:
    """Ids of the items that somebody else has labelled."""
    kept = study.relevant
    others = kept[~kept["annotator"].isin([_name(), DECISION, POOL]) & kept["label"].notna()]
    return set(others["item_id"]) & study.labelled


def _done(ids: list[str], free: bool, alone: bool) -> str:
    if not ids:
        return "Others have labelled every item." if free else "Every item was given up."
    whose = "has a label" if free else "has your label"
    return f"Every item of the list {whose}." + (" Thank you." if alone else " Next: the estimate, below.")


def _answers(study: Study, item: str, own: pd.DataFrame) -> None:
    """The ways to answer and not to; all of them in one form where one types, which empties its field each time."""
    keep = partial(_keep, study, item)
    if label_answers.typed(study, item):
        with st.form("answer", clear_on_submit=True, border=False):
            label_answers.field(study, keep)
            with st.container(horizontal=True):
                _pass(study, item, st.form_submit_button, True)
                _undo(study, own, st.form_submit_button, True)
    else:
        label_answers.show(study, item, keep)
        with st.container(horizontal=True):
            _pass(study, item, st.button, False)
            _undo(study, own, st.button, False)


def _progress(study: Study, done: int, total: int, own: pd.DataFrame) -> None:
    st.progress(done / total if total else 0.0, text=_pace(done, total, own))
    lost, spare = len(study.lost), len(study.spare)
    if lost:
        said = f"{counted(lost, 'item was', 'items were')} given up. "
        if spare:
            said += f"{counted(spare, 'replacement stands', 'replacements stand')} at the end of the list."
        else:
            said += "Nothing is left in their strata to replace them."
        st.caption(said)


def _pass(study: Study, item: str, button: Callable[..., bool], typed: bool) -> None:
    """The ways not to answer. While one types, a bare letter must do nothing."""
    button(
        "Skip",
        key=f"skip-{item}",
        shortcut="ctrl+down" if typed else "s",
        icon=":material/skip_next:",
        help="The item comes again at the end.",
        on_click=_keep,
        args=(study, item, None),
    )
    button(
        "Give up on this item",
        key=f"give-up-{item}",
        shortcut=None if typed else "g",
        icon=":material/block:",
        help="It will never get a label: the next item of its stratum takes its place, at the end of the list.",
        on_click=_keep,
        args=(study, item, None, GIVEN_UP),
    )


def _undo(study: Study, own: pd.DataFrame, button: Callable[..., bool], typed: bool) -> None:
    """A way back, where the last thing this person gave was given here and says what is asked here."""
    log = study.log
    mine = log[log["annotator"] == _name()].sort_values("created", kind="stable")
    if mine.empty or not is_by_hand(str(mine["source"].iloc[-1])) or mine.index[-1] not in own.index:
        return
    button(
        "Undo the last",
        key="undo",
        shortcut="ctrl+up" if typed else "u",
        icon=":material/undo:",
        on_click=_take_back,
        args=(study, str(mine["plan_id"].iloc[-1])),
    )


def _note_key(study: Study, item: str) -> str:
    return f"note-{study.plan.plan_id}-{item}"


def _name() -> str:
    """Who labels, as the field says now: a callback's arguments are those of the run before."""
    return str(st.session_state.get("annotator") or "").strip() or NOBODY


@in_callback
def _keep(study: Study, item: str, label: str | None, status: str = SKIPPED) -> None:
    """Keep one label now; what is skipped or given up is kept too, as a row without a label."""
    row = {
        "item_id": item,
        "label": label,
        "annotator": _name(),
        "note": str(st.session_state.get(_note_key(study, item)) or "").strip() or None,
        "status": "" if label else status,
    }
    unsaved.save(study, pd.DataFrame([row]), BY_HAND)


@in_callback
def _take_back(study: Study, plan_id: str) -> None:
    log = study.log
    last = log[(log["annotator"] == _name()) & (log["plan_id"] == plan_id)].sort_values("created", kind="stable")
    state.archive().undo_labels(plan_id, _name(), by_hand=True)
    if len(last):
        # The note is not lost with its label.
        st.session_state[_note_key(study, str(last["item_id"].iloc[-1]))] = last["note"].iloc[-1] or ""


def _pace(done: int, total: int, own: pd.DataFrame) -> str:
    text = f"{done:,} of {counted(total, 'item')}"
    times = [datetime.fromisoformat(moment).timestamp() for moment in own["created"]]
    pauses = np.diff(sorted(times))
    # A break for lunch is no measure of how long an item takes.
    working = pauses[pauses < _PAUSE]
    if working.size >= 3 and done < total:
        minutes = float(np.mean(working)) * (total - done) / 60
        text += f" · about {minutes:,.0f} min left" if minutes >= 1 else " · less than a minute left"
    return text
