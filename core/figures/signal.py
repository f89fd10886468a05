"""Figures of a signal: how its values are distributed, and whether predicted risks hold."""

from __future__ import annotations

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
_LEFT = 46
_HEADED = {"l": _LEFT, "r": 10, "t": 36, "b": 52}


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
    return style.heading(style.keyed("Share of items", *signs), xshift=4 - _LEFT)


def _bar_width(values: Sequence[float]) -> float:
    """Thin bars on a lattice: half the median gap, so that neighbours stay apart."""
    ordered = sorted(set(values))
    gaps = sorted(b - a for a, b in pairwise(ordered))
    return 0.03 if not gaps else max(0.5 * gaps[len(gaps) // 2], 0.01 * (ordered[-1] - ordered[0]))
