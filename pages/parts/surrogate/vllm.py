"""vLLM for a machine that has a GPU and no vLLM: installed from the page, or by hand."""

from __future__ import annotations

import os
from collections.abc import Callable

import streamlit as st

from core.surrogate import GIGABYTES, PYTHON_VARIABLE, cancel_installation, install, installation, log_tail
from pages.parts.app import frame, state, visitor

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
    lack = "A GPU is here, but vLLM is not" if gpu else "Neither a GPU nor vLLM was found on this machine"
    by_hand = "install vLLM and start the app with it" if not gpu or named else "install vLLM, here or by hand"
    st.info(
        f"{lack}: give the address of a server, or {by_hand}:\n\n"
        "```\n"
        "python3 -m venv .venv-gpu\n"
        ".venv-gpu/bin/pip install -r requirements/gpu.txt\n"
        f"{PYTHON_VARIABLE}=.venv-gpu/bin/python make run\n"
        "```",
        icon=":material/memory:",
    )
    if gpu and not named:
        _button(f"Install vLLM here (about {GIGABYTES} GB)")


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
