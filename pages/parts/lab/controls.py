"""Lab's own controls, drawn together; target and answer kind are those of the other pages."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.design import Scheme
from core.lab import fitting_budgets, middle, parsed_budgets
from core.stratification import Outcome
from pages.parts.widgets import controls


@dataclass(frozen=True, slots=True)
class LabSettings:
    """What Lab's controls are set to: what all tables share, and the simulations."""

    scheme: Scheme
    simulate: bool
    lure: bool
    trials: int
    clip: float
    seed: int


def settings(parser: str | None) -> LabSettings:
    """All controls but target, answer kind (``parser``) and budgets."""
    with st.popover("Settings", icon=":material/tune:", width="stretch"):
        return LabSettings(
            Scheme(
                stratifier=controls.LAB_STRATIFIER.draw(),
                n_strata=controls.LAB_STRATA.draw(),
                offset=controls.LAB_OFFSET.draw(),
                parser=parser,
            ),
            controls.LAB_SIMULATE.draw(),
            controls.LAB_LURE.draw(),
            controls.LAB_TRIALS.draw(),
            controls.LAB_CLIP.draw(),
            controls.LAB_SEED.draw(),
        )


def budgets(outcome: Outcome, scheme: Scheme) -> tuple[int, ...]:
    """Budgets that fit the pool, ascending; where none is typed, the paper's as far as they fit.

    Raises
    ------
    DesignError
        A budget is not a number, or does not fit.
    """
    typed = controls.LAB_BUDGETS.draw(", ".join(map(str, fitting_budgets(outcome, scheme))))
    return fitting_budgets(outcome, scheme, parsed_budgets(typed))


def figure_budget(options: tuple[int, ...]) -> int:
    """Draw the budget of a figure that shows one: at first the one nearest to 100."""
    return controls.LAB_BUDGET.draw(options, middle(options))
