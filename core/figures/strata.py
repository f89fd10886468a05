"""Figures of a signal and of its strata: how values are distributed, and the shares of pool and labels."""

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


def _share(*signs: tuple[str, str, str]) -> dict[str, Any]:
    """The title of an axis of shares, with a key if there are several kinds of bars."""
    return style.heading(style.keyed("Share of items", *signs), xshift=4 - _SIGNAL_LEFT)


def _bar_width(values: Sequence[float]) -> float:
    """Thin bars on a lattice: half the median gap, so that neighbours stay apart."""
    ordered = sorted(set(values))
    gaps = sorted(b - a for a, b in pairwise(ordered))
    return 0.03 if not gaps else max(0.5 * gaps[len(gaps) // 2], 0.01 * (ordered[-1] - ordered[0]))


_LEFT, _TOP, _BOTTOM, _TALL = 46, 28, 74, 170


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
    # With many strata every fifth or so is named.
    shown = range(0, len(names), max(1, round(len(names) / 20)))
    fixed = {"automargin": False, "fixedrange": True}
    key = style.keyed("Share, %", *(("■", one["marker"]["color"], one["name"]) for one in traces))
    layout = style.layout(
        hovermode="x unified",
        barmode="group",
        xaxis=fixed
        | {"title": {"text": "Stratum"}, "type": "category"}
        | {"tickvals": list(shown), "ticktext": [names[place] for place in shown]},
        yaxis=fixed | {"rangemode": "tozero", "nticks": 5},
        annotations=[style.heading(key, yshift=3, xshift=4 - _LEFT)],
        height=_TALL + _TOP + _BOTTOM,
        margin={"l": _LEFT, "r": 10, "t": _TOP, "b": _BOTTOM},
    )
    return {"data": traces, "layout": layout}


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
