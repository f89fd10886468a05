"""Remarks on right answers that people gave, by the rules for a pool's own right answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..pool.near_misses import is_percentage, is_rounded
from ..pool.number_notes import Remedy
from ..pool.pool import Pool
from ..pool.reading_notes import answer_notes
from .right_answers import choices_of, kinds_of

_REMEDY = Remedy(
    "`parser` in Python, --parser in the shell, “How the target’s answers are read” on page Estimate, or an "
    "`answer_kind` for the items of the pool",
    "judge these outputs with right and wrong",
)
# `core.labels.hundredths` and `core.labels.rounding` speak of these.
_BESIDE = frozenset({is_percentage, is_rounded})


def remarks(
    pairs: pd.DataFrame,
    labels: Mapping[str, str],
    texts: Mapping[str, str | None],
    items: pd.DataFrame,
    target: str,
    parser: str | None = None,
) -> tuple[str, ...]:
    """Return sentences about outputs that may count as wrong, or as right, by their spelling alone.

    Parameters
    ----------
    pairs : DataFrame
        item_id, true, said: of `core.labels.right_answers.answer_pairs`.
    labels : mapping
        The right answers by item id, as they were written.
    texts : mapping
        The target's outputs by item id.
    items : DataFrame
        The pool's items.
    target : str
        The target's name.
    parser : str, optional
        Answer kind for all items, None for their own.
    """
    pairs = pairs[pairs["item_id"].map(lambda item: bool(texts.get(item)) and item in labels).astype(bool)]
    ids = pairs["item_id"].tolist()
    if not ids:
        return ()
    records = list[dict[str, Any]]()
    for item, options, kind in zip(ids, choices_of(items, ids), kinds_of(items, ids, parser), strict=True):
        record = {"id": item, "answer": labels[item], "answer_kind": kind, "targets": {target: {"text": texts[item]}}}
        records.append({**record, "choices": options} if options else record)
    wrong = (pairs["true"] != pairs["said"]).to_numpy(dtype=bool)
    return answer_notes(Pool.from_records(records).source, _REMEDY, wrong, _BESIDE)
