"""Findings on strata and groups, in one sentence each, to stand above their figures and tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ..study.result import Result
from ..words import counted, per_cent, shortened
from . import sentences

_LONGEST = 40


def strata_finding(result: Result) -> str:
    """Return a sentence on the stratum with most of the variance, beside its share of the pool and of the labels."""
    if result.census:
        return "Every item is labelled, so no stratum leaves any uncertainty."
    table = result.strata_table
    if len(table) == 1:
        return "The pool is a single stratum, so all the variance is in it."
    parts = table["share_of_variance"].to_numpy(dtype=float)
    if np.isnan(parts).any():
        return f"{sentences.alike(result)}, so no stratum can be said to carry the variance."
    most = int(np.argmax(parts))
    row, second = table.iloc[most], float(np.max(np.delete(parts, most)))
    than = "more than any other" if parts[most] - second > 1e-9 else "as much as another"
    labels = row["labels"] / table["labels"].sum()
    if result.waves is not None and most == 0:
        share = f"{per_cent(parts[0])} of the variance, {than} stratum"
        return f"The first wave carries {share}, and has {per_cent(labels)} of the labels."
    return (
        f"Stratum {row['stratum']:.0f} carries {per_cent(parts[most])} of the variance, {than}: it is "
        f"{per_cent(row['share_of_pool'])} of the pool and has {per_cent(labels)} of the labels."
    )


def groups_finding(result: Result) -> str:
    """Return a sentence on the lowest and highest groups, and whether the labels tell them apart; "" without groups."""
    if result.groups is None or result.groups.empty:
        return ""
    labelled = result.groups[result.groups["labels"] > 0]
    ranked = labelled[labelled["standard_error"].notna() & np.isfinite(labelled["high"] - labelled["low"])]
    if ranked.empty:
        return "No group has enough labels for an interval."
    # Of groups with the same value, the one that is known best.
    low = ranked.sort_values(["value", "high"], kind="stable").iloc[0]
    high = ranked.sort_values(["value", "low"], kind="stable").iloc[-1]
    if len(ranked) == 1:
        return f"Only {_group(result, low)} has enough labels for an interval."
    name = sentences.name(result)
    if low["value"] == high["value"]:
        every = counted(len(ranked), "group")
        return f"{name} is {sentences.number(result, low['value'])} in all {every} that have an interval."
    lowest, highest = (_group(result, one) + _others(ranked, float(one["value"])) for one in (low, high))
    start = f"{name} is lowest in {lowest} and highest in {highest}"
    if result.census:
        return f"{start}; every item is labelled, so nothing is estimated."
    many = len(labelled)
    # The two were picked from all groups after looking: limits that hold for all at once allow for that.
    if high["joint_low"] > low["joint_high"]:
        also = f", also with all {many:,} groups compared" if many > 2 else ""
        return f"{start}; these labels can tell the two apart{also}."
    alone = many > 2 and high["low"] > low["high"]
    once = f" once the comparison of {many:,} groups is allowed for" if alone else ""
    return f"{start}; these labels cannot tell the two apart{once}."


def group_intervals(result: Result) -> pd.DataFrame:
    """Tabulate the groups with labels for a figure: label, value, low, high; NaN limits if there is no interval."""
    if result.groups is None:
        return pd.DataFrame(columns=["label", "value", "low", "high"])
    groups = result.groups[result.groups["labels"] > 0].rename(columns={"group": "label"})
    limited = np.isfinite(groups["low"]) & np.isfinite(groups["high"])
    limits = {name: groups[name].where(limited, math.nan) for name in ("low", "high")}
    return groups.assign(**limits)[["label", "value", "low", "high"]].reset_index(drop=True)


def _group(result: Result, row: pd.Series) -> str:
    """Name a group with its value and limits, “law” (71.0 %, 60.2 % to 80.1 %)."""
    limits = sentences.span(result, float(row["low"]), float(row["high"]))
    return f"“{shortened(str(row['group']), _LONGEST)}” ({sentences.number(result, float(row['value']))}, {limits})"


def _others(ranked: pd.DataFrame, value: float) -> str:
    """Return how many other groups have the same value, in words."""
    others = int((ranked["value"] == value).sum()) - 1
    return f" and {counted(others, 'other')}" if others else ""
