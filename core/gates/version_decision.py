"""The decision of a version gate: pass, fail or undecided, with the difference and its limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..words import counted, level

if TYPE_CHECKING:
    from ..estimation.mean import Estimate

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
ONCE, ANY = "once", "any"
LOOKS = (ONCE, ANY)


@dataclass(frozen=True, slots=True, eq=False)
class VersionDecision:
    """The decision about a new version.

    Parameters
    ----------
    verdict : str
        "pass", "fail" or "undecided".
    difference : Estimate
        Mean loss of the new version less that of the old one, with the two-sided limits of level 1 − 2α; its
        ``n_labels`` counts verdicts on one version, as `VersionGate.n_labels` does.
    margin : float
        m.
    n_graded, n_listed : int
        Items of the list that are graded, and all.
    looks : str
        "once" or "any".
    names : (str, str)
        The old and the new version.
    confidence : float
        1 − α.
    without_verdict : int
        Items of the list of which graders gave no verdict; they are not among ``n_graded``.
    why : str
        Why nothing is decided, whatever the labels say; "" if they decide.
    """

    verdict: str
    difference: Estimate
    margin: float
    n_graded: int
    n_listed: int
    looks: str
    names: tuple[str, str]
    confidence: float
    without_verdict: int = 0
    why: str = ""

    @property
    def waiting(self) -> int:
        """Items of the list that wait for a grading."""
        return self.n_listed - self.n_graded - self.without_verdict

    @property
    def sentence(self) -> str:
        """Say what is decided, and the difference in accuracy with its limits."""
        return f"{self._verdict} {self.why}".rstrip()

    @property
    def _verdict(self) -> str:
        old, new = self.names
        one = self.difference
        without = f", {self.without_verdict:,} without a verdict" if self.without_verdict else ""
        if self.waiting and self.looks == ONCE:
            missing = counted(self.waiting, "item")
            return f"Undecided: {missing} of the list {'is' if self.waiting == 1 else 'are'} not graded{without}."
        limits = f"{points(one.high)} to {points(one.low)}"
        sure = f"{level(round(2 * self.confidence - 1, 6))} limits"
        by = f"{limits} points" if math.isnan(one.value) else f"{points(one.value)} points ({sure}: {limits})"
        by = f"exactly {points(one.value)} points" if one.low == one.high else by
        what = {
            PASS: f"Pass: {new} is not worse than {old} by more than {100 * self.margin:g} points",
            FAIL: f"Fail: {new} is worse than {old} by more than {100 * self.margin:g} points",
            UNDECIDED: f"Undecided whether {new} is worse than {old} by more than {100 * self.margin:g} points",
        }[self.verdict]
        return f"{what}. Difference in accuracy: {by}, {counted(one.n_labels, 'label')}{without}."

    @property
    def gap(self) -> str:
        """The difference in accuracy as a headline, if it is known exactly."""
        old, new = self.names
        size = points(-abs(self.difference.value)).removeprefix("+")
        if size == "0.0":
            return f"{new} is as accurate as {old} on these items"
        way = "better" if self.difference.value < 0 else "worse"
        return f"{new} is {size} points {way} than {old} on these items"

    def __repr__(self) -> str:
        return self.sentence


def points(loss: float) -> str:
    """Write a difference of losses as one of accuracies, in points with a sign: “−1.3”, “–” if it is not known."""
    if math.isnan(loss):
        return "–"
    return f"{-100 * loss + 0.0:+.1f}".replace("-", "−").replace("−0.0", "0.0").replace("+0.0", "0.0")
