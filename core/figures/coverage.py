"""The figure of `core.lab.coverage`: how often each interval contains the truth, and how wide it is."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.figures.explore import MethodStyle

_GREY = "#6B7280"
_LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "title": {"text": ""}}
STYLE = {
    "wilson": MethodStyle("Wilson (default)", "#0072B2", "solid", "circle", 3.5),
    "korn-graubard": MethodStyle("Korn–Graubard", "#009E73", "dash", "square"),
    "wald": MethodStyle("Wald", "#D55E00", "dot", "x"),
}


def figure(table: pd.DataFrame) -> go.Figure:
    """Coverage (left, with ±2 Monte-Carlo standard errors) and mean width (right) of each interval against the budget.

    Parameters
    ----------
    table : frame of `core.lab.coverage.coverage`, of one confidence level.
    """
    traces = []
    for name, rows in table.groupby("interval", sort=False):
        traces += _lines(STYLE[str(name)], rows)
    ticks = sorted(set(table["budget"].tolist()))
    axis: dict[str, Any] = {"type": "log", "tickvals": ticks, "ticktext": [f"{t:,}" for t in ticks]}
    axis |= {"title": {"text": "Labels M (log scale)"}}
    promised = 100 * float(table["confidence"].iloc[0])
    line = {"color": _GREY, "width": 1.5, "dash": "dot"}
    level = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": promised, "y1": promised, "line": line}
    layout = {
        "xaxis": axis | {"domain": [0, 0.46]},
        "xaxis2": axis | {"domain": [0.56, 1], "anchor": "y2"},
        "yaxis": {"title": {"text": "Contains the truth"}, "ticksuffix": " %"},
        "yaxis2": {"anchor": "x2", "title": {"text": "Mean width, points"}, "rangemode": "tozero"},
        "shapes": [level],
        "legend": _LEGEND,
        "margin": {"l": 10, "r": 10, "t": 60, "b": 10},
        "height": 400,
        "hovermode": "closest",
        "uirevision": "keep",
    }
    return go.Figure({"data": traces, "layout": layout})


def _lines(style: MethodStyle, rows: pd.DataFrame) -> list[dict[str, Any]]:
    shared = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": style.label,
        "legendgroup": style.label,
        "x": rows["budget"].tolist(),
        "line": {"color": style.colour, "dash": style.dash, "width": style.width},
        "marker": {"color": style.colour, "symbol": style.symbol, "size": 8},
    }
    spread = {"type": "data", "array": (200 * rows["coverage_error"]).tolist(), "thickness": 1.2, "width": 3}
    covered = {"y": (100 * rows["coverage"]).tolist(), "error_y": spread | {"color": style.colour}}
    covered |= {"hovertemplate": style.label + ", M = %{x:,}: contains the truth in %{y:.1f} %<extra></extra>"}
    width = {"y": (100 * rows["width"]).tolist(), "xaxis": "x2", "yaxis": "y2", "showlegend": False}
    width |= {"hovertemplate": style.label + ", M = %{x:,}: %{y:.1f} points wide<extra></extra>"}
    return [shared | covered, shared | width]
