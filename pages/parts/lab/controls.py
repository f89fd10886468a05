"""Lab's own controls, drawn together; target and answer kind are those of the other pages."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.design import Scheme
from core.lab import settings as tables
from core.stratification import Outcome
from pages.parts import controls


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


def budgets(found: Outcome, scheme: Scheme) -> tuple[int, ...]:
    """Budgets that fit the pool, ascending; where none is typed, the paper's as far as they fit.

    Raises
    ------
    DesignError
        A budget is no number, or does not fit.
    """
    n_strata, n_items = found.profile.stratify(scheme.n_strata, scheme.stratifier).n_strata, found.losses.size
    default = tables.default_budgets(n_strata, n_items)
    typed = tables.parsed_budgets(controls.LAB_BUDGETS.draw(", ".join(map(str, default))))
    return tables.checked_budgets(typed, n_strata, n_items) if typed else default


def map_budget(options: tuple[int, ...]) -> int:
    """The budget of a figure that shows one: at first the one nearest to 100."""
    control = controls.LAB_BUDGET
    nearest = min(options, key=lambda budget: (abs(budget - control.default), budget))
    if len(options) > 1 and st.session_state.get(control.key, nearest) not in options:
        st.session_state[control.key] = nearest
    return control.draw(options, nearest)
