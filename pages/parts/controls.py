"""The controls of the pages, each written once; on every page that has it a control has the same key in the address."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.allocation import budget_options, default_budget, nearest
from core.answers import KINDS as PARSERS
from core.design import ALLOCATIONS, PAPER, Design, Scheme
from core.pool import Pool
from core.stratification import METHODS as STRATIFIERS
from core.stratification import Stratification
from core.words import INTERVAL_NAMES, METHOD_NAMES, RECOMMENDED, STRATIFIER_NAMES, level
from pages.parts import state
from pages.parts.control import Control, Line, Options, Positive, Slider, Steps, Toggle, Whole

# Not None: a select box takes None in the session for "nothing chosen" and shows a placeholder.
OWN = "own"
_PARSERS = {kind: kind for kind in PARSERS}
_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)

TARGET = Options(
    key="target",
    label="Target model",
    noun="target",
    default="",
    help="The model under test. Explore and Lab use its known outcomes to show what the method would have gained.",
)
PARSER = Options(
    key="parser",
    label="Answer kind",
    default=OWN,
    names={OWN: "The pool’s own"} | _PARSERS,
    help="How an answer is found in the text of a generation. Equal answers count as one meaning.",
)

ALLOCATION = Options(
    key="allocation",
    label="Allocation",
    default=PAPER.allocation,
    names={name: METHOD_NAMES[name] for name in ALLOCATIONS},
    help="How the budget is shared among the strata. Uniform draws from the whole pool, without strata.",
)
STRATIFIER = Options(
    key="stratifier",
    label="Stratifier",
    default=PAPER.stratifier,
    names={name: STRATIFIER_NAMES[name] for name in STRATIFIERS} | {"adaptive": "Adaptive (paper)"},
    help="How the semantic entropy is cut into strata. Adaptive puts the items on which all generations agree into a "
    "stratum of their own and cuts the others into equal parts.",
)
STRATA = Slider(
    key="strata",
    label="Strata H",
    default=PAPER.n_strata,
    low=2,
    high=10,
    step=1,
    help="Number of strata requested. Ties in the semantic entropy may leave fewer.",
)
OFFSET = Slider(
    key="offset",
    label="Offset δ",
    default=PAPER.offset,
    low=0.0,
    high=5.0,
    step=0.05,
    help="Added to √(p(1−p)) in the allocation. With a small offset the labels follow the surrogate’s disagreement, "
    "with a large one the sizes of the strata.",
)
BUDGET = Steps(
    key="budget",
    label="Budget M (labels)",
    default=0,
    help="Number of items to label, from one in each stratum to the whole pool.",
)
SEED = Whole(
    key="seed",
    label="Seed",
    default=0,
    low=0,
    high=2**31 - 1,
    help="The same seed draws the same items.",
)
LABEL_KIND = Options(
    key="label-kind",
    label="A label is",
    default="gold",
    names={"gold": "The right answer", "right-wrong": "Right or wrong", "score": "A score, 0 to 1"},
    help="Right answers are compared with the target’s, so you can use them again for another target.",
)
ANNOTATOR = Line(key="annotator", label="Your name")

SIMULATE = Toggle(
    key="simulate",
    label="Monte Carlo check",
    default=True,
    help="Simulates the same designs and shows the results as points with their standard errors. They should scatter "
    "around the exact lines.",
)
TRIALS = Steps(
    key="trials",
    label="Trials T",
    default=3000,
    options=(500, 1000, 3000, 10_000, 30_000),
    help="Number of simulated rounds of labelling.",
)

LAB_STRATIFIER = replace(
    STRATIFIER, key="lab-stratifier", names=STRATIFIER_NAMES, help="Of every table but the one of stratifiers."
)
LAB_STRATA = replace(STRATA, key="lab-strata", help="Of every table but the one of numbers of strata, and the map.")
LAB_OFFSET = replace(OFFSET, key="lab-offset", help="Of every table but the one of offsets, and the map.")
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
LAB_SEED = replace(SEED, key="lab-seed", help="The same seed gives the same simulations.")
LAB_BUDGETS = Line(
    key="lab-budgets",
    label="Budgets M",
    help="Numbers of labels, separated by commas. Leave empty for the paper’s budgets, as far as they fit the pool.",
)
LAB_BUDGET = Steps(key="lab-budget", label="Budget of the figure", default=100, form="{:,}")

SAYS = replace(LABEL_KIND, key="says", noun="kind of label", names={**LABEL_KIND.names, "score": "A score"})
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
    names={name: INTERVAL_NAMES[name] for name in RECOMMENDED},
    help="Wilson is the default. Korn–Graubard is usually wider. Scores without bounds get Student’s t.",
)
CONFIDENCE = Options(
    key="confidence",
    label="Confidence",
    noun="confidence",
    default=0.95,
    names={number: level(number) for number in _CONFIDENCES},
    aliases={f"{100 * number:g}": number for number in _CONFIDENCES},
)
READ_AS = Options(
    key="read-as",
    label="How the target’s answers are read",
    noun="way to read answers",
    default=OWN,
    names={OWN: "As the pool says"} | _PARSERS,
    help="How an answer is found in what the target wrote and compared with the right one. It may differ from the way "
    "the surrogate’s generations are read.",
)
COMPARE = Options(
    key="compare",
    label="Other target",
    noun="other target",
    default="",
    help="Both targets on the same labelled items. This gives a more precise difference than two samples.",
)
POSITIVE = Options(
    key="positive",
    label="Answer that counts as positive",
    noun="positive answer",
    default="",
    help="Precision: the share of the model’s positive answers that are right. Recall: the share of truly positive "
    "items that the model finds.",
)
HALF_WIDTH = Positive(
    key="half-width",
    label="Wanted half-width",
    noun="half-width",
    help="Half the width of the interval. Leave empty for half the present one.",
)

_DESIGN: tuple[Control[Any], ...] = (ALLOCATION, STRATIFIER, STRATA, OFFSET, SEED, BUDGET, PARSER, LABEL_KIND)
# Every control whose default an address leaves out.
CONTROLS: tuple[Control[Any], ...] = (
    *_DESIGN,
    *(SIMULATE, TRIALS, UNBOUNDED, INTERVAL, CONFIDENCE, READ_AS),
    *(LAB_STRATIFIER, LAB_STRATA, LAB_OFFSET, LAB_SIMULATE, LAB_LURE, LAB_TRIALS, LAB_CLIP, LAB_SEED),
)


def target(pool: Pool, preset: bool = False) -> str | None:
    """Draw the target model; None where the pool has none.

    Parameters
    ----------
    preset : bool
        The caller has set it in the session, and the address has it whichever it is.
    """
    control = TARGET.of({name: name for name in pool.targets})
    if not control.names:
        return None
    return control.draw_set() if preset else control.draw()


def parser() -> str | None:
    """Draw the answer kind of all items' generations; None is the pool's own."""
    chosen = PARSER.draw()
    kind = None if chosen == OWN else chosen
    state.remember_kind(kind)
    return kind


def scheme(parser: str | None, allocation: str = ALLOCATION.default) -> Scheme:
    """Draw stratifier, number of strata and offset."""
    return Scheme(
        stratifier=STRATIFIER.draw(),
        n_strata=STRATA.draw(),
        allocation=allocation,
        offset=OFFSET.draw(),
        parser=parser,
    )


def budget(strata: Stratification) -> int:
    """Draw the budget, on round numbers from the number of strata to the whole pool, in steps of about equal ratio."""
    options = budget_options(strata.n_strata, strata.n_items)
    # An exact budget, from a link or typed on page Label, joins the round ones.
    exact = st.session_state.get(BUDGET.key, BUDGET.address)
    if exact is not None and str(exact).isdigit() and options[0] <= int(exact) <= options[-1]:
        options = sorted({*options, int(exact)})
    elif BUDGET.key in st.session_state:
        # Fewer or more strata moved the lower end: the slider goes to the nearest budget.
        st.session_state[BUDGET.key] = nearest(options, int(st.session_state[BUDGET.key]))
    return BUDGET.draw(options, default_budget(strata.n_strata, strata.n_items))


def exact_budget(strata: Stratification, budget: int) -> None:
    """Draw a field for a budget that is no round number; it sets the slider."""

    def use() -> None:
        st.session_state[BUDGET.key] = int(st.session_state["exact-budget"])

    if strata.n_strata < strata.n_items:
        st.session_state["exact-budget"] = budget
        st.number_input("Exact number of labels", strata.n_strata, strata.n_items, key="exact-budget", on_change=use)


def adopt(design: Design, budget: int, kind: str) -> None:
    """Set page Label's controls to a design with another budget; for a callback, before they are drawn."""
    st.session_state.update(_values(design, budget, kind) | {"part": "The list"})


def address(design: Design, budget: int, kind: str) -> dict[str, str]:
    """Return page Label's controls as parameters of its address, so that a reload keeps what `adopt` sets.

    For ``st.switch_page``. What a session sets reaches the address only where the control was on the page in the run
    before, which is never so on the way from another page. ``st.switch_page`` refuses names that belong to a control
    of the page that it leaves, such as the target: they come along by themselves. A control's default drops out of the
    address once it is drawn: call `adopt` as well, since an older value of the session would stand in its place.
    """
    values = _values(design, budget, kind)
    return {control.key: control.text(values[control.key]) for control in _DESIGN}


def _values(design: Design, budget: int, kind: str) -> dict[str, Any]:
    return {
        ALLOCATION.key: design.scheme.allocation,
        STRATIFIER.key: design.scheme.stratifier,
        STRATA.key: design.scheme.n_strata,
        OFFSET.key: design.scheme.offset,
        SEED.key: design.seed,
        BUDGET.key: budget,
        PARSER.key: design.scheme.parser or OWN,
        LABEL_KIND.key: kind,
    }
