"""A file's labels that could not be saved: they stay in the session and on the screen until saved or discarded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey

from core.errors import HomeError, NeymanError
from core.labels import Remainder
from core.study import Study
from core.words import counted
from pages.parts.app import session, state
from pages.parts.label import desk
from pages.parts.markup import plain

_KEY = "unsaved-file"
_AGAIN = 1.0


@dataclass(frozen=True, slots=True)
class UnsavedLabels:
    """Labels of a file to keep.

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
    remainders : tuple of Remainder
        What the file held beside them.
    error : NeymanError or None
        Why they could not be saved.
    """

    study: Study
    rows: pd.DataFrame
    source: str
    created: str
    remainders: tuple[Remainder, ...] = ()
    error: NeymanError | None = None

    @property
    def busy(self) -> bool:
        """Whether trying again may be enough."""
        return isinstance(self.error, HomeError) and self.error.busy


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file of labels that was read and is not kept yet.

    Parameters
    ----------
    name : str
        The file.
    key : str
        Another one for each upload.
    study, rows, source, remainders
        Of `UnsavedLabels`.
    """

    name: str
    key: str
    study: Study
    rows: pd.DataFrame
    source: str
    remainders: tuple[Remainder, ...]


@dataclass(slots=True)
class Held:
    """Labels that wait to be saved, what became of the last ones, the file to keep, and the upload kept last."""

    labels: UnsavedLabels | None = None
    message: str = ""
    read: ReadFile | None = None
    kept: str = ""

    def hold(self, file: ReadFile) -> None:
        """Remember a file until it is kept, unless it is kept already."""
        if file.key != self.kept:
            self.read = file

    def forget(self) -> None:
        """Forget the file that was read."""
        self.read = None


def save(study: Study, rows: pd.DataFrame, source: str, remainders: Sequence[Remainder] = ()) -> bool:
    """Save labels and return True, or keep them in the session with what is wrong; for a callback."""
    return _try(UnsavedLabels(study, rows, source, state.now(), tuple(remainders)))


def section() -> None:
    """Show the labels that wait to be saved, with what is wrong, and save them again."""
    labels = session.held(Held).labels
    if labels is None:
        return
    with st.container(border=True, key=_KEY):
        st.markdown(f"Your file: {counted(len(labels.rows), 'row')}.")
        if labels.busy:
            st.warning("Busy, saving again …", icon=":material/hourglass_top:")
        else:
            st.error(plain(f"Not saved. {labels.error}"), icon=":material/error:")
        with st.container(horizontal=True):
            st.button("Save again", f"{_KEY}-again", type="primary", icon=":material/save:", on_click=_again)
            st.button("Discard", f"{_KEY}-discard", icon=":material/delete:", on_click=_discard)
        if labels.busy:
            st.fragment(_wait, run_every=_AGAIN)()


def everything() -> None:
    """Show what waits to be saved if the page itself cannot be read."""
    # On some pages the desk stands already.
    with suppress(StreamlitDuplicateElementKey):
        desk.mount()
    section()


def _wait() -> None:
    """Try again, and redraw the page if that changes what is shown."""
    _again()
    labels = session.held(Held).labels
    if labels is None or not labels.busy:
        st.rerun()


def _again() -> None:
    # Another try may have been faster.
    labels = session.held(Held).labels
    if labels is not None:
        _try(labels)


def _try(labels: UnsavedLabels) -> bool:
    try:
        given = (labels.rows, labels.source, labels.created)
        changed = labels.study.labels.save(state.archive(), *given, remainders=labels.remainders)
    except NeymanError as error:
        session.held(Held).labels = replace(labels, error=error)
        return False
    held = session.held(Held)
    held.labels = None
    if held.read is not None and held.read.rows is labels.rows:
        held.kept, held.read = held.read.key, None
    nothing = "Nothing new: all of these labels were kept before."
    session.held(Held).message = f"{counted(changed, 'new or changed label')} kept." if changed else nothing
    return True


def _discard() -> None:
    session.held(Held).labels = None
