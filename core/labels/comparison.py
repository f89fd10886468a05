"""Labels that come in beside those that are kept: which can be read, and which say something else."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.labels.formats.records import DECISION, POOL
from core.labels.kinds import canonical
from core.labels.right_answers import choices_of, meanings
from core.labels.rows import without_collection

_Label = tuple[str, str, str]


class Differences(NamedTuple):
    """How labels differ from kept ones.

    ``replaced``: kept labels of the same person that the new ones replace; ``others``: new labels that differ from
    other people's; ``beside``: new labels that stand beside a different one of the same person.
    """

    replaced: int
    others: int
    beside: int


def readable(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> NDArray[np.bool_]:
    """Whether each row holds a label of this kind.

    Parameters
    ----------
    rows : item_id, label (text, None = none), n rows; of `Archive.labels` or `LabelFile.rows`.
    kind : of `core.labels.KINDS`. items : the pool's items, for their choices; a right answer must be one of them.

    Returns
    -------
    (n,) bool. A score may lie outside 0 to 1.

    Raises
    ------
    KeyError : "gold" only: a row names an item that the pool does not have.
    """
    return pd.Series(_read(rows, kind, items), dtype=object).notna().to_numpy()


def differences(
    rows: pd.DataFrame, kept: pd.DataFrame, kind: str, items: pd.DataFrame, parser: str | None = None
) -> Differences:
    """How many labels say something else than what is kept.

    Parameters
    ----------
    rows : of `Settlement.rows`. kept : of `Archive.labels`, those that are `relevant`. items : of the pool. parser :
    answer kind for all items.
    """
    with without_collection():
        new, old = _labels(rows, kind, items), _labels(kept, kind, items)
        old = [one for one in old if one[1] not in (DECISION, POOL)]
        several = _several(new, old)
        # Where an item has one label, and be it from many, nothing differs.
        new, old = ([one for one in given if one[0] in several] for given in (new, old))
        return _counted(*(_by_meaning(new, old, items, parser) if kind == "gold" else (new, old)))


def _counted(new: list[_Label], old: list[_Label]) -> Differences:
    of_item, alike = Counter(item for item, _, _ in old), Counter((item, label) for item, _, label in old)
    own, own_alike = Counter((item, person) for item, person, _ in old), Counter(old)
    others = sum(
        of_item[item] - own[item, person] > alike[item, label] - own_alike[item, person, label]
        for item, person, label in new
    )
    before, after = _by_person(old), _by_person(new)
    # All that a person says of an item at once takes the place of all that was kept of it.
    gone = {whose: len(before[whose] - said) for whose, said in after.items() if whose in before}
    more = {whose: len(after[whose] - before[whose]) for whose in gone}
    return Differences(sum(gone.values()), others, sum(max(more[whose] - gone[whose], 0) for whose in gone))


def _by_person(given: list[_Label]) -> dict[tuple[str, str], set[str]]:
    """The different labels of each item and person."""
    found: dict[tuple[str, str], set[str]] = {}
    for item, person, label in given:
        found.setdefault((item, person), set()).add(label)
    return found


def _several(new: list[_Label], old: list[_Label]) -> set[str]:
    """The items with more than one label."""
    first: dict[str, str] = {}
    return {item for given in (new, old) for item, _, label in given if first.setdefault(item, label) != label}


def _by_meaning(
    new: list[_Label], old: list[_Label], items: pd.DataFrame, parser: str | None
) -> tuple[list[_Label], list[_Label]]:
    """The same labels by what they say, however they are spelled."""
    spelled = list(dict.fromkeys((item, label) for item, _, label in (*new, *old)))
    if not spelled:
        return new, old
    found = pd.DataFrame(spelled, columns=["item_id", "label"], dtype=object)
    meant = dict(zip(spelled, meanings(found, items, parser), strict=True))

    def said(labels: list[_Label]) -> list[_Label]:
        return [(item, person, meant[item, label]) for item, person, label in labels]

    return said(new), said(old)


def _labels(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> list[_Label]:
    """The labels that can be read: item, annotator, label (canonical)."""
    known = rows[rows["item_id"].isin(items.index) & rows["label"].notna()]
    read = _read(known, kind, items)
    found = zip(known["item_id"], known["annotator"], read, strict=True)
    return [(item, person or "", label) for item, person, label in found if label is not None]


def _read(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> list[str | None]:
    options = choices_of(items, rows["item_id"].tolist()) if kind == "gold" else [None] * len(rows)
    return [
        canonical(label, kind, own) if isinstance(label, str) else None
        for label, own in zip(rows["label"], options, strict=True)
    ]
