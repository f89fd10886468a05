"""How the kept labels are read on page Estimate: what they say, which interval, and how answers are compared."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.answers import KINDS
from core.estimation import Interval, intervals
from core.words import INTERVAL_NAMES, level
from pages.parts import controls

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
# What a link may call them: a share, or per cent.
LEVELS = {f"{scale * number:g}": level(number) for number in _CONFIDENCES for scale in (1, 100)}
_WILSON = "wilson"
INTERVALS = {name: INTERVAL_NAMES[name] for name in intervals.RECOMMENDED}
# Not None: a select box takes None in the session for "nothing chosen".
_OWN = "own"
READ_AS = {_OWN: "As the pool says"} | {kind: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Readings:
    """How labels are read: what each says, the parser of answers, the interval."""

    asked: str
    parser: str | None
    interval: Interval

    @property
    def way(self) -> str:
        """The option by which answers are read."""
        return self.parser or _OWN


def readings(parser: str | None) -> Readings:
    """What a label says, how answers are read, the interval and its confidence; ``parser``: the plan's."""
    cells = st.columns([3, 2, 1, 3])
    with cells[0]:
        asked = controls.label_kind("says", score="A score", always=True)
        unbounded = asked == "score" and st.toggle(
            "Scores may lie outside 0 to 1",
            key="unbounded",
            bind="query-params",
            help="Off: a score outside 0 to 1 is taken for a slip and counts as missing.",
        )
    with cells[1]:
        name = _interval(unbounded)
    with cells[2]:
        controls.own_name("confidence", LEVELS)
        confidence = st.selectbox(
            "Confidence", _CONFIDENCES, 2, key="confidence", format_func=level, bind="query-params"
        )
    with cells[3]:
        # Labels that judge an answer need none that is read. A plan whose generations are read in one way most likely
        # has targets to be read in the same.
        read_as = parser or _OWN
        if asked == "gold":
            read_as = _read_as(read_as)
    interval = Interval(name, float(confidence), bounded=not unbounded)
    return Readings(asked, None if read_as == _OWN else read_as, interval)


def _interval(unbounded: bool) -> str:
    """The interval for values from 0 to 1; without bounds there is but one, and it is named."""
    if unbounded:
        st.selectbox(
            "Interval",
            ["Student’s t"],
            key="interval-used",
            disabled=True,
            help="Scores without bounds get Student’s t with Satterthwaite’s degrees of freedom.",
        )
        return _WILSON
    return controls.named_option(
        "Interval",
        INTERVALS,
        "interval",
        help="Wilson’s is the default; Korn–Graubard’s is usually wider. Scores without bounds get Student’s t.",
    )


def _read_as(default: str) -> str:
    """The way in which answers are read; the default stands first, and so in no address."""
    return controls.named_option(
        "How the target’s answers are read",
        {default: READ_AS[default]} | READ_AS,
        "read-as",
        help="How an answer is found in what the target wrote, and compared with the right one. It need not be the way "
        "in which the surrogate’s generations are read.",
    )
