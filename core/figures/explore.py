"""Tidy frames → Plotly figures: this module maps columns to marks and computes nothing.

One colour, dash and marker per method, everywhere. Figures carry no template, so that the page's light or dark theme
shows through; every text that comes from a pool is escaped, because Plotly renders tags.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class MethodStyle:
    """How one method is drawn and named."""

    label: str
    colour: str
    dash: str
    symbol: str
    width: float = 2.0


METHOD_STYLE = {
    "uniform": MethodStyle("Uniform", "#6B7280", "solid", "circle-open"),
    "equal": MethodStyle("Equal", "#CC79A7", "dashdot", "diamond"),
    "proportional": MethodStyle("Proportional", "#D55E00", "dash", "square"),
    "power": MethodStyle("Power", "#8F5E2E", "longdash", "triangle-up"),
    "proxy-neyman": MethodStyle("Proxy-Neyman", "#0072B2", "solid", "circle", 3.5),
    "oracle-neyman": MethodStyle("Oracle-Neyman", "#009E73", "dot", "cross", 2.5),
    "se-lure": MethodStyle("SE-LURE", "#DC267F", "longdashdot", "x"),
    "pe-lure": MethodStyle("PE-LURE", "#785EF0", "dash", "triangle-down"),
}
_GREY = "#6B7280"
_LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "title": {"text": ""}}


def relative_mse(curve: pd.DataFrame, simulated: pd.DataFrame | None = None, budget: int | None = None) -> go.Figure:
    """Squared error relative to Uniform against the budget: exact lines, simulated points, the current budget marked.

    Parameters
    ----------
    curve : frame of `core.simulation.curve`. simulated : frame of `core.simulation.simulated_curve`, drawn as points
        with ±1 standard-error bars. budget : marked by a vertical line.
    """
    exact = [_line(name, rows) for name, rows in curve.groupby("method", sort=False)]
    points = []
    if simulated is not None:
        points = [_points(name, rows) for name, rows in simulated.groupby("method", sort=False)]
    layout = {
        "xaxis": {"type": "log", "title": {"text": "Labels M (log scale)"}, **_log_ticks(curve["budget"])},
        "yaxis": {"title": {"text": "Squared error, % of Uniform's"}, "ticksuffix": " %"},
        "hovermode": "closest",
        "legend": _LEGEND,
        "margin": {"l": 10, "r": 10, "t": 60, "b": 10},
        "height": 460,
        "uirevision": "keep",
        "shapes": [] if budget is None else [_vertical(budget)],
        "annotations": [] if budget is None else [_flag(budget)],
    }
    return go.Figure({"data": [*exact, *points], "layout": layout})


def strata(table: pd.DataFrame) -> go.Figure:
    """Each stratum's share of pool and budget (left), and the proxy beside the true spread and p_h (right).

    Parameters
    ----------
    table : frame of `core.stratification.profiles.stratum_table`; without the column ``sd`` the right panel has no
    true spread.
    """
    ranges = zip(table["stratum"].tolist(), table["se_low"].tolist(), table["se_high"].tolist(), strict=True)
    names = [stratum_name(int(h), float(low), float(high)) for h, low, high in ranges]
    bars = [
        _bar("Share of pool", names, table["share_of_pool"] * 100, _GREY, table["items"], "items", ""),
        _bar("Share of labels", names, table["share_of_budget"] * 100, "#0072B2", table["labels"], "labels", "/"),
    ]
    spread = [_marks("Proxy √(p(1−p))+δ", names, table["proxy"], "#0072B2", "circle")]
    if "sd" in table:
        spread.append(_marks("True σ", names, table["sd"], "#009E73", "cross"))
    spread.append(_marks("Self-consistency p", names, table["consistency"], _GREY, "diamond-open"))
    layout = {
        "xaxis": {
            "domain": [0, 0.6],
            "title": {"text": "Stratum, and its entropy from … to (nats)"},
            "type": "category",
            # Upright and small enough for ten strata on a narrow page.
            "tickangle": 0,
            "tickfont": {"size": 10},
        },
        "yaxis": {"title": {"text": "Share"}, "ticksuffix": " %", "rangemode": "tozero"},
        "xaxis2": {"domain": [0.74, 1], "anchor": "y2", "title": {"text": "Stratum"}, "type": "category"},
        "yaxis2": {"anchor": "x2", "title": {"text": "Spread of the loss; p"}, "rangemode": "tozero"},
        "barmode": "group",
        "legend": _LEGEND,
        "margin": {"l": 10, "r": 10, "t": 60, "b": 10},
        "height": 400,
        "uirevision": "keep",
    }
    return go.Figure({"data": [*bars, *spread], "layout": layout})


def distribution(
    values: Sequence[float], counts: Sequence[int], title: str, highlight: float | None = None
) -> go.Figure:
    """Items at each value of a signal: one bar a value, or a histogram of 40 bins where there are more than 60 values.

    ``highlight``: the value whose bar takes the accent colour.
    """
    total = max(sum(int(c) for c in counts), 1)
    share = [100 * int(c) / total for c in counts]
    colours = ["#D55E00" if highlight is not None and v == highlight else "#0072B2" for v in values]
    if len(values) > 60:
        trace: dict[str, Any] = {"type": "histogram", "x": list(values), "y": share, "histfunc": "sum", "nbinsx": 40}
        trace |= {"marker": {"color": "#0072B2"}, "hovertemplate": "%{x}: %{y:.1f} % of the items<extra></extra>"}
    else:
        trace = {"type": "bar", "x": list(values), "y": share, "customdata": [int(c) for c in counts]}
        trace |= {"width": _bar_width(values), "marker": {"color": colours}}
        trace |= {"hovertemplate": title + " = %{x:.3f}: %{customdata:,} items, %{y:.1f} %<extra></extra>"}
    layout = {
        "xaxis": {"title": {"text": title}},
        "yaxis": {"title": {"text": "Share of items"}, "ticksuffix": " %"},
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "height": 280,
        "showlegend": False,
    }
    return go.Figure({"data": [trace], "layout": layout})


def stratum_name(stratum: int, low: float, high: float) -> str:
    """Number of a stratum over the lowest and the highest value of its signal, a line each."""
    if math.isnan(low):
        return f"{stratum}<br>no<br>signal"
    return f"{stratum}<br>{low:.2g}" if low == high else f"{stratum}<br>{low:.2f}<br>{high:.2f}"


def escaped(text: str) -> str:
    """Text of a pool, safe as a label, title or hover text."""
    return html.escape(str(text), quote=False)


def _style(method: object) -> MethodStyle:
    return METHOD_STYLE[str(method)]


def _line(method: object, rows: pd.DataFrame) -> dict[str, Any]:
    style = _style(method)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": style.label,
        "legendgroup": style.label,
        "x": rows["budget"].tolist(),
        "y": (rows["relative_mse"] * 100).tolist(),
        "line": {"color": style.colour, "dash": style.dash, "width": style.width},
        "hovertemplate": style.label + ", M = %{x:,}: %{y:.1f} % (exact)<extra></extra>",
    }


def _points(method: object, rows: pd.DataFrame) -> dict[str, Any]:
    style = _style(method)
    error = (rows["relative_standard_error"] * 100).tolist()
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{style.label}, simulated",
        "legendgroup": style.label,
        "showlegend": False,
        "x": rows["budget"].tolist(),
        "y": (rows["relative_mse"] * 100).tolist(),
        "error_y": {"type": "data", "array": error, "thickness": 1.2, "width": 3, "color": style.colour},
        "marker": {"color": style.colour, "symbol": style.symbol, "size": 7},
        "customdata": error,
        "hovertemplate": style.label + ", M = %{x:,}: %{y:.1f} ± %{customdata:.1f} % (simulated)<extra></extra>",
    }


def _bar(
    name: str, x: list[str], y: pd.Series[float], colour: str, count: pd.Series[int], unit: str, pattern: str
) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": x,
        "y": y.tolist(),
        "marker": {"color": colour, "pattern": {"shape": pattern}},
        "customdata": count.tolist(),
        "hovertemplate": name + ": %{y:.1f} % (%{customdata:,} " + unit + ")<extra></extra>",
    }


def _marks(name: str, x: list[str], y: pd.Series[float], colour: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [label.split("<br>")[0] for label in x],
        "y": y.tolist(),
        "xaxis": "x2",
        "yaxis": "y2",
        "line": {"color": colour, "width": 1, "dash": "dot"},
        "marker": {"color": colour, "symbol": symbol, "size": 10},
        "hovertemplate": name + " in stratum %{x}: %{y:.3f}<extra></extra>",
    }


def _vertical(budget: int) -> dict[str, Any]:
    line = {"color": _GREY, "width": 1.5, "dash": "dot"}
    return {"type": "line", "x0": budget, "x1": budget, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _flag(budget: int) -> dict[str, Any]:
    return {
        "x": math.log10(budget),
        "y": 0,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "left",
        "text": f"M = {budget:,}",
        "showarrow": False,
        "font": {"color": _GREY},
    }


def _log_ticks(budgets: pd.Series[int]) -> dict[str, Any]:
    """Ticks at 1, 2 and 5 times the powers of ten: the default shows bare digits between decades."""
    low, high = int(budgets.min()), int(budgets.max())
    ticks = [d * 10**p for p in range(8) for d in (1, 2, 5) if low <= d * 10**p <= high]
    return {"tickvals": ticks, "ticktext": [f"{t:,}" for t in ticks]} if ticks else {}


def _bar_width(values: Sequence[float]) -> float:
    """Thin bars on a lattice: half the median gap, so that neighbours stay apart."""
    ordered = sorted(set(values))
    gaps = sorted(b - a for a, b in pairwise(ordered))
    return 0.03 if not gaps else max(0.5 * gaps[len(gaps) // 2], 0.01 * (ordered[-1] - ordered[0]))
