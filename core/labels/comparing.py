"""Labels that come in beside those that are kept: which can be read, and which say something else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.labels.judging import canonical
from core.labels.pairs import choices_of, meanings
from core.labels.records import DECISION, POOL


class Differing(NamedTuple):
    """How many labels differ from kept ones: of the same person, which they replace, and of others."""

    replaced: int
    others: int


def readable(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> NDArray[np.bool_]:
    """(n,) whether each row (item_id, label) holds a label of this kind; ``items``: of the pool, for their choices."""
    return pd.Series(_read(rows, kind, items), dtype=object).notna().to_numpy()


def differing(
    rows: pd.DataFrame, kept: pd.DataFrame, kind: str, items: pd.DataFrame, parser: str | None = None
) -> Differing:
    """How many labels say something else than what is kept.

    Parameters
    ----------
    rows : of `Settled.rows`. kept : of `Archive.labels`, those that are `relevant`. items : of the pool. parser :
    answer kind for all items.
    """
    new, old = _labels(rows, kind, items), _labels(kept, kind, items)
    old = old[~old["annotator"].isin([DECISION, POOL])]
    both = new.merge(old, on="item_id", suffixes=("", "_kept"))
    same = both["annotator"] == both["annotator_kept"]
    apart = both["label"] != both["label_kept"]
    if kind == "gold" and apart.any():
        # The same answer may be spelled in two ways.
        spelled = both.loc[apart, ["item_id", "label", "label_kept"]]
        kept_ones = spelled[["item_id", "label_kept"]].set_axis(["item_id", "label"], axis=1)
        apart[apart] = np.not_equal(meanings(spelled, items, parser), meanings(kept_ones, items, parser))
    # One of several labels of a person may be the one that is kept.
    agreed = set(both.loc[same & ~apart, "place"])
    replaced = set(both.loc[same & apart, "place"]) - agreed
    return Differing(len(replaced), len(set(both.loc[~same & apart, "place"])))


def _labels(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> pd.DataFrame:
    """The labels that can be read: place, item_id, annotator, label (canonical)."""
    known = rows[rows["item_id"].isin(items.index) & rows["label"].notna()]
    read = pd.Series(_read(known, kind, items), index=known.index, dtype=object)
    found = known.assign(label=read, place=range(len(known)))[read.notna()]
    return found[["place", "item_id", "annotator", "label"]]


def _read(rows: pd.DataFrame, kind: str, items: pd.DataFrame) -> list[str | None]:
    options = choices_of(items, rows["item_id"].tolist()) if kind == "gold" else [None] * len(rows)
    return [
        canonical(label, kind, own) if isinstance(label, str) else None
        for label, own in zip(rows["label"], options, strict=True)
    ]
