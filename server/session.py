"""The state of a session, which a run of a page shares with the newer run that has just replaced it.

Streamlit starts the newer run at once, and the older one goes on until it next draws something. What the older one
still draws is thrown away.
"""

from __future__ import annotations

import logging

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.state.session_state import SessionState


def share() -> None:
    """Keep either run from failing because the other one changes the state, and unseen failures out of the terminal.

    Every number field goes through the names of the whole state, under a lock that each run has for itself; they may
    change on the way.
    """
    SessionState._keys = _keys  # type: ignore[assignment]
    logging.getLogger("streamlit.error_util").addFilter(is_watched)


def _keys(state: SessionState) -> set[str]:
    # Copying a dictionary is one step, going through it is not.
    of_widgets = state._new_widget_state.states.copy()
    others = state._old_state.copy() | state._new_session_state.copy()
    return {*of_widgets, *map(state._get_widget_id, others)}


def is_watched(_: logging.LogRecord) -> bool:
    """Whether somebody waits for the page that this thread draws: its tab is open, and no newer run has replaced it."""
    run = get_script_run_ctx(suppress_warning=True)
    return run is None or run.script_requests is None or run.script_requests._state is not ScriptRequestType.STOP
