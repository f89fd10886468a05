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
_PAUSE = 600.0


def section(work: Work) -> None:
    """The next item of this person's list, and the ways to answer."""
    cells = st.columns([2, 1], vertical_alignment="bottom")
    name = cells[0].text_input("Your name", key="annotator", persist_state="session", max_chars=80).strip()
    truth = cells[1].toggle("Show the truth", key="show-truth", persist_state="session")
    kept = work.kept()
    own = kept[kept["annotator"] == name]
    settled = set(own["item_id"])
    left = [item for item in work.ids if item not in settled]
    done = len(work.ids) - len(left)
    st.progress(done / len(work.ids), text=_pace(done, len(work.ids), own))
    if not left:
        st.success("Every item of the list has your label. Next: the estimate, below.", icon=":material/check_circle:")
        _undo(work, name, own)
        return
    item = left[0]
    _item(work, item, truth)
    note = st.text_input("Note", key=f"note-{work.plan.plan_id}-{item}", max_chars=500)
    _answers(work, item, name, note)
    _undo(work, name, own)
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


def _answers(work: Work, item: str, name: str, note: str) -> None:
    options = _options(work, item)
    with st.container(horizontal=True):
        if work.asked == "right-wrong":
            _button(work, item, name, note, "Right", "right", "1", ":material/check:")
            _button(work, item, name, note, "Wrong", "wrong", "0", ":material/close:")
        elif work.asked == "gold" and 0 < len(options) <= len(_KEYS):
            for position in range(len(options)):
                letter = chr(65 + position)
                _button(work, item, name, note, letter, letter, _KEYS[position], None)
        st.button(
            "Skip",
            key="skip",
            shortcut="s",
            icon=":material/skip_next:",
            on_click=_keep,
            args=(work, item, name, None, note),
        )
    if work.asked == "score" or (work.asked == "gold" and not 0 < len(options) <= len(_KEYS)):
        with st.form(f"answer-{item}", clear_on_submit=True, border=False):
            if work.asked == "score":
                given = st.number_input("Score, 0 to 1", 0.0, 1.0, 1.0, 0.05, key=f"score-{item}")
            else:
                given = st.text_input("The right answer", key=f"gold-{item}")
            if st.form_submit_button("Keep", type="primary") and str(given).strip():
                _keep(work, item, name, str(given), note)
                st.rerun()


def _button(work: Work, item: str, name: str, note: str, title: str, label: str, key: str, icon: str | None) -> None:
    st.button(title, key=f"give-{label}", shortcut=key, icon=icon, on_click=_keep, args=(work, item, name, label, note))


def _keep(work: Work, item: str, name: str, label: str | None, note: str) -> None:
    """Keep one label now; a skip is kept too, as a row without a label."""
    work.keep_plan()
    row = {
        "item_id": item,
        "label": label,
        "annotator": name,
        "note": note or None,
        "status": "" if label else "skipped",
    }
    work.archive.save_labels(work.plan.plan_id, pd.DataFrame([row]), state.now(), "here")


def _undo(work: Work, name: str, own: pd.DataFrame) -> None:
    if len(own):
        st.button(
            "Undo the last",
            key="undo",
            shortcut="u",
            icon=":material/undo:",
            on_click=_take_back,
            args=(work, name),
        )


def _take_back(work: Work, name: str) -> None:
    work.archive.undo_labels(work.plan.plan_id, name)


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
