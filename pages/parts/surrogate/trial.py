"""Test connection: one generation at every address before a run, and the models that the servers offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.surrogate import Connection, ItemFault, JobSpec, Trial, first_pair, item_at, offered, try_out
from pages.parts import texts
from pages.parts.app import frame, state
from pages.parts.markup import plain

_TRIALS, _OFFERED = "connection-tests", "offered"
# A page waits no longer than this, whatever the run would.
_LONGEST = 120.0


def models(addresses: Sequence[str]) -> None:
    """Offer the models that a test saw at these addresses; a choice fills in the model."""
    names = st.session_state.get(_OFFERED, {}).get(tuple(addresses), ())
    if len(names) > 1:
        st.selectbox(
            "Models at this address",
            names,
            index=None,
            key="offered-model",
            placeholder="Choose one, or type another above",
            on_change=_choose,
        )


def button(pool: Pool, spec: JobSpec | None, connection: Connection) -> None:
    """Test the addresses with the pool's first item, or see what they offer where no model is named yet."""
    pressed = st.button(
        "Test connection",
        icon=":material/network_check:",
        disabled=not connection.base_urls,
        help="One generation of the first item at these settings. Nothing is kept. Without a model, the models that "
        "the server offers are listed.",
    )
    if not pressed:
        return
    connection = replace(connection, timeout=min(connection.timeout, _LONGEST))
    try:
        with st.spinner("Waiting for an answer …"):
            if spec is None:
                trials = [Trial(url, offered(url, state.api_key(), connection)) for url in connection.base_urls]
            else:
                tested = replace(spec, connection=connection)
                item = item_at(pool, 0, tested.judge) if tested.grouping is None else first_pair(pool, tested)
                trials = try_out(tested, item, state.api_key())
    except NeymanError as error:
        frame.show_error(error)
        return
    except ItemFault as fault:
        st.warning(plain(fault.message), icon=":material/image_not_supported:")
        return
    st.session_state[_TRIALS] = (connection.base_urls, None if spec is None else spec.model, trials)
    names = tuple(dict.fromkeys(name for trial in trials for name in trial.models))
    st.session_state[_OFFERED] = {connection.base_urls: names}
    if spec is None and len(names) == 1:
        st.session_state["model-to-be"] = names[0]
    st.rerun()


def results(spec: JobSpec | None, connection: Connection) -> None:
    """Show what the last test of these addresses and this model came to."""
    addresses, model, trials = st.session_state.get(_TRIALS, ((), None, []))
    if addresses != connection.base_urls or model not in (None, spec and spec.model):
        return
    for number, trial in enumerate(trials):
        if model is None and not trial.models:
            st.error(plain(f"{trial.url}: it names no models. Check the address and the key."), icon=":material/error:")
        elif model is None:
            st.caption(plain(f"{trial.url} offers {', '.join(trial.models)}."))
        elif trial.error:
            st.error(plain(f"{trial.url}: {trial.error}"), icon=":material/error:")
        else:
            _result(trial, f"trial-{number}")


def _result(trial: Trial, key: str) -> None:
    st.success(plain(f"{trial.url}: {trial.summary()}."), icon=":material/check_circle:")
    for name, reason in trial.refused.items():
        st.caption(plain(f"Not taken: {name} ({reason})"))
    texts.show(trial.text, key)
    answer = "no answer found" if trial.answer is None else f"read as {trial.answer}"
    st.caption(plain(answer))


def _choose() -> None:
    if name := st.session_state.get("offered-model"):
        st.session_state["model"] = name
