"""The version gate decides, from the labels of its list, whether a new version is worse than an old one by a margin.

    pass  iff the upper limit of Δ is below the margin    fail  iff the lower limit is above it    undecided  otherwise

Strata are those of the old version's verdict, so that each has its own least and largest difference d = new − old loss.
With L = (d + 1)/2, which lies in [0, 1], the difference on the whole pool is Δ = fixed + δ(2 R_L − 1), δ the share of
the items to be graded. With α = 1 − confidence, its limits are those of level 1 − 2α: they meet the margin where the
tail of the labels there is α. A version that is worse by exactly the margin passes with a probability of at most 1.2 α,
and one that is worse by less fails with no more: short lists have an exact test (`core.gates.margin_test`), and limits
err no more often on the others. docs/versions.md, 3.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..errors import DesignError
from ..words import PER_CENT, counted, first_sentence, level, listed, per_cent, shown
from . import betting
from .version_list import (
    ANY,
    FAIL,
    MEASURE,
    ONCE,
    PASS,
    ROUNDING,
    STRATA,
    UNDECIDED,
    Array,
    Gaps,
    VersionList,
    Whole,
    gap_limits,
    points,
)

if TYPE_CHECKING:
    from ..estimation.mean import Estimate
    from .margin_test import MarginTest

# Items that are named in an error.
_NAMED = 6


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
    gate : VersionGate
        The gate.
    n_graded, n_listed : int
        Items of the list that are graded, and all.
    without_verdict : int
        Items of the list of which graders gave no verdict; they are not among ``n_graded``.
    why : str
        Why nothing is decided, whatever the labels say; "" if they decide.
    """

    verdict: str
    difference: Estimate
    gate: VersionGate
    n_graded: int
    n_listed: int
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
        old, new, one = self.gate.old, self.gate.new, self.difference
        without = f", {self.without_verdict:,} without a verdict" if self.without_verdict else ""
        if self.waiting and self.gate.looks == ONCE:
            missing = counted(self.waiting, "item")
            return f"Undecided: {missing} of the list {'is' if self.waiting == 1 else 'are'} not graded{without}."
        limits = f"{points(one.high)} to {points(one.low)}"
        sure = f"{level(round(2 * self.gate.confidence - 1, 6))} limits"
        by = f"{limits} points" if math.isnan(one.value) else f"{points(one.value)} points ({sure}: {limits})"
        if one.low == one.high:
            by = f"{points(one.value)} points in these answers, which vary from run to run"
            by = by if self.gate.varies else f"exactly {points(one.value)} points"
        what = {PASS: f"Pass: {new} is not", FAIL: f"Fail: {new} is", UNDECIDED: f"Undecided whether {new} is"}
        worse = f"{what[self.verdict]} worse than {old} by more than {100 * self.gate.margin:g} points"
        runs = self.gate.runs is not None
        measure, noun = ("expected accuracy", "graded run") if runs else ("accuracy", "label")
        return f"{worse}. Difference in {measure}: {by}, {counted(one.n_labels, noun)}{without}."

    @property
    def gap(self) -> str:
        """The difference in accuracy as a headline, if it is known exactly or from runs on every item."""
        old, new = self.gate.old, self.gate.new
        if self.gate.runs is not None:
            return first_sentence(self.sentence)[0].rstrip(".")
        size = points(-abs(self.difference.value)).removeprefix("+")
        if size == "0.0":
            return f"{new} is as accurate as {old} on these items"
        way = "better" if self.difference.value < 0 else "worse"
        return f"{new} is {size} points {way} than {old} on these items"

    def __repr__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VersionGate(VersionList):
    """Items to grade to decide whether a new version is worse than an old one, and the rule.

    Its parameters are those of `VersionList`.
    """

    def facts(self, decision: VersionDecision) -> dict[str, str]:
        """The facts of a decision for its summary: a name and a few words each."""
        one = decision.difference
        return {
            "Verdict": decision.verdict,
            "Versions": f"{self.old} → {self.new}",
            "Difference in accuracy, points": f"{points(one.value)} ({points(one.high)} to {points(one.low)})",
            "Margin, points": f"{100 * self.margin:g}",
            "Items, answers that differ": f"{self.n_items:,}, {self.n_unequal:,}",
            "Labels": f"{one.n_labels:,}",
            # A difference that is known exactly is never wrong.
            **({} if one.low == one.high else {"Wrong at most in": f"{per_cent(self.most_wrong)} of lists"}),
        }

    def decide(
        self, losses: Mapping[object, float] | pd.Series, without_verdict: Collection[tuple[str, str]] = ()
    ) -> VersionDecision:
        """Decide from the gradings.

        Parameters
        ----------
        losses : mapping or Series
            (item id, target) → loss, or item id → loss of the new version; in [0, 1]. Others are ignored, unless every
            item whose answers differ is graded: the difference is then exact.
        without_verdict : collection of (item id, target)
            Gradings that gave no verdict. The difference is that of the others, as far as these leave it possible, its
            limits hold whichever way these would have gone, and so does the verdict.

        Raises
        ------
        DesignError
            A loss lies outside [0, 1].
        """
        decision = _by_runs(self) if self.runs is not None else by_labels(self, losses, without_verdict)
        return replace(decision, verdict=UNDECIDED, why=self.too_few) if self.too_few else decision

    def settled(self, losses: Mapping[object, float] | pd.Series) -> VersionDecision | None:
        """The decision if the outcomes of both versions are known on every item whose answers differ; None if not.

        Parameters
        ----------
        losses
            As in `decide`.
        """
        new, old = losses_of(self, losses)
        return None if self.runs is None and np.isnan(new - old).any() else self.decide(losses)

    def rest(self, losses: Mapping[object, float] | pd.Series) -> VersionGate:
        """The gate of all items whose answers differ and that these losses leave open: its list makes Δ exact.

        A list may be followed by its rest whatever it showed. A difference that is known exactly is never wrong, so
        that wrong verdicts are as rare as those of the list alone.

        Parameters
        ----------
        losses
            As in `decide`.
        """
        new, old = losses_of(self, losses)
        new = np.where(np.isnan(old), math.nan, new)
        graded = self.old_graded + int((np.isnan(self.old_loss) & ~np.isnan(old)).sum())
        rest = np.flatnonzero(np.isnan(new))
        return replace(self, looks=ONCE, old_loss=old, known_loss=new, order=rest, old_graded=graded)

    def elsewhere(self, losses: Mapping[object, float] | pd.Series) -> str:
        """Say what known outcomes of all items mean for other questions like these; "" unless each is right or wrong.

        The limits are those of paired shares of a random sample (`core.estimation.contrasts.paired_shares`).

        Parameters
        ----------
        losses
            As in `decide`.
        """
        new, old = losses_of(self, losses)
        gaps = new - old
        if self.varies or not np.isin(gaps, (-1.0, 0.0, 1.0)).all():
            return ""
        from ..estimation.contrasts import paired_shares

        lost, won = int((gaps > 0).sum()), int((gaps < 0).sum())
        limits = paired_shares(won, lost, self.n_items)
        low, high = float(limits.low), float(limits.high)
        few = " too few to tell which is better" if low <= 0 <= high else " enough to tell which is better"
        return (
            f"Right before and wrong now: {counted(lost, 'item')}; wrong before and right now: {won:,}. For other "
            f"questions like these, {self.n_items:,} are{few}: the difference lies between {points(-low)} and "
            f"{points(-high)} points (95{PER_CENT} limits, if these were drawn at random)."
        )

    def margin_test(self) -> MarginTest | None:
        """The exact test of the list at the margin; None as in `margin_test`."""
        return margin_test(self)


def by_labels(
    gate: VersionGate, losses: Mapping[object, float] | pd.Series, without_verdict: Collection[tuple[str, str]]
) -> VersionDecision:
    """Decide as `decide`, however many items are left out."""
    own = _decided(gate, *losses_of(gate, losses))
    if not without_verdict:
        return own
    given, assumed = dict(losses.items()), set(without_verdict)
    ways = [
        losses_of(gate, given | {one: worst if one[1] == gate.new else 1.0 - worst for one in assumed})
        for worst in (0.0, 1.0)
    ]
    best, most = (_decided(gate, *way) for way in ways)
    chosen = gate.pool_ids[gate.unequal[_chosen(gate, ways[0][0] - ways[0][1])]]
    labels = best.difference.n_labels - sum(item in set(chosen) for item, _ in assumed)
    low, high = min(best.difference.low, most.difference.low), max(best.difference.high, most.difference.high)
    value = own.difference.value
    if not math.isnan(value):
        value = float(np.fmin(np.fmax(value, best.difference.value), most.difference.value))
    one = replace(own.difference, value=value, low=low, high=high, n_labels=labels)
    verdict = best.verdict if best.verdict == most.verdict else UNDECIDED
    waiting = best.n_listed - best.n_graded
    return replace(own, verdict=verdict, difference=one, without_verdict=own.n_listed - own.n_graded - waiting)


def _decided(gate: VersionGate, new: Array, old: Array) -> VersionDecision:
    """Decide from the losses that are known, (D,) each."""
    gaps = new - old
    open_ = np.isnan(gaps[gate.order])
    difference = _difference(gate, new, old)
    verdict = _verdict(gate, difference) if gate.looks == ANY or not open_.any() else UNDECIDED
    return VersionDecision(verdict, difference, gate, int((~open_).sum()), gate.order.size)


def _verdict(gate: VersionGate, difference: Estimate) -> str:
    if difference.high < gate.margin - ROUNDING:
        return PASS
    return FAIL if difference.low > gate.margin + ROUNDING else UNDECIDED


def _by_runs(gate: VersionGate) -> VersionDecision:
    """Decide from the runs of both versions: their noise is in the difference, also where all items are graded."""
    from ..estimation.intervals import Interval
    from ..estimation.item_runs import expected_difference

    assert gate.runs is not None
    one = replace(expected_difference(*gate.runs, Interval(confidence=2 * gate.confidence - 1)), measure=MEASURE)
    return VersionDecision(_verdict(gate, one), one, gate, 0, 0)


def _chosen(gate: VersionGate, gaps: Array) -> Whole:
    """Places of the items that count: all if every d is known, else those of the list, or of its beginning."""
    if not np.isnan(gaps).any():
        return np.arange(gate.n_unequal)
    open_ = np.isnan(gaps[gate.order])
    if gate.looks == ONCE or not open_.any():
        return np.asarray(gate.order[~open_])
    return gate.order[: int(open_.argmax())]


def losses_of(gate: VersionGate, given: Mapping[object, float] | pd.Series) -> tuple[Array, Array]:
    """Losses of the new and the old version on the items whose answers differ; NaN if they are not known."""
    known = dict(given.items())
    new, old, ids = gate.known_loss.copy(), gate.old_loss.copy(), gate.pool_ids[gate.unequal]
    for place, item in enumerate(ids):
        first = known.get((item, gate.new), known.get(item, math.nan))
        new[place] = new[place] if math.isnan(first) else first
        second = known.get((item, gate.old), math.nan)
        old[place] = second if math.isnan(old[place]) else old[place]
    outside = [
        f"{shown(str(ids[place]), 30)} of {name} ({losses[place]:g})"
        for name, losses in ((gate.new, new), (gate.old, old))
        for place in np.flatnonzero((losses < 0) | (losses > 1))
    ]
    if outside:
        more = [counted(len(outside) - _NAMED, "other")] if len(outside) > _NAMED else []
        raise DesignError(
            "Losses of a version gate lie between 0 (right) and 1 (wrong). Found another loss on "
            f"{listed([*outside[:_NAMED], *more])}. Write (score − lowest possible) / (highest possible − lowest "
            "possible) in place of each score."
        )
    return new, old


def margin_test(gate: VersionGate) -> MarginTest | None:
    """The exact test of the list at the margin.

    None if the old version's losses are neither 0 nor 1, or if the list, or the versions to try, are many.
    """
    from .margin_test import MarginTest, testable

    waiting, part = np.isnan(gate.known_loss), gate.gaps
    sizes, labels = (_counts(gate.kinds[places]) for places in (waiting, gate.order[waiting[gate.order]]))
    old = gate.old_loss[waiting]
    whole = part.sizes.size and np.isin(old[~np.isnan(old)], (0, 1)).all()
    lacking = any(size and not n for size, n in zip(sizes, labels, strict=True))
    if not whole or lacking or not testable(sizes, labels):
        return None
    return MarginTest.of(sizes, labels, (gate.margin - part.fixed) * gate.n_items, gate.most_wrong)


def _difference(gate: VersionGate, new: Array, old: Array) -> Estimate:
    """Δ̂ with its limits, from the graded items among those whose answers differ."""
    # Here, so that planning a gate does not wait for SciPy.
    from ..estimation.mean import Estimate, stratified, tallied

    gaps, waiting, level = new - old, np.isnan(gate.known_loss), 2 * gate.confidence - 1
    part = Gaps.of(gate.kinds, np.where(waiting, gate.old_loss, old), np.where(waiting, np.nan, new), gate.n_items)
    chosen = _chosen(gate, gaps)
    chosen = chosen[waiting[chosen]]
    found, at = gaps[chosen], np.searchsorted(part.strata, gate.kinds[chosen])
    labels = int(chosen.size + np.isnan(gate.old_loss[chosen]).sum())
    counts = np.bincount(at, minlength=part.sizes.size)
    if not waiting.any():
        fixed = part.fixed
        return Estimate(fixed, 0.0, fixed, fixed, labels, "every item that differs is known", MEASURE)
    ends = gap_limits(gate.old_loss, gate.known_loss)
    low, high = (float(np.where(np.isnan(gaps), end, gaps).sum()) / gate.n_items for end in ends)
    widest = Estimate(math.nan, math.nan, low, high, labels, "no label of a stratum", MEASURE)
    whole = np.array_equal(counts, part.sizes)
    if gate.looks == ANY and not whole:
        blocks = betting.blocks((found + 1) / 2, at, part.sizes)
        return widest if not blocks.ends.size else _sequence(blocks, part, at, found, widest, level)
    if not counts.all():
        return widest
    one = stratified((found + 1) / 2, at, part.sizes, level)
    value = part.difference(one.value)
    if whole:
        low = high = value
    elif not math.isnan(one.standard_error):
        values, kind = np.unique(found, return_inverse=True)
        limits = part.limits(values, tallied(at, kind, part.sizes.size, values.size)[None], level)
        low, high = min(float(limits.low[0]), value), max(float(limits.high[0]), value)
    estimate = Estimate(value, 2 * part.share * one.standard_error, low, high, labels, one.method, MEASURE)
    decided = gate.looks == ONCE and not whole and np.array_equal(chosen, gate.order)
    test = margin_test(gate) if decided and np.isin(found, (-1.0, 0.0, 1.0)).all() else None
    if test is None:
        return estimate
    kinds = gate.kinds[chosen]
    (mended, _, also), (_, lost, too) = (_counts(kinds[sign * found > 0]) for sign in (-1, 1))
    return test.limited(estimate, (mended, lost, also, too), part.fixed, gate.n_items)


def _sequence(blocks: betting.Blocks, part: Gaps, at: Whole, found: Array, widest: Estimate, level: float) -> Estimate:
    """Limits that hold at every label at once."""
    low, high = (part.difference(float(end[-1])) for end in betting.limits(blocks, level))
    means = np.bincount(at, weights=(found + 1) / 2) / np.bincount(at)
    value = part.difference(float(part.sizes @ means / part.sizes.sum()))
    return replace(widest, value=value, low=low, high=high, method="confidence sequence, by betting")


def _counts(kinds: Whole) -> tuple[int, int, int]:
    """The number of items of each of `STRATA`."""
    wrong, right, unknown = np.bincount(kinds, minlength=len(STRATA)).tolist()
    return wrong, right, unknown
