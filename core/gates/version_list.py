"""The list of a version gate: which items are graded, in which strata, and in which order.

Items on which both versions gave the same answer cannot tell them apart, whatever their verdict is. Only the D items
whose answers differ are graded, in strata by the old version's verdict: wrong, right, or not graded yet (then both are
graded).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..pool.outcomes import SILENT
from ..words import counted, per_cent
from .gaps import gap_limits
from .version_decision import points

# All items whose answers differ are worth a word if they take at most so many times the list's labels.
_HARDLY_MORE = 1.25


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
    stratum : (D,) int
        Their strata, 0 … H−1.
    names : tuple of str
        What each stratum is, of `STRATA`.
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
    stratum: NDArray[np.int64]
    names: tuple[str, ...]
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
        """What is to be graded, in labelling order: item_id, target."""
        rows = [
            (item, target)
            for item, loss in zip(self.items["item_id"], self.old_loss[self.order], strict=True)
            for target in ((self.old, self.new) if np.isnan(loss) else (self.new,))
        ]
        return pd.DataFrame(rows, columns=["item_id", "target"])

    def strata_table(self) -> pd.DataFrame:
        """A row for each stratum: stratum, what, items, known, labels."""
        count = len(self.names)
        return pd.DataFrame(
            {
                "stratum": np.arange(count),
                "what": list(self.names),
                "items": np.bincount(self.stratum, minlength=count),
                "known": np.bincount(self.stratum[~np.isnan(self.known_loss)], minlength=count),
                "labels": np.bincount(self.stratum[self.order], minlength=count),
            }
        )

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

    def __repr__(self) -> str:
        return f"Version gate: {self.sentence}\n{self.strata_table().to_string(index=False)}"
