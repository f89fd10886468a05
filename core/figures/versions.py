"""Figures of versions of a model: chances of a gate between two of them, and accuracies over time."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..words import PER_CENT
from . import intervals, style
from . import labels as names
from .labels import NamedLine
from .style import Figure, LineStyle

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
