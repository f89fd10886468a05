"""Labels that could not be saved: they stay in the session and on the screen until they are saved or discarded."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from core.archive import BY_HAND
from core.errors import HomeError
from core.study import Study
from core.words import counted, shortened
from pages.parts import state
from pages.parts.label import item as label_item
from pages.parts.markup import plain

ANSWER, FILE = "unsaved-answer", "unsaved-file"
_AGAIN = 1.0
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class UnsavedLabels:
    """Labels to keep: an answer given on the page, or a file's.

    Parameters
    ----------
    study : Study
        The study that they belong to.
    rows : DataFrame
        As `Study.save`.
    source : str
        Where they come from.
    created : str
        When they were given, ISO time.
    error : HomeError or None
        Why they could not be saved.
    """

    study: Study
    rows: pd.DataFrame
    source: str
    created: str
    error: HomeError | None = None

    @property
    def key(self) -> str:
        """Where the session keeps them."""
        return ANSWER if self.source == BY_HAND else FILE


def save(study: Study, rows: pd.DataFrame, source: str) -> None:
    """Save labels, or keep them in the session with what is wrong; for a callback."""
    _try(UnsavedLabels(study, rows, source, state.now()))


def item() -> str | None:
    """Id of the item whose answer waits to be saved."""
    labels = st.session_state.get(ANSWER)
    return None if labels is None else str(labels.rows["item_id"].iloc[0])


def section(key: str) -> bool:
    """Show the labels that wait to be saved, with what is wrong, and save them again; whether there are any."""
    labels = st.session_state.get(key)
    if labels is None:
        return False
    with st.container(border=True, key=key):
        st.markdown(plain(_described(labels)))
        if labels.error.busy:
            st.warning("Busy, saving again …", icon=":material/hourglass_top:")
        else:
            st.error(plain(f"Not saved. {labels.error}"), icon=":material/error:")
        with st.container(horizontal=True):
            again, discard = f"{key}-again", f"{key}-discard"
            st.button("Save again", again, type="primary", icon=":material/save:", on_click=_again, args=(key,))
            st.button("Discard", discard, icon=":material/delete:", on_click=_discard, args=(key,))
        if labels.error.busy:
            st.fragment(_wait, run_every=_AGAIN)(key)
    return True


def everything() -> None:
    """Show what waits to be saved where the page itself cannot be read."""
    labels = st.session_state.get(ANSWER)
    if labels is not None:
        label_item.show(labels.study, str(item()), False)
        section(ANSWER)
    section(FILE)


def _wait(key: str) -> None:
    """Try again, and draw the page anew where that changes what is shown."""
    _again(key)
    labels = st.session_state.get(key)
    if labels is None or not labels.error.busy:
        st.rerun()


def _again(key: str) -> None:
    # Another try may have been faster.
    labels = st.session_state.get(key)
    if labels is not None:
        _try(labels)


def _try(labels: UnsavedLabels) -> None:
    study, rows = labels.study, labels.rows
    try:
        message = _contradicted(study, rows) if labels.key == ANSWER else None
        changed = 0 if message else study.save(state.archive(), rows, labels.source, labels.created)
    except HomeError as error:
        st.session_state[labels.key] = replace(labels, error=error)
        return
    st.session_state.pop(labels.key, None)
    if labels.key == ANSWER:
        st.session_state["label-message"] = message
    else:
        nothing = "Nothing new: all of these labels were kept before."
        sentence = f"{counted(changed, 'new or changed label')} kept." if changed else nothing
        st.session_state["kept-labels"] = sentence


def _contradicted(study: Study, rows: pd.DataFrame) -> str | None:
    """What somebody has said of the item under the same name since it was shown; None for nothing."""
    item_id, name = (str(rows[column].iloc[0]) for column in ("item_id", "annotator"))
    now = study.refreshed(state.archive(), [item_id]).said(item_id, name)
    given = [label for label, *_ in now if label is not None]
    if now == study.said(item_id, name) or not given:
        return None
    return (
        f"Item {item_id} was labelled as “{given[-1]}” in the meantime, under the same name ({name}): that label stays."
        " People who label at the same time need names of their own."
    )


def _discard(key: str) -> None:
    st.session_state.pop(key, None)


def _described(labels: UnsavedLabels) -> str:
    if labels.key == FILE:
        return f"Your file: {counted(len(labels.rows), 'row')}."
    row = labels.rows.iloc[0]
    return f"Your answer: {row['status'] if row['label'] is None else shortened(str(row['label']), _LONGEST)}"
