"""The decision of a version gate, from the labels of its list: pass, fail or undecided.

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
from numpy.typing import NDArray

from ..errors import DesignError
from ..words import counted, level, listed, shown
from . import betting

if TYPE_CHECKING:
    from ..estimation.intervals import Limits
    from ..estimation.mean import Estimate
    from .margin_test import MarginTest
    from .version_gate import VersionGate

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# Strata of the items whose answers differ, by the old version's verdict.
OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN = "old version wrong", "old version right", "old version not graded"
STRATA = (OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN)
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
ONCE, ANY = "once", "any"
LOOKS = (ONCE, ANY)
MEASURE = "difference in mean loss, new − old"
# Items that are named in an error.
_NAMED = 6
# Whole labels leave few levels: a clear verdict on the whole list may be wrong a fifth more often than α.
TOLERANCE = 1.2
# Of limits and margins.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Items that have to be graded, in strata, beside what is known of the others.

    Parameters
    ----------
    strata : (H,) int
        Places in `STRATA` of those that have such items, ascending.
    sizes : (H,) int
        Items of each.
    least, most : (H,) float
        The least and the largest d of each.
    fixed : float
        Part of Δ that is known.
    n_items : int
        N.
    """

    strata: Whole
    sizes: Whole
    least: Array
    most: Array
    fixed: float
    n_items: int

    @classmethod
    def of(cls, kinds: Whole, old: Array, new: Array, n_items: int) -> Gaps:
        """Cut what is known of the losses, (D,) each with NaN, into the items to be graded and the others."""
        waiting = np.isnan(new - old)
        strata, at = np.unique(kinds[waiting], return_inverse=True)
        least, most = np.full(strata.size, np.inf), np.full(strata.size, -np.inf)
        low, high = gap_limits(old, new)
        np.minimum.at(least, at, low[waiting])
        np.maximum.at(most, at, high[waiting])
        fixed = float((new - old)[~waiting].sum()) / n_items
        return cls(strata, np.bincount(at, minlength=strata.size), least, most, fixed, n_items)

    @property
    def share(self) -> float:
        """δ."""
        return float(self.sizes.sum()) / self.n_items

    def difference(self, mean: float) -> float:
        """Δ if the mean of L is this."""
        return self.fixed + self.share * (2 * mean - 1)

    def mean(self, difference: float) -> float:
        """The mean of L with which Δ is this; NaN if nothing has to be graded."""
        return ((difference - self.fixed) / self.share + 1) / 2 if self.share else np.nan

    def limits(self, values: Array, tallies: Whole, level: float) -> Limits:
        """Limits of Δ, (R,), cut to what is possible.

        Parameters
        ----------
        values : (K,) float
            d of labels.
        tallies : (R, H, K) int
            Labels with each; every stratum has one.
        level : float
            Two-sided.
        """
        # Here, so that planning a gate does not wait for SciPy.
        from ..estimation.intervals import Interval, Limits

        counts, span = tallies[0].sum(axis=-1), self.most - self.least
        places = np.clip((values - self.least[:, None]) / span[:, None], 0.0, 1.0)
        base = self.fixed + float(self.sizes @ self.least) / self.n_items
        found = base + (tallies * places).sum(axis=-1) @ span / self.n_items
        if np.array_equal(counts, self.sizes):
            exact = self.fixed + ((tallies @ values) @ np.ones(self.sizes.size)) / self.n_items
            return Limits(exact, exact)
        weights = self.sizes * span / self.n_items
        limits = Interval(confidence=level).of_labels(
            np.broadcast_to(places, tallies.shape), tallies, counts, self.sizes, weights=weights
        )
        furthest = found + float((self.sizes - counts) @ span) / self.n_items
        return Limits(np.maximum(base + limits.low, found), np.minimum(base + limits.high, furthest))


def kinds_of(old: Array) -> Whole:
    """Places in `STRATA` of items by the old version's losses, NaN if it is not graded."""
    return np.where(np.isnan(old), 2, np.where(old >= 0.5, 0, 1))


def gap_limits(old: Array, new: Array) -> tuple[Array, Array]:
    """The least and the largest d of each item, from losses in [0, 1] of which some are not known."""
    best, worst = (np.nan_to_num(new, nan=loss) - np.nan_to_num(old, nan=1 - loss) for loss in (0.0, 1.0))
    return best, worst


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
        by = f"exactly {points(one.value)} points" if one.low == one.high else by
        what = {PASS: f"Pass: {new} is not", FAIL: f"Fail: {new} is", UNDECIDED: f"Undecided whether {new} is"}
        worse = f"{what[self.verdict]} worse than {old} by more than {100 * self.gate.margin:g} points"
        return f"{worse}. Difference in accuracy: {by}, {counted(one.n_labels, 'label')}{without}."

    @property
    def gap(self) -> str:
        """The difference in accuracy as a headline, if it is known exactly."""
        old, new = self.gate.old, self.gate.new
        size = points(-abs(self.difference.value)).removeprefix("+")
        if size == "0.0":
            return f"{new} is as accurate as {old} on these items"
        way = "better" if self.difference.value < 0 else "worse"
        return f"{new} is {size} points {way} than {old} on these items"

    def __repr__(self) -> str:
        return self.sentence


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
    difference, verdict = _difference(gate, new, old), UNDECIDED
    if gate.looks == ANY or not open_.any():
        if difference.high < gate.margin - ROUNDING:
            verdict = PASS
        elif difference.low > gate.margin + ROUNDING:
            verdict = FAIL
    return VersionDecision(verdict, difference, gate, int((~open_).sum()), gate.order.size)


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


def points(loss: float) -> str:
    """Write a difference of losses as one of accuracies, in points with a sign: “−1.3”, “–” if it is not known."""
    if math.isnan(loss):
        return "–"
    return f"{-100 * loss + 0.0:+.1f}".replace("-", "−").replace("−0.0", "0.0").replace("+0.0", "0.0")


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
