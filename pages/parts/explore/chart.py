"""The main figure of page Explore: in one unit of several, beside the setting before this one, to be taken away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from core.figures import explore as figures
from core.figures import units
from core.pool import Pool
from core.words import counted
from pages.parts import downloads
from pages.parts.app import frame, session
from pages.parts.explore.designs import Designs
from pages.parts.widgets import controls


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings behind a figure, for its title, its file's name and the ghost.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str or None
        The target, if its outcome is known.
    design : tuple of str
        Each choice of the design in a few words, “H = 5”.
    budget : int
        M.
    trials : int
        Simulated rounds; 0 if nothing is simulated.
    """

    pool: Pool
    target: str | None
    design: tuple[str, ...]
    budget: int
    trials: int = 0

    @classmethod
    def of(cls, designs: Designs) -> Setting:
        """Return what stands on the page for the drawn design."""
        drawn = designs.drawn
        return cls(drawn.pool, drawn.question.target, designs.words, drawn.budget, designs.trials)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes below a title: pool and target, design and M, what is exact and what is simulated."""
        rounds = f" Points: simulated, {self.trials:,} rounds each, seed 0, with bars of one standard error."
        return (
            downloads.subject(self.pool, self.target),
            f"Design: {', '.join(self.design)} · M = {counted(self.budget, 'label')}",
            f"Lines: exact, without a seed.{rounds if self.trials else ''}",
        )

    def file(self, what: str) -> str:
        """Name of a file without its ending: pool, design, M and what it shows."""
        return downloads.slug("neyman", self.pool.name, *self.design, f"M{self.budget}", what)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A setting whose line was drawn, to be the ghost of the next one."""

    setting: tuple[str | None, ...]
    design: tuple[str, ...]
    line: pd.DataFrame


def section(designs: Designs, alt: str) -> pd.DataFrame | None:
    """Draw the choice of the unit, the figure and its files; return what was simulated.

    Parameters
    ----------
    designs : Designs
        What is compared; the drawn design's former line is the ghost.
    alt : str
        What the figure says.
    """
    drawn, curve, setting, trials = designs.drawn, designs.curve, Setting.of(designs), designs.trials
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        name = controls.UNIT.draw_row()
        files = st.container(width="content")
    unit = units.unit(name, drawn.share)
    former = _former(setting, curve[curve["method"] == drawn.method])
    slow, least = drawn.is_slow(trials), designs.smallest_error(int(controls.STRATA.high))
    place = st.empty() if slow else st.container()
    if slow:
        # Simulating takes a while, so the lines are drawn first.
        with place:
            exact = figures.relative_mse(curve, None, setting.budget, unit, former, least)
            frame.chart(exact, "curve-exact", alt, False)
    simulated = designs.simulated()
    figure = figures.relative_mse(curve, simulated, setting.budget, unit, former, least)
    with place:
        frame.chart(figure, "curve", alt, button=False)
    with files:
        title = f"{unit.title[0].upper()}{unit.title[1:]}, by number of labels"
        downloads.figure(
            "curve",
            partial(figures.relative_mse, curve, simulated, setting.budget, unit, None, least),
            title,
            setting.notes,
            setting.file(name),
            partial(_data, setting, curve, simulated),
        )
    return simulated


@dataclass(slots=True)
class Ghosts:
    """The setting that is drawn, and the one before it, which stays as a ghost."""

    shown: Drawn | None = None
    before: Drawn | None = None


def _former(setting: Setting, line: pd.DataFrame) -> figures.Former | None:
    """Return the setting before this one, on the same pool and target; note this one for the next."""
    now = Drawn((setting.pool.digest, setting.target, setting.design[0]), setting.design, line)
    ghosts = session.held(Ghosts)
    shown, before = ghosts.shown, ghosts.before
    if shown is None or shown.setting != now.setting:
        before = None
    elif shown.design != now.design:
        before = shown
    ghosts.shown, ghosts.before = now, before
    if before is None:
        return None
    changed = [one for one in before.design if one not in setting.design]
    return figures.Former(", ".join(changed), before.line)


def _data(setting: Setting, curve: pd.DataFrame, simulated: pd.DataFrame | None) -> pd.DataFrame:
    """The figure's numbers, each row with what it rests on."""
    parts = [curve.assign(kind="exact")]
    if simulated is not None:
        parts.append(simulated.assign(kind="simulated", seed=0))
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(pool=setting.pool.name, target=setting.target, design=", ".join(setting.design))
