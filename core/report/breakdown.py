"""What strata and groups show, in one sentence each, to stand above their figures and tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.report import sentences
from core.report.result import Result
from core.words import counted, per_cent, shortened

_LONGEST = 40


def strata_finding(found: Result) -> str:
    """Which stratum carries most of the variance, beside its share of the pool and of the labels."""
    if found.sample.census:
        return "Every item is labelled, so no stratum leaves anything uncertain."
    own = found.strata
    if len(own) == 1:
        return "The pool is a single stratum: all uncertainty is its own."
    parts = own["share_of_variance"].to_numpy(dtype=float)
    if np.isnan(parts).any():
        return "The labels show no spread inside the strata, so it cannot be told which of them carries the variance."
    most = int(np.argmax(parts))
    row, second = own.iloc[most], float(np.max(np.delete(parts, most)))
    than = "more than any other" if parts[most] - second > 1e-9 else "as much as another"
    labels = row["labels"] / own["labels"].sum()
    return (
        f"Stratum {row['stratum']:.0f} carries {per_cent(parts[most])} of the variance, {than}: it is "
        f"{per_cent(row['share_of_pool'])} of the pool and has {per_cent(labels)} of the labels."
    )


def groups_finding(found: Result) -> str:
    """Which groups are lowest and highest, and whether the labels can tell them apart; "" without groups."""
    if found.groups is None or found.groups.empty:
        return ""
    labelled = found.groups[found.groups["labels"] > 0]
    ranked = labelled[labelled["standard_error"].notna() & np.isfinite(labelled["high"] - labelled["low"])]
    if ranked.empty:
        return "No group has labels enough for an interval."
    # Of groups with the same value, the one that is known best.
    low = ranked.sort_values(["value", "high"], kind="stable").iloc[0]
    high = ranked.sort_values(["value", "low"], kind="stable").iloc[-1]
    if len(ranked) == 1:
        return f"Only {_told(found, low)} has labels enough for an interval."
    name = sentences.name(found)
    if low["value"] == high["value"]:
        every = counted(len(ranked), "group")
        return f"{name} is {sentences.number(found, low['value'])} in all {every} that have an interval."
    lowest, highest = (_told(found, one) + _as_well(ranked, float(one["value"])) for one in (low, high))
    start = f"{name} is lowest in {lowest} and highest in {highest}"
    if found.sample.census:
        return f"{start}; every item is labelled, so nothing is estimated."
    many = len(labelled)
    # The two were picked from all groups after looking: limits that hold for all at once allow for that.
    if high["joint_low"] > low["joint_high"]:
        also = f", also with all {many:,} groups compared" if many > 2 else ""
        return f"{start}; these labels can tell the two apart{also}."
    alone = many > 2 and high["low"] > low["high"]
    once = f" once it is allowed for that {many:,} groups are compared" if alone else ""
    return f"{start}; these labels cannot tell the two apart{once}."


def group_intervals(found: Result) -> pd.DataFrame:
    """The groups with labels for a figure: label, value, low, high; limits are NaN where there is no interval."""
    if found.groups is None:
        return pd.DataFrame(columns=["label", "value", "low", "high"])
    own = found.groups[found.groups["labels"] > 0].rename(columns={"group": "label"})
    finite = np.isfinite(own["low"]) & np.isfinite(own["high"])
    limits = {name: own[name].where(finite, math.nan) for name in ("low", "high")}
    return own.assign(**limits)[["label", "value", "low", "high"]].reset_index(drop=True)


def _told(found: Result, row: pd.Series) -> str:
    """A group with its value and limits, “law” (71.0 %, 60.2 % to 80.1 %)."""
    limits = sentences.span(found, float(row["low"]), float(row["high"]))
    return f"“{shortened(str(row['group']), _LONGEST)}” ({sentences.number(found, float(row['value']))}, {limits})"


def _as_well(ranked: pd.DataFrame, value: float) -> str:
    """How many other groups have the same value."""
    others = int((ranked["value"] == value).sum()) - 1
    return f" and {counted(others, 'other')}" if others else ""
