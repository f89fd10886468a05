"""The state of a session, which a run of a page shares with the newer run that has just replaced it.

Streamlit starts the newer run at once, and the older one goes on until it next draws something. What the older one
still draws is thrown away.
"""

from __future__ import annotations

import logging
import traceback

from streamlit.elements import exception
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.state.session_state import SessionState

_STATE = "streamlit.runtime.state."
# Replaces Streamlit's message, which sends people to the logs of its cloud.
FAILED = (
    "This page has failed. What you have saved is kept. Reload the page. If it fails again, the terminal in which the "
    "app runs says why."
)


def share() -> None:
    """Keep either run from failing because the other one changes the state, and what is left out of the terminal.

    What does fail is said in our words.

    Every number field goes through the names of the whole state, under a lock that each run has for itself; they may
    change on the way.
    """
    SessionState._keys = _keys  # type: ignore[assignment]
    exception._GENERIC_UNCAUGHT_EXCEPTION_TEXT = FAILED  # type: ignore[misc]
    logging.getLogger("streamlit.error_util").addFilter(is_failure)


def _keys(state: SessionState) -> set[str]:
    # Copying a dictionary is one step, going through it is not. Names move from the new state to the old one.
    of_widgets = state._new_widget_state.states.copy()
    others = state._new_session_state.copy() | state._old_state.copy()
    return {*of_widgets, *map(state._get_widget_id, others)}


def is_failure(record: logging.LogRecord) -> bool:
    """Whether a message is of a real failure, not of a state that is missing a name in a run that has been replaced."""
    run = get_script_run_ctx(suppress_warning=True)
    replaced = run and run.script_requests and run.script_requests._state is ScriptRequestType.STOP
    error = record.exc_info[1] if record.exc_info else None
    if not replaced or not isinstance(error, KeyError | RuntimeError):
        return True
    *_, (last, _line) = traceback.walk_tb(error.__traceback__)
    return not str(last.f_globals["__name__"]).startswith(_STATE)
