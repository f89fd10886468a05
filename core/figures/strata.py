"""Figures of a signal and of its strata: how values are distributed, and one quantity a panel along the same strata."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from . import style
from .style import Figure

# More values than this are a histogram.
_MOST_BARS = 60
_BINS = 12
# Of a figure whose vertical axis has its title above it.
_SIGNAL_LEFT = 46
_HEADED = {"l": _SIGNAL_LEFT, "r": 10, "t": 36, "b": 52}


def distribution(values: Sequence[float], counts: Sequence[int], title: str, highlight: float | None = None) -> Figure:
    """Items at each value of a signal: one bar a value, or a histogram of 40 bins if there are more than 60 values.

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
        "yaxis": style.percent_axis("", automargin=False),
        "margin": _HEADED,
        "height": 280,
        "showlegend": False,
        "annotations": [_share()],
    }
    return {"data": [trace], "layout": layout}


def compared(before: Sequence[float], after: Sequence[float], title: str) -> Figure:
    """Items at each value of a signal before and after a change, as bars beside each other on 12 common bins.

    Parameters
    ----------
    before, after : sequence of float
        The values of the items, known ones only.
    title : str
        What the values are.
    """
    top = max([*before, *after, 1e-9])
    width = top / _BINS
    edges = [width * place for place in range(_BINS)]
    kinds = (("Now", before, style.GREY), ("With this parser", after, style.ACCENT))
    traces = []
    for name, values, colour in kinds:
        counts = Counter(min(int(value / width), _BINS - 1) for value in values)
        traces.append(
            {
                "type": "bar",
                "name": name,
                "x": [edge + width / 2 for edge in edges],
                "y": [100 * counts[place] / max(len(values), 1) for place in range(_BINS)],
                "marker": {"color": colour},
                "hovertemplate": f"{name}: %{{y:.1f}} % of the items around %{{x:.2f}}<extra></extra>",
            }
        )
    layout = {
        "xaxis": {"title": {"text": title}, "type": "linear", "nticks": 6, "tickmode": "auto", "range": [0, top]},
        "yaxis": style.percent_axis("", automargin=False),
        "margin": _HEADED,
        "height": 280,
        "barmode": "group",
        "showlegend": False,
        "annotations": [_share(*(("■", colour, name) for name, _, colour in kinds))],
    }
    return {"data": traces, "layout": layout}


def calibration(table: pd.DataFrame) -> Figure:
    """Share of wrong answers against the predicted risk, a point a bin, beside the line on which they are equal.

    Parameters
    ----------
    table : DataFrame
        Columns predicted, observed, standard_error, items (of `core.signals.calibration`); ±2 standard errors are
        drawn.
    """
    look = style.LineStyle("Share of wrong answers", style.ACCENT, "solid", "circle", 2.0)
    points = style.line(look, 100 * table["predicted"], table["observed"], "markers") | {
        "error_y": style.error_bars(look.colour, (200 * table["standard_error"]).tolist()),
        "customdata": table["items"].tolist(),
        "hovertemplate": "Predicted %{x:.1f} %, observed %{y:.1f} % (%{customdata:,} items)<extra></extra>",
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
    return {"data": [points], "layout": layout}


def _share(*signs: tuple[str, str, str]) -> dict[str, Any]:
    """The title of an axis of shares, with a key if there are several kinds of bars."""
    return style.heading(style.keyed("Share of items", *signs), xshift=4 - _SIGNAL_LEFT)


def _bar_width(values: Sequence[float]) -> float:
    """Thin bars on a lattice: half the median gap, so that neighbours stay apart."""
    ordered = sorted(set(values))
    gaps = sorted(b - a for a, b in pairwise(ordered))
    return 0.03 if not gaps else max(0.5 * gaps[len(gaps) // 2], 0.01 * (ordered[-1] - ordered[0]))


_LEFT, _TOP, _GAP, _BOTTOM = 46, 28, 34, 74
# Heights of the panels: what is decided, and what it rests on.
_TALL, _LOW = 170, 110
# What may be known of the losses along a signal, by panel: its title, and columns with name, colour and marker.
_ALONG: tuple[tuple[str, dict[str, tuple[str, str, str]]], ...] = (
    (
        "Mean loss, or share wrong",
        {"risk": ("predicted", style.ACCENT, "circle"), "mean_loss": ("true", style.CONTRAST, "square")},
    ),
    ("Standard deviation of the loss", {"sd": ("true", style.CONTRAST, "square")}),
    ("Self-consistency of the surrogate", {"consistency": ("", style.GREY, "triangle-up")}),
)
# Chances end here, with room for the line itself.
_ALL = 100.5
_SIGNS = {"circle": "●", "square": "■", "triangle-up": "▲"}


def strata(table: pd.DataFrame) -> Figure:
    """Each stratum's share of pool and labels; below it the standard deviation, assumed and true, and the consistency.

    Parameters
    ----------
    table : DataFrame
        Columns stratum, se_low, se_high, share_of_pool, items, share_of_budget, labels, proxy, consistency; sd if
        the target's losses are known.
    """
    ranges = zip(table["stratum"].tolist(), table["se_low"].tolist(), table["se_high"].tolist(), strict=True)
    names = [stratum_name(int(h), float(low), float(high)) for h, low, high in ranges]
    marks = [_marks("assumed, with δ", names, table["proxy"], style.ACCENT, "circle", "y2")]
    if "sd" in table:
        marks.append(_marks("true", names, table["sd"], style.CONTRAST, "square", "y2"))
    traces = [
        _bar("of the pool", names, table["share_of_pool"], style.GREY, table["items"], "items"),
        _bar("of the labels", names, table["share_of_budget"], style.ACCENT, table["labels"], "labels"),
        *marks,
        _marks("self-consistency", names, table["consistency"], style.GREY, "triangle-up", "y3"),
    ]
    panels = [
        style.keyed("Share, %", *_key(traces[:2])),
        style.keyed("Standard deviation", *_key(marks)),
        "Self-consistency of the surrogate",
    ]
    layout = _layout(panels, [_TALL, _LOW, _LOW])
    layout["yaxis"] |= {"ticksuffix": " %"}
    layout["xaxis"] |= {
        "title": {"text": "Stratum, with its lowest and highest entropy (nats)", "standoff": 8},
        "type": "category",
        # Upright and small enough for ten strata on a narrow page.
        "tickangle": 0,
        "tickfont": {"size": 10},
    }
    return {"data": traces, "layout": layout | {"barmode": "group"}}


def shares(table: pd.DataFrame) -> Figure:
    """Each stratum's share of the pool and of the labels.

    Parameters
    ----------
    table : DataFrame
        Columns stratum, share_of_pool, items, labels.
    """
    names, of_labels = table["stratum"].astype(str).tolist(), table["labels"] / table["labels"].sum()
    traces = [
        _bar("of the pool", names, table["share_of_pool"], style.GREY, table["items"], "items"),
        _bar("of the labels", names, of_labels, style.ACCENT, table["labels"], "labels"),
    ]
    layout = _layout([style.keyed("Share, %", *_key(traces))], [_TALL])
    # With many strata every fifth or so is named.
    shown = range(0, len(names), max(1, round(len(names) / 20)))
    places = {"tickvals": list(shown), "ticktext": [names[place] for place in shown]}
    layout["xaxis"] |= {"title": {"text": "Stratum"}, "type": "category", **places}
    return {"data": traces, "layout": layout | {"barmode": "group"}}


def fine_strata(table: pd.DataFrame) -> Figure:
    """Each item's chance of being drawn along the signal, and below it what is known of the losses there.

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
    here: dict[str, Any] = {"type": "scatter", "mode": "lines", "name": "this design", "x": [0.0, *end.tolist()]}
    ours = style.METHOD_STYLES["recommended"].colour
    here |= {"y": [*chance, chance[-1]], "line": {"color": ours, "width": 3, "shape": "hv"}}
    uniform: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "name": "Uniform",
        "x": [0, 100],
        "y": [average, average],
    }
    uniform |= {"line": style.dotted(2)}
    traces = [
        here | {"hovertemplate": "Chance of being drawn: %{y:.2f} %<extra></extra>"},
        uniform | {"hovertemplate": "Uniform: %{y:.2f} %<extra></extra>"},
    ]
    least, most = min(*chance, average), max(*chance, average)
    # If chances are alike, most of a panel from 0 on would be empty; a small difference is not made a large one.
    cut, beside = least > most / 2, max(0.1 * (most - least), 0.05 * most)
    panels = [style.keyed(f"Chance of being drawn, %{style.NOT_FROM_ZERO if cut else ''}", *_key(traces))]
    for title, columns in _ALONG:
        shown = [(look, table[column]) for column, look in columns.items() if column in table]
        if shown:
            axis = f"y{len(panels) + 1}"
            lines = [_marks(name, middle, values, colour, symbol, axis) for (name, colour, symbol), values in shown]
            traces += lines
            panels.append(style.keyed(title, *(_key(lines) if len(columns) > 1 else ())))
    layout = _layout(panels, [_TALL, *[_LOW] * (len(panels) - 1)])
    layout["yaxis"] |= {"ticksuffix": " %"} | ({"range": [least - beside, min(most + beside, _ALL)]} if cut else {})
    layout["xaxis"] |= {"title": {"text": "Items along the signal, %", "standoff": 8}, "range": [0, 100]}
    return {"data": traces, "layout": layout | {"margin": layout["margin"] | {"b": 52}}}


def stratum_name(stratum: int, low: float, high: float) -> str:
    """Number of a stratum over the lowest and the highest value of its signal, a line each."""
    if math.isnan(low):
        return f"{stratum}<br>no<br>signal"
    return f"{stratum}<br>{low:.2g}" if low == high else f"{stratum}<br>{low:.2f}<br>{high:.2f}"


def _layout(titles: Sequence[str], heights: Sequence[int]) -> dict[str, Any]:
    """Panels above each other, the first on top, on one horizontal axis; each with its title above it, from 0 on."""
    room = sum(heights) + _GAP * (len(heights) - 1)
    layout: dict[str, Any] = {}
    notes, top = [], float(room)
    for place, (title, height) in enumerate(zip(titles, heights, strict=True), 1):
        domain = [max((top - height) / room, 0.0), top / room]
        layout[f"yaxis{'' if place == 1 else place}"] = {
            "domain": domain,
            "rangemode": "tozero",
            "automargin": False,
            "fixedrange": True,
            "nticks": 5,
        }
        notes.append(style.heading(title, y=domain[1], yshift=3, xshift=4 - _LEFT))
        top -= height + _GAP
    lowest = {"anchor": f"y{len(heights) if len(heights) > 1 else ''}", "automargin": False, "fixedrange": True}
    margin = {"l": _LEFT, "r": 10, "t": _TOP, "b": _BOTTOM}
    layout |= {"xaxis": lowest, "annotations": notes, "height": room + _TOP + _BOTTOM, "margin": margin}
    return style.layout(hovermode="x unified", hoversubplots="axis", **layout)


def _key(traces: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Sign, colour and name of a panel's traces."""
    parts = []
    for trace in traces:
        line = trace.get("mode") == "lines"
        look = trace["line"] if line else trace["marker"]
        parts.append(("━" if line else _SIGNS[look.get("symbol", "square")], look["color"], trace["name"]))
    return parts


def _bar(
    name: str, x: list[str], shares: pd.Series[float], colour: str, count: pd.Series[int], unit: str
) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": x,
        "y": (100 * shares).tolist(),
        "marker": {"color": colour},
        "customdata": count.tolist(),
        "hovertemplate": "Share " + name + ": %{y:.1f} % (%{customdata:,} " + unit + ")<extra></extra>",
    }


def _marks(
    name: str, x: Sequence[float] | list[str], values: pd.Series[float], colour: str, symbol: str, axis: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": values.tolist(),
        "yaxis": axis,
        # At 0 and at 1 too, whole.
        "cliponaxis": False,
        "line": {"color": colour, "width": 1, "dash": "dot"},
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "hovertemplate": name[:1].upper() + name[1:] + ": %{y:.3f}<extra></extra>",
    }
