"""What the address of page Estimate asks for and is not offered: the controls would drop it without a word."""

from __future__ import annotations

import math

import streamlit as st

from core.pool import Pool
from core.words import level, listed, shortened
from pages.parts.estimate.kinds import KINDS
from pages.parts.estimate.readings import INTERVALS, LEVELS, READ_AS, Readings
from pages.parts.markup import plain

_TITLES = {
    "target": "target",
    "says": "kind of label",
    "interval": "interval",
    "confidence": "confidence",
    "read-as": "way to read answers",
    "compare": "other target",
    "half-width": "half-width",
    "positive": "positive answer",
}
_NOTED = "refused"
_LONGEST = 40


def note(pool: Pool) -> None:
    """Remember what is not offered, before a control takes it out of the address; a run may end before it is told."""
    targets = set(pool.targets)
    offered = {
        "target": targets,
        "says": {*KINDS, *KINDS.values()},
        "interval": {*INTERVALS, *INTERVALS.values()},
        "confidence": {*LEVELS, *LEVELS.values()},
        "read-as": {*READ_AS, *READ_AS.values()},
        "compare": targets,
    }
    wrong = {
        name: st.query_params[name]
        for name, words in offered.items()
        if name in st.query_params and st.query_params[name] not in words
    }
    width = st.query_params.get("half-width")
    if width is not None and not _is_width(width):
        wrong["half-width"] = width
    st.session_state[_NOTED] = st.session_state.get(_NOTED, {}) | wrong


def tell(target: str | None, read: Readings) -> None:
    """One sentence of all that was noted, and of what is used instead."""
    wrong = st.session_state.pop(_NOTED, {})
    if target is not None and st.query_params.get("compare") == target:
        wrong["compare"] = target
    if read.asked != "gold":
        wrong.pop("read-as", None)
    used = {
        "target": f"“{target}”" if target else "none",
        "says": f"“{KINDS[read.asked]}”",
        "interval": INTERVALS[read.interval.name],
        "confidence": level(read.interval.confidence),
        "read-as": f"“{READ_AS[read.way]}”",
        "compare": "no other target",
        "half-width": "half the present one",
    }
    if wrong:
        sentence([(name, given, used[name]) for name, given in wrong.items()])


def sentence(wrong: list[tuple[str, str, str]]) -> None:
    """Say it of parameters: each its name, what was given and what is used."""
    asked = listed([f"the {_TITLES[name]} “{shortened(given, _LONGEST)}”" for name, given, _ in wrong])
    be = "is" if len(wrong) == 1 else "are"
    used = listed([instead for _, _, instead in wrong])
    st.caption(plain(f"The address asks for {asked}, which {be} not offered: {used} {be} used."))


def _is_width(given: str) -> bool:
    try:
        return 0 < float(given) < math.inf
    except ValueError:
        return False
