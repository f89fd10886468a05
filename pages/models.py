"""Models: which of several models is best, by the items alone on which they differ, and all models side by side."""

from functools import partial

from pages.parts import prospects, targets
from pages.parts.app import frame
from pages.parts.models import contest, side_by_side
from pages.parts.models.controls import SIDE_BY_SIDE, TABS, TWO
from pages.parts.plan import decisions

pool = frame.frame("Models", "which one is best?")
with frame.errors():
    known = targets.known(pool)
parts = contest.section(known)
parts[SIDE_BY_SIDE] = "", partial(side_by_side.section, known)
parts[TWO] = "", lambda: decisions.pairs(prospects.current(pool))
frame.tabs(TABS, parts)
