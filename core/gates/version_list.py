"""The list of a version gate: which items are graded to tell whether a new version is worse than an old one.

Items on which both versions gave the same answer cannot tell them apart, whatever their verdict is. Only the D items
whose answers differ are graded, in strata by the old version's verdict: wrong, right, or not graded yet (then both are
graded).

What their labels decide: `core.gates.version_gate`. docs/versions.md, 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..pool.outcomes import SILENT
from ..words import counted, level, per_cent

if TYPE_CHECKING:
    from ..estimation.intervals import Limits
    from ..estimation.item_runs import ItemRuns

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# Strata of the items whose answers differ, by the old version's verdict.
OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN = "old version wrong", "old version right", "old version not graded"
STRATA = (OLD_WRONG, OLD_RIGHT, OLD_UNKNOWN)
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
ONCE, ANY = "once", "any"
LOOKS = (ONCE, ANY)
MEASURE = "difference in mean loss, new − old"
# Whole labels leave few levels: a clear verdict on the whole list may be wrong a fifth more often than α.
TOLERANCE = 1.2
# Of limits and margins.
ROUNDING = 1e-9
# All items whose answers differ are worth a word if they take at most so many times the list's labels.
_HARDLY_MORE = 1.25


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
class VersionList:
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
    varies : bool
        Whether a version answers differently each time, so that answers of one run do not say what to expect.
    runs : (ItemRuns, ItemRuns) or None
        Runs of the new and the old version on all items, if a version varies and all items are graded: no list is
        needed, and the difference is that of the accuracies to expect.
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
    varies: bool = False
    runs: tuple[ItemRuns, ItemRuns] | None = None

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
    def parts(self) -> tuple[int, int, int, int]:
        """Numbers of items: with equal answers, and of the others those that are known, on the list, and left over."""
        known, listed = int(self.strata_table()["known"].sum()), self.order.size
        return self.n_items - self.n_unequal, known, listed, self.n_unequal - known - listed

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
        if self.runs is not None:
            new, old = (counted(int(one.total.sum()), "graded run") for one in self.runs)
            return (
                f"Nothing has to be graded: {old} of {self.old} and {new} of {self.new} on "
                f"{counted(self.n_items, 'item')}. The answers vary, so the difference is that of the accuracies to "
                f"expect. {self.left_out}"
            ).rstrip()
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

    def __repr__(self) -> str:
        return f"Version gate: {self.sentence}\n{self.strata_table().to_string(index=False)}"


def points(loss: float) -> str:
    """Write a difference of losses as one of accuracies, in points with a sign: “−1.3”, “–” if it is not known."""
    if math.isnan(loss):
        return "–"
    return f"{-100 * loss + 0.0:+.1f}".replace("-", "−").replace("−0.0", "0.0").replace("+0.0", "0.0")
