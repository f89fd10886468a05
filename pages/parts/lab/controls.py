"""Controls of page Lab: what its tables share, and the simulations."""

from __future__ import annotations

from dataclasses import replace

from core.stratification import METHODS, STRATIFIERS
from pages.parts.widgets.control import Line, Options, Toggle
from pages.parts.widgets.controls import OFFSET, SEED, STRATA, STRATIFIER, TRIALS
from pages.parts.widgets.numbers import Slider, Steps, Whole

LAB_STRATIFIER = replace(
    STRATIFIER,
    key="lab-stratifier",
    names={name: STRATIFIERS[name].title for name in METHODS},
    help="Used by every table except that of stratifiers.",
)
LAB_STRATA = replace(STRATA, key="lab-strata", help="Used by every table except those of numbers of strata.")
LAB_OFFSET = replace(OFFSET, key="lab-offset", help="Used by every table except those of offsets.")
LAB_SIMULATE = Toggle(
    key="lab-simulate",
    label="Monte Carlo check of the tables",
    default=False,
    help="Simulates every cell too and shows the result after a dot, with its standard error.",
)
LAB_LURE = Toggle(key="lab-lure", label="Simulate LURE", default=True)
LAB_TRIALS = replace(TRIALS, key="lab-trials", options=(300, 1000, 3000, 10_000, 30_000), form="{:,}")
LAB_CLIP = Slider(
    key="lab-clip",
    label="LURE’s clip",
    default=0.1,
    low=0.05,
    high=1.0,
    step=0.05,
    help="Share of Uniform mixed into LURE’s draw, so that every item can be drawn. At 1 the draw is Uniform.",
)
LAB_SEED = Whole(
    key="lab-seed", label="Seed", default=0, low=0, high=SEED.high, help="The same seed gives the same simulations."
)
LAB_BUDGETS = Line(
    key="lab-budgets",
    label="Budgets M",
    help="Numbers of labels, separated by commas. Leave empty for those of the paper’s budgets that fit the pool.",
)
LAB_BUDGET = Steps(key="lab-budget", label="Budget of the figure", default=100, form="{:,}")
ASKED = Options(key="lab-question", label="Question", default="")
SECTION = Options(key="section", label="Comparison", default="")
