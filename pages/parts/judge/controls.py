"""Controls of page Judge: an automatic judge, what is believed of it, and what it is held against."""

from __future__ import annotations

from core.labels import KINDS, scored
from pages.parts.widgets.control import Names, Options
from pages.parts.widgets.controls import SCALES
from pages.parts.widgets.numbers import Amount, Number, Share

JUDGE = Options(
    key="judge",
    of_pool=True,
    label="Judge",
    default="",
    more=True,
    help="The column with its verdicts, or the model whose outputs a judge scored.",
)
PASS_FROM = Amount(key="pass-from", of_pool=True, label="It passes from a score of", low=-1e9)
SCALE = Options(
    key="judge-scale",
    of_pool=True,
    label="Its scores are",
    default="",
    names={"": "Pass or fail, from a score", **{one: KINDS[scored(one)].title for one in SCALES}},
    more=True,
    help="Of grades, people grade on the same scale: the answer is the mean without the judge’s bias.",
)
GOOD_FROM = Amount(within="judge-part=grades", key="judge-good-from", of_pool=True, label="Good from grade", low=-1e9)
MOST_BIAS = Amount(within="judge-part=grades", key="most-bias", of_pool=True, label="Largest bias, ± grades", low=0.0)
PASS_WORDS = Names(key="pass-words", of_pool=True, label="These words mean pass", help="All others mean fail.")
# Beside the words, for a slip that means fail.
NO_PASS_WORD = "None of these"
CRITERIA = Names(
    key="criteria",
    of_pool=True,
    label="More criteria",
    help="Other columns with verdicts of the judge: people decide all criteria while they read an item once.",
)
CRITERION = Options(key="criterion", of_pool=True, label="Criterion", default="", more=True)
PEOPLE = Options(
    key="people",
    of_pool=True,
    label="People’s verdicts",
    default="",
    names={"": "Labels that are given here"},
    more=True,
    help="If a column of the pool has what people say of every item, the labels of the list can be taken from there.",
)
GRADED = Options(
    key="graded",
    of_pool=True,
    label="The judge graded",
    default="",
    names={"": "Say which model"},
    more=True,
    help="The model whose answers the judge has seen. People who label are shown the same ones.",
)
PART = Options(
    key="judge-part",
    label="Details",
    default="trust",
    names={
        "labels": "How many labels",
        "grades": "Calibration",
        "trust": "Trust it?",
        "read": "Read these",
        "criteria": "All criteria",
        "beside": "Other judge",
        "groups": "Groups",
        "numbers": "Numbers",
        "list": "The list",
        "story": "This example",
    },
)
BESIDE = Options(
    key="beside",
    of_pool=True,
    label="Compare with another judge",
    default="",
    names={"": "no other judge"},
    more=True,
    help="A column with another judge’s verdicts, compared on the same labelled items.",
)
LEAST_TPR = Number(
    within="judge-part=trust",
    key="least-tpr",
    label="Good answers passed, at least %",
    default=90.0,
    low=1.0,
    high=99.0,
)
LEAST_TNR = Number(
    within="judge-part=trust", key="least-tnr", label="Failures caught, at least %", default=80.0, low=1.0, high=99.0
)
BELIEVED_TPR = Number(
    within="judge-part=labels", key="believed-tpr", label="Good answers passed, %", default=90.0, low=1.0, high=100.0
)
BELIEVED_TNR = Number(
    within="judge-part=labels", key="believed-tnr", label="Failures caught, %", default=80.0, low=1.0, high=100.0
)
BELIEVED_FAILS = Share(within="judge-part=labels", key="believed-fails", label="Items that fail, %", high=99)


def scale_for(low: float, high: float) -> Options[str]:
    """Return the control of what scores from ``low`` to ``high`` are, with the scales that hold them all."""
    own = [f"{low:.12g}-{high:.12g}"] if low < high and float(low).is_integer() and float(high).is_integer() else []
    kinds = {one: KINDS[scored(one)] for one in ("0-1", *SCALES, *own)}
    names = {one: kind.title for one, kind in kinds.items() if kind.allows(low) and kind.allows(high)}
    return SCALE.of({"": SCALE.names[""], **names})
