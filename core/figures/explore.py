"""Figures of a design on a pool: squared error against the budget, strata, and the distribution of a signal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.figures import style
from core.figures.style import METHOD_STYLES

# More values than this are a histogram.
_MOST_BARS = 60
# What may be known of the losses along a signal: name, colour, dash and marker.
_ALONG = {
    "risk": ("Predicted risk", style.ACCENT, "solid", "circle"),
    "mean_loss": ("Mean loss", style.CONTRAST, "dash", "square"),
    "sd": ("True σ", style.TRUTH, "dot", "cross"),
    "consistency": ("Self-consistency p", style.GREY, "dashdot", "diamond-open"),
}


def relative_mse(curve: pd.DataFrame, simulated: pd.DataFrame | None = None, budget: int | None = None) -> go.Figure:
    """Squared error relative to Uniform against the budget: exact lines, simulated points, the current budget marked.

    Parameters
    ----------
    curve : DataFrame
        Columns method, budget, relative_mse (a ratio; NaN is a gap).
    simulated : DataFrame, optional
        Columns method, budget, relative_mse, relative_standard_error; drawn as points with ±1 standard error.
    budget : int, optional
        Marked by a vertical line.
    """
    lines = []
    for method, rows in curve.groupby("method", sort=False):
        look = METHOD_STYLES[str(method)]
        lines.append(
            style.line(look, rows["budget"], rows["relative_mse"], "lines")
            | {"hovertemplate": style.hover(look, "exact")}
        )
    points = [] if simulated is None else [_points(*group) for group in simulated.groupby("method", sort=False)]
    layout = style.layout(
        xaxis=style.round_budget_axis(curve["budget"]),
        yaxis=style.percent_axis(style.ERROR_TITLE),
        height=460,
        shapes=[] if budget is None else [style.vertical(budget)],
        annotations=[] if budget is None else [_flag(budget)],
    )
    return go.Figure({"data": [*lines, *points], "layout": layout})


def strata(table: pd.DataFrame) -> go.Figure:
    """Each stratum's share of pool and budget (left), and the proxy beside the true standard deviation and p (right).

    Parameters
    ----------
    table : DataFrame
        Columns stratum, se_low, se_high, share_of_pool, items, share_of_budget, labels, proxy, consistency; sd where
        the target's losses are known.
    """
    ranges = zip(table["stratum"].tolist(), table["se_low"].tolist(), table["se_high"].tolist(), strict=True)
    names = [stratum_name(int(h), float(low), float(high)) for h, low, high in ranges]
    bars = [
        _bar("Share of pool", names, table["share_of_pool"], style.GREY, table["items"], "items", ""),
        _bar("Share of labels", names, table["share_of_budget"], style.ACCENT, table["labels"], "labels", "/"),
    ]
    marks = [_marks("Proxy √(p(1−p))+δ", table, "proxy", style.ACCENT, "circle")]
    if "sd" in table:
        marks.append(_marks("True σ", table, "sd", style.TRUTH, "cross"))
    marks.append(_marks("Self-consistency p", table, "consistency", style.GREY, "diamond-open"))
    layout = style.layout(
        xaxis={
            "domain": [0, 0.6],
            "title": {"text": "Stratum, and its entropy from … to (nats)"},
            "type": "category",
            # Upright and small enough for ten strata on a narrow page.
            "tickangle": 0,
            "tickfont": {"size": 10},
        },
        yaxis=style.percent_axis("Share", rangemode="tozero"),
        xaxis2={"domain": [0.74, 1], "anchor": "y2", "title": {"text": "Stratum"}, "type": "category"},
        yaxis2={"anchor": "x2", "title": {"text": "Standard deviation; p"}, "rangemode": "tozero"},
        barmode="group",
        height=400,
    )
    return go.Figure({"data": [*bars, *marks], "layout": layout})


def fine_strata(table: pd.DataFrame) -> go.Figure:
    """Each item's chance of being drawn along the signal (left), and what is known of the losses there (right).

    Parameters
    ----------
    table : DataFrame
        Strata in the order of the signal, merged to as many as can be told apart: share_of_pool, items, labels,
        inclusion_probability, and of risk, mean_loss, sd and consistency those that are known.
    """
    end = 100 * table["share_of_pool"].cumsum()
    middle = (end - 50 * table["share_of_pool"]).tolist()
    chance = (100 * table["inclusion_probability"]).tolist()
    average = 100 * table["labels"].sum() / table["items"].sum()
    known = [(name, look) for name, look in _ALONG.items() if name in table]
    steps = {
        "type": "scatter",
        "mode": "lines",
        "name": "Chance of being drawn",
        "x": [0.0, *end.tolist()],
        "y": [*chance, chance[-1]],
        "line": {"color": style.ACCENT, "width": 3, "shape": "hv"},
        "hovertemplate": "Chance of being drawn: %{y:.2f} %<extra></extra>",
    }
    uniform = {
        "type": "scatter",
        "mode": "lines",
        "name": "Uniform",
        "x": [0, 100],
        "y": [average, average],
        "line": {"color": style.GREY, "width": 2, "dash": "dot"},
        "hovertemplate": "Uniform: %{y:.2f} %<extra></extra>",
    }
    lines = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": middle,
            "y": table[column].tolist(),
            "xaxis": "x2",
            "yaxis": "y2",
            "line": {"color": colour, "width": 1.5, "dash": dash},
            "marker": {"color": colour, "symbol": symbol, "size": 7},
            "hovertemplate": name + ": %{y:.3f}<extra></extra>",
        }
        for column, (name, colour, dash, symbol) in known
    ]
    along = {"title": {"text": "Items, %"}, "range": [0, 100]}
    layout = style.layout(
        xaxis={**along, "domain": [0, 0.44] if known else [0, 1]},
        yaxis=style.percent_axis("Chance of being drawn", rangemode="tozero"),
        xaxis2={**along, "domain": [0.56, 1], "anchor": "y2"},
        yaxis2={"anchor": "x2", "range": [-0.02, 1.02] if _in_unit(table, known) else None},
        height=400,
    )
    return go.Figure({"data": [steps, uniform, *lines], "layout": layout})


def distribution(
    values: Sequence[float], counts: Sequence[int], title: str, highlight: float | None = None
) -> go.Figure:
    """Items at each value of a signal: one bar a value, or a histogram of 40 bins where there are more than 60 values.

    Parameters
    ----------
    values : sequence of float
        The different values.
    counts : sequence of int
        Items at each of them.
    title : str
        What the values are.
    highlight : float, optional
        Value whose bar takes the contrasting colour.
    """
    total = max(sum(int(c) for c in counts), 1)
    share = [100 * int(c) / total for c in counts]
    colours = [style.CONTRAST if highlight is not None and v == highlight else style.ACCENT for v in values]
    if len(values) > _MOST_BARS:
        trace: dict[str, Any] = {"type": "histogram", "x": list(values), "y": share, "histfunc": "sum", "nbinsx": 40}
        trace |= {"marker": {"color": style.ACCENT}, "hovertemplate": "%{x}: %{y:.1f} % of the items<extra></extra>"}
    else:
        trace = {"type": "bar", "x": list(values), "y": share, "customdata": [int(c) for c in counts]}
        trace |= {"width": _bar_width(values), "marker": {"color": colours}}
        trace |= {"hovertemplate": title + " = %{x:.3f}: %{customdata:,} items, %{y:.1f} %<extra></extra>"}
    layout = {
        "xaxis": {"title": {"text": title}},
        "yaxis": style.percent_axis("Share of items"),
        "margin": style.BARE_MARGIN,
        "height": 280,
        "showlegend": False,
    }
    return go.Figure({"data": [trace], "layout": layout})


def calibration(table: pd.DataFrame) -> go.Figure:
    """Share of wrong answers against the predicted risk, a point a bin, beside the line on which they are equal.

    Parameters
    ----------
    table : DataFrame
        Columns predicted, observed, standard_error, items (of `core.signals.calibration`); ±2 standard errors are
        drawn.
    """
    look = style.LineStyle("Share of wrong answers", style.ACCENT, "solid", "circle", 2.0)
    points = style.line(look, 100 * table["predicted"], table["observed"], "markers") | {
        "error_y": style.error_bars(look, (200 * table["standard_error"]).tolist()),
        "customdata": table["items"].tolist(),
        "hovertemplate": "Predicted %{x:.1f} %, observed %{y:.1f} % (%{customdata:,} items)<extra></extra>",
        "showlegend": False,
    }
    most = 100 * min(1.0, float((table["observed"] + 2 * table["standard_error"]).max()))
    end = max(most, 100 * float(table["predicted"].max()))
    layout = style.layout(
        xaxis=style.percent_axis("Predicted risk", rangemode="tozero"),
        # Not below 0, where bars of small risks would end.
        yaxis=style.percent_axis("Observed", range=[0, 1.05 * end]),
        shapes=[{"type": "line", "x0": 0, "y0": 0, "x1": end, "y1": end, "line": style.dotted()}],
        margin=style.BARE_MARGIN,
        height=320,
    )
    return go.Figure({"data": [points], "layout": layout})


def stratum_name(stratum: int, low: float, high: float) -> str:
    """Number of a stratum over the lowest and the highest value of its signal, a line each."""
    if math.isnan(low):
        return f"{stratum}<br>no<br>signal"
    return f"{stratum}<br>{low:.2g}" if low == high else f"{stratum}<br>{low:.2f}<br>{high:.2f}"


def _in_unit(table: pd.DataFrame, known: list[tuple[str, tuple[str, str, str, str]]]) -> bool:
    """Whether all that is drawn of the losses lies in [0, 1]."""
    return all(bool(table[name].between(0, 1).all()) for name, _ in known)


def _points(method: object, rows: pd.DataFrame) -> dict[str, Any]:
    look = METHOD_STYLES[str(method)]
    errors = (100 * rows["relative_standard_error"]).tolist()
    trace = style.line(look, rows["budget"], rows["relative_mse"], "markers") | {
        "name": f"{look.label}, simulated",
        "showlegend": False,
        "error_y": style.error_bars(look, errors),
        "customdata": errors,
        "hovertemplate": style.hover_simulated(look),
    }
    trace["marker"]["size"] = 7
    return trace


def _bar(
    name: str, x: list[str], shares: pd.Series[float], colour: str, count: pd.Series[int], unit: str, pattern: str
) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": x,
        "y": (100 * shares).tolist(),
        "marker": {"color": colour, "pattern": {"shape": pattern}},
        "customdata": count.tolist(),
        "hovertemplate": name + ": %{y:.1f} % (%{customdata:,} " + unit + ")<extra></extra>",
    }


def _marks(name: str, table: pd.DataFrame, column: str, colour: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [str(int(h)) for h in table["stratum"]],
        "y": table[column].tolist(),
        "xaxis": "x2",
        "yaxis": "y2",
        "line": {"color": colour, "width": 1, "dash": "dot"},
        "marker": {"color": colour, "symbol": symbol, "size": 10},
        "hovertemplate": name + " in stratum %{x}: %{y:.3f}<extra></extra>",
    }


def _flag(budget: int) -> dict[str, Any]:
    return {
        "x": math.log10(budget),
        "y": 0,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "left",
        "text": f"M = {budget:,}",
        "showarrow": False,
        "font": {"color": style.GREY},
    }


def _bar_width(values: Sequence[float]) -> float:
    """Thin bars on a lattice: half the median gap, so that neighbours stay apart."""
    ordered = sorted(set(values))
    gaps = sorted(b - a for a, b in pairwise(ordered))
    return 0.03 if not gaps else max(0.5 * gaps[len(gaps) // 2], 0.01 * (ordered[-1] - ordered[0]))
