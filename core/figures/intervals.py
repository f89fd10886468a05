"""Figures of a result for a page: values and differences with their intervals."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from ..words import PER_CENT, bare, shortened, span, value
from . import style
from .style import Figure, escaped

_ROW, _FRAME = 40, 70
_PLAIN: dict[str, Any] = {"showlegend": False, "margin": style.BARE_MARGIN | {"r": 28}, "hovermode": "closest"}


def estimates(table: pd.DataFrame, unit: bool = True, compared: bool = False, colour: str = style.ACCENT) -> Figure:
    """Values with their intervals on one scale, a row each, the first on top.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high. A row without a value shows nothing, one without limits only its point.
    unit : bool
        Values are shares, shown in per cent on a scale that the intervals fill; it says where it does not begin at 0.
    compared : bool
        The first row takes the colour, the others are grey.
    colour : str
        Of the rows, hexadecimal.
    """
    scale = 100.0 if unit else 1.0
    traces = [
        _mark(row, one, scale, style.GREY if compared and row > 0 else colour, _value_with_limits(one, unit))
        for row, one in enumerate(table.to_dict("records"))
        if not math.isnan(one["value"])
    ]
    layout = {
        "xaxis": _percents(style.percent_scale(table)) if unit else {},
        "yaxis": _rows(table["label"].tolist()),
        "height": _FRAME + _ROW * len(table),
    }
    return {"data": traces, "layout": layout | _PLAIN}


def difference(table: pd.DataFrame, unit: bool = True, sides: tuple[str, str] = ("", "")) -> Figure:
    """Differences with their intervals, and a line where there is none.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high.
    unit : bool
        Differences of shares, shown in percentage points.
    sides : (str, str)
        What a difference below 0 and one above it mean, written above the rows.
    """
    scale = 100.0 if unit else 1.0
    traces = []
    for row, one in enumerate(table.to_dict("records")):
        limits = f"{bare(one['low'], unit)} to {bare(one['high'], unit)}"
        traces.append(_mark(row, one, scale, style.ACCENT, f"{bare(one['value'], unit)} ({limits})"))
    ends = [abs(scale * x) for x in (*table["low"], *table["high"]) if math.isfinite(x)]
    room = 1.15 * max(ends, default=1.0) or 1.0
    title = "percentage points" if unit else ""
    layout = {
        "xaxis": {"range": [-room, room], "title": {"text": title}, "zeroline": False},
        "annotations": [_side(sides[0], "right", -8), _side(sides[1], "left", 8)],
        "yaxis": _rows(table["label"].tolist()),
        "shapes": [style.vertical(0, width=2)],
        "height": _FRAME + 50 + _ROW * len(table),
    }
    head = {"margin": _PLAIN["margin"] | {"t": 30}} if any(sides) else {}
    return {"data": traces, "layout": layout | _PLAIN | head}


def _percents(ticks: range) -> dict[str, Any]:
    """An axis of shares, with room for a point or a bar's cap at its ends."""
    room = 0.02 * (ticks[-1] - ticks[0])
    return {
        "range": [ticks[0] - room, ticks[-1] + room],
        "tickvals": list(ticks),
        # Separate texts: a suffix does not reach ticks that are given.
        "ticktext": [f"{tick}{PER_CENT}" for tick in ticks],
        "title": {"text": style.scale_note(ticks), "font": {"size": 12}, "standoff": 6},
        "zeroline": False,
    }


def _side(words: str, anchor: str, shift: int) -> dict[str, Any]:
    """A note above the rows on one side of 0."""
    at = {"x": 0, "y": 1, "yref": "paper", "xanchor": anchor, "yanchor": "bottom", "xshift": shift}
    return {"text": escaped(words), "showarrow": False, **at}


def _mark(row: int, one: dict[Any, Any], scale: float, colour: str, words: str) -> dict[str, Any]:
    """One row: the value as a point, its interval as a bar. A place, not the name: two rows may have the same name."""
    middle, low, high = (scale * one[name] for name in ("value", "low", "high"))
    bar: dict[str, Any] = {"type": "data", "symmetric": False, "visible": math.isfinite(high - low)}
    if bar["visible"]:
        bar |= {"array": [high - middle], "arrayminus": [middle - low]}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [middle],
        "y": [row],
        # At 0 and at 100 % too, whole.
        "cliponaxis": False,
        "error_x": bar | {"thickness": 3, "width": 7, "color": colour},
        "marker": {"color": colour, "size": 13},
        "hovertemplate": f"{escaped(str(one['label']))}: {words}<extra></extra>",
    }


def _value_with_limits(one: dict[Any, Any], unit: bool) -> str:
    known = not math.isnan(one["high"] - one["low"])
    return f"{value(one['value'], unit)}, {span(one['low'], one['high'], unit) if known else 'no interval yet'}"


def _rows(names: list[str]) -> dict[str, Any]:
    """An axis of names, long ones cut; the whole name is in the row's hover text."""
    cut = [shortened(str(name), style.LONGEST_NAME) for name in names]
    places = {"tickvals": list(range(len(cut))), "ticktext": [escaped(name) for name in cut]}
    return places | {"automargin": True, "zeroline": False, "range": [len(cut) - 0.5, -0.5]}
