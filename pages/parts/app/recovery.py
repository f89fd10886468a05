"""The ways back on a page whose database is lost: the newest good copy, or a new beginning."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.archive import newest_copy, restore, start_afresh
from core.errors import NeymanError
from pages.parts.app import session, state, visitor
from pages.parts.markup import plain


@dataclass(slots=True)
class Tried:
    """Why a way back did not work."""

    failed: str = ""


def offer() -> None:
    """Offer the ways back to whoever may see everything; an annotator is shown none."""
    if visitor.links() is not None:
        return
    tried = session.held(Tried)
    failed, tried.failed = tried.failed, ""
    if failed:
        st.error(plain(failed), icon=":material/error:")
    copy = newest_copy(state.home())
    with st.container(horizontal=True):
        if copy is not None:
            title = f"Restore {copy.title}"
            st.button(title, "restore-copy", type="primary", icon=":material/restore:", on_click=_restore)
        st.button("Start afresh", "start-afresh", icon=":material/restart_alt:", on_click=_start_afresh)
    st.caption(plain(f"Nothing is removed: what is replaced moves to “{state.home() / 'set-aside'}”."))


def _restore() -> None:
    state.forget_home()
    try:
        restore(state.home())
    except NeymanError as error:
        session.held(Tried).failed = str(error)


def _start_afresh() -> None:
    state.forget_home()
    try:
        start_afresh(state.home())
    except NeymanError as error:
        session.held(Tried).failed = str(error)
