"""Figures of decisions: a judge against people's labels, and versions of a model."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from ..words import PER_CENT, per_cent, value
from . import intervals, style
from . import labels as names
from .intervals import estimates
from .labels import NamedLine
from .style import Figure, LineStyle

_SIGNS = ("━━", "╍╍", "┉┉")


def rates(table: pd.DataFrame) -> Figure:
    """Rates with their intervals, the judge's own pass rate first, and thresholds as marks on their rows.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high (fractions of 1; NaN if not known) and threshold (NaN if a row has none).
    """
    figure = estimates(table.drop(columns="threshold"), written=lambda share: value(share, True))
    rows, marks = figure["layout"]["yaxis"], []
    names = list(rows["ticktext"])
    for row, threshold in enumerate(table["threshold"]):
        if math.isnan(threshold):
            continue
        marks.append(style.vertical(100 * threshold, 2, y0=row - 0.35, y1=row + 0.35, yref="y"))
        # Below the row's name: beside the mark it would stand between two rows, or on an interval.
        names[row] += f"<br>at least {per_cent(threshold)}"
    layout = figure["layout"]
    # As many as stand beside each other on a phone.
    ticks = range(0, 101, 50)
    axis = layout["xaxis"] | {
        "range": [-2, 102],
        "tickvals": list(ticks),
        "ticktext": [per_cent(tick / 100) for tick in ticks],
        "tickangle": 0,
        "title": {"text": ""},
    }
    more = {"xaxis": axis, "yaxis": rows | {"ticktext": names}, "shapes": marks}
    return figure | {"layout": layout | more | {"height": layout["height"] + 20}}


def budgets(table: pd.DataFrame) -> Figure:
    """Half-widths of the intervals against the number of labels, a line for each measure.

    Parameters
    ----------
    table : DataFrame
        Columns budget, tnr, tpr, pass_rate; half-widths as fractions of 1.
    """
    looks = (
        ("tnr", "failures caught", style.ACCENT, "solid"),
        ("pass_rate", "pass rate", style.TRUTH, "dash"),
        ("tpr", "good answers passed", style.CONTRAST, "dot"),
    )
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": table["budget"].tolist(),
            "y": style.percents(table[name]),
            "name": title,
            "line": {"color": colour, "dash": dash, "width": 2.5},
            "hovertemplate": f"{title}, %{{x:,}} labels: ±%{{y:.1f}} points<extra></extra>",
        }
        for name, title, colour, dash in looks
    ]
    signs = [(sign, colour, title) for sign, (_, title, colour, _) in zip(_SIGNS, looks, strict=True)]
    layout = style.layout(
        xaxis=style.round_budget_axis(table["budget"], "Labels (log scale)"),
        yaxis={"rangemode": "tozero", "title": {"text": ""}},
        # Two lines: one is cut on a phone.
        annotations=[style.heading("± points<br>" + style.keyed("", *signs).lstrip())],
        height=340,
        margin=style.BARE_MARGIN | {"t": 56},
    )
    return {"data": traces, "layout": layout}


# Figures of versions of a model: chances of a gate between two of them, and accuracies over time.

# Column, name, colour and dash of a gate's lines.
_LINES = (
    ("passed", "Pass", style.TRUTH, "solid"),
    ("failed", "Fail", style.CONTRAST, "solid"),
    ("usual_passed", "Pass, usual gate", style.TRUTH, "dot"),
    ("usual_failed", "Fail, usual gate", style.CONTRAST, "dot"),
)


def chances(table: pd.DataFrame, margin: float) -> Figure:
    """Chance that a version gate passes and fails against the true difference in accuracy, and a usual gate's.

    Parameters
    ----------
    table : DataFrame
        Of `core.gates.version_chances.Chances`.
    margin : float
        Of the gate.
    """
    table = table[::-1]
    points = (-100 * table["difference"]).tolist()
    drawn = [(name, colour, dash, style.percents(table[column])) for column, name, colour, dash in _LINES]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": points,
            "y": y,
            "line": {"color": colour, "dash": dash, "width": 2.5},
            "hovertemplate": f"{name}" + " at %{x:+.1f} points: %{y:.0f}" + f"{PER_CENT}<extra></extra>",
        }
        for name, colour, dash, y in drawn
    ]
    lines = [
        NamedLine((LineStyle(name, colour, dash, "circle"),), points, (100 * table[column]).tolist())
        for column, name, colour, dash in _LINES
    ]
    layout = names.layout(
        lines,
        {"title": {"text": "True difference in accuracy, points", "standoff": 6}},
        {"range": [0, 101], "ticksuffix": PER_CENT},
        "Chance of the verdict",
        320,
        shapes=[style.vertical(-100 * margin)],
    )
    return {"data": traces, "layout": layout}


# Colours of a verdict, readable on light and on dark.
VERDICTS = {"pass": "#178a5b", "fail": "#d1453b", "undecided": "#b7791f"}


def verdict(table: pd.DataFrame, margin: float, word: str) -> Figure:
    """The difference of two versions with its interval, in the colour of the verdict, and what counts as worse shaded.

    Parameters
    ----------
    table : DataFrame
        One row: label, value, low, high, differences in accuracy as fractions; a value of NaN is not known.
    margin : float
        The largest loss of accuracy that passes.
    word : str
        "pass", "fail" or "undecided".
    """
    one = table.iloc[0]
    middle = (one["low"] + one["high"]) / 2 if math.isnan(one["value"]) else one["value"]
    figure = intervals.difference(table.assign(value=middle, label=""), sides=("worse", "better"))
    for trace in figure["data"]:
        trace["marker"] |= {"color": VERDICTS[word], "size": 18}
        trace["error_x"] |= {"color": VERDICTS[word], "thickness": 5, "width": 12}
    layout = figure["layout"]
    reach = max(layout["xaxis"]["range"][1], 160 * margin)
    shade = {"type": "rect", "x0": -reach, "x1": -100 * margin, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    shade |= {"fillcolor": "rgba(209,69,59,0.12)", "line": {"width": 0}}
    note = {"x": -100 * margin, "y": 0, "yref": "paper", "xanchor": "right", "yanchor": "bottom", "xshift": -4}
    layout["annotations"].append(note | {"text": f"worse by more than {100 * margin:g}", "showarrow": False})
    layout["shapes"] = [*layout["shapes"], shade, style.vertical(-100 * margin)]
    layout["xaxis"] |= {"range": [-reach, reach], "title": {"text": "Difference in accuracy, points"}}
    return figure


def gate_items(same: int, known: int, listed: int, rest: int) -> Figure:
    """Items of a version gate in one bar: equal answers, known outcomes, those to label, and the other differing ones.

    Parameters
    ----------
    same, known, listed, rest : int
        Numbers of items.
    """
    parts = (
        ("Same answer", same, style.GREY),
        ("Differ, outcome known", known, style.CONTRAST),
        ("Differ, to label", listed, style.ACCENT),
        ("Differ, not needed", rest, "rgba(0,114,178,0.3)"),
    )
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": [count],
            "y": [0],
            "marker": {"color": colour},
            "hovertemplate": f"{name}: {count:,} items<extra></extra>",
        }
        for name, count, colour in parts
        if count
    ]
    shown = [(name, count, colour) for name, count, colour in parts if count]
    signs = [("■", colour, f"{name} {count:,}") for name, count, colour in shown]
    layout = style.layout(
        xaxis={"visible": False, "range": [0, same + known + listed + rest], "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
        barmode="stack",
        bargap=0.1,
        annotations=[style.heading(style.keyed("", *signs).lstrip())],
        height=96,
        margin=style.BARE_MARGIN | {"t": 40},
    )
    return {"data": traces, "layout": layout}


def over_time(table: pd.DataFrame) -> Figure:
    """Accuracy of each version with its interval, the oldest on top; a bar between what is possible if there is none.

    Parameters
    ----------
    table : DataFrame
        Of `core.bank.history`.
    """
    known = table["value"].notna()
    middle = table["value"].where(known, (table["low"] + table["high"]) / 2)
    bars = {"least": middle.where(known, table["low"]), "most": middle.where(known, table["high"])}
    return intervals.estimates(table.assign(label=table["version"], value=middle, **bars))


def pairs(table: pd.DataFrame) -> Figure:
    """Differences in accuracy of versions that follow each other, with their joint limits; none without a value.

    Parameters
    ----------
    table : DataFrame
        Of `core.bank.differences`.
    """
    table = table[table["neighbours"] & table["value"].notna()]
    # A difference that is exact on these items has limits for other questions alone.
    table = table.assign(**{end: table[f"other_{end}"].fillna(table[end]) for end in ("low", "high")})
    names = table["later"] + " − " + table["earlier"]
    return intervals.difference(table.assign(label=names), sides=("later is worse", "later is better"))
