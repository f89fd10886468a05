"""New labels beside kept ones: which can be read, and which differ."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .formats.records import DECISION, POOL
from .kinds import KINDS, canonical
from .right_answers import choices_of, meanings
from .rows import without_collection

_Label = tuple[str, str, str]


class Differences(NamedTuple):
    """The differences between new labels and kept ones.

    Parameters
    ----------
    replaced : int
        Kept labels that new ones of the same person replace.
    others : int
        New labels that differ from other people's.
    beside : int
        New labels that are kept in addition to a different one of the same person.
    """

    replaced: int
    others: int
    beside: int


def readable(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> NDArray[np.bool_]:
    """Whether each row holds a label of this kind.

    Parameters
    ----------
    rows : DataFrame
        n rows item_id, label (None: no label), such as kept labels or `LabelFile.rows`.
    kind : str
        One of `core.labels.KINDS`.
    items : DataFrame
        The pool's items; the right answer to an item with choices must be one of them.

    Returns
    -------
    (n,) bool
        A score may lie outside 0 to 1.

    Raises
    ------
    KeyError
        For "gold", if the pool does not have an item.
    """
    return pd.Series(_read(rows, kind, items), dtype=object).notna().to_numpy()


def differences(
    rows: pd.DataFrame, stored: pd.DataFrame, kind: str, items: pd.DataFrame, parser: str | None = None
) -> Differences:
    """Count the new labels that differ from kept ones.

    Parameters
    ----------
    rows : DataFrame
        The new labels, of `Settlement.rows`.
    stored : DataFrame
        The kept labels that are `core.labels.relevant`.
    kind : str
        One of `core.labels.KINDS`.
    items : DataFrame
        The pool's items.
    parser : str or None
        Answer kind for all items, None for their own.

    Returns
    -------
    Differences
        Their counts.
    """
    if stored.empty:
        return Differences(0, 0, 0)
    with without_collection():
        new, old = _labels(rows, kind, items), _labels(stored, kind, items)
        old = [one for one in old if one[1] not in (DECISION, POOL)]
        several = _several(new, old)
        # Nothing differs if all labels of an item are equal.
        new, old = ([one for one in given if one[0] in several] for given in (new, old))
        return _count(*(_by_meaning(new, old, items, parser) if not KINDS[kind].judges else (new, old)))


def _count(new: list[_Label], old: list[_Label]) -> Differences:
    # A label differs from other people's if they gave the item more labels than equal ones.
    of_item, equal = Counter(item for item, _, _ in old), Counter((item, label) for item, _, label in old)
    of_person, of_person_equal = Counter((item, person) for item, person, _ in old), Counter(old)
    others = sum(
        of_item[item] - of_person[item, person] > equal[item, label] - of_person_equal[item, person, label]
        for item, person, label in new
    )
    # All labels that a person gives an item at once replace all that were kept of theirs.
    before, after = _by_person(old), _by_person(new)
    removed = {key: len(before[key] - labels) for key, labels in after.items() if key in before}
    added = {key: len(after[key] - before[key]) for key in removed}
    return Differences(sum(removed.values()), others, sum(max(added[key] - removed[key], 0) for key in removed))


def _by_person(given: list[_Label]) -> dict[tuple[str, str], set[str]]:
    """Return the different labels of each item and person."""
    labels: dict[tuple[str, str], set[str]] = {}
    for item, person, label in given:
        labels.setdefault((item, person), set()).add(label)
    return labels


def _several(new: list[_Label], old: list[_Label]) -> set[str]:
    """Return the items with different labels."""
    first: dict[str, str] = {}
    return {item for given in (new, old) for item, _, label in given if first.setdefault(item, label) != label}


def _by_meaning(
    new: list[_Label], old: list[_Label], items: pd.DataFrame, parser: str | None
) -> tuple[list[_Label], list[_Label]]:
    """Return the same labels in one spelling for each meaning."""
    spellings = list(dict.fromkeys((item, label) for item, _, label in (*new, *old)))
    if not spellings:
        return new, old
    frame = pd.DataFrame(spellings, columns=["item_id", "label"], dtype=object)
    meaning = dict(zip(spellings, meanings(frame, items, parser), strict=True))

    def by_meaning(labels: list[_Label]) -> list[_Label]:
        return [(item, person, meaning[item, label]) for item, person, label in labels]

    return by_meaning(new), by_meaning(old)


def _labels(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> list[_Label]:
    """Return the labels that can be read: item, annotator, label in its canonical spelling."""
    # The index keeps its table of a million ids; `isin` would make it again.
    known = rows[(items.index.get_indexer(pd.Index(rows["item_id"])) >= 0) & rows["label"].notna()]
    entries = zip(known["item_id"].tolist(), known["annotator"].tolist(), _read(known, kind, items), strict=True)
    return [(item, person or "", label) for item, person, label in entries if label is not None]


def _read(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> list[str | None]:
    options = choices_of(items, rows["item_id"].tolist()) if not KINDS[kind].judges else [None] * len(rows)
    # Without options, a label means the same for every item.
    read = cache(canonical)
    return [
        None if not isinstance(label, str) else canonical(label, kind, choices) if choices else read(label, kind)
        for label, choices in zip(rows["label"].tolist(), options, strict=True)
    ]
