"""Test connection: one generation at every address before a run, and the models that the servers offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.surrogate import Connection, ItemFault, JobSpec, Trial, first_pair, item_at, offered, try_out
from pages.parts import texts
from pages.parts.app import frame, session, state, visitor
from pages.parts.markup import plain

# A page waits no longer than this, whatever the run would.
_LONGEST = 120.0


@dataclass(slots=True)
class Tested:
    """The last test of a connection: its addresses, model and outcomes, and the models that were seen there."""

    addresses: tuple[str, ...] = ()
    model: str | None = None
    trials: list[Trial] = field(default_factory=list)
    offered: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    only_model: str | None = None


def models(addresses: Sequence[str]) -> None:
    """Offer the models that a test saw at these addresses; a choice fills in the model."""
    names = session.held(Tested).offered.get(tuple(addresses), ())
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
    """Test the addresses with the pool's first item, or see what they offer if no model is named yet."""
    pressed = st.button(
        "Test connection",
        icon=":material/network_check:",
        disabled=not (connection.base_urls and visitor.may_start()),
        help="One generation of the first item at these settings. Nothing is kept. Without a model, the models that "
        "the server offers are listed.",
    )
    if not pressed:
        return
    connection = replace(connection, timeout=min(connection.timeout, _LONGEST))
    try:
        visitor.check_may_start()
        with st.spinner("Waiting for an answer …"):
            if spec is None:
                trials = [Trial(url, offered(url, state.api_key(), connection)) for url in connection.base_urls]
            else:
                asked = replace(spec, connection=connection)
                item = item_at(pool, 0, asked.judge) if asked.grouping is None else first_pair(pool, asked)
                trials = try_out(asked, item, state.api_key())
    except NeymanError as error:
        frame.show_error(error)
        return
    except ItemFault as fault:
        st.warning(plain(fault.message), icon=":material/image_not_supported:")
        return
    tested = session.held(Tested)
    tested.addresses, tested.model, tested.trials = connection.base_urls, None if spec is None else spec.model, trials
    names = tuple(dict.fromkeys(name for trial in trials for name in trial.models))
    tested.offered = {connection.base_urls: names}
    if spec is None and len(names) == 1:
        tested.only_model = names[0]
    st.rerun()


def results(spec: JobSpec | None, connection: Connection, requests: int) -> None:
    """Show what the last test of these addresses and this model came to, and what it says of a run's ``requests``."""
    tested = session.held(Tested)
    if tested.addresses != connection.base_urls or tested.model not in (None, spec and spec.model):
        return
    for number, trial in enumerate(tested.trials):
        if tested.model is None and not trial.models:
            st.error(plain(f"{trial.url}: it lists no models. Check the address and the key."), icon=":material/error:")
        elif tested.model is None:
            st.caption(plain(f"{trial.url} offers {', '.join(trial.models)}."))
        elif trial.error:
            st.error(plain(f"{trial.url}: {trial.error}"), icon=":material/error:")
        else:
            _result(trial, f"trial-{number}")
            if spec is not None and (forecast := trial.forecast(spec, requests)):
                st.caption(plain(forecast))


def _result(trial: Trial, key: str) -> None:
    st.success(plain(f"{trial.url}: {trial.summary()}."), icon=":material/check_circle:")
    for name, reason in trial.refused.items():
        st.caption(plain(f"Not taken: {name} ({reason})"))
    st.caption(plain(trial.thinking_note()))
    texts.show(trial.text, key)
    answer = "no answer found" if trial.answer is None else f"read as {trial.answer}"
    st.caption(plain(answer))


def _choose() -> None:
    if name := session.widget("offered-model"):
        session.show("model", name)
