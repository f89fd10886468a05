"""Parameters in the address of page Estimate that are not offered: the controls would drop them without a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.pool import Pool
from core.study import Study
from core.words import listed, shortened
from pages.parts.app import session
from pages.parts.estimate.controls import HALF_WIDTH, INTERVAL, READ_AS, SAYS
from pages.parts.markup import plain
from pages.parts.widgets.control import Control
from pages.parts.widgets.controls import COMPARE, CONFIDENCE, NEW, NEW_MODEL, OWN, TARGET

_LONGEST = 40


@dataclass(slots=True)
class NotOffered:
    """The parameters of the address that are not offered, and their values."""

    given: dict[str, str] = field(default_factory=dict)


def note(pool: Pool) -> None:
    """Remember what is not offered, before a control takes it out of the address; a run may end before it is shown."""
    targets = {name: name for name in pool.targets}
    if TARGET.address == NEW and NEW_MODEL.value in targets:
        session.write(TARGET.parameter(NEW_MODEL.value))
    offered: tuple[Control[Any], ...] = (
        TARGET.of(targets),
        SAYS,
        INTERVAL,
        CONFIDENCE,
        READ_AS,
        COMPARE.of(targets),
        HALF_WIDTH,
    )
    wrong = {one.key: one.address for one in offered if one.address and not one.offers(one.address)}
    session.held(NotOffered).given |= wrong
    session.write(dict.fromkeys(wrong))


def tell(study: Study) -> None:
    """One sentence of all that was noted, and of what is used instead."""
    refused, target = session.held(NotOffered), study.target
    wrong, refused.given = refused.given, {}
    if target is not None and COMPARE.address == target:
        wrong[COMPARE.key] = target
        COMPARE.set(None)
    if study.kind != "gold":
        wrong.pop(READ_AS.key, None)
    used: tuple[tuple[Control[Any], str], ...] = (
        (TARGET, f"“{target}”" if target else "none"),
        (SAYS, f"“{SAYS.text(study.kind)}”"),
        (INTERVAL, INTERVAL.text(study.labels.interval.name)),
        (CONFIDENCE, CONFIDENCE.text(study.labels.interval.confidence)),
        (READ_AS, f"“{READ_AS.text(study.labels.parser or OWN)}”"),
        (COMPARE, "no other target"),
        (HALF_WIDTH, "half the present one"),
    )
    sentence([(control, wrong[control.key], instead) for control, instead in used if control.key in wrong])


def sentence(wrong: list[tuple[Control[Any], str, str]]) -> None:
    """Say it of controls: each with what was given and what is used instead."""
    if not wrong:
        return
    given = listed([f"the {control.noun} “{shortened(text, _LONGEST)}”" for control, text, _ in wrong])
    be = "is" if len(wrong) == 1 else "are"
    used = listed([instead for _, _, instead in wrong])
    st.caption(plain(f"The address asks for {given}, which {be} not offered: {used} {be} used."))
