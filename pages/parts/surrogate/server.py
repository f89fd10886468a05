"""Where the requests of a new run go and how: vLLM on this machine, or a server, and one generation there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.surrogate import (
    GIGABYTES,
    PYTHON_VARIABLE,
    Connection,
    ItemFault,
    JobSpec,
    Prices,
    Serving,
    SurrogateError,
    Trial,
    cancel_installation,
    first_pair,
    install,
    installation,
    item_at,
    log_tail,
    offered,
    try_out,
)
from pages.parts import markup
from pages.parts.app import frame, session, state, visitor
from pages.parts.markup import plain

_LINES = 12


def get(gpu: bool, installed: Callable[[], None]) -> None:
    """Say how to get vLLM, and offer to install it if there is a GPU.

    Parameters
    ----------
    gpu : bool
        Whether this machine has one.
    installed : callable
        Called once it is installed, before the page is drawn again.
    """
    now = installation(state.store().folder)
    named = bool(os.environ.get(PYTHON_VARIABLE))
    if gpu and not named and now.state in ("running", "ended"):
        with st.container(border=True, key="install"):
            frame.fragment(_progress, run_every="2s" if now.state == "running" else None)(now.state, installed)
        return
    lack = "A GPU is here, but vLLM is not" if gpu else "No GPU and no vLLM here"
    by_hand = "install vLLM and start the app with it" if not gpu or named else "install vLLM, here or by hand"
    st.info(f"{lack}: give the address of a server, or {by_hand}.", icon=":material/memory:")
    with st.container(horizontal=True):
        if gpu and not named:
            _button(f"Install vLLM here (about {GIGABYTES} GB)")
        if menu := frame.menu("Install vLLM by hand", "by-hand", "terminal"):
            menu.code(
                "python3 -m venv .venv-gpu\n"
                ".venv-gpu/bin/pip install -r requirements/gpu.txt\n"
                f"{PYTHON_VARIABLE}=.venv-gpu/bin/python make run",
                language=None,
            )


def _button(label: str) -> None:
    st.button(
        label,
        icon=":material/download:",
        key="install-vllm",
        disabled=not visitor.may_start(),
        help=None if visitor.may_start() else visitor.REFUSAL,
        on_click=frame.in_callback(_install),
    )


def _install() -> None:
    visitor.check_may_start()
    install(state.store().folder)


def _progress(was: str, installed: Callable[[], None]) -> None:
    """Show how the installation goes; holds no input but Cancel, or the button that goes on."""
    now = installation(state.store().folder)
    if now.state == "done":
        installed()
    if now.state != was:
        st.rerun()
    running = now.state == "running"
    frame.finding("vLLM is being installed" if running else "vLLM was not installed")
    st.code(log_tail(now.log, _LINES) or "…", language=None, wrap_lines=True)
    if running:
        st.caption("It goes on when you close this page. What was downloaded is kept if it is cancelled.")
        st.button(
            "Cancel",
            icon=":material/cancel:",
            key="cancel-vllm",
            disabled=not visitor.may_start(),
            on_click=frame.in_callback(cancel_installation),
            args=(state.store().folder,),
        )
    else:
        st.caption("The log says why. What was downloaded is kept.")
        _button("Go on installing vLLM")


class _Persistence(TypedDict):
    persist_state: Literal["session"]


KEEP: _Persistence = {"persist_state": "session"}
"""Options that keep a widget's value while other pages are open."""
THINKING: dict[Literal["on", "off"] | None, str] = {None: "The model’s default", "on": "On", "off": "Off"}
"""Whether a model reasons before it answers, and the words for it."""
_DTYPES = ("auto", "bfloat16", "float16", "float32")


def server(here: bool, model: str) -> tuple[Connection, Serving | None, Prices]:
    """The fields under Server; ``here``: vLLM serves the model on this machine."""
    with st.expander("Server", icon=":material/dns:"):
        cells = st.columns(4, vertical_alignment="bottom")
        concurrency = cells[0].number_input(
            "Requests at a time",
            1,
            4096,
            None,
            key="concurrency",
            placeholder="automatic",
            help="At each address. Empty: 64, or for a server on this machine as many as keep it busy.",
            **KEEP,
        )
        prompt_price = cells[1].number_input("Price of a million prompt tokens", 0.0, 1e6, None, key="price_in", **KEEP)
        written_price = cells[2].number_input(
            "Price of a million written tokens", 0.0, 1e6, None, key="price_out", **KEEP
        )
        share = cells[3].number_input(
            "Pause share",
            0.0,
            1.0,
            0.5,
            0.05,
            key="pause_share",
            help="The run pauses when more than this share of the last 50 items failed. At 1 it never does.",
            **KEEP,
        )
        waits = st.columns(2)
        timeout = waits[0].number_input("Timeout of a request, seconds", 1.0, 86_400.0, 900.0, key="timeout", **KEEP)
        patience = waits[1].number_input(
            "Timeout of a server, seconds",
            0.0,
            86_400.0,
            60.0,
            key="patience",
            help="After this time without a connection a server counts as gone. The run ends once all are gone.",
            **KEEP,
        )
        connection = Connection(concurrency=concurrency, timeout=timeout, patience=patience, pause_share=share)
        serving = None
        if not here:
            st.text_input(
                "API key for this run",
                type="password",
                key="api_key",
                help="Passed to the run through the environment and never stored. Otherwise NEYMAN_API_KEY (or "
                "OPENAI_API_KEY) of the environment or of Streamlit’s secrets is used.",
            )
            connection = replace(connection, base_urls=addresses())
        else:
            serving = _serving(model)
        most = _most()
    return connection, serving, Prices(prompt_price, written_price, *most)


def _most() -> tuple[float | None, int | None]:
    """The fields for what a run may cost, and how many tokens it may take."""
    limits = st.columns(2)
    max_cost = limits[0].number_input(
        "Spending limit", 0.01, 1e9, None, key="max_cost", help="The run pauses before it costs more.", **KEEP
    )
    max_tokens = limits[1].number_input(
        "Limit on all tokens",
        1,
        10**12,
        None,
        key="max_total_tokens",
        help="Prompts and answers together. The run pauses before it takes more.",
        **KEEP,
    )
    return max_cost, max_tokens


def addresses() -> tuple[str, ...]:
    """The addresses in the field, as they are typed."""
    return tuple(session.widget("address", "").split())


def _serving(model: str) -> Serving | None:
    cells = [*st.columns(4), *st.columns(5)]
    tensor = int(cells[0].number_input("Tensor parallel", 1, 64, 1, key="tensor_parallel", **KEEP))
    data = int(cells[1].number_input("Data parallel", 1, 64, 1, key="data_parallel", **KEEP))
    dtype = cells[2].selectbox("Number format", _DTYPES, key="dtype", **KEEP)
    quantization = cells[3].text_input("Quantization", key="quantization", placeholder="none", **KEEP)
    length = int(
        cells[4].number_input("Longest text (0: the model’s)", 0, 10_000_000, 0, key="max_model_length", **KEEP)
    )
    memory = cells[5].slider("Share of GPU memory", 0.1, 1.0, 0.9, 0.05, key="gpu_memory", **KEEP)
    sequences = cells[6].number_input(
        "Sequences at a time",
        1,
        100_000,
        None,
        key="max_num_seqs",
        placeholder="automatic",
        help="Answers that vLLM works on at a time. If it names a lower number that fits, it is started with that.",
        **KEEP,
    )
    revision = cells[7].text_input("Revision", key="revision", placeholder="main", **KEEP)
    arguments = cells[8].text_input("More arguments for vLLM", key="arguments", **KEEP)
    trust = st.toggle("Run code that comes with the model", False, key="trust_remote_code", **KEEP)
    if not model:
        return None
    try:
        words = tuple(shlex.split(arguments))
    except ValueError as error:
        raise SurrogateError("The arguments for vLLM have an open quotation mark: close it.") from error
    return Serving(
        model,
        tensor,
        data,
        dtype,
        quantization.strip() or None,
        length or None,
        memory,
        trust_remote_code=trust,
        arguments=words,
        revision=revision.strip() or None,
        max_num_seqs=sequences,
    )


# Test connection: one generation at every address before a run, and the models that the servers offer.

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
    markup.show(trial.text, key)
    answer = "no answer found" if trial.answer is None else f"read as {trial.answer}"
    st.caption(plain(answer))


def _choose() -> None:
    if name := session.widget("offered-model"):
        session.show("model", name)
