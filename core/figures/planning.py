"""Figures of a plan before any label: half-widths against labels, and a gate's chances against the true accuracy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from ..allocation.ways import RECOMMENDED, UNIFORM, WAYS
from ..words import per_cent
from . import labels as names
from . import style
from .labels import NamedLine
from .style import METHOD_STYLES, Figure, LineStyle

_WORST = LineStyle("", style.GREY, "dot", "circle")
_SHADE_OF_BAND = 0.16
_LEAST_SHOWN = 30
# Half-widths that differ by less than this share are one line to the eye.
ALIKE = 0.04
# Answer, name, colour, dash of a gate's lines.
_ANSWERS = (
    ("ship", "Ship", style.TRUTH, "solid"),
    ("hold", "Hold", style.CONTRAST, "dash"),
    ("unclear", "Unclear", style.GREY, "dot"),
)


def half_widths(
    table: pd.DataFrame,
    labels: int | None = None,
    reached: pd.DataFrame | None = None,
    height: int = 360,
    method: str = RECOMMENDED.name,
    ranges: str = "assumption",
) -> Figure:
    """Half-widths against labels: a line a method, of a forecast the band of one of them, and what was reached.

    Methods whose lines would lie on each other share one, which names them all.

    Parameters
    ----------
    table : DataFrame
        Columns method, budget, half_width, half_width_low, half_width_high, worst, as of
        `core.prospect.forecast.curve`; exact ones have no worst.
    labels : int, optional
        Marked by a vertical line, with a point on the line of ``method`` if the table has it.
    reached : DataFrame, optional
        Columns labels, half_width: intervals of labels that came in.
    height : int
        In pixels.
    method : str
        Has the band, the worst case and the point.
    ranges : str
        What the band is called.
    """
    traces: list[dict[str, Any]] = []
    lines: list[NamedLine] = []
    chosen, look = table[table["method"] == method], METHOD_STYLES[method]
    forecast = "worst" in table
    if len(chosen) and forecast:
        x = chosen["budget"].tolist()
        edge = {"type": "scatter", "mode": "lines", "x": x, "line": {"width": 0}, "hoverinfo": "skip"}
        traces += [
            edge | {"y": _points(chosen["half_width_high"]), "showlegend": False},
            edge
            | {
                "y": _points(chosen["half_width_low"]),
                "fill": "tonexty",
                "fillcolor": _transparent(look.colour),
                "name": "Range",
            },
            {
                "type": "scatter",
                "mode": "lines",
                "name": "Worst case",
                "x": x,
                "y": _points(chosen["worst"]),
                "line": style.dotted(),
                "hovertemplate": "Whatever the answers are, %{x:,} labels: ±%{y:.1f} points<extra></extra>",
            },
        ]
        lines.append(NamedLine((replace(_WORST, label="Worst case"),), x, (100 * chosen["worst"]).tolist()))
    for methods in alike(table, method):
        rows, name = table[table["method"] == methods[0]], " = ".join(WAYS[one].plainly for one in methods)
        line = style.line(replace(METHOD_STYLES[methods[0]], label=name), rows["budget"], rows["half_width"], "lines")
        traces.append(line | {"hovertemplate": name + ", %{x:,} labels: ±%{y:.1f} points<extra></extra>"})
        looks = tuple(replace(METHOD_STYLES[one], label=WAYS[one].plainly) for one in methods)
        lines.append(NamedLine(looks, rows["budget"].tolist(), (100 * rows["half_width"]).tolist()))
    here = chosen[chosen["budget"] == labels]
    key = [("■", look.colour, ranges)] if len(chosen) and forecast else []
    if len(here):
        traces.append(_marker(here["budget"], here["half_width"], look.colour, "Your plan"))
        key.append(("●", look.colour, "your plan"))
    if reached is not None and len(reached):
        traces.append(_marker(reached["labels"], reached["half_width"], style.ACCENT, "Reached", "lines+markers"))
        key.append(("●", style.ACCENT, "reached"))
    drawn = [0.0, *(100 * chosen["half_width_high"])]
    layout = names.layout(
        lines,
        style.round_budget_axis(table["budget"], "Labels (log scale)"),
        {"tickprefix": "±", "rangemode": "tozero"},
        style.keyed("± points", *key),
        height,
        drawn if reached is None else [*drawn, *(100 * reached["half_width"])],
        shapes=[] if labels is None else [style.vertical(labels)],
    )
    return {"data": traces, "layout": layout}


def planned(table: pd.DataFrame, labels: int, method: str = "") -> pd.DataFrame:
    """Return half-widths from 30 labels on, or from so many: with fewer, all lines are steep, and nobody plans them.

    Only those of a method and of Uniform, if one is given.
    """
    table = table[table["budget"] >= min(_LEAST_SHOWN, labels)]
    return table[table["method"].isin([UNIFORM.name, method])] if method else table


def alike(table: pd.DataFrame, method: str = RECOMMENDED.name) -> list[tuple[str, ...]]:
    """Methods in groups of those whose half-widths differ by less than 4 % at every budget.

    Parameters
    ----------
    table : DataFrame
        As in `half_widths`.
    method : str
        Stands first in its group.
    """
    widths: dict[str, dict[int, float]] = {}
    for name, budget, width in zip(table["method"], table["budget"], table["half_width"], strict=True):
        widths.setdefault(name, {})[budget] = width
    groups: list[tuple[str, ...]] = []
    for name in sorted(widths, key=lambda one: one != method):
        place = next((place for place, group in enumerate(groups) if _are_alike(widths[group[0]], widths[name])), None)
        if place is None:
            groups.append((name,))
        else:
            groups[place] = (*groups[place], name)
    return groups[1:] + groups[:1]


def shared_lines(table: pd.DataFrame, method: str = RECOMMENDED.name) -> str:
    """Say why methods share a line, as in `alike`; "" if none do."""
    shared = any(len(group) > 1 for group in alike(table, method))
    return f"Designs that differ by less than {per_cent(ALIKE)} share one line." if shared else ""


def _are_alike(one: dict[int, float], other: dict[int, float]) -> bool:
    """Whether half-widths at budgets are alike wherever both are known."""
    both = one.keys() & other.keys()
    return bool(both) and all(abs(one[budget] - other[budget]) <= ALIKE * one[budget] for budget in both)


def gate_chances(table: pd.DataFrame, bar: float, band: float) -> Figure:
    """Chance of each answer of a gate against the true accuracy, with the bar and its band.

    Parameters
    ----------
    table : DataFrame
        Columns accuracy, ship, hold, unclear, as of `core.gates.Gate.chances`.
    bar, band : float
        Of the gate.
    """
    accuracy = (100 * table["accuracy"]).tolist()
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": accuracy,
            "y": _points(table[answer]),
            "line": {"color": colour, "dash": dash, "width": 2.5},
            "hovertemplate": name + " at %{x:.1f} % accuracy: %{y:.0f} %<extra></extra>",
        }
        for answer, name, colour, dash in _ANSWERS
    ]
    low, high = 100 * (bar - band), 100 * (bar + band)
    shade = {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "fillcolor": style.SHADE}
    layout = names.layout(
        [
            NamedLine((LineStyle(name, colour, dash, "circle"),), accuracy, (100 * table[answer]).tolist())
            for answer, name, colour, dash in _ANSWERS
        ],
        {"title": {"text": "True accuracy", "standoff": 6}, "ticksuffix": " %"},
        {"range": [0, 101], "ticksuffix": " %"},
        "Chance of the answer",
        320,
        shapes=[shade | {"line": {"width": 0}, "layer": "below"}, style.vertical(100 * bar)],
    )
    return {"data": lines, "layout": layout}


def _transparent(colour: str) -> str:
    """A hexadecimal colour as the shade of a band."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({','.join(map(str, parts))},{_SHADE_OF_BAND})"


def _points(shares: pd.Series[float]) -> list[float | None]:
    return style.percents(shares)


def _marker(x: pd.Series[int], y: pd.Series[float], colour: str, name: str, mode: str = "markers") -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": mode,
        "name": name,
        "x": x.tolist(),
        "y": _points(y),
        "marker": {"color": colour, "size": 11},
        "line": {"color": colour, "width": 1.5},
        "hovertemplate": name + ", %{x:,} labels: ±%{y:.1f} points<extra></extra>",
    }
