"""How the kept labels are read on page Estimate: what they say, which interval, and how answers are compared."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.estimation import Interval
from pages.parts import controls


@dataclass(frozen=True, slots=True)
class Readings:
    """How labels are read: what each says, the parser of answers, the interval."""

    asked: str
    parser: str | None
    interval: Interval

    @property
    def way(self) -> str:
        """The option by which answers are read."""
        return self.parser or controls.OWN


def readings(parser: str | None) -> Readings:
    """What a label says, how answers are read, the interval and its confidence; ``parser``: the plan's."""
    cells = st.columns([3, 2, 1, 3])
    with cells[0]:
        asked = controls.SAYS.draw_set() or controls.SAYS.default
        unbounded = asked == "score" and controls.UNBOUNDED.draw()
    with cells[1]:
        name = _interval(unbounded)
    with cells[2]:
        confidence = controls.CONFIDENCE.draw()
    with cells[3]:
        # Labels that judge an answer need none that is read. A plan whose generations are read in one way most likely
        # has targets to be read in the same: that way stands first, and so in no address.
        read_as = parser or controls.OWN
        if asked == "gold":
            names = controls.READ_AS.names
            read_as = controls.READ_AS.of({read_as: names[read_as], **names}).draw()
    interval = Interval(name, confidence, bounded=not unbounded)
    return Readings(asked, None if read_as == controls.OWN else read_as, interval)


def _interval(unbounded: bool) -> str:
    """The interval for values from 0 to 1; without bounds there is but one, and it is named."""
    if not unbounded:
        return controls.INTERVAL.draw()
    st.selectbox(
        controls.INTERVAL.label,
        ["Student’s t"],
        key="interval-used",
        disabled=True,
        help="Scores without bounds get Student’s t with Satterthwaite’s degrees of freedom.",
    )
    return controls.INTERVAL.default
