"""Strata, groups, formulas and items behind the numbers of the report."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup

from ..study.items import leading
from ..study.result import Result
from ..words import UNKNOWN, counted, per_cent, share_span, shortened, significant, textless
from ..words.scale import GradeScale
from . import sentences
from .blocks import Paragraph, Table

_LONGEST_NAME = 40


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
    return (
        f"“{shortened(str(row['group']), _LONGEST_NAME)}” ({sentences.number(result, float(row['value']))}, {limits})"
    )


def _others(ranked: pd.DataFrame, value: float) -> str:
    """Return how many other groups have the same value, in words."""
    others = int((ranked["value"] == value).sum()) - 1
    return f" and {counted(others, 'other')}" if others else ""


# The formulas behind the report's numbers, each with its number here.

_FORMULAS = {
    "tilted": "values μ with r*(μ) between ∓z<sub>1−α/2</sub> (docs/method.md, 5.7)",
    "korn-graubard": "Clopper–Pearson’s limits of n (t<sub>M−1</sub>/t<sub>M−H</sub>)² labels",
    "wald": "Â ± t √V̂",
}


def formulas(result: Result) -> Table:
    """Write the formulas as a table: what, how, and its number here; in letters, since nothing may be loaded."""
    rows = [*_estimate(result), *_limits(result), *_uniform(result)]
    return Table((), [(name, Markup(formula), number) for name, formula, number in rows], look="formulas")


def _estimate(result: Result) -> list[tuple[str, str, str]]:
    estimate, sample = result.estimate, result.sample
    value = sentences.number(result, estimate.value)
    sizes = f"N = {result.n_items:,}, M = {estimate.n_labels:,}, H = {sample.sizes.size:,}"
    rows = [("Items, labels, strata", "N = Σ N<sub>h</sub>, M = Σ m<sub>h</sub>, h = 1 … H", sizes)]
    if result.waves is not None:
        shares = " and ".join(per_cent(share, 1) for share in result.waves.weights)
        rows.append(("Estimate", "Â = w<sub>1</sub> Â<sub>1</sub> + w<sub>2</sub> Â<sub>2</sub>", value))
        rows.append(("Weights of the waves", "w<sub>1</sub>, w<sub>2</sub>: shares of the labels", shares))
    elif result.carried is not None:
        formula = "Â = Σ v/N + (1 − W) Â<sub>open</sub> + W d̄<sub>audited</sub>, W = K/N (docs/method.md, 6.8)"
        rows.append(("Estimate", formula, value))
        rows.append(("Carried verdicts" if result.drawn is None else "Known ties", "K", f"{result.carried.known:,}"))
    else:
        rows.append(
            ("Share of a stratum that is labelled", "π<sub>h</sub> = m<sub>h</sub> / N<sub>h</sub>", _chances(result))
        )
        rows.append(("Estimate", "Â = Σ (N<sub>h</sub>/N) ȳ<sub>h</sub>", value))
    variance = result.estimator.variance
    if result.carried is not None:
        formula = "V̂ = (1 − W)² V̂<sub>open</sub> + W² (1 − a/K) s<sub>d</sub>² / a"
    elif result.waves is None:
        formula = "V̂ = Σ (N<sub>h</sub>/N)² (1 − m<sub>h</sub>/N<sub>h</sub>) s<sub>h</sub>² / m<sub>h</sub>"
    else:
        formula = "V̂ = that of both waves (docs/method.md, 6.4)"
    rows.append(("Variance", formula, UNKNOWN if math.isnan(variance) else significant(variance, 3)))
    error = sentences.points(result, estimate.standard_error) if estimate.standard_error > 0 else UNKNOWN
    return [*rows, ("Standard error", "√V̂", error)]


def _limits(result: Result) -> list[tuple[str, str, str]]:
    limits, name = sentences.limits(result), f"Interval: {result.estimate.method}"
    if not result.bounded:
        return [(name, "Â ± t<sub>ν</sub> √V̂, ν by Satterthwaite", limits)]
    size = f"{result.precision.effective_size:,.1f}"
    rows = [("Effective labels", "n = Â (1 − Â) / V̂", size)]
    return [*rows, (name, _FORMULAS[result.interval.name], limits)]


def _uniform(result: Result) -> list[tuple[str, str, str]]:
    beside = result.precision
    if result.census or result.sample.sizes.size == 1 or beside.uniform_needed is None:
        return []
    error = sentences.points(result, beside.uniform.standard_error)
    return [
        ("Uniform’s standard error", "√((1 − M/N) Ŝ² / M)", error),
        ("Labels Uniform needs for V̂", "1 / (V̂/Ŝ² + 1/N)", f"{beside.uniform_needed:,}"),
    ]


def _chances(result: Result) -> str:
    chances = result.sample.counts / result.sample.sizes
    return share_span(float(chances.min()), float(chances.max()), 1)


# The items behind the numbers of the report: each in full, the wrong ones first, and those of a stratum or a group.

# The element to which the headline leads.
ANCHOR = "items"
_MOST, _LONGEST_TEXT, _NAMED = 1000, 4000, 60


@dataclass(frozen=True, slots=True)
class ItemInFull:
    """An item in full, as the template names it; "" and () for what it does not have."""

    anchor: str
    name: str
    verdict: str
    about: str
    prompt: str
    choices: tuple[str, ...]
    without: str
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Items in full, one after another."""

    kind: ClassVar[str] = "listing"
    items: tuple[ItemInFull, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to an element; "" for none."""

    words: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Behind:
    """The items of a stratum or a group, which lead to each in full."""

    kind: ClassVar[str] = "behind"
    title: str
    counts: str
    anchor: str
    links: tuple[Link, ...]


def examples(result: Result, items: pd.DataFrame) -> list[Paragraph | Listing]:
    """Write the items in full, of `core.study.judged_items`, as many as a file can hold."""
    cut = f" Here are the first {_MOST:,}." if len(items) > _MOST else ""
    start = Paragraph(f"The items behind the number, {order(result)}.{cut}", "soft", ANCHOR)
    rows = items.head(_MOST).to_dict("records")
    return [start, Listing(tuple(_item(result, place, row) for place, row in enumerate(rows)))]


def hint(result: Result, items: pd.DataFrame) -> str:
    """Say how many items there are, and which come first."""
    return f"{counted(len(items), 'item')}, {leading(items['value'], result.measure)}"


def order(result: Result) -> str:
    """In which order items stand."""
    return "wrong ones first" if result.measure == "accuracy" else "lowest scores first"


def behind(result: Result, items: pd.DataFrame, kind: str, names: Sequence[str]) -> Iterator[Behind]:
    """List the items of each stratum or group, with links to each in full.

    Parameters
    ----------
    result : Result
        What is reported.
    items : DataFrame
        Of `core.study.judged_items`.
    kind : str
        The column that tells them apart: "stratum" or "group".
    names : sequence of str
        Its values, in the order of the table above.
    """
    places = pd.Series(range(len(items)), index=items[kind].astype(str))
    for number, name in enumerate(names):
        chosen = [] if name not in places.index else places.loc[[name]].tolist()
        if not chosen:
            continue
        title = f"{kind.capitalize()} {name}" if kind == "stratum" else shortened(name, _NAMED)
        links = tuple(
            _link(place, str(items["item_id"].iloc[place]), _verdict(result, items["value"].iloc[place]))
            for place in chosen
        )
        yield Behind(title, _counts(result, items["value"].iloc[chosen]), anchor(kind, number), links)


def anchor(kind: str, number: int) -> str:
    """Id of the list of a stratum's or a group's items, by its place."""
    return f"{kind}-{number}"


def _item(result: Result, place: int, row: dict[Hashable, Any]) -> ItemInFull:
    about = [str(row["group"] or ""), f"stratum {row['stratum']}", "annotators disagree" if row["disputed"] else ""]
    prompt, choices = row["prompt"], row["choices"]
    known = isinstance(prompt, str) or isinstance(choices, list)
    said = (("Target", row["target"]), ("Label", row["label"]), ("Surrogate", row["surrogate"]))
    return ItemInFull(
        f"item-{place}",
        str(row["item_id"]),
        _verdict(result, float(row["value"])),
        " · ".join(part for part in about if part),
        cut(prompt) if isinstance(prompt, str) else "",
        tuple(cut(str(option)) for option in choices) if isinstance(choices, list) else (),
        "" if known else textless(str(row["item_id"]), row["group"] or None),
        tuple((name, cut(str(text))) for name, text in said if text),
    )


def _link(place: int, item: str, verdict: str) -> Link:
    return Link(f"{shortened(item, _NAMED)} ({verdict})", "" if place >= _MOST else f"item-{place}")


def _verdict(result: Result, value: float) -> str:
    if result.measure == "accuracy" and value in (0.0, 1.0):
        return "right" if value else "wrong"
    return significant(_own(result, value), 3)


def _own(result: Result, value: float) -> float:
    """A value as labels give it: a grade of a scale."""
    return result.unit.grade(value) if isinstance(result.unit, GradeScale) else value


def _counts(result: Result, values: pd.Series[float]) -> str:
    wrong = int((values == 0).sum())
    many = counted(len(values), "item")
    return (
        f"{many}, {wrong:,} wrong"
        if result.measure == "accuracy"
        else f"{many}, mean {significant(_own(result, float(values.mean())), 3)}"
    )


def cut(text: str) -> str:
    """A text, or the beginning of a huge one."""
    rest = len(text) - _LONGEST_TEXT
    return text if rest <= 0 else f"{text[:_LONGEST_TEXT]}… ({counted(rest, 'more character')})"
