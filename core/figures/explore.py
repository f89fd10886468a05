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
# What is drawn of each stratum beside its shares: name, colour and marker.
_MARKS = {
    "proxy": ("Proxy √(p(1−p))+δ", style.ACCENT, "circle"),
    "mean_loss": ("Mean loss", style.CONTRAST, "square"),
    "sd": ("True σ", style.TRUTH, "cross"),
    "consistency": ("Self-consistency p", style.GREY, "diamond-open"),
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
    """Each stratum's share of pool and budget (left), and what is known of its losses (right).

    Parameters
    ----------
    table : DataFrame
        Columns stratum, se_low, se_high, share_of_pool, items, share_of_budget, labels; sd and consistency where they
        are known, and proxy or else mean_loss; last where neighbouring strata are merged, the last of each row.
    """
    if "last" in table:
        numbers = zip(table["stratum"].tolist(), table["last"].tolist(), strict=True)
        names = short = [f"{first}" if first == last else f"{first}–{last}" for first, last in numbers]
    else:
        ranges = zip(table["stratum"].tolist(), table["se_low"].tolist(), table["se_high"].tolist(), strict=True)
        names = [stratum_name(int(h), float(low), float(high)) for h, low, high in ranges]
        short = [f"{h}" for h in table["stratum"].tolist()]
    bars = [
        _bar("Share of pool", names, table["share_of_pool"], style.GREY, table["items"], "items", ""),
        _bar("Share of labels", names, table["share_of_budget"], style.ACCENT, table["labels"], "labels", "/"),
    ]
    hidden = "mean_loss" if "proxy" in table else "proxy"
    marks = [_marks(short, table, name, *look) for name, look in _MARKS.items() if name in table and name != hidden]
    layout = style.layout(
        xaxis={
            "domain": [0, 0.6],
            "title": {"text": "Strata" if "last" in table else "Stratum, and its entropy from … to (nats)"},
            "type": "category",
            # Upright and small enough for ten strata on a narrow page.
            "tickangle": 0,
            "tickfont": {"size": 10},
        },
        yaxis=style.percent_axis("Share", rangemode="tozero"),
        xaxis2={"domain": [0.74, 1], "anchor": "y2", "title": {"text": "Stratum"}, "type": "category"},
        yaxis2={
            "anchor": "x2",
            "title": {"text": "Standard deviation; p" if "proxy" in table else "Mean loss; σ; p"},
            "rangemode": "tozero",
        },
        barmode="group",
        height=400,
    )
    return go.Figure({"data": [*bars, *marks], "layout": layout})


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


def stratum_name(stratum: int, low: float, high: float) -> str:
    """Number of a stratum over the lowest and the highest value of its signal, a line each."""
    if math.isnan(low):
        return f"{stratum}<br>no<br>signal"
    return f"{stratum}<br>{low:.2g}" if low == high else f"{stratum}<br>{low:.2f}<br>{high:.2f}"


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


def _marks(strata: list[str], table: pd.DataFrame, column: str, name: str, colour: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": strata,
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
