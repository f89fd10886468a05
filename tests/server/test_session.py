"""A session whose page is redrawn before it is whole: two runs share its state for a moment."""

from __future__ import annotations

import pytest
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from server import session


def failing(replaced: bool, state: bool) -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx

    if replaced:
        get_script_run_ctx().script_requests.request_stop()
    if state:
        st.session_state["removed by the other run"]
    raise RuntimeError("the labels could not be saved")


@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("replaced", [False, True])
def test_every_failure_is_printed_but_that_of_a_replaced_page_with_the_state(caplog, replaced: bool, state: bool):
    caplog.handler.addFilter(session.is_failure)
    AppTest.from_function(failing, args=(replaced, state)).run()
    assert ("Uncaught app execution" in caplog.text) is not (replaced and state)


@pytest.mark.parametrize("kind", ["_old_state", "_new_session_state"])
def test_what_another_run_adds_meanwhile_does_not_stop_this_one(monkeypatch, kind: str) -> None:
    monkeypatch.setattr(SessionState, "_keys", SessionState._keys)
    session.share()
    state = SessionState()
    getattr(state, kind).update(strata=3, budget=100)
    name = SessionState._get_widget_id

    def meanwhile(state: SessionState, key: str) -> str:
        getattr(state, kind)[f"another-{key}"] = 1
        return name(state, key)

    monkeypatch.setattr(SessionState, "_get_widget_id", meanwhile)
    assert {"strata", "budget"} <= state.filtered_state.keys()
