"""The few answers that all items of a pool share, so that a right answer can be chosen instead of typed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.answers import parse
from core.labels.right_answers import choices_of
from core.pool.pool import Pool

MOST = 10
_LONGEST = 24
_ENOUGH = 20
_LOOKED_AT = 5000
_COVERED = 0.98
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def known_answers(pool: Pool, parser: str | None = None) -> tuple[str, ...]:
    """The answers from which nearly every right answer of a pool comes, () where there are more than `MOST`.

    The truths show them where at least 20 are known, else the targets' answers, else the surrogate's generations; of a
    large pool 5,000 items spread over it. Answers outside of the smallest set that covers 98 % do not count: slips of
    the truth are no options.

    Parameters
    ----------
    parser : answer kind for all items; None = the pool's own.

    Returns
    -------
    2 … 10 canonical answers, numbers before texts, each in ascending order.
    """
    places = np.unique(np.linspace(0, pool.n_items - 1, min(pool.n_items, _LOOKED_AT)).astype(np.int64)).tolist()
    for found in (_truths(pool, parser, places), _of_targets(pool, parser, places), _generated(pool, parser, places)):
        if found.total() >= min(_ENOUGH, pool.n_items):
            return _few(found)
    return ()


def outside(rows: pd.DataFrame, pool: Pool, known: Sequence[str], parser: str | None = None) -> pd.DataFrame:
    """The rows whose right answer is none of those that all items of a pool share; items with choices are left out.

    Parameters
    ----------
    rows : of `core.labels.LabelFile` or `Settlement`: item_id, label; those of other pools and without a label are left
    out. known : of `known_answers`; () → no row is outside. parser : answer kind for all items; None = the pool's own.
    """
    if not known:
        return rows.iloc[:0]
    items = pool.items
    own = rows[rows["label"].notna() & rows["item_id"].isin(items.index)]
    ids = own["item_id"].tolist()
    kinds = items["answer_kind"].loc[ids].tolist() if "answer_kind" in items.columns else [None] * len(ids)
    read: dict[tuple[str, str], bool] = {}
    strange = []
    for label, kind, options in zip(own["label"], kinds, choices_of(items, ids), strict=True):
        key = (label, parser or (kind if isinstance(kind, str) else "as-is"))
        if key not in read:
            read[key] = parse(label.strip(), key[1]) not in known
        strange.append(read[key] and options is None)
    return own[np.array(strange, dtype=bool)]


def _few(counts: Counter[str]) -> tuple[str, ...]:
    needed, found = _COVERED * counts.total(), list[str]()
    for answer, count in counts.most_common():
        if needed <= 0:
            break
        found.append(answer)
        needed -= count
        if len(found) > MOST or len(answer) > _LONGEST:
            return ()
    return tuple(sorted(found, key=_place)) if len(found) > 1 else ()


def _place(answer: str) -> tuple[bool, float, str]:
    number = _NUMBER.fullmatch(answer) is not None
    return (not number, float(answer) if number else 0.0, answer)


def _truths(pool: Pool, parser: str | None, places: list[int]) -> Counter[str]:
    if "answer" not in pool.items.columns:
        return Counter()
    texts = pool.items["answer"].iloc[places].tolist()
    return _counted(pool, parser, places, texts)


def _of_targets(pool: Pool, parser: str | None, places: list[int]) -> Counter[str]:
    counts = Counter[str]()
    for target in pool.targets.values():
        for column in (target.answers, target.texts):
            if column is not None:
                counts += _counted(pool, parser, places, [column[place] for place in places])
                break
    return counts


def _generated(pool: Pool, parser: str | None, places: list[int]) -> Counter[str]:
    if pool.generations is None:
        return Counter()
    return Counter(answer for place in places for answer in pool.item_answers(place, parser) if answer is not None)


def _counted(pool: Pool, parser: str | None, places: list[int], texts: Sequence[object]) -> Counter[str]:
    items = pool.items
    own = items["answer_kind"].iloc[places].tolist() if "answer_kind" in items.columns else [None] * len(places)
    found = Counter[str]()
    for text, kind in zip(texts, own, strict=True):
        if isinstance(text, str):
            answer = parse(text, parser or (kind if isinstance(kind, str) else "as-is"))
            if answer is not None:
                found[answer] += 1
    return found
