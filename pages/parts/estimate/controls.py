"""Controls of page Estimate alone: how labels and answers are read, and what is made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from core.labels import KINDS, LabelKind
from core.pool import Pool
from core.study import Study
from core.words import INTERVAL_NAMES, RECOMMENDED, listed, shortened
from pages.parts.app import session
from pages.parts.markup import plain
from pages.parts.widgets.control import Control, Options, Toggle
from pages.parts.widgets.controls import COMPARE, CONFIDENCE, LABEL_KIND, NEW, NEW_MODEL, OWN, PARSER, TARGET
from pages.parts.widgets.numbers import Positive

# The same on page Estimate, which reads scores beyond 0 to 1 too.
SAYS = replace(
    LABEL_KIND,
    noun="kind of label",
    names={name: KINDS[name].loose_title for name in LABEL_KIND.names},
    aliases={title: name for name, title in LABEL_KIND.names.items()},
)
UNBOUNDED = Toggle(
    key="unbounded",
    label="Scores may lie outside 0 to 1",
    default=False,
    help="When off, a score outside 0 to 1 is treated as a slip and counts as missing.",
)
INTERVAL = Options(
    key="interval",
    label="Interval",
    noun="interval",
    default=RECOMMENDED[0],
    names={name: INTERVAL_NAMES[name] for name in (*RECOMMENDED, "korn-graubard")},
    help="The tilted model is the default. Korn–Graubard is there to compare: it can be too narrow where strata have "
    "few labels. Scores without bounds get Student’s t.",
    aliases={"Wilson": RECOMMENDED[0]},
)
READ_AS = Options(
    key="read-as",
    label="How the target’s answers are read",
    noun="way to read answers",
    default=OWN,
    names={**PARSER.names, OWN: "As the pool says"},
    help="How an answer is found in what the target wrote and compared with the right one. It may differ from the way "
    "the surrogate’s generations are read.",
)
POSITIVE = Options(
    key="positive",
    within="about=metrics",
    of_pool=True,
    label="Answer that counts as positive",
    noun="positive answer",
    default="",
    help="Precision: the share of the model’s positive answers that are right. Recall: the share of truly positive "
    "items that the model finds.",
)
ABOUT = Options(
    key="about",
    label="Details",
    noun="tab",
    default="decide",
    names={
        "decide": "Ship or hold",
        "disputes": "Disputes",
        "first": "Label these first",
        "precision": "More precision",
        "metrics": "Other numbers",
        "runs": "Runs",
        "groups": "Groups",
        "items": "Items",
        "labels": "Labels",
        "how": "How",
    },
)
HALF_WIDTH = Positive(
    key="half-width",
    within="about=precision",
    label="Narrow the interval to ±",
    noun="half-width",
    help="Half the width of the interval. Leave empty to halve the present one.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Positive):
    """A field for a grade of a scale, empty at first."""

    def offers(self, given: str) -> bool:
        """Return whether the address may have this text."""
        try:
            return math.isfinite(float(given))
        except ValueError:
            return False

    def draw_for(self, kind: LabelKind) -> float | None:
        """Draw the field for grades of a scale; None stands for its usual grade, and for labels that are no grades."""
        scale, given = kind.scale, self.value
        if scale is None:
            return None
        given = given if given is not None and scale.low < given <= scale.high else None
        look: dict[str, Any] = {"format": "%.4g", "placeholder": f"{scale.good:g}", "width": 320}
        st.number_input(self.label, scale.low, scale.high, None, **look, **self.bound(given))
        return given


AT_LEAST = Threshold(
    key="at-least",
    label="Good from grade",
    noun="grade",
    help="The share of the items with this grade or a better one stands beside the mean.",
)


# Parameters in the address of page Estimate that are not offered: the controls would drop them without a word.

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
