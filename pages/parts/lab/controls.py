"""Lab's own controls; every one is in the URL under its key. Target and answer kind are those of the other pages."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.design import Scheme
from core.lab.settings import TRIALS, checked_budgets, default_budgets, parsed_budgets
from core.stratification import Outcome
from core.words import STRATIFIER_NAMES

_TRIALS = (300, 1000, 3000, 10_000, 30_000)


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
        stratifier = st.selectbox(
            "Stratifier",
            list(STRATIFIER_NAMES),
            key="lab-stratifier",
            format_func=lambda name: STRATIFIER_NAMES[name],
            bind="query-params",
            help="Of every table but the one that compares stratifiers.",
        )
        n_strata = st.slider("Strata H", 2, 10, 5, key="lab-strata", bind="query-params")
        offset = st.slider("Offset δ", 0.0, 5.0, 0.75, 0.05, key="lab-offset", bind="query-params")
        simulate = st.toggle(
            "Monte Carlo check of the tables",
            key="lab-simulate",
            bind="query-params",
            help="Every cell simulated as well, shown in brackets with its standard error.",
        )
        lure = st.toggle("Simulate LURE", True, key="lab-lure", bind="query-params")
        trials = st.select_slider(
            "Trials T", _TRIALS, TRIALS, key="lab-trials", format_func=lambda t: f"{t:,}", bind="query-params"
        )
        clip = st.slider(
            "LURE’s clip",
            0.05,
            1.0,
            0.1,
            0.05,
            key="lab-clip",
            bind="query-params",
            help="Share of Uniform mixed into the draw, so that every item can be drawn; 1 is Uniform.",
        )
        seed = int(st.number_input("Seed", 0, 2**31 - 1, 0, key="lab-seed", bind="query-params"))
    scheme = Scheme(stratifier=stratifier, n_strata=n_strata, offset=offset, parser=parser)
    return LabSettings(scheme, simulate, lure, trials, clip, seed)


def budgets(found: Outcome, scheme: Scheme) -> tuple[int, ...]:
    """Budgets that fit the pool, ascending; where none is typed, the paper's as far as they fit.

    Raises
    ------
    DesignError : a budget that is no number, or does not fit.
    """
    n_strata, n_items = found.profile.stratify(scheme.n_strata, scheme.stratifier).n_strata, found.losses.size
    default = default_budgets(n_strata, n_items)
    typed = st.text_input(
        "Budgets M",
        key="lab-budgets",
        bind="query-params",
        placeholder=", ".join(map(str, default)),
        help="Numbers of labels, with commas between them. Empty: the paper’s, as far as they fit the pool.",
    )
    asked = parsed_budgets(typed)
    return checked_budgets(asked, n_strata, n_items) if asked else default


def map_budget(options: tuple[int, ...]) -> int:
    """The budget of a figure that shows one."""
    nearest = min(options, key=lambda budget: (abs(budget - 100), budget))
    if len(options) == 1:
        return options[0]
    if st.session_state.get("lab-budget", nearest) not in options:
        st.session_state["lab-budget"] = nearest
    return st.select_slider(
        "Budget of the figure",
        options,
        nearest,
        key="lab-budget",
        format_func=lambda m: f"{m:,}",
        bind="query-params",
    )
