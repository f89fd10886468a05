"""A session whose page is redrawn before it is whole: two runs share its state for a moment."""

from __future__ import annotations

import tomllib

import pytest
from streamlit import config
from streamlit.elements import exception
from streamlit.proto.Exception_pb2 import Exception as ExceptionProto
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from server import session
from tests.conftest import ROOT


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
def test_every_failure_is_printed_but_that_of_a_replaced_page_with_the_state(logged, replaced: bool, state: bool):
    logged.addFilter(session.is_failure)
    AppTest.from_function(failing, args=(replaced, state)).run()
    assert ("Uncaught app execution" in logged.stream.getvalue()) is not (replaced and state)


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


def test_what_fails_is_said_in_our_words_without_links_to_other_sites(monkeypatch) -> None:
    monkeypatch.setattr(SessionState, "_keys", SessionState._keys)
    monkeypatch.setattr(exception, "_GENERIC_UNCAUGHT_EXCEPTION_TEXT", exception._GENERIC_UNCAUGHT_EXCEPTION_TEXT)
    session.share()
    failed = ExceptionProto()
    with monkeypatch.context() as patch:
        patch.setattr(config, "get_option", {"client.showErrorDetails": "type"}.get)
        exception.marshall(failed, RuntimeError("/home/ann/labels.csv"), apply_show_error_details=True)
    assert failed.message == session.FAILED and "Reload" in failed.message and not failed.stack_trace
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["client"] | {"showErrorLinks": "false", "showErrorDetails": "type"} == settings["client"]
