"""Decisions with labels: an accuracy gate, and two targets told apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DesignError
from ..gates.accuracy_gate import HOLD, SHIP, Gate
from ..words import counted, level, per_cent, significant, width
from .pairs import Pairing
from .question import Costs

# Accuracies of a figure of chances, up to three bands from the bar.
_ACCURACIES, _BANDS = 61, 3
# Labels after which a gate that is looked at early gives up, in units of the fixed number.
_LONGEST = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or two with the words that matter most.

    Parameters
    ----------
    strong : str
        These words.
    after, before : str
        What stands after and before them, with its spaces and commas.
    """

    strong: str
    after: str = ""
    before: str = ""

    def __str__(self) -> str:
        return f"{self.before}{self.strong}{self.after}"


@dataclass(frozen=True, slots=True)
class GatePromise:
    """Labels of an accuracy gate that is decided once, at the end, with labels drawn uniformly; exact.

    Parameters
    ----------
    rule : Gate
        What is decided.
    labels : int or None
        Fewest labels that give a clear answer with the wanted chance; None if that takes more than 100,000.
    costs : Costs
        What labels cost.
    planned : int
        Labels that are asked about.
    """

    rule: Gate
    labels: int | None
    costs: Costs
    planned: int

    @property
    def most(self) -> int:
        """Labels after which a gate that is checked after every label gives up.

        Raises
        ------
        DesignError
            A clear answer takes more than 100,000 labels.
        """
        if self.labels is None:
            raise DesignError("A clear answer takes more than 100,000 labels. Choose a wider band.")
        return min(_LONGEST * self.labels, self.rule.items)

    @property
    def chances(self) -> pd.DataFrame:
        """Chance of each answer over true accuracies around the bar, as of `Gate.chances`; none without labels."""
        bar, reach = self.rule.bar, _BANDS * self.rule.band
        accuracies = np.linspace(max(bar - reach, 0), min(bar + reach, 1), _ACCURACIES if self.labels else 0)
        return self.rule.chances(self.labels or 1, accuracies)

    @property
    def about(self) -> str:
        """Grounds of the answer, decided once or checked after every label."""
        return (
            "If you decide once, the error rates are exact. If you check after every label, the answer rests on a "
            "confidence sequence by betting, which learns little from many small groups. Its list has three groups, or "
            "is drawn uniformly if nothing is known of the items."
        )

    @property
    def finding(self) -> Finding:
        """The number of labels needed, and the chance of a clear answer."""
        if self.labels is None:
            return Finding("", "A clear answer takes more than 100,000 labels. Choose a wider band.")
        rule = self.rule
        return Finding(
            f"Ship or hold, decided once, at the end: {priced(self.labels, self.costs)}",
            f", drawn uniformly, give a clear answer with a chance of {level(rule.power)} if the accuracy is "
            f"{100 * rule.band:.3g} points or more from {per_cent(rule.bar, 1)}. Each answer is wrong at most "
            f"{level(1 - rule.confidence)} of the time.",
        )

    @property
    def of_planned(self) -> Finding:
        """Chances that the labels asked about ship a model a little better, and hold one a little worse."""
        rule, labels = self.rule, min(self.planned, self.rule.items)
        ends = min(rule.bar + rule.band, 1.0), max(rule.bar - rule.band, 0.0)
        better, worse = rule.chances(labels, ends).to_dict("records")
        return Finding(
            f"With your {counted(labels, 'label')}, drawn uniformly",
            f", a model of {per_cent(better['accuracy'], 1)} ships with a chance of {per_cent(better[SHIP])}, and one "
            f"of {per_cent(worse['accuracy'], 1)} is held with a chance of {per_cent(worse[HOLD])}; otherwise the "
            "answer is unclear.",
        )


@dataclass(frozen=True, slots=True)
class EarlyRuns:
    """Mean labels of simulated gates at one accuracy, and the share of them with an answer."""

    accuracy: float
    labels: float
    decided: float


@dataclass(frozen=True, slots=True)
class EarlyGate:
    """Labels of an accuracy gate that is checked after every label; simulated.

    Parameters
    ----------
    ship, hold : EarlyRuns
        At the upper and at the lower end of the band.
    promise : GatePromise
        Of the same gate, decided once.
    half_width : float
        Half-width of the interval from the fixed number of labels on the gate's list; NaN if its strata are those of
        the recommended design.
    recommended : int or None
        Labels of the recommended design for the same half-width; None if that is not known.
    """

    ship: EarlyRuns
    hold: EarlyRuns
    promise: GatePromise
    half_width: float
    recommended: int | None

    @property
    def finding(self) -> Finding:
        """The mean number of labels, and the price of its few strata."""
        ship, hold, costs = self.ship, self.hold, self.promise.costs
        sure, after = min(ship.decided, hold.decided), counted(self.promise.most, "label")
        least = per_cent(math.floor(100 * sure) / 100)
        lists = f"at least {least} of lists have an answer after {after}; between them, fewer have"
        if sure == 1:
            lists = f"every simulated list has an answer after at most {after}; between them, not every list has"
        text = (
            f" on average to ship at {per_cent(ship.accuracy)} and {hold.labels:,.0f} to hold at "
            f"{per_cent(hold.accuracy)}. At either accuracy, {lists}."
        )
        if self.recommended is not None:
            text += (
                f" To measure the accuracy to ±{width(self.half_width, True)}, the recommended design takes "
                f"{priced(self.recommended, costs)} instead of {self.promise.labels:,}."
            )
        return Finding(f"Ship or hold, checked after every label: {priced(round(ship.labels), costs)}", text)


@dataclass(frozen=True, slots=True)
class PairPromise:
    """Labels of a comparison of targets on the same items, drawn uniformly.

    Parameters
    ----------
    rule : Pairing
        What is believed, and how sure one wants to be.
    difference : float
        Of the accuracies, to be detected.
    labels : int
        That it takes.
    budget : int
        Labels of the plan.
    detectable : float
        Smallest difference that these detect.
    costs : Costs
        What labels cost.
    """

    rule: Pairing
    difference: float
    labels: int
    budget: int
    detectable: float
    costs: Costs

    @property
    def about(self) -> str:
        """The items that tell targets apart."""
        return "Only items that one model gets right and the other wrong tell them apart."

    @property
    def finding(self) -> Finding:
        """The number of labels needed, and the difference that the plan's labels detect."""
        rule, pairs = self.rule, self.rule.targets * (self.rule.targets - 1) // 2
        joint = "" if pairs == 1 else f", jointly for all {pairs} pairs"
        return Finding(
            priced(self.labels, self.costs),
            f", drawn uniformly, detect a difference of {100 * self.difference:.3g} points with a chance of "
            f"{level(rule.power)} at {level(rule.confidence)} confidence{joint}, all on the same items. With "
            f"{counted(self.budget, 'label')} the smallest difference is {100 * self.detectable:.1f} points.",
        )


@dataclass(frozen=True, slots=True)
class Differing:
    """The items alone on which two targets can differ, for their comparison.

    Parameters
    ----------
    first, second : str
        The targets.
    share : float
        Share q of the items on which their answers differ.
    labels : int or None
        Among these items that detect the same difference; None if more are believed to differ than do.
    costs : Costs
        What labels cost.
    """

    first: str
    second: str
    share: float
    labels: int | None
    costs: Costs

    @property
    def finding(self) -> Finding:
        """The share of items with different answers, and the number of labels needed there."""
        share, times = per_cent(self.share, 1), significant(self.share, 2)
        differing = f"“{self.first}” and “{self.second}” give different answers on {share} of the items"
        if self.labels is None:
            return Finding("", f"{differing}, so they agree on more than you expect.")
        return Finding(
            priced(self.labels, self.costs),
            f" among these items detect the same difference. Over all items the difference is {times} times as large.",
            f"{differing}, and only there can one be right and the other wrong: ",
        )


@dataclass(frozen=True, slots=True)
class KnownPair:
    """Two targets of which a pool knows every outcome.

    Parameters
    ----------
    first, second : str
        The targets; the question's is the first.
    agreement : float
        Share of the items that both get right or both get wrong.
    difference : float
        Accuracy of the first less that of the second.
    """

    first: str
    second: str
    agreement: float
    difference: float

    @property
    def finding(self) -> Finding:
        """The known difference, and the meaning of figures of labels beside it."""
        size = f"{abs(100 * self.difference):.1f} points"
        way = "better" if self.difference > 0 else "worse"
        gap = f"{size} {way} than" if self.difference else "as accurate as"
        return Finding(
            f"{self.first} is {gap} {self.second}",
            f": every outcome of both is known. Both are right or both wrong on {per_cent(self.agreement, 2)} of the "
            "items. No labels are needed for that. What labels would take if it were not known:",
        )


def priced(labels: int, costs: Costs) -> str:
    """Write a number of labels with what they cost, if that is known."""
    money = costs.spent(labels)
    return f"{counted(labels, 'label')}{f' ({money})' if money else ''}"
