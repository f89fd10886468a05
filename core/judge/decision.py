"""Decisions on judges: whether one can be trusted, and which of two is better (docs/judge.md, 3 and 5).

Items fall into four classes by both verdicts: PP, PF, FP and FF, the first judge's first. With x the share of the pool
that has these verdicts and that people fail, and w the share that has them, each difference is linear in its four x, as
in `core.judge.measures`; items on which the judges agree hardly count, so that it is known better than either rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DesignError
from ..estimation.mean import Estimate
from ..words import counted, gap_span, listed, per_cent, signed, width
from .belief import labels_to_decide
from .judge_verdicts import JudgeVerdicts
from .measures import AGREEMENT, TNR, TPR, Z_ONE_SIDED, JudgeMeasure, VerdictClasses, VerdictPair, limits_of
from .rates import VerdictSample

TRUSTED, NOT_TRUSTED, UNDECIDED = "trusted", "not trusted", "undecided"
TPR_LEAST: float = 0.9
TNR_LEAST: float = 0.8


@dataclass(frozen=True, slots=True)
class JudgeDecision:
    """Decision of the labels about a judge.

    Parameters
    ----------
    verdict : str
        "trusted", "not trusted" or "undecided".
    tpr, tnr : float
        The thresholds that it was held against.
    below : tuple of str
        Which rates are below their threshold for sure: "tpr", "tnr".
    needed : int or None
        Labels in all with which a decision is expected, if the rates stay as they are; None if it is decided, or no
        number of labels is expected to decide.
    found : float
        Failing items found.
    without_verdict : int
        Items without a verdict of people that leave it undecided; 0 if they do not matter.
    weighted : bool
        Whether items count by their weights, so that labels for a decision are not forecast.
    """

    verdict: str
    tpr: float
    tnr: float
    below: tuple[str, ...]
    needed: int | None
    found: float
    without_verdict: int = 0
    weighted: bool = False

    @property
    def sentence(self) -> str:
        """Say what is decided, why, and what a decision would take."""
        asked = (
            f"at least {per_cent(self.tpr)} of the good answers passed and {per_cent(self.tnr)} of the failures caught"
        )
        if self.verdict == TRUSTED:
            return f"TRUSTED: the labels show {asked}."
        if self.verdict == NOT_TRUSTED:
            which = {TPR.name: f"fewer than {per_cent(self.tpr)} of the good answers are passed"}
            which[TNR.name] = f"fewer than {per_cent(self.tnr)} of the failures are caught"
            return f"NOT TRUSTED: {' and '.join(which[name] for name in self.below)}."
        if self.without_verdict:
            items = counted(self.without_verdict, "item")
            more = f"the labels alone would decide, but not whichever way {items} without a verdict would have gone"
        elif not self.found:
            more = "no failure was found, so whether failures are caught cannot be measured"
        elif self.weighted:
            more = "more labels may decide; how many is not forecast where items have weights"
        elif self.needed is None:
            more = "the rates lie too near the thresholds for any number of labels to decide"
        else:
            more = f"about {counted(self.needed, 'label')} in all would decide if the rates stay as they are"
        return f"UNDECIDED ({asked}): {more}."

    def __repr__(self) -> str:
        return self.sentence


def decide(pair: VerdictPair, n_labels: int, tpr: float = TPR_LEAST, tnr: float = TNR_LEAST) -> JudgeDecision:
    """Decide about a judge.

    Parameters
    ----------
    pair : VerdictPair
        The labels.
    n_labels : int
        How many they are.
    tpr, tnr : float
        Least shares of good answers passed and of failures caught, in (0, 1).

    Raises
    ------
    DesignError
        A threshold lies outside (0, 1).
    """
    for name, value in (("TPR", tpr), ("TNR", tnr)):
        if not 0 < value < 1:
            raise DesignError(f"The least {name} must lie between 0 and 1, such as 0.9. Found {value:g}.")
    verdict, below = _verdict(pair, tpr, tnr)
    needed = None
    if verdict == UNDECIDED and pair.found and not pair.weighted:
        needed = labels_to_decide(pair, n_labels, lambda more: _verdict(more, tpr, tnr)[0] != UNDECIDED)
    return JudgeDecision(verdict, tpr, tnr, below, needed, pair.found, weighted=pair.weighted)


def _verdict(pair: VerdictPair, tpr: float, tnr: float) -> tuple[str, tuple[str, ...]]:
    """The verdict, and the rates that are below their thresholds.

    Trusted is wrong in at most 5 % if either rate is below (intersection–union); not trusted takes either upper limit,
    and is wrong in at most 5 % if both rates reach their thresholds.
    """
    asked = ((TPR, tpr), (TNR, tnr))
    below = tuple(measure.name for measure, least in asked if pair.limits(measure)[1] < least)
    if below:
        return NOT_TRUSTED, below
    reached = pair.found > 0 and all(pair.limits(measure, Z_ONE_SIDED)[0] >= least for measure, least in asked)
    return (TRUSTED if reached else UNDECIDED), ()


_METHOD = "tilted, over the four classes of both verdicts"
# What judges say in each class, whether the first fails the item, and the second; those first that people fail least.
_CLASSES = ((False, False), (False, True), (True, False), (True, True))
_APART = (0.0, -1.0, 1.0, 0.0)


def _difference(of: JudgeMeasure, scale: float, turn: float, whole: float) -> JudgeMeasure:
    """Return a difference: L(t) = scale (x_FP − x_PF) + turn t Σ x − whole (w_FP − w_PF + t)."""

    def rule(t: float, *shares: float) -> tuple[float, ...]:
        return *(scale * one + turn * t for one in _APART), -whole * (shares[2] - shares[1] + t)

    return replace(of, rule=rule, lowest=-1.0)


_DIFFERENCES = (
    _difference(TPR, 1.0, 1.0, 1.0),
    _difference(TNR, 1.0, -1.0, 0.0),
    _difference(AGREEMENT, 2.0, 0.0, 1.0),
)


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """Two judges, paired: differences of the first less the second.

    Parameters
    ----------
    names : (str, str)
        The judges.
    tpr, tnr, agreement : Estimate
        Differences, with the limits of 95 %.
    pass_rate : float
        Difference of their own pass rates, known of every item: by how much more the first flatters.
    differ, labelled : int
        Items of the pool on which they differ, and how many of them have a label.
    unknown : int
        Items of classes of both verdicts without any label.
    """

    names: tuple[str, str]
    tpr: Estimate
    tnr: Estimate
    agreement: Estimate
    pass_rate: float
    differ: int
    labelled: int
    unknown: int

    def table(self) -> pd.DataFrame:
        """A row for each difference: measure, value, low, high; fractions of 1."""
        rows = [(one.measure, one.value, one.low, one.high) for one in (self.tpr, self.tnr, self.agreement)]
        rows.append(("Judge-only pass rate", self.pass_rate, self.pass_rate, self.pass_rate))
        return pd.DataFrame(rows, columns=["measure", "value", "low", "high"])

    @property
    def sentence(self) -> str:
        """Say which judge is shown to be better in what, or that neither is."""
        first, second = (f"“{name}”" for name in self.names)
        does = ((self.tpr, "passes", "the good answers"), (self.tnr, "catches", "the failures"))
        said = [
            f"{verb} {width(abs(one.value), True)} {'more' if one.value > 0 else 'less'} of {of} ({_limits(one)})"
            for one, verb, of in does
            if one.low > 0 or one.high < 0
        ]
        if not said:
            return f"No difference is shown between {first} and {second} in what they pass and catch."
        return f"{first} {listed(said)}, compared with {second} on the same items."

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on the items that it rests on."""
        verb = "differs" if self.differ == 1 else "differ"
        said = [
            f"They {verb} on {counted(self.differ, 'item')} of the pool, {self.labelled:,} of them labelled. The same "
            "items serve both, so the difference is known more precisely than either rate."
        ]
        if self.unknown:
            said.append(
                f"{counted(self.unknown, 'item has', 'items have')} a pair of verdicts of which no label is known; "
                "limits allow for anything there."
            )
        return tuple(said)

    def __repr__(self) -> str:
        gaps = (self.tpr, self.tnr, self.agreement)
        rows = [f"{one.measure}: {signed(one.value, True)} ({_limits(one)})" for one in gaps]
        return "\n".join([self.sentence, *rows, *self.remarks])


def _limits(one: Estimate) -> str:
    return gap_span(one.low, one.high, True)


def check_other(judge: str, other: JudgeVerdicts, n_items: int) -> None:
    """Check that a judge of so many items may be compared with another one.

    Raises
    ------
    DesignError
        It is the same judge, or the other one is about other items.
    """
    if other.judge == judge:
        raise DesignError(f"“{judge}” is the judge of this list. Compare it with another one.")
    if other.fails.size != n_items:
        raise DesignError(
            f"“{other.judge}” has {counted(other.fails.size, 'verdict')} for {counted(n_items, 'item')}. Give one for "
            "each item of the pool."
        )


def compare(
    one: JudgeVerdicts,
    other: JudgeVerdicts,
    of_class: Callable[[NDArray[np.bool_]], VerdictSample],
    n_labels: int,
) -> JudgeComparison:
    """Compare a judge with another one on the labels of its list.

    Parameters
    ----------
    one, other : JudgeVerdicts
        What both judges say of every item.
    of_class : callable
        From a class of items, (N,), to its labels.
    n_labels : int
        Labels of the list.
    """
    chosen = [(one.fails == by_one) & (other.fails == by_other) for by_one, by_other in _CLASSES]
    both = VerdictClasses(tuple(of_class(items) for items in chosen))
    tpr, tnr, agreement = (_estimate(of, both, n_labels) for of in _DIFFERENCES)
    apart, pass_rate = both.parts[1:3], float(other.fails.mean() - one.fails.mean())
    differ, labelled = sum(part.size for part in apart), int(sum(part.n_labels for part in apart))
    unknown, names = sum(part.unknown for part in both.parts), (one.judge, other.judge)
    return JudgeComparison(names, tpr, tnr, agreement, pass_rate, differ, labelled, unknown)


def _estimate(of: JudgeMeasure, both: VerdictClasses, n_labels: int) -> Estimate:
    """One difference with its limits; NaN if there is nothing to measure."""
    value, error = both.value(of), both.standard_error(of)
    exact = both.whole and not math.isnan(value)
    low, high = (value, value) if exact else limits_of([both], [of])[0, 0].tolist()
    return Estimate(value, error if error > 0 or exact else math.nan, low, high, n_labels, _METHOD, of.title)
