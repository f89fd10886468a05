"""Whose answers a label judges: codes that keep annotators blind to the model's name, and the labels of one target."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pandas as pd

from core.labels.kinds import check_kind

ANSWERS_OF = "answers_of"


def target_code(name: str) -> str:
    """A target's code in a list to label: "t" and 8 hex digits. A model's name would sway the annotators."""
    return "t" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def assign_targets(rows: pd.DataFrame, targets: Iterable[str], default: str = "") -> pd.DataFrame:
    """The rows with a column ``target``: whose answers each judges.

    Parameters
    ----------
    rows : of `core.labels.LabelFile.rows`; the column answers_of holds a code, or None where the file says nothing.
    targets : names of the pool's targets. default : the target of rows that say nothing ("" = none's).

    Returns
    -------
    A copy of ``rows``; a code that belongs to no target stays as it is, and `core.labels.settle` tells it.
    """
    names = {target_code(name): name for name in targets}
    if ANSWERS_OF not in rows.columns:
        return rows.assign(target=default)
    codes = [None if code is None or code != code else str(code).strip() for code in rows[ANSWERS_OF]]
    found = [names.get(code, code) if code else default for code in codes]
    return rows.assign(target=pd.Series(found, index=rows.index, dtype=object))


def relevant(rows: pd.DataFrame, kind: str, target: str | None = None) -> pd.DataFrame:
    """The kept labels that say something of this kind about this target.

    Parameters
    ----------
    rows : of `Archive.labels`. kind : of `core.labels.KINDS`. target : its name; a right answer ("gold") speaks of no
        target and so of every one. Labels whose kind or target was not kept count for all.
    """
    check_kind(kind)
    asked = rows["kind"].isin(["", kind])
    if kind == "gold":
        return rows[asked & ((rows["target"] == "") | (rows["kind"] == "gold"))]
    return rows[asked & rows["target"].isin(["", target or ""])]
