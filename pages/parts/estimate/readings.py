"""Readings of the kept labels on page Estimate: their kind, the interval, and how answers are compared."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.estimation import Interval
from core.labels import KINDS
from core.study import Study
from pages.parts.estimate.controls import INTERVAL, READ_AS, SAYS, UNBOUNDED
from pages.parts.widgets import controls


def ask(study: Study, target: str | None) -> Study:
    """The study as it is to be read: what a label says, how answers are read, the interval and its confidence."""
    cells = st.container(key="estimate-controls-reading").columns([3, 2, 1.5, 2.5])
    with cells[0]:
        says = SAYS.draw()
        unbounded = KINDS[says].averaged and UNBOUNDED.draw()
    with cells[1]:
        name = _interval(unbounded)
    with cells[2]:
        confidence = controls.CONFIDENCE.draw()
    with cells[3]:
        # Labels that judge an answer need none that is read. A plan whose generations are read in one way most likely
        # has targets to be read in the same: that way stands first, and so in no address.
        read_as = study.labels.parser or controls.OWN
        if not KINDS[says].judges:
            names = READ_AS.names
            read_as = READ_AS.of({read_as: names[read_as], **names}).draw()
    labels = replace(
        study.labels,
        kind=says,
        target=target,
        parser=None if read_as == controls.OWN else read_as,
        interval=Interval(name, confidence, bounded=not unbounded),
    )
    return Study(labels)


def _interval(unbounded: bool) -> str:
    """The interval for values from 0 to 1; without bounds there is but one, and it is named."""
    if not unbounded:
        return INTERVAL.draw()
    st.selectbox(
        INTERVAL.label,
        ["Student’s t"],
        key="interval-used",
        disabled=True,
        help="Scores without bounds get Student’s t with Satterthwaite’s degrees of freedom.",
    )
    return INTERVAL.default
