"""Controls of pages Plan and Versions: what is asked, what is to be decided, and the version gate."""

from __future__ import annotations

from core.allocation import USUAL_BUDGET
from core.words import PER_CENT, level
from pages.parts.widgets.control import Options, Toggle
from pages.parts.widgets.controls import AUDITED, BUDGET, FOLLOWING
from pages.parts.widgets.numbers import Amount, Between, Number, Whole

PAIRED = Options(key="pair", of_pool=True, label="Target", default="")
ITEMS = Amount(key="items", label="Number of items", low=2, whole=True)
# What page Plan is about: a pool that is not there yet, or the current one.
NO_POOL, THIS_POOL = "none", "pool"
PLAN_FOR = Options(
    key="plan-for",
    label="Plan for",
    default=THIS_POOL,
    names={THIS_POOL: "The current pool", NO_POOL: "A new pool"},
    aliases={"No pool yet": NO_POOL, "This pool": THIS_POOL},
    help="A new pool needs no file: a typical one is assumed. The current pool is the one in the sidebar.",
)
BELIEVED = Between(
    key="believed",
    label="Expected accuracy",
    default=(70, 85),
    low=0,
    high=100,
    help="The range in which you expect the accuracy of your model (the target).",
)
# What past outcomes on the pool show of its signal, or else what such a signal is usually worth.
USUAL = "usual"
AUROC = Options(
    key="auroc",
    more=True,
    label="What predicts the mistakes",
    default=USUAL,
    names={
        USUAL: f"Not sure yet (ranks them correctly 65{PER_CENT} of the time)",
        "typical": f"Another model’s answers (ranks them correctly 65{PER_CENT} of the time)",
        "weak": f"Hardly anything (ranks them correctly 56{PER_CENT} of the time)",
        "strong": f"Both models’ answers (ranks them correctly 75{PER_CENT} of the time)",
        "past results": f"Past results of other models (ranks them correctly 85{PER_CENT} of the time)",
    },
    aliases={
        "Typical (0.65)": "typical",
        "Weak (0.56)": "weak",
        "Strong (0.75)": "strong",
        "Past results (0.85)": "past results",
        "As usual (0.65)": USUAL,
        "Not sure yet (AUROC 0.65)": USUAL,
        "Another model’s answers (AUROC 0.65)": "typical",
        "Hardly anything (AUROC 0.56)": "weak",
        "Both models’ answers (AUROC 0.75)": "strong",
        "Past results of other models (AUROC 0.85)": "past results",
        "Another model’s answers (typical, 0.65)": "typical",
        "Hardly anything (weak, 0.56)": "weak",
        "Both models’ answers (strong, 0.75)": "strong",
        "Past results of other models (0.85)": "past results",
        "measured": USUAL,
    },
    help="What you know of the items before any label, and how often it ranks a wrong answer as riskier than a right "
    f"one: 50{PER_CENT} is chance (this share is the AUROC). Another model’s answers: a cheap model answers each item "
    "several times, and your model fails more often where these answers disagree. Both models’ answers: your model’s "
    "own are compared with them. Past results: other models’ grades on the same items.",
)
QUESTION = Options(
    key="question",
    label="I want",
    default="labels",
    names={"half-width": "Precision", "labels": "Labels", "money": "Money"},
    aliases={"How many labels": "labels", "How precise": "half-width", "How much money": "money"},
)
# What may be known of the items: a row of the page's table. The default is what the plan rests on now.
KNOWN = Options(key="known", of_pool=True, label="Known of the items", default="", more=True)
GATES, SAVINGS = "Ship or hold", "What such pools saved"
DETAIL = Options(key="plan-part", label="Details", default=GATES, names={name: name for name in (GATES, SAVINGS)})
# The budget if no pool limits it.
LABELS = Whole(key=BUDGET.key, label="Labels", default=USUAL_BUDGET, low=1, high=1_000_000, always=True)
POINTS = Number(key="points", label="± points", default=5.0, low=0.1, high=49.0, step=0.5)
MONEY = Number(key="money", label="Money", default=1000.0, low=0.0, high=1e12, step=100.0)
CHANCE = Options(
    key="chance",
    label="Chance of a clear answer",
    default=0.8,
    names={number: level(number) for number in (0.8, 0.9, 0.95)},
)
AGREEMENT = Number(
    key="agreement",
    label="Both right or both wrong, %",
    default=85.0,
    low=0.0,
    high=99.9,
    help="The share of the items that you expect both targets to get right, or both to get wrong.",
)
DIFFERENCE = Number(key="difference", label="Difference to detect, points", default=5.0, low=0.1, high=100.0, step=0.5)
TARGETS = Whole(key="targets", label="Models compared", default=2, low=2, high=50)
MARGIN = Number(
    key="margin",
    label="Worse by at most, points",
    default=2.0,
    low=0.1,
    high=50.0,
    step=0.5,
    help="The largest loss of accuracy that may pass.",
)
LOOKS = Options(
    key="looks",
    label="Decide",
    default="once",
    names={"once": "Once, at the end", "any": "After any label"},
    help="Looking after any label needs wider limits. Choose before labelling.",
)
VERDICTS_FOLLOW = Options(
    key="verdicts",
    label="How is an answer graded?",
    default=AUDITED,
    names={AUDITED: "By people or a model", FOLLOWING: "By comparing it with the right answer"},
    help="If an answer is compared with the right one, or tested, verdicts on equal answers of other models count for "
    "both versions.",
)
KNOWN_OUTCOMES = Toggle(
    key="known-outcomes", of_pool=True, label="Decide with the outcomes that the pool knows", default=False
)
