"""Where the requests of a new run go and how: a server's address and key, or how vLLM serves the model here."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Literal, TypedDict

import streamlit as st

from core.surrogate import Connection, Prices, Serving, SurrogateError
from pages.parts.app import session


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
