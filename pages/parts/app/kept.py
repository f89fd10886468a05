"""What is computed or opened once and kept for all sessions, in one store."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.prospect import KEPT, Memo
from pages.parts.app.progress import Progress

V = TypeVar("V")
# How many values a shelf keeps: few of what takes room.
_SHELVES = {
    "bundled pools": 4,
    "stored pools": 3,
    "pools with runs": 3,
    "given files": 1,
    "given profiles": 1,
    "given folders": 1,
    "example": 1,
    "plans’ items": 200,
    "bank": 4,
    "known verdicts": 12,
    "version gates": 12,
    "judges": 24,
}


@st.cache_resource
def memo() -> Memo:
    """Return the one store; what is in it does not change."""
    return Memo(KEPT | _SHELVES, _watched)


def once(shelf: str, key: Hashable, compute: Callable[[], V], title: str = "") -> V:
    """Return what is kept under a key, computed if it is not; ``title``: what is shown meanwhile, "" for nothing."""
    return memo().once(shelf, key, compute, title)


@contextmanager
def _watched(title: str, work: int, unit: str) -> Iterator[Callable[[float], None]]:
    """Show a bar if shares are counted, else a spinner; nothing in a file's thread, which draws on no page."""
    if get_script_run_ctx(suppress_warning=True) is None:
        yield lambda share: None
        return
    if work:
        with Progress(title, work, unit) as progress:
            yield progress
        return
    with st.spinner(title):
        yield lambda share: None
