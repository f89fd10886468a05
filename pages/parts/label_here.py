"""Labelling right here: one item at a time, every label kept the moment it is given."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime

import numpy as np
import pandas as pd
import streamlit as st

from core import labels
from pages.parts import state
from pages.parts.labelling import Work
from pages.parts.markup import plain

_KEYS = "1234567890"
# Labels given without a name; imported ones without a name are nobody's, and not undone here.
NOBODY = "(no name)"
# Source of labels given on this page; what was asked stands behind it.
HERE = "here"
_PAUSE = 600.0


def section(work: Work) -> None:
    """The next item of this person's list, and the ways to answer."""
    cells = st.columns([2, 1], vertical_alignment="bottom")
    cells[0].text_input("Your name", key="annotator", persist_state="session", max_chars=80)
    name = _name()
    truth = cells[1].toggle("Show the truth", key="show-truth", persist_state="session")
    kept = work.kept()
    own = kept[kept["annotator"] == name]
    given = set(own.loc[own["label"].notna(), "item_id"])
    skipped = set(own["item_id"]) - given
    ids = work.wanted()
    # What was skipped comes again at the end.
    left = [item for item in ids if item not in given | skipped] + [item for item in ids if item in skipped]
    done = len(ids) - len(left)
    st.progress(done / len(ids), text=_pace(done, len(ids), own))
    if not left:
        st.success("Every item of the list has your label. Next: the estimate, below.", icon=":material/check_circle:")
        _undo(work, own)
        return
    item = left[0]
    _item(work, item, truth)
    st.text_input("Note", key=_note_key(work, item), max_chars=500)
    _answers(work, item)
    _undo(work, own)
    st.caption("Keys work while no field is being typed in. The estimate stays on its own page until you open it.")


def _item(work: Work, item: str, truth: bool) -> None:
    row = work.pool.items.loc[item]
    with st.container(border=True):
        st.caption(plain(f"Item {item}"))
        if isinstance(row.get("prompt"), str):
            st.text(row["prompt"])
        for name, option in enumerate(_options(work, item)):
            st.text(f"{chr(65 + name)}. {option}" if name < 26 else option)
        _image(row.get("image"))
        if truth and isinstance(row.get("answer"), str):
            st.caption("Truth")
            st.text(row["answer"])
        answer = work.answers().get(item) if work.asked != "gold" else None
        if work.asked != "gold":
            st.caption(plain(f"Answer of {work.target}") if work.target else "No target in this pool")
            st.text("unknown" if answer is None else answer)


def _answers(work: Work, item: str) -> None:
    options = _options(work, item)
    choose = work.asked == "gold" and 0 < len(options) <= len(_KEYS)
    typed = work.asked == "score" or (work.asked == "gold" and not choose)
    with st.container(horizontal=True):
        if work.asked == "right-wrong":
            _button(work, item, "Right", "right", "1", ":material/check:")
            _button(work, item, "Wrong", "wrong", "0", ":material/close:")
        elif choose:
            for position in range(len(options)):
                letter = chr(65 + position)
                _button(work, item, letter, letter, _KEYS[position], None)
        # While answers are typed a bare letter must not skip or undo.
        st.button(
            "Skip",
            key=f"skip-{item}",
            shortcut="ctrl+s" if typed else "s",
            icon=":material/skip_next:",
            on_click=_keep,
            args=(work, item, None),
        )
    if typed:
        with st.form("answer", clear_on_submit=True, border=False):
            if work.asked == "score":
                given = st.number_input("Score, 0 to 1", 0.0, 1.0, 1.0, 0.05, key="given-score")
            else:
                given = st.text_input("The right answer", key="given-answer")
            if st.form_submit_button("Keep", type="primary") and str(given).strip():
                _keep(work, item, str(given))
                st.rerun()


def _button(work: Work, item: str, title: str, label: str, key: str, icon: str | None) -> None:
    st.button(title, key=f"give-{label}-{item}", shortcut=key, icon=icon, on_click=_keep, args=(work, item, label))


def _note_key(work: Work, item: str) -> str:
    return f"note-{work.plan.plan_id}-{item}"


def _name() -> str:
    """Who labels, as the field says now: a callback's arguments are those of the run before."""
    return str(st.session_state.get("annotator", "")).strip() or NOBODY


def _keep(work: Work, item: str, label: str | None) -> None:
    """Keep one label now; a skip is kept too, as a row without a label."""
    work.keep_plan()
    row = {
        "item_id": item,
        "label": label,
        "annotator": _name(),
        "note": str(st.session_state.get(_note_key(work, item), "")).strip() or None,
        "status": "" if label else "skipped",
    }
    work.archive.save_labels(work.plan.plan_id, pd.DataFrame([row]), state.now(), HERE, work.asked)


def _undo(work: Work, own: pd.DataFrame) -> None:
    here = own[own["source"].str.startswith(HERE)]
    if len(here):
        typed = work.asked != "right-wrong"
        newest = here.sort_values("created", kind="stable").iloc[-1]
        st.button(
            "Undo the last",
            key="undo",
            shortcut="ctrl+u" if typed else "u",
            icon=":material/undo:",
            on_click=_take_back,
            args=(work, str(newest["plan_id"])),
        )


def _take_back(work: Work, plan_id: str) -> None:
    work.archive.undo_labels(plan_id, _name())


def _pace(done: int, total: int, own: pd.DataFrame) -> str:
    text = f"{done:,} of {total:,} items"
    times = [datetime.fromisoformat(moment).timestamp() for moment in own["created"]]
    pauses = np.diff(sorted(times))
    # A break for lunch is no measure of how long an item takes.
    working = pauses[pauses < _PAUSE]
    if working.size >= 3 and done < total:
        minutes = float(np.mean(working)) * (total - done) / 60
        text += f" · about {minutes:,.0f} min left" if minutes >= 1 else " · less than a minute left"
    return text


def _options(work: Work, item: str) -> list[str]:
    return labels.choices_of(work.pool.items, [item])[0] or []


def _image(value: object) -> None:
    """Pictures that are in the pool itself; a path is named, not opened."""
    given = [value] if isinstance(value, str) else list(value) if isinstance(value, list | np.ndarray) else []
    for image in given:
        head, _, body = str(image).partition(",")
        if head.startswith("data:image/") and head.endswith(";base64"):
            try:
                st.image(base64.b64decode(body, validate=True))
                continue
            except (binascii.Error, ValueError, OSError):
                pass
        st.caption(plain(f"Image: {str(image)[:200]}"))
