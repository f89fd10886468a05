"""Figures of a plan before any label: half-widths against labels, and a gate's chances against the true accuracy."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.figures import style
from core.figures.style import METHOD_STYLES

_BAND = "rgba(168,56,159,0.16)"
# Answer, name, colour, dash of a gate's lines.
_ANSWERS = (
    ("ship", "Ship", style.TRUTH, "solid"),
    ("hold", "Hold", style.CONTRAST, "dash"),
    ("unclear", "Unclear", style.GREY, "dot"),
)


def half_widths(
    table: pd.DataFrame, labels: int | None = None, reached: pd.DataFrame | None = None, height: int = 360
) -> go.Figure:
    """Forecast half-widths against labels: a line a method, the recommended one's band, and what was reached.

    Parameters
    ----------
    table : DataFrame
        Columns method, budget, half_width, half_width_low, half_width_high, worst, as of `core.planning.curve`.
    labels : int, optional
        Marked by a vertical line, with a point on the recommended design's line where the table has it.
    reached : DataFrame, optional
        Columns labels, half_width: intervals of labels that came in.
    height : int
        In pixels.
    """
    traces: list[dict[str, Any]] = []
    recommended = table[table["method"] == "recommended"]
    if len(recommended):
        x, look = recommended["budget"].tolist(), METHOD_STYLES["recommended"]
        edge = {"type": "scatter", "mode": "lines", "x": x, "line": {"width": 0}, "hoverinfo": "skip"}
        traces += [
            edge | {"y": _points(recommended["half_width_high"]), "showlegend": False},
            edge
            | {
                "y": _points(recommended["half_width_low"]),
                "fill": "tonexty",
                "fillcolor": _BAND,
                "name": "Believed range",
            },
            {
                "type": "scatter",
                "mode": "lines",
                "name": "Worst case",
                "x": x,
                "y": _points(recommended["worst"]),
                "line": style.dotted(),
                "hovertemplate": "Whatever the answers are, %{x:,} labels: ±%{y:.1f} points<extra></extra>",
            },
        ]
    for method, rows in table.groupby("method", sort=False):
        look = METHOD_STYLES[str(method)]
        line = style.line(look, rows["budget"], rows["half_width"], "lines")
        traces.append(line | {"hovertemplate": look.label + ", %{x:,} labels: ±%{y:.1f} points<extra></extra>"})
    here = recommended[recommended["budget"] == labels]
    if len(here):
        traces.append(_marker(here["budget"], here["half_width"], METHOD_STYLES["recommended"].colour, "Your plan"))
    if reached is not None and len(reached):
        traces.append(_marker(reached["labels"], reached["half_width"], style.ACCENT, "Reached", "lines+markers"))
    layout = style.layout(
        xaxis=style.round_budget_axis(table["budget"], "Labels (log scale)"),
        yaxis=_width_axis(table),
        height=height,
        shapes=[] if labels is None else [style.vertical(labels)],
    )
    return go.Figure({"data": traces, "layout": layout})


def gate_chances(table: pd.DataFrame, bar: float, band: float) -> go.Figure:
    """Chance of each answer of a gate against the true accuracy, with the bar and its band.

    Parameters
    ----------
    table : DataFrame
        Columns accuracy, ship, hold, unclear, as of `core.planning.Gate.chances`.
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
    layout = style.layout(
        xaxis={"title": {"text": "True accuracy"}, "ticksuffix": " %"},
        yaxis=style.percent_axis("Chance of the answer", range=[0, 101]),
        height=320,
        shapes=[shade | {"line": {"width": 0}, "layer": "below"}, style.vertical(100 * bar)],
    )
    return go.Figure({"data": lines, "layout": layout})


def _width_axis(table: pd.DataFrame) -> dict[str, Any]:
    """A logarithmic axis with round ticks; widths of 0, where every item is labelled, are below it."""
    shown = 100 * table.loc[table["half_width_low"] > 0, ["half_width_low", "worst"]]
    axis: dict[str, Any] = {"title": {"text": "Half-width, ± points (log scale)"}, "type": "log"}
    if shown.empty:
        return axis
    low, high = float(shown.min().min()), float(shown.max().max())
    ticks = [d * 10.0**p for p in range(-3, 3) for d in (1, 2, 5) if low <= d * 10.0**p <= high]
    room = [math.log10(max(low, high / 50)) - 0.03, math.log10(high) + 0.03]
    return axis | {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks], "range": room}


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
