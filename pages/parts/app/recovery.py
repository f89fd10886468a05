"""The ways back on a page whose database is lost or was set back: a copy, or a new beginning."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.archive import Setback, bring_back, newest_copy, restore, start_afresh
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


def offer_missing(found: Setback) -> None:
    """Say what the database lacks, and offer to bring it back or to go on without it."""
    failed = session.held(Tried)
    if failed.failed:
        st.error(plain(failed.failed), icon=":material/error:")
        failed.failed = ""
    st.warning(plain(found.sentence), icon=":material/history:")
    with st.container(horizontal=True):
        if found.copy is not None:
            title = f"Bring back {found.missing.title}"
            icon = ":material/restore:"
            st.button(title, "bring-back", type="primary", icon=icon, on_click=_bring_back, args=(found,))
        st.button("Keep this database", "keep-database", icon=":material/check:", on_click=_keep, args=(found,))
    if found.copy is not None:
        aside = state.home() / "set-aside"
        st.caption(plain(f"What was saved since then stays. Nothing is removed: today’s database moves to “{aside}”."))


def _bring_back(found: Setback) -> None:
    state.forget_home()
    try:
        assert found.copy is not None
        bring_back(state.home(), found.copy.path)
    except NeymanError as error:
        session.held(Tried).failed = str(error)


def _keep(found: Setback) -> None:
    try:
        state.archive().accept(found)
    except NeymanError as error:
        session.held(Tried).failed = str(error)
    state.forget_home()


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
