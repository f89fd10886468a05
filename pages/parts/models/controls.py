"""Controls of page Models: which models, the difference that matters, and how often labels are looked at."""

from __future__ import annotations

from core.contests import LOOKS
from pages.parts.widgets.control import Names, Options
from pages.parts.widgets.numbers import Amount, Number

MODELS = Names(
    key="models", of_pool=True, label="Models", help="Those to choose among: two or more, by default all of the pool."
)
WITHIN = Number(
    key="within",
    label="Difference that matters, points",
    default=1.0,
    low=0.0,
    high=50.0,
    step=0.5,
    help="The answer may be so far below the best. At 0 it must be better than all others, which takes more labels.",
)
WAVES = Options(
    key="label-waves",
    label="Labels come",
    default=LOOKS,
    names={1: "All at once", 2: "In up to 2 waves", LOOKS: f"In up to {LOOKS} waves", 5: "In up to 5 waves"},
    help="After each wave you see who is out, and may be done. More waves need a little more if it is close. Choose "
    "before labelling.",
)
CONTEST_SEED = Amount(
    key="contest-seed",
    of_pool=True,
    label="Seed of the lists",
    high=2**31 - 1,
    whole=True,
    help="Another seed draws other lists.",
)
NUMBERS, COMMAND, SIDE_BY_SIDE, TWO = "Numbers", "In CI", "Side by side", "Compare two models"
# The parameter of page Versions, which had two of these tabs.
TABS = Options(
    key="versions",
    label="Details",
    default=COMMAND,
    names={name: name for name in (NUMBERS, COMMAND, SIDE_BY_SIDE, TWO)},
)
