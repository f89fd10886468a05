"""The version gate decides whether a new version is worse than an old one by more than a margin.

    pass  iff the upper limit of Δ is below the margin    fail  iff the lower limit is above it    undecided  otherwise

Items on which both versions gave the same answer cannot tell them apart, whatever their verdict is. Only the D items
whose answers differ are graded, in strata by the old version's verdict: wrong, right, or not graded yet (then both are
graded).

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
from ..pool.outcomes import SILENT
from ..words import PER_CENT, counted, level, listed, per_cent, shown
from . import betting

if TYPE_CHECKING:
    from ..estimation.intervals import Limits
    from ..estimation.mean import Estimate
    from .margin_test import MarginTest

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# Strata of the items whose answers differ, by the old version's verdict.
OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN = "old version wrong", "old version right", "old version not graded"
STRATA = (OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN)
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
ONCE, ANY = "once", "any"
LOOKS = (ONCE, ANY)
MEASURE = "difference in mean loss, new − old"
# All items whose answers differ are worth a word if they take at most so many times the list's labels.
_HARDLY_MORE = 1.25
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VersionGate:
    """Items to grade to decide whether a new version is worse than an old one, and the rule.

    Parameters
    ----------
    old, new : str
        The versions.
    margin : float
        m in (0, 1), in accuracy: 0.02 is two points.
    confidence : float
        1 − α, one-sided, in (0.5, 1).
    power : float
        Chance to pass a version that is as good as the old one, planned for, in (0, 1).
    looks : str
        "once" decides on the full list alone, "any" by a confidence sequence, at any label.
    seed : int
        Of the list.
    pool_ids : (N,) str
        Ids of the items that are compared.
    unequal : (D,) int
        Places among them of the items whose answers differ.
    old_loss : (D,) float
        The old version's losses there; NaN if it is not graded.
    known_loss : (D,) float
        The new version's losses that follow without a label: of items with options that the old version got right, and
        of answers that the bank knows, if verdicts follow from answers. NaN elsewhere.
    order : (n,) int
        Which of ``unequal`` are listed, in labelling order; none if what is known already decides.
    old_graded : int
        Items on which the old version is graded already.
    absent : (int, int, int)
        Items of the pool that are left out, since they have no answer of the old version alone, of the new one alone,
        and of both.
    banked : bool
        Whether the old version's answers are those of a bank, so that no file has them.
    partial : bool
        Whether the items may decide although more are left out.
    """

    old: str
    new: str
    margin: float
    confidence: float
    power: float
    looks: str
    seed: int
    pool_ids: NDArray[np.object_]
    unequal: NDArray[np.int64]
    old_loss: NDArray[np.float64]
    known_loss: NDArray[np.float64]
    order: NDArray[np.int64]
    old_graded: int
    absent: tuple[int, int, int] = (0, 0, 0)
    banked: bool = False
    partial: bool = True

    @property
    def n_items(self) -> int:
        """N."""
        return self.pool_ids.size

    @property
    def kinds(self) -> Whole:
        """Places in `STRATA` of the items whose answers differ, (D,)."""
        return kinds_of(self.old_loss)

    @property
    def names(self) -> tuple[str, ...]:
        """The strata that there are, of `STRATA`."""
        return tuple(STRATA[kind] for kind in np.unique(self.kinds))

    @property
    def stratum(self) -> Whole:
        """Strata of the items whose answers differ, (D,), as numbers of `names`."""
        return np.unique(self.kinds, return_inverse=True)[1]

    @property
    def n_unequal(self) -> int:
        """D, items whose answers differ."""
        return self.unequal.size

    @property
    def share(self) -> float:
        """δ = D/N."""
        return self.n_unequal / self.n_items

    @property
    def n_labels(self) -> int:
        """Labels that the list takes, each a verdict on one version: two for an item if the old one is not graded."""
        return int(self.order.size + np.isnan(self.old_loss[self.order]).sum())

    @property
    def labels_each(self) -> float:
        """Labels that an item of the pool takes on average if both versions are to be graded: 1 or 2."""
        return 2 - self.old_graded / self.n_items

    @property
    def items(self) -> pd.DataFrame:
        """The list in labelling order: item_id, stratum."""
        return pd.DataFrame({"item_id": self.pool_ids[self.unequal[self.order]], "stratum": self.stratum[self.order]})

    @property
    def gradings(self) -> pd.DataFrame:
        """Answers to be graded, in labelling order: item_id, target."""
        rows = [
            (item, target)
            for item, loss in zip(self.items["item_id"], self.old_loss[self.order], strict=True)
            for target in ((self.old, self.new) if np.isnan(loss) else (self.new,))
        ]
        return pd.DataFrame(rows, columns=["item_id", "target"])

    def strata_table(self) -> pd.DataFrame:
        """A row for each stratum: stratum, what, items, known, labels."""
        names, stratum, known = self.names, self.stratum, ~np.isnan(self.known_loss)
        at = {"items": stratum, "known": stratum[known], "labels": stratum[self.order]}
        numbers = {name: np.bincount(strata, minlength=len(names)) for name, strata in at.items()}
        return pd.DataFrame({"stratum": np.arange(len(names)), "what": list(names), **numbers})

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the largest difference that is possible, in mean loss, whatever the open items show."""
        least, most = gap_limits(self.old_loss, self.known_loss)
        return float(least.sum()) / self.n_items, float(most.sum()) / self.n_items

    @property
    def is_whole(self) -> bool:
        """Whether the list has every item that known verdicts leave open, so that the difference is then exact."""
        return 0 < self.order.size == int(np.isnan(self.known_loss - self.old_loss).sum())

    @property
    def sentence(self) -> str:
        """Say in one sentence what has to be graded and what that decides."""
        same = self.n_items - self.n_unequal
        share = per_cent(same / self.n_items)
        alike = f"{self.old} and {self.new} give the same answer to {same:,} of {self.n_items:,} items ({share})"
        if not self.order.size:
            low, high = self.reach
            known = f" Whatever the rest shows, accuracy differs by {points(high)} to {points(low)} points."
            known = "" if low == high else known
            return f"Nothing has to be graded.{known} {alike}. {self.left_out}".rstrip()
        labels = counted(self.n_labels, "label")
        twice = self.n_labels - self.order.size
        both = f" {counted(twice, 'item')} of the list {'takes' if twice == 1 else 'take'} two, one for each version."
        they = "The label is" if self.n_labels == 1 else "The labels are"
        where = "an item" if self.order.size == 1 else "items"
        return (
            f"{labels} to tell whether {self.new} is worse than {self.old}. Worse means by more than "
            f"{100 * self.margin:g} points. {they} on {where} whose answers differ: {alike}.{both if twice else ''} "
            f"{self.left_out}"
        ).rstrip()

    @property
    def left_out(self) -> str:
        """Say which items are left out, and how they are not if a file has the version; "" if there are none."""
        old, new, both = self.absent
        without = [(name, count + both) for name, count in ((self.old, old), (self.new, new)) if count + both]
        if not without:
            return ""
        gone = sum(self.absent)
        whose = " or of ".join(f"{name} ({count:,})" for name, count in without) if len(without) > 1 else without[0][0]
        have, are = ("has", "is") if gone == 1 else ("have", "are")
        said = f"{gone:,} of {counted(self.n_items + gone, 'item')} {have} no answer of {whose} and {are} left out."
        filed = [name for name, _ in without if not (self.banked and name == self.old)]
        if not filed:
            return said
        it = filed[0] if len(filed) == 1 else "a version"
        return f"{said} If {it} gave none, write “{SILENT}” as its answer: then it is graded."

    @property
    def too_few(self) -> str:
        """Say that most items are left out, so that the others do not decide; "" if they may."""
        gone, known = sum(self.absent), ""
        if self.partial or gone <= self.n_items:
            return ""
        if self.banked:
            known = " The bank knows an item by its prompt, its options in their order, and its images."
        return (
            f"Most items are left out, {gone:,} of {self.n_items + gone:,}: the others do not decide.{known} If they "
            "are meant to, say so: --partial, partial=True."
        )

    @property
    def selection(self) -> str:
        """Say of the list that it is a selection, and what it cannot say."""
        listed = counted(self.order.size, "item")
        return (
            f"{listed} on which {self.old} and {self.new} gave different answers, chosen for that from "
            f"{self.n_items:,}: how many of them a version gets right is not its accuracy."
        )

    @property
    def or_all(self) -> str:
        """Say that all items whose answers differ take hardly more labels than the list; "" if they take many more."""
        left = np.isnan(self.known_loss - self.old_loss)
        more = int(left.sum() + np.isnan(self.old_loss).sum()) - self.n_labels
        if not self.order.size or not 0 < more <= (_HARDLY_MORE - 1) * self.n_labels:
            return ""
        return (
            f"All {counted(self.n_unequal, 'item')} whose answers differ: exact, for {counted(more, 'more label')}. "
            "If the list leaves it undecided, its rest may follow."
        )

    @property
    def gaps(self) -> Gaps:
        """Items that have to be graded, in strata, by what is known without labels."""
        return Gaps.of(self.kinds, self.old_loss, self.known_loss, self.n_items)

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
        when = "if you decide once, on the whole list."
        if self.looks == ANY:
            when = (
                "however often you look (the limits are those of a confidence sequence). The list is as long as one "
                "that is looked at once, so it reaches a verdict less often than planned."
            )
        return (
            f"A version worse by exactly {margin} passes at most {most} of the time, and one less than {margin} "
            f"worse fails at most {most} of the time, {when}"
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
        ways = [
            self._losses(given | {one: worst if one[1] == self.new else 1.0 - worst for one in assumed})
            for worst in (0.0, 1.0)
        ]
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
        return VersionDecision(verdict, difference, self, int((~open_).sum()), self.order.size)

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
        sizes, labels = (_counts(self.kinds[places]) for places in (waiting, self.order[waiting[self.order]]))
        old = self.old_loss[waiting]
        whole = part.sizes.size and np.isin(old[~np.isnan(old)], (0, 1)).all()
        lacking = any(size and not n for size, n in zip(sizes, labels, strict=True))
        if not whole or lacking or not testable(sizes, labels):
            return None
        return MarginTest.of(sizes, labels, (self.margin - part.fixed) * self.n_items, self.most_wrong)

    def _losses(self, given: Mapping[object, float] | pd.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Losses of the new and the old version on the items whose answers differ; NaN if they are not known."""
        known = dict(given.items())
        new, old, ids = self.known_loss.copy(), self.old_loss.copy(), self.pool_ids[self.unequal]
        for place, item in enumerate(ids):
            first = known.get((item, self.new), known.get(item, math.nan))
            new[place] = new[place] if math.isnan(first) else first
            second = known.get((item, self.old), math.nan)
            old[place] = second if math.isnan(old[place]) else old[place]
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
        part = Gaps.of(self.kinds, np.where(waiting, self.old_loss, old), np.where(waiting, np.nan, new), self.n_items)
        chosen = self._chosen(gaps)
        chosen = chosen[waiting[chosen]]
        found, at = gaps[chosen], np.searchsorted(part.strata, self.kinds[chosen])
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
        kinds = self.kinds[chosen]
        (mended, _, also), (_, lost, too) = (_counts(kinds[sign * found > 0]) for sign in (-1, 1))
        return test.limited(estimate, (mended, lost, also, too), part.fixed, self.n_items)

    def __repr__(self) -> str:
        return f"Version gate: {self.sentence}\n{self.strata_table().to_string(index=False)}"


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
