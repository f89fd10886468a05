"""The controls of the pages, each written once; on every page that has it a control has the same key in the address."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core import prospect
from core.allocation import RULES, budget_options, default_budget
from core.answers import TITLES
from core.design import ALLOCATIONS, PAPER, Scheme
from core.figures import units
from core.labels import KINDS, scored
from core.pool import Pool, newest_first
from core.signals import SIGNALS
from core.stratification import METHODS, STRATIFIERS
from core.words import level
from pages.parts.app import session
from pages.parts.markup import meanings
from pages.parts.widgets.control import Line, Names, Options, Toggle, panel
from pages.parts.widgets.numbers import Amount, Number, Seed, Share, Slider, Steps

# Not None: a select box takes None in the session for "nothing chosen" and shows a placeholder.
OWN = "own"
_KIND = "gold"
# Offered at once; an address may have any other.
SCALES = ("1-5", "0-10", "0-100")
_STRATIFIERS = {name: STRATIFIERS[name].title for name in METHODS}
_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
# The values of `DESIGN`, beside ids of kept plans.
BEST, PAPERS, GATE = "recommended", "paper", prospect.GATE
# The floor that past models choose.
_BY_PAST = "chosen"
# The target that has not run on the pool yet.
NEW, NEW_NAME = "new", "A new model"

TARGET = Options(
    key="target",
    of_pool=True,
    label="Target model",
    noun="target",
    default="",
    always=True,
    help="The model under test. Explore and Lab use its known outcomes to show what the method would have gained.",
)
PARSER = Options(
    key="parser",
    of_pool=True,
    label="Answers are read as",
    default=OWN,
    names={OWN: "The pool says how", **TITLES},
    aliases={"The pool’s own": OWN},
    help="How an answer is found in the text of a generation. Equal answers count as one meaning.",
)

DESIGN = Options(
    key="design",
    more=True,
    label="Design",
    default=BEST,
    names={BEST: "The recommended design", PAPERS: "The paper’s design", GATE: "For a decision"},
    aliases={"Recommended": BEST, "The paper’s": PAPERS},
    earlier={2: PAPERS},
    help="Which items to label, and how many of each kind. The recommended design: fine strata along the best signal "
    "that is known of the items. The paper’s: strata H and offset δ as the sliders say, along semantic entropy. "
    "For a decision: three strata, so that you may look after every label and "
    "stop as soon as “ship” or “hold” is clear.",
)
SIGNAL = Options(
    key="signal",
    of_pool=True,
    more=True,
    label="Sort items by",
    default=BEST,
    names={BEST: "Best known"},
    aliases=SIGNALS.aliases,
    help="What the items are sorted by before they are cut into strata. No choice biases the estimate.",
)
COLUMN = Options(
    key="column", of_pool=True, label="Column", default="", help="A number for each item, such as a judge’s verdict."
)
PAST = Names(
    key="past",
    of_pool=True,
    label="Past models",
    help="Models whose results on these items are known. They predict which items the target fails.",
)
ACCURACY = Share(
    key="accuracy",
    of_pool=True,
    label="Expected accuracy, %",
    help="Optional. Past models with an accuracy near it count more.",
)
FLOOR = Options(
    key="floor",
    label="Trust in the predicted risk",
    default=_BY_PAST,
    names={
        _BY_PAST: "As past models show",
        "1": "Little (floor 1)",
        "0.5": "Some (floor ½)",
        "0.25": "Much (floor ¼)",
        "0.125": "Very much (floor ⅛)",
    },
    earlier={6: "1"},
    help="How few labels items with a small predicted risk get. Past models, each predicted by the others, show before "
    "any label how low the floor can be. If you fear errors where past models had none, choose a high one.",
)

ALLOCATION = Options(
    key="allocation",
    label="Share labels by",
    default=PAPER.allocation,
    names={name: RULES[name].title for name in ALLOCATIONS},
    aliases=RULES.aliases,
    help="How the budget is shared among the strata. Uniform draws from the whole pool, without strata.",
)
STRATIFIER = Options(
    key="stratifier",
    label="Stratifier",
    default=PAPER.stratifier,
    names=_STRATIFIERS | {PAPER.stratifier: f"{_STRATIFIERS[PAPER.stratifier]} (paper)"},
    aliases=STRATIFIERS.aliases,
    help="How the semantic entropy is cut into strata. Adaptive puts the items on which all generations agree into a "
    "separate stratum and cuts the others into equal parts.",
)
STRATA = Slider(
    key="strata",
    label="Strata H",
    default=PAPER.n_strata,
    whole=True,
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
    help="Added to √(p(1−p)) in the allocation. At 0 the labels follow how much a cheap model’s answers disagree, at 5 "
    "nearly the sizes of the strata.",
)
BUDGET = Steps(
    key="budget",
    label="Budget M (labels)",
    default=0,
    always=True,
    help="Number of items to label, from one in each stratum to the whole pool.",
)
SEED = Seed(
    key="seed",
    of_pool=True,
    label="Seed",
    earlier={2: 0},
    help="The same seed draws the same items. Empty the field for a new one at random.",
)
WAVES = Toggle(
    key="waves",
    label="Two waves",
    default=False,
    help="A quarter of the labels first: they decide which items come next, in case the signal is wrong. On the pools "
    "tried, one wave was more precise.",
)
# What becomes of verdicts that are known already.
NOTHING, AUDITED, FOLLOWING = "no", "audited", "follows"
CARRY = Options(
    key="known-verdicts",
    label="Answers graded before",
    default=NOTHING,
    names={
        NOTHING: "Label everything",
        AUDITED: "Use them: people or a model judge answers",
        FOLLOWING: "Use them: the verdict follows from the answer",
    },
    help="If the target gave an answer that was graded before, its verdict is known. Does it follow from the answer "
    "alone, as with an answer key? Then nothing has to be checked. If people or a model judge answers, some labels "
    "audit known verdicts; nobody sees which.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelKinds(Options[str]):
    """A select box of kinds of label; an address may have grades on another scale, which is then offered too."""

    def option(self, given: str | None) -> str | None:
        """Return the kind that a text stands for; None if it stands for none."""
        known = Options.option(self, given)
        return given if known is None and given is not None and self._is_scale(given) else known

    def _is_scale(self, kind: str) -> bool:
        """Whether a kind is that of grades, and these are offered here."""
        offered = any(KINDS[name].scale is not None for name in self.names)
        return offered and kind in KINDS and KINDS[kind].scale is not None

    def text(self, value: str) -> str:
        """Write a value for people."""
        return self.names.get(value) or KINDS[value].loose_title

    def draw(self, then: Callable[[], None] | None = None) -> str:
        """Draw the box; ``then``: what follows a change."""
        value = self.value
        other = value not in self.names and self._is_scale(value)
        with_it = self.with_more({value: self.text(value)}) if other else self
        return Options.draw(with_it, then)


LABEL_KIND = LabelKinds(
    key="label-kind",
    of_pool=True,
    label="Kind of label",
    default=_KIND,
    always=True,
    names={name: KINDS[name].title for name in (_KIND, *KINDS, *map(scored, SCALES))},
    aliases=KINDS.aliases,
    help="Right answers are compared with the target’s, so you can use them again for another target.",
)
# The kept list of items that pages Label and Estimate are about.
PLAN = Options(
    key="plan",
    of_pool=True,
    label="Plan",
    default="",
    always=True,
    more=True,
    help="Lists of this pool that have labels. Plans that differ only in the number of labels share them.",
)
ANNOTATOR = Line(key="annotator", label="Your name")
AGAINST = Options(
    key="against",
    of_pool=True,
    label="Against",
    default="",
    help="People see both answers in random order, without names, and say which is better.",
)
NEW_MODEL = Line(
    key="new-model",
    of_pool=True,
    label="Name of the new model",
    help="Its results are kept under this name, apart from those of the other models.",
)

UNIT = Options(
    key="unit",
    label="Unit of the error",
    default="relative",
    # Without letters beyond ASCII, for which Streamlit would load its list of emojis before the first chart.
    names={name: one.name for name, one in units.UNITS.items()},
    aliases={"± points": "points"},
)
DETAIL = Options(
    key="detail",
    label="Details",
    default="strata",
    names={
        "strata": "Strata",
        "map": "H × δ map",
        "signals": "Signals to sort by",
        "race": "Against Uniform",
        "numbers": "Numbers",
    },
)
CONTENTS = Options(
    key="contents",
    label="Contents of the pool",
    default="items",
    names={
        "items": "Items",
        "groups": "Groups",
        "fields": "Fields",
        "answers": "Answers",
        "runs": "Runs",
        "weights": "Weights",
        "graded": "Graded before",
        "saved": "Saved on pools like it",
        "account": "Account",
    },
)
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


CONFIDENCE = Options(
    key="confidence",
    label="Confidence",
    noun="confidence",
    default=0.95,
    names={number: level(number) for number in _CONFIDENCES},
    aliases={f"{100 * number:g}": number for number in _CONFIDENCES},
)
COMPARE = Options(
    key="compare",
    within="about=metrics",
    of_pool=True,
    label="Other target",
    noun="other target",
    default="",
    help="Both targets on the same labelled items. This gives a more precise difference than two samples.",
)

CURRENCY = Line(
    key="currency", kept=True, label="Currency", help="What labels cost is shown on every page that counts them."
)
PRICE = Amount(key="price", kept=True, label="Price per label")
MINUTES = Amount(key="minutes", kept=True, label="Minutes per label")
RUN_PRICE = Amount(key="run-price", kept=True, label="Price per answer of your model", help="For each labelled item.")
TOKENS = Amount(
    key="tokens",
    kept=True,
    label="Tokens of a cheap model per item",
    help="Of all its answers and the prompt together.",
)
TOKEN_PRICE = Amount(key="token-price", kept=True, label="Price per million tokens")
BAR = Number(
    key="bar",
    label="Ship from, % accuracy",
    default=80.0,
    low=1.0,
    high=99.0,
    help=meanings("accuracy gate"),
)
BAND = Number(
    key="band",
    label="Band, ± points",
    default=5.0,
    low=0.5,
    high=40.0,
    step=0.5,
    help="No clear answer is needed if the accuracy is nearer to the bar than this.",
)

# The version gate. The defaults of its versions follow from the pool.
GATE_OLD = Options(key="gate-old", of_pool=True, label="Old version", default="")
GATE_NEW = Options(key="gate-new", of_pool=True, label="New version", default="")


# Tabs.
LIST, DESK, RETURNS = "The list", "Label here", "Take labels back"
PART = Options(
    key="part", label="Part", default=LIST, names={LIST: "The list", DESK: "Label here", RETURNS: "Import labels"}
)
LIST_DETAIL = Options(
    key="list-detail",
    label="Details of the list",
    default="strata",
    names={
        "strata": "Where they come from",
        "precision": "How precise",
        "known": "Graded before",
        "run": "Run your model",
        "reproduce": "Reproduce a list",
    },
)
RUN = Options(key="run", of_pool=True, label="Runs on this pool", default="", more=True)


def design(plan: str | None = None) -> str:
    """Draw the choice of a design: `BEST`, `PAPERS`, `GATE`, or the kept ``plan``, which any other choice leaves."""
    if plan is None:
        return DESIGN.draw()
    session.write({DESIGN.key: None})
    return replace(DESIGN, names={plan: plan, **DESIGN.names}, default=plan).draw(_leave_plan)


def floor() -> float | None:
    """Return the floor of the masses of fine strata along a predicted risk; None is the one that past models choose."""
    return None if FLOOR.value == _BY_PAST else float(FLOOR.value)


def another_list() -> dict[str, str | Sequence[str] | None]:
    """Return the parameters of a new list of the recommended design, whichever list has labels."""
    return {PLAN.key: None, DESIGN.key: None} | SEED.another()


def _leave_plan() -> None:
    session.write({PLAN.key: None} | SEED.another())


def target(pool: Pool, new: bool = False, among: Collection[str] | None = None) -> str | None:
    """Draw the target model; None if the pool has none, or if it has not run yet.

    Parameters
    ----------
    pool : Pool
        The pool.
    new : bool
        Offer a model that has not run on the pool yet.
    among : collection of str, optional
        The targets that are offered; by default all.
    """
    # A model that only labels name is offered last, and never by default.
    names = sorted(newest_first(pool.targets), key=lambda name: pool.targets[name].is_silent)
    names = names if among is None else [name for name in names if name in among]
    control = TARGET.of({name: name for name in names} | ({NEW: NEW_NAME} if new and names else {}))
    if not control.names:
        return None
    chosen = control.draw()
    return chosen if chosen in pool.targets else None


def parser() -> str | None:
    """Draw the answer kind of all items' generations; None is the pool's own."""
    return _kind(PARSER.draw())


def current_parser() -> str | None:
    """Return the answer kind of all items' generations; None is the pool's own."""
    return _kind(PARSER.value)


def _kind(chosen: str) -> str | None:
    return None if chosen == OWN else chosen


def scheme(parser: str | None, then: Callable[[], None] | None = None, folded: bool = True) -> Scheme:
    """Draw the choices of the paper’s design.

    Parameters
    ----------
    parser : str or None
        How answers are read.
    then : callable, optional
        What follows a change of any.
    folded : bool
        Whether stratifier and allocation are in a panel; not if all of them are.
    """
    st.caption("H is the number of strata (groups of items). δ evens out their shares of the labels.")
    strata, offset = STRATA.draw(then), OFFSET.draw(then)
    rest = panel("Stratifier, allocation", "strata-settings", icon=":material/splitscreen:", width="stretch")
    with rest if folded else nullcontext():
        stratifier, allocation = STRATIFIER.draw(then), ALLOCATION.draw(then)
    return Scheme(stratifier=stratifier, n_strata=strata, allocation=allocation, offset=offset, parser=parser)


def budget(least: int, n_items: int, default: int | None = None) -> int:
    """Draw the budget, on round numbers from ``least`` to the whole pool, in steps of about equal ratio."""
    options = budget_options(least, n_items)
    if default is not None:
        options = sorted({*options, default})
    return BUDGET.draw(options, default_budget(least, n_items) if default is None else default)


def of_plan(plan_id: str, budget: int, kind: str) -> dict[str, str | Sequence[str] | None]:
    """Return the parameters of a kept plan with another budget."""
    left: dict[str, str | Sequence[str] | None] = {DESIGN.key: None}
    return left | PLAN.parameter(plan_id) | BUDGET.parameter(budget) | LABEL_KIND.parameter(kind)


def papers(scheme: Scheme) -> dict[str, Any]:
    """Return what the paper's controls are set to for a scheme; empty if they cannot say all of it."""
    said = Scheme(
        stratifier=scheme.stratifier,
        n_strata=scheme.n_strata,
        allocation=scheme.allocation,
        offset=scheme.offset,
        parser=scheme.parser,
    )
    in_range = STRATA.low <= scheme.n_strata <= STRATA.high and scheme.offset <= OFFSET.high
    if scheme != said or not in_range or scheme.stratifier not in STRATIFIER.names:
        return {}
    return {
        DESIGN.key: PAPERS,
        ALLOCATION.key: scheme.allocation,
        STRATIFIER.key: scheme.stratifier,
        STRATA.key: scheme.n_strata,
        OFFSET.key: scheme.offset,
    }
