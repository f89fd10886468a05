"""Lab's controls drawn together; target and answer kind are those of the other pages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from core.design import Scheme
from core.errors import DesignError
from core.lab import AUTHORS, QUESTIONS, TOPICS, LabQuestion, Topic, fitting_budgets, middle, parsed_budgets
from core.stratification import Outcome
from pages.parts.app import session
from pages.parts.lab import controls
from pages.parts.widgets.control import Options, panel
from pages.parts.widgets.controls import parser

_POOLS = "pools"
# What comparisons were called when each had a tab, until 0.3.0.
_EARLIER = {
    "Baselines": "baselines",
    "Ladder": "ladder",
    "Related": "related",
    "Savings": "savings",
    "H": "strata",
    "δ": "offset",
    "Offset δ": "offset",
    "H × δ": "map",
    "H × δ map": "map",
    "Signals and surrogates": "signals",
    "Pools": _POOLS,
}
# Comparisons that authors have a question of their own for, with the one that they belonged to in links of 0.3.0.
_MOVED = {("method", "related"), ("method", "against")}
_MOVED |= {("strata", name) for name in ("allocation", "stratifier", "strata", "offset")}
SECTION = replace(
    controls.SECTION,
    default=TOPICS[0].name,
    names={topic.name: topic.title for topic in TOPICS} | {_POOLS: "How do pools differ?"},
    aliases=_EARLIER,
)


@dataclass(frozen=True, slots=True)
class LabSettings:
    """The settings of Lab's controls: what all tables share, and the simulations."""

    scheme: Scheme
    simulate: bool
    lure: bool
    trials: int
    clip: float
    seed: int


def questions(asked: Sequence[LabQuestion] = QUESTIONS) -> Options[str]:
    """Return the page's questions, of which the first to be drawn is that of the comparison in the address."""
    names = {question.name: question.title for question in asked} | {_POOLS: SECTION.names[_POOLS]}
    if AUTHORS in names:
        names[AUTHORS] = names.pop(AUTHORS)
    of = {topic.name: question.name for question in asked for topic in question.topics} | {_POOLS: _POOLS}
    if not session.tab().begun and (controls.ASKED.address, SECTION.value) in _MOVED:
        controls.ASKED.set(None)
    return replace(controls.ASKED, names=names, default=of.get(SECTION.value, next(iter(names))))


def topic(question: str, asked: Sequence[LabQuestion]) -> Topic | None:
    """Draw the comparisons that answer a question; None for the pools."""
    topics = {one.name: one for one_asked in asked if one_asked.name == question for one in one_asked.topics}
    if len(topics) < 2:
        return next(iter(topics.values()), None)
    of = SECTION.of({name: one.title for name, one in topics.items()})
    return topics[of.draw_row()]


def settings(generations: bool) -> LabSettings:
    """All controls but target and budgets; without generations those of simulations."""
    with panel("Settings", "lab-settings", icon=":material/tune:", width="stretch"):
        kind = parser()
        if not generations:
            trials, seed = controls.LAB_TRIALS.draw(), controls.LAB_SEED.draw()
            return LabSettings(Scheme(parser=kind), False, False, trials, controls.LAB_CLIP.value, seed)
        return LabSettings(
            Scheme(
                stratifier=controls.LAB_STRATIFIER.draw(),
                n_strata=controls.LAB_STRATA.draw(),
                offset=controls.LAB_OFFSET.draw(),
                parser=kind,
            ),
            controls.LAB_SIMULATE.draw(),
            controls.LAB_LURE.draw(),
            controls.LAB_TRIALS.draw(),
            controls.LAB_CLIP.draw(),
            controls.LAB_SEED.draw(),
        )


def budgets(outcome: Outcome, scheme: Scheme, asked: int) -> tuple[tuple[int, ...], int]:
    """Budgets of the tables, ascending, and the one that sentences speak of.

    If none is typed, these are the paper's budgets as far as they fit the pool, and the one that other pages have
    (``asked``); else the nearest of them.

    Raises
    ------
    DesignError
        A budget is not a number, or does not fit.
    """
    typed = parsed_budgets(controls.LAB_BUDGETS.draw(", ".join(map(str, fitting_budgets(outcome, scheme)))))
    of_tables = fitting_budgets(outcome, scheme, typed)
    if not typed:
        with suppress(DesignError):
            return of_tables, fitting_budgets(outcome, scheme, (asked,))[0]
    return of_tables, middle(of_tables, asked)


def figure_budget(options: tuple[int, ...], asked: int) -> int:
    """Draw the budget of a figure that shows one: at first the one that sentences speak of."""
    return controls.LAB_BUDGET.draw(options, asked)
