"""From the labels that came in to one label an item, with everything that is odd about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from ..errors import LabelError
from ..words import counted
from .account import NO_VERDICT, Account, account
from .account import fates as fates_of
from .formats.records import EMPTY, POOL, SEVERAL, SKIPPED
from .kinds import GOLD, KINDS, canonical
from .oddities import NOT_A_LABEL, OUT_OF_RANGE, OddRows, no_row_fits, sentences
from .rows import as_texts, column, ids_as_texts, label_text, row_numbers, without_collection
from .votes import Votes, majority, mean, meaning_of

# Odd rows that are stored all the same: a score out of range may be allowed later.
_STORED = frozenset({"", "duplicate", "cancelled", OUT_OF_RANGE})
_POOL_SOURCE = "pool"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Settlement:
    """One label an item.

    Parameters
    ----------
    plan_id : str
        Id of the plan.
    kind : str
        Kind of label, one of `core.labels.KINDS`.
    labels : DataFrame
        A row for each labelled item, in labelling order: item_id, label (canonical), votes (how many people gave it),
        voters.
    odd : DataFrame
        The odd rows: what (a key of `core.labels.oddities.ODDITIES`), row (0: from no file), item_id, annotator, label,
        status.
    conflicts : DataFrame
        Items whose annotators disagree: item_id, votes (text), label (None: undecided).
    missing : tuple of str
        Ids without a label, in labelling order.
    undecided : tuple of str
        Those of them whose votes tie.
    rows : DataFrame
        The rows to store: those of this plan with a label that can be read, or with a status.
    ratings : DataFrame
        The votes on items with several: item_id, annotator, label (its meaning by the pool's rule).
    account : Account
        What became of each row.
    left : Account
        What became of those that are not kept: they are not stored, or repeat what is.
    left_items : tuple of (str, str)
        Of `core.labels.account.Remainder`.
    """

    plan_id: str
    kind: str
    labels: pd.DataFrame
    odd: pd.DataFrame
    conflicts: pd.DataFrame
    missing: tuple[str, ...]
    undecided: tuple[str, ...]
    rows: pd.DataFrame
    ratings: pd.DataFrame
    account: Account
    left: Account
    left_items: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        """Show how many items have a label, and what is odd, a line each."""
        head = f"Settlement: {counted(len(self.labels), 'label')}, {len(self.missing):,} missing"
        head += f" ({len(self.undecided):,} undecided)" if self.undecided else ""
        return "\n".join([head, *self.sentences])

    @property
    def without_verdict(self) -> tuple[str, ...]:
        """Ids of items of which somebody said that there is no verdict, and nobody gave one."""
        states = column(self.rows, "status")
        skipped = [item for item, status in zip(self.rows["item_id"], states, strict=True) if status == SKIPPED]
        labelled = {*self.labels["item_id"], *self.undecided}
        return tuple(item for item in dict.fromkeys(skipped) if item not in labelled)

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each kind of oddity, with the first rows as examples."""
        return sentences(self.odd)


def settle(
    rows: pd.DataFrame,
    ids: Sequence[str],
    plan_id: str,
    kind: str = GOLD.name,
    choices: Sequence[Sequence[str] | None] | None = None,
    family: Collection[str] = (),
    decisions: Mapping[str, str] | None = None,
    target: str | None = None,
    unbounded: bool = False,
    items: pd.DataFrame | None = None,
    parser: str | None = None,
) -> Settlement:
    """Settle on one label an item: the answer that most annotators gave, or the mean of their scores.

    The most frequent answer counts even if less than half gave it; a tie counts as missing. Outcomes that the pool
    knows (annotator `core.labels.formats.records.POOL`) count only if nobody has labelled.

    Parameters
    ----------
    rows : DataFrame
        `LabelFile.rows`, or kept labels; the columns item_id and label are enough. Numbers and truth values count as
        the text that JSON has for them.
    ids : sequence of str
        The plan's items in labelling order, then replacements.
    plan_id : str
        Id of the plan.
    kind : str
        Kind of label.
    choices : sequence, optional
        The options of each item of ``ids``, None for an item without.
    family : collection of str
        Ids of plans that share labels with this one, from `core.labels.family`.
    decisions : mapping, optional
        Item id to the label that counts if annotators disagree.
    target : str, optional
        Leave out rows whose column ``target`` names another target.
    unbounded : bool
        Scores may lie outside 0 to 1; otherwise such a score counts as missing.
    items : DataFrame, optional
        The pool's items. With them, right answers that are equal by the pool's rule ("11" and "11.0" of a number) are
        votes for the same label.
    parser : str, optional
        Answer kind for all items, None for their own.

    Returns
    -------
    Settlement
        The labels, and what is odd, disputed and missing.

    Raises
    ------
    LabelError
        If no row belongs to this plan, the kind is unknown, columns or ids are missing, values are neither text nor
        numbers (the rows are listed), or ``choices`` does not fit ``ids``.
    """
    of_kind = KINDS[kind]
    rows, ids = as_texts(rows), ids_as_texts(ids)
    options = _options(ids, choices)
    with without_collection():
        usable, stored, odd, votes, fates = _sorted_out(
            rows, set(ids), {plan_id, *family}, kind, options, target, unbounded
        )
        if len(rows) and not usable:
            raise LabelError(no_row_fits(odd, plan_id, rows))
        by_hand = decisions or {}
        decided = {
            item: canonical(label_text(label) or "", kind, options.get(item))
            for item, label in zip(ids_as_texts(by_hand), by_hand.values(), strict=True)
        }
        meaning = meaning_of(votes, items, parser) if not of_kind.judges else {}
        labels: dict[str, tuple[str, int, int]] = {}
        conflicts, disputed, ratings = [], set(), []
        for item in ids:
            given = votes.get(item)
            if not given:
                continue
            if len(given) == 1:
                labels[item] = given[0][1], 1, 1
                continue
            ratings += [(item, person, meaning.get((item, label), label)) for person, label in given]
            decision = decided.get(item)
            tally = mean(given, decision) if of_kind.averaged else majority(item, given, meaning, decision)
            if tally.disputed:
                disputed.add(item)
                if not of_kind.averaged:
                    conflicts.append((item, tally.summary, tally.label))
            if tally.label is not None:
                labels[item] = tally.label, tally.votes, tally.voters
        missing = tuple(item for item in ids if item not in labels)
        left = _not_kept(rows, stored)
        parts = fates_of((fates[place] for place in left), labels)
        return Settlement(
            plan_id,
            kind,
            _label_frame(labels),
            _odd_frame(odd, rows, usable, disputed, "several scores" if of_kind.averaged else "conflict"),
            pd.DataFrame(conflicts, columns=["item_id", "votes", "label"], dtype=object),
            missing,
            tuple(item for item in missing if item in disputed),
            rows.iloc[stored].reset_index(drop=True),
            pd.DataFrame(ratings, columns=["item_id", "annotator", "label"], dtype=object),
            account(fates, labels),
            Account(**Counter(parts)),
            tuple(zip(rows["item_id"].iloc[left].map(str), parts, strict=True)) if left else (),
        )


def _label_frame(labels: Mapping[str, tuple[str, int, int]]) -> pd.DataFrame:
    texts, votes, voters = zip(*labels.values(), strict=True) if labels else ((), (), ())
    columns = {"item_id": list(labels), "label": list(texts)}
    counts = {"votes": np.array(votes, dtype=np.int64), "voters": np.array(voters, dtype=np.int64)}
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()} | counts)


def _sorted_out(
    rows: pd.DataFrame,
    ids: set[str],
    plans: set[str],
    kind: str,
    options: Mapping[str, Sequence[str] | None],
    target: str | None,
    unbounded: bool,
) -> tuple[list[int], list[int], OddRows, Votes, list[tuple[str, str | None]]]:
    """Return the places of the rows of this plan and of those to store, the odd rows, the votes, and rows as counted.

    The last are of `core.labels.account.account`.
    """
    fates: list[tuple[str, str | None]] = []
    usable: list[int] = []
    stored: list[int] = []
    odd: OddRows = []
    votes, of_pool = Votes(), Votes()
    counted_votes: set[tuple[str, str, str]] = set()
    # Without options, a label means the same for every item.
    cached = cache(canonical)
    names = ("item_id", "label", "annotator", "plan_id", "status", "target", "source")
    columns = [row_numbers(rows), *(column(rows, name) for name in names)]
    for place, (row, item, text, person, plan, status, judged, source) in enumerate(zip(*columns, strict=True)):
        label = None
        if plan is not None and plan not in plans:
            what = "another plan"
        elif item not in ids:
            what = "foreign id"
        elif target is not None and judged and judged != target:
            what = "another target"
        else:
            usable.append(place)
            choices = options.get(item)
            if text is None or status:
                what = _without_label(status, text)
            elif (label := canonical(text, kind, choices) if choices else cached(text, kind)) is None:
                what = NOT_A_LABEL
            elif KINDS[kind].averaged and not unbounded and not KINDS[kind].allows(float(label)):
                what, label = OUT_OF_RANGE, None
            else:
                what = "duplicate" if (item, person or "", label) in counted_votes else ""
            if what in _STORED and status != EMPTY and (text or status):
                stored.append(place)
        is_skipped = not what and status == SKIPPED
        fates.append((NO_VERDICT if is_skipped else what, None if label is None else item))
        if what:
            odd.append((what, row, item, person or "", text, status or ""))
        elif label is not None:
            counted_votes.add((item, person or "", label))
            # Before POOL was reserved, the annotator of the pool's outcomes was the target.
            ballot = of_pool if person == POOL or source == _POOL_SOURCE else votes
            ballot.setdefault(item, []).append((person or "", label))
    return usable, stored, odd, of_pool | votes, fates


def _not_kept(rows: pd.DataFrame, stored: Collection[int]) -> list[int]:
    """Return the places of rows of which nothing is kept: of one person's on an item, the labels alone, each once."""
    items, people, labels = (column(rows, name) for name in ("item_id", "annotator", "label"))
    said: dict[tuple[str, str], dict[str | None, int]] = {}
    for place in stored:
        said.setdefault((items[place], people[place] or ""), {}).setdefault(labels[place], place)
    kept = {
        place for places in said.values() for label, place in places.items() if label is not None or len(places) == 1
    }
    return [place for place in range(len(rows)) if place not in kept]


def _without_label(status: str | None, text: str | None) -> str:
    """Return what is odd about a row that counts as none: nothing if it is empty, or skipped until later."""
    if status == SEVERAL:
        return "several labels"
    if text is not None:
        return "contradiction"
    return "" if status in (None, "", EMPTY, SKIPPED) else "cancelled"


def _options(ids: Sequence[str], choices: Sequence[Sequence[str] | None] | None) -> Mapping[str, Sequence[str] | None]:
    if choices is None:
        return {}
    if len(choices) != len(ids):
        lists = counted(len(choices), "list of options", "lists of options")
        raise LabelError(f"Got {lists} for {counted(len(ids), 'item')}. Give one list for each item.")
    return dict(zip(ids, choices, strict=True))


def _odd_frame(odd: OddRows, rows: pd.DataFrame, usable: list[int], disputed: set[str], what: str) -> pd.DataFrame:
    """Return the odd rows and the labels of disputed items, in the file's order."""
    if disputed:
        numbers = row_numbers(rows)
        items, people, labels, states = (column(rows, name) for name in ("item_id", "annotator", "label", "status"))
        for place in usable:
            if items[place] in disputed and labels[place] is not None and not states[place]:
                odd.append((what, numbers[place], items[place], people[place] or "", labels[place], ""))
    odd.sort(key=lambda entry: entry[1])
    columns = ["what", "row", "item_id", "annotator", "label", "status"]
    frame = pd.DataFrame(odd, columns=columns, dtype=object)
    frame["row"] = frame["row"].astype("int64")
    return frame
