"""Figures of a judge against people's labels."""

from __future__ import annotations

import math

import pandas as pd

from ..words import per_cent, value
from . import style
from .intervals import estimates
from .style import Figure

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
