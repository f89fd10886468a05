"""Results that are computed or opened once and kept: in one store for all sessions, in public one for each visitor."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.archive import Archive
from core.prospect import KEPT, Memo
from pages.parts.app import premises, session
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
    "carried verdicts": 12,
    "designs that carry": 24,
    "version gates": 12,
    "judges": 24,
    "contests": 24,
    "tour reports": 2,
    "typical seeds": 4,
}
# Of what the app brings, the same for everybody.
_BROUGHT = ("bundled pools", "example")


@dataclass(slots=True)
class Own:
    """The store of one visitor, and whether this visitor has brought anything."""

    memo: Memo = field(default_factory=lambda: _empty())
    brought: bool = False


def memo() -> Memo:
    """Return the store; what is in it does not change.

    In public, whoever has brought something has a store of their own from then on, which goes with them.
    """
    here = premises.here()
    if here.lasting:
        return _everybodys()
    own = session.held(Own)
    own.brought = own.brought or not Archive(here.home()).blank
    return own.memo if own.brought else _everybodys()


def _empty() -> Memo:
    return Memo(KEPT | _SHELVES, _watched)


_everybodys = st.cache_resource(_empty)


def once(shelf: str, key: Hashable, compute: Callable[[], V], title: str = "") -> V:
    """Return what is kept under a key, computed if it is not; ``title``: what is shown meanwhile, "" for nothing."""
    return (_everybodys() if shelf in _BROUGHT else memo()).once(shelf, key, compute, title)


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
