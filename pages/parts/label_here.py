"""Labelling right here: one item at a time, every label kept the moment it is given."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.labels.records import GIVEN_UP, SKIPPED
from pages.parts import label_answers, label_item
from pages.parts.labelling import Work, counted

# Labels given without a name; imported ones without a name are nobody's, and not undone here.
NOBODY = "(no name)"
# Source of labels given on this page.
HERE = "here"
_PAUSE = 600.0


def section(work: Work) -> None:
    """The next item of this person's list, and the ways to answer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # In the address, so that a reload keeps it and a link can carry it.
        st.text_input("Your name", key="annotator", bind="query-params", max_chars=80)
        truth = st.toggle("Show the truth", key="show-truth", persist_state="session")
    kept = work.kept()
    own = kept[kept["annotator"] == _name()]
    given = set(own.loc[own["label"].notna(), "item_id"])
    skipped = set(own.loc[own["status"] == SKIPPED, "item_id"]) - given
    seen = set(own["item_id"])
    ids = work.wanted()
    # What was skipped comes again at the end.
    left = [item for item in ids if item not in seen] + [item for item in ids if item in skipped]
    _progress(work, len(ids) - len(left), len(ids), own)
    # One container each, whatever is in it: the field in which one types keeps its place and the cursor.
    shown, answers, below = st.container(), st.container(), st.container()
    if not left:
        done = "Every item of the list has your label. Next: the estimate, below."
        shown.success(done if ids else "Every item was given up.", icon=":material/check_circle:")
        with below:
            _undo(work, own, st.button, False)
        return
    item = left[0]
    with shown:
        label_item.show(work, item, truth)
    with answers:
        _answers(work, item, own)
    with below:
        st.text_input("Note", key=_note_key(work, item), max_chars=500, placeholder="Optional, kept with the label")
        st.caption("Keys work while no field is being typed in. The estimate stays on its own page until you open it.")


def _answers(work: Work, item: str, own: pd.DataFrame) -> None:
    """The ways to answer and not to; all of them in one form where one types, which empties its field each time."""
    keep = partial(_keep, work, item)
    if label_answers.typed(work, item):
        with st.form("answer", clear_on_submit=True, border=False):
            label_answers.field(work, keep)
            with st.container(horizontal=True):
                _pass(work, item, st.form_submit_button, True)
                _undo(work, own, st.form_submit_button, True)
    else:
        label_answers.show(work, item, keep)
        with st.container(horizontal=True):
            _pass(work, item, st.button, False)
            _undo(work, own, st.button, False)


def _progress(work: Work, done: int, total: int, own: pd.DataFrame) -> None:
    st.progress(done / total if total else 0.0, text=_pace(done, total, own))
    lost, spare = len(work.lost()), len(work.spare())
    if lost:
        said = f"{counted(lost, 'item was', 'items were')} given up. "
        if spare:
            said += f"{counted(spare, 'replacement stands', 'replacements stand')} at the end of the list."
        else:
            said += "Nothing is left in their strata to replace them."
        st.caption(said)


def _pass(work: Work, item: str, button: Callable[..., bool], typed: bool) -> None:
    """The ways not to answer. While one types, a bare letter must do nothing."""
    button(
        "Skip",
        key=f"skip-{item}",
        shortcut="ctrl+down" if typed else "s",
        icon=":material/skip_next:",
        help="The item comes again at the end.",
        on_click=_keep,
        args=(work, item, None),
    )
    button(
        "Give up on this item",
        key=f"give-up-{item}",
        shortcut=None if typed else "g",
        icon=":material/block:",
        help="It will never get a label: the next item of its stratum takes its place, at the end of the list.",
        on_click=_keep,
        args=(work, item, None, GIVEN_UP),
    )


def _undo(work: Work, own: pd.DataFrame, button: Callable[..., bool], typed: bool) -> None:
    """A way back, where the last thing this person gave was given here and says what is asked here."""
    log = work.log()
    mine = log[log["annotator"] == _name()].sort_values("created", kind="stable")
    if mine.empty or not str(mine["source"].iloc[-1]).startswith(HERE) or mine.index[-1] not in own.index:
        return
    button(
        "Undo the last",
        key="undo",
        shortcut="ctrl+up" if typed else "u",
        icon=":material/undo:",
        on_click=_take_back,
        args=(work, str(mine["plan_id"].iloc[-1])),
    )


def _note_key(work: Work, item: str) -> str:
    return f"note-{work.plan.plan_id}-{item}"


def _name() -> str:
    """Who labels, as the field says now: a callback's arguments are those of the run before."""
    return str(st.session_state.get("annotator") or "").strip() or NOBODY


def _keep(work: Work, item: str, label: str | None, status: str = SKIPPED) -> None:
    """Keep one label now; what is skipped or given up is kept too, as a row without a label."""
    row = {
        "item_id": item,
        "label": label,
        "annotator": _name(),
        "note": str(st.session_state.get(_note_key(work, item)) or "").strip() or None,
        "status": "" if label else status,
    }
    work.save(pd.DataFrame([row]), HERE)


def _take_back(work: Work, plan_id: str) -> None:
    work.archive.undo_labels(plan_id, _name())


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
