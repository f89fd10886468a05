"""The version gate decides whether a new version is worse than an old one by more than a margin.

    pass  iff the upper limit of Δ is below the margin    fail  iff the lower limit is above it    undecided  otherwise

With α = 1 − confidence, limits are those of level 1 − 2α: they meet the margin where the tail of the labels there is α
(`core.gates.gaps`). A version that is worse by exactly the margin passes with a probability of at most 1.2 α, and one
that is worse by less fails with no more: short lists have an exact test (`core.gates.margin_test`), and limits err no
more often on the others. docs/versions.md, 3.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DesignError
from ..words import PER_CENT, counted, level, listed, per_cent, shown
from . import betting
from .gaps import OLD_UNKNOWN, STRATA, Gaps, gap_limits, kinds_of
from .version_decision import ANY, FAIL, ONCE, PASS, UNDECIDED, VersionDecision, points
from .version_list import VersionList

if TYPE_CHECKING:
    from ..estimation.mean import Estimate
    from .margin_test import MarginTest

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MEASURE = "difference in mean loss, new − old"
# Items that are named in an error.
_NAMED = 6
# Whole labels leave few levels: a clear verdict on the whole list may be wrong a fifth more often than α.
TOLERANCE = 1.2
# Of limits and margins.
ROUNDING = 1e-9


class VersionGate(VersionList):
    """A list that tells whether a new version is worse than an old one, and what its labels decide.

    Parameters are those of `VersionList`.
    """

    __slots__ = ()

    @property
    def gaps(self) -> Gaps:
        """Items that have to be graded, in strata, by what is known without labels."""
        return Gaps.of(self.stratum, self.old_loss, self.known_loss, self.n_items)

    @property
    def most_wrong(self) -> float:
        """The largest chance that a clear verdict is wrong."""
        return (TOLERANCE if self.looks == ONCE else 1.0) * (1 - self.confidence)

    @property
    def rates(self) -> str:
        """Say how often each clear verdict is wrong, and when the list may be looked at; nothing without a list."""
        if not self.order.size:
            return ""
        if self.is_whole and self.looks == ONCE:
            return f"All {counted(self.n_unequal, 'item')} whose answers differ: exact, once the list is graded."
        most = per_cent(self.most_wrong)
        margin = f"{100 * self.margin:g} points"
        when = {
            ONCE: "if you decide once, on the whole list",
            ANY: "however often you look (the limits are those of a confidence sequence)",
        }[self.looks]
        less = ""
        if self.looks != ONCE:
            less = (
                " The list is as long as one that is looked at once, so it reaches a verdict less often than planned."
            )
        return (
            f"A version worse by exactly {margin} passes at most {most} of the time, and one less than {margin} "
            f"worse fails at most {most} of the time, {when}.{less}"
        )

    @property
    def why_rates(self) -> str:
        """Say why a clear verdict on the whole list is wrong more often than its limits suggest; "" if it is not."""
        if not self.order.size or self.looks == ANY or self.is_whole:
            return ""
        side, both = per_cent(1 - self.confidence), level(round(2 * self.confidence - 1, 6))
        most = per_cent(self.most_wrong)
        why = f"A list has few possible results, so an error of exactly {side} cannot be had"
        return f"{both} limits leave {side} on each side. {why}: at most {most} is promised."

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
        decision = self._by_labels(losses, without_verdict)
        return replace(decision, verdict=UNDECIDED, why=self.too_few) if self.too_few else decision

    def _by_labels(
        self, losses: Mapping[object, float] | pd.Series, without_verdict: Collection[tuple[str, str]]
    ) -> VersionDecision:
        """Decide as `decide`, however many items are left out."""
        own = self._decided(*self._losses(losses))
        if not without_verdict:
            return own
        given, assumed = dict(losses.items()), set(without_verdict)
        ways = []
        for worst in (0.0, 1.0):
            ways.append(self._losses(given | {one: worst if one[1] == self.new else 1.0 - worst for one in assumed}))
        best, most = (self._decided(*way) for way in ways)
        chosen = self.pool_ids[self.unequal[self._chosen(ways[0][0] - ways[0][1])]]
        labels = best.difference.n_labels - sum(item in set(chosen) for item, _ in assumed)
        low, high = min(best.difference.low, most.difference.low), max(best.difference.high, most.difference.high)
        value = own.difference.value
        if not math.isnan(value):
            value = float(np.fmin(np.fmax(value, best.difference.value), most.difference.value))
        one = replace(own.difference, value=value, low=low, high=high, n_labels=labels)
        verdict = best.verdict if best.verdict == most.verdict else UNDECIDED
        waiting = best.n_listed - best.n_graded
        return replace(own, verdict=verdict, difference=one, without_verdict=own.n_listed - own.n_graded - waiting)

    def _decided(self, new: Array, old: Array) -> VersionDecision:
        """Decide from the losses that are known, (D,) each."""
        gaps = new - old
        open_ = np.isnan(gaps[self.order])
        difference, verdict = self._difference(new, old), UNDECIDED
        if self.looks == ANY or not open_.any():
            if difference.high < self.margin - ROUNDING:
                verdict = PASS
            elif difference.low > self.margin + ROUNDING:
                verdict = FAIL
        pair, counts = (self.old, self.new), (int((~open_).sum()), self.order.size)
        return VersionDecision(verdict, difference, self.margin, *counts, self.looks, pair, self.confidence)

    def _chosen(self, gaps: Array) -> Whole:
        """Places of the items that count: all if every d is known, else those of the list, or of its beginning."""
        if not np.isnan(gaps).any():
            return np.arange(self.n_unequal)
        open_ = np.isnan(gaps[self.order])
        if self.looks == ONCE or not open_.any():
            return np.asarray(self.order[~open_])
        return self.order[: int(open_.argmax())]

    def settled(self, losses: Mapping[object, float] | pd.Series) -> VersionDecision | None:
        """The decision if the outcomes of both versions are known on every item whose answers differ; None if not.

        Parameters
        ----------
        losses
            As in `decide`.
        """
        new, old = self._losses(losses)
        return None if np.isnan(new - old).any() else self.decide(losses)

    def rest(self, losses: Mapping[object, float] | pd.Series) -> VersionGate:
        """The gate of all items whose answers differ and that these losses leave open: its list makes Δ exact.

        A list may be followed by its rest whatever it showed. A difference that is known exactly is never wrong, so
        that wrong verdicts are as rare as those of the list alone.

        Parameters
        ----------
        losses
            As in `decide`.
        """
        new, old = self._losses(losses)
        new = np.where(np.isnan(old), math.nan, new)
        kinds, stratum = np.unique(kinds_of(old), return_inverse=True)
        fresh = int((np.isnan(self.old_loss) & ~np.isnan(old)).sum())
        return replace(
            self,
            looks=ONCE,
            stratum=stratum,
            names=tuple(STRATA[kind] for kind in kinds),
            old_loss=old,
            known_loss=new,
            order=np.flatnonzero(np.isnan(new)),
            old_graded=self.old_graded + fresh,
        )

    def elsewhere(self, losses: Mapping[object, float] | pd.Series) -> str:
        """Say what known outcomes of all items mean for other questions like these; "" unless each is right or wrong.

        The limits are those of paired shares of a random sample (`core.estimation.contrasts.paired_shares`).

        Parameters
        ----------
        losses
            As in `decide`.
        """
        new, old = self._losses(losses)
        gaps = new - old
        if not np.isin(gaps, (-1.0, 0.0, 1.0)).all():
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
        """The exact test of the list at the margin.

        None if the old version's losses are neither 0 nor 1, or if the list, or the versions to try, are many.
        """
        from .margin_test import MarginTest, testable

        waiting, part = np.isnan(self.known_loss), self.gaps
        kinds, listed = np.array(self.names)[self.stratum], self.order[waiting[self.order]]
        sizes, labels = (_counts(kinds[places]) for places in (waiting, listed))
        whole = part.sizes.size and np.isin(self.old_loss[waiting & (kinds != OLD_UNKNOWN)], (0, 1)).all()
        lacking = any(size and not n for size, n in zip(sizes, labels, strict=True))
        if not whole or lacking or not testable(sizes, labels):
            return None
        return MarginTest.of(sizes, labels, (self.margin - part.fixed) * self.n_items, self.most_wrong)

    def _losses(self, given: Mapping[object, float] | pd.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Losses of the new and the old version on the items whose answers differ; NaN if they are not known."""
        known = dict(given.items())
        new, old = self.known_loss.copy(), self.old_loss.copy()
        for place, item in enumerate(self.pool_ids[self.unequal]):
            first = known.get((item, self.new), known.get(item, math.nan))
            new[place] = new[place] if math.isnan(first) else first
            second = known.get((item, self.old), math.nan)
            old[place] = second if math.isnan(old[place]) else old[place]
        ids = self.pool_ids[self.unequal]
        outside = [
            f"{shown(str(ids[place]), 30)} of {name} ({losses[place]:g})"
            for name, losses in ((self.new, new), (self.old, old))
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

    def _difference(self, new: Array, old: Array) -> Estimate:
        """Δ̂ with its limits, from the graded items among those whose answers differ."""
        # Here, so that planning a gate does not wait for SciPy.
        from ..estimation.mean import Estimate, stratified, tallied

        gaps, waiting, level = new - old, np.isnan(self.known_loss), 2 * self.confidence - 1
        part = Gaps.of(
            self.stratum, np.where(waiting, self.old_loss, old), np.where(waiting, np.nan, new), self.n_items
        )
        chosen = self._chosen(gaps)
        chosen = chosen[waiting[chosen]]
        found, at = gaps[chosen], np.searchsorted(part.strata, self.stratum[chosen])
        labels = int(chosen.size + np.isnan(self.old_loss[chosen]).sum())
        counts = np.bincount(at, minlength=part.sizes.size)
        if not waiting.any():
            fixed = part.fixed
            return Estimate(fixed, 0.0, fixed, fixed, labels, "every item that differs is known", MEASURE)
        ends = gap_limits(self.old_loss, self.known_loss)
        low, high = (float(np.where(np.isnan(gaps), end, gaps).sum()) / self.n_items for end in ends)
        widest = Estimate(math.nan, math.nan, low, high, labels, "no label of a stratum", MEASURE)
        whole = np.array_equal(counts, part.sizes)
        if self.looks == ANY and not whole:
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
        decided = self.looks == ONCE and not whole and np.array_equal(chosen, self.order)
        test = self.margin_test() if decided and np.isin(found, (-1.0, 0.0, 1.0)).all() else None
        if test is None:
            return estimate
        kinds = np.array(self.names)[self.stratum[chosen]]
        (mended, _, also), (_, lost, too) = (_counts(kinds[sign * found > 0]) for sign in (-1, 1))
        return test.limited(estimate, (mended, lost, also, too), part.fixed, self.n_items)


def _sequence(blocks: betting.Blocks, part: Gaps, at: Whole, found: Array, widest: Estimate, level: float) -> Estimate:
    """Limits that hold at every label at once."""
    low, high = (part.difference(float(end[-1])) for end in betting.limits(blocks, level))
    means = np.bincount(at, weights=(found + 1) / 2) / np.bincount(at)
    value = part.difference(float(part.sizes @ means / part.sizes.sum()))
    return replace(widest, value=value, low=low, high=high, method="confidence sequence, by betting")


def _counts(kinds: NDArray[np.str_]) -> tuple[int, int, int]:
    """The number of items of each of `STRATA`."""
    wrong, right, unknown = (int((kinds == kind).sum()) for kind in STRATA)
    return wrong, right, unknown
