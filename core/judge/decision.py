"""Whether a judge can be trusted: TRUSTED, NOT TRUSTED or UNDECIDED against two thresholds (docs/judge.md, 5)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import DesignError
from ..words import counted, per_cent
from .belief import labels_to_decide
from .measures import TNR, TPR, Z_ONE_SIDED, VerdictPair

TRUSTED, NOT_TRUSTED, UNDECIDED = "trusted", "not trusted", "undecided"
TPR_LEAST, TNR_LEAST = 0.9, 0.8


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
    """

    verdict: str
    tpr: float
    tnr: float
    below: tuple[str, ...]
    needed: int | None
    found: float
    without_verdict: int = 0

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
    if verdict == UNDECIDED and pair.found:
        needed = labels_to_decide(pair, n_labels, lambda more: _verdict(more, tpr, tnr)[0] != UNDECIDED)
    return JudgeDecision(verdict, tpr, tnr, below, needed, pair.found)


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
