"""Where the labels of a result come from: who gave them, how they agree, and how they were settled."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ..labels.agreement import BeyondChance, beyond_chance
from ..labels.formats.records import DECISION, NOBODY, by_people
from ..labels.kinds import KINDS
from ..labels.settlement import Settlement
from ..labels.vocabulary import Word, remark, words_of


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that somebody wrote beside a label (None: beside a skip)."""

    item_id: str
    annotator: str
    label: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where labels come from.

    Parameters
    ----------
    kind : str
        Kind of label, of `core.labels.KINDS`.
    unbounded : bool
        Whether scores may lie outside 0 to 1.
    read_as : str or None
        Answer kind by which answers were compared; None = the pool's own, or none were.
    labels, items : int
        Labels that people gave, and the items they gave them to.
    people : tuple of (str, int)
        Each with how many labels, most first.
    from_pool : int
        Labels that are outcomes which the pool knew.
    several, alike : int
        Items with two labels or more, and those of them on which all labels agree.
    conflicts : int
        Items on which labels disagree.
    by_most_frequent, by_mean, by_decision, undecided : int
        How conflicts were settled: by the most frequent answer, by the mean of scores, by a decision, not yet.
    notes : tuple of Note
        Remarks beside labels.
    left_out : tuple of str
        What does not count and why, in sentences.
    beyond_chance : BeyondChance or None
        How far people agree beyond chance, of `core.labels.beyond_chance`.
    words : tuple of Word
        Words that were read by what somebody said of them.
    compared_as : tuple of str
        Answer kinds by which answers were compared with right ones, as `core.answers.rules` names them; () if labels
        judge answers.
    """

    kind: str
    unbounded: bool
    read_as: str | None
    labels: int
    items: int
    people: tuple[tuple[str, int], ...]
    from_pool: int
    several: int
    alike: int
    conflicts: int
    by_most_frequent: int
    by_mean: int
    by_decision: int
    undecided: int
    notes: tuple[Note, ...]
    left_out: tuple[str, ...] = ()
    beyond_chance: BeyondChance | None = None
    words: tuple[Word, ...] = ()
    compared_as: tuple[str, ...] = ()


def provenance(
    rows: pd.DataFrame,
    settlement: Settlement,
    unbounded: bool = False,
    read_as: str | None = None,
    left_out: tuple[str, ...] = (),
    compared_as: tuple[str, ...] = (),
) -> Provenance:
    """Where the labels of a result come from.

    Parameters
    ----------
    rows : DataFrame
        Of `Archive.labels.of`: those that are `core.labels.relevant` and on the list, decisions among them.
    settlement : Settlement
        Of the same rows without the decisions.
    unbounded : bool
        As in `Provenance`.
    read_as : str, optional
        As in `Provenance`.
    left_out, compared_as : tuple of str
        As in `Provenance`.
    """
    decisions = set(rows.loc[rows["annotator"] == DECISION, "item_id"])
    rows = rows[rows["annotator"] != DECISION]
    given = rows[rows["label"].notna()]
    said = by_people(given)
    people = said["annotator"].replace("", NOBODY).value_counts()
    undecided = len(settlement.undecided)
    differing = set(settlement.conflicts["item_id"])
    if KINDS[settlement.kind].averaged:
        differing = set(settlement.odd.loc[settlement.odd["what"] == "several scores", "item_id"])
    by_decision = len((differing & decisions) - set(settlement.undecided))
    settled_alone = len(differing) - by_decision - undecided
    several = int((settlement.labels["voters"] > 1).sum()) + undecided
    noted = rows[rows["note"].notna()]
    return Provenance(
        kind=settlement.kind,
        unbounded=unbounded,
        read_as=read_as,
        labels=len(said),
        items=int(said["item_id"].nunique()),
        people=tuple((str(name), int(count)) for name, count in people.items()),
        from_pool=len(given) - len(said),
        several=several,
        alike=several - len(differing),
        conflicts=len(differing),
        by_most_frequent=0 if KINDS[settlement.kind].averaged else settled_alone,
        by_mean=settled_alone if KINDS[settlement.kind].averaged else 0,
        by_decision=by_decision,
        undecided=undecided,
        notes=tuple(
            Note(str(row["item_id"]), str(row["annotator"]) or NOBODY, row["label"], note)
            for row in noted[["item_id", "annotator", "label", "note"]].to_dict("records")
            if (note := remark(str(row["note"])))
        ),
        left_out=left_out,
        beyond_chance=beyond_chance(settlement.ratings, settlement.kind),
        words=words_of(rows),
        compared_as=compared_as,
    )
