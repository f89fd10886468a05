"""Lab's tidy frames → Plotly figures; methods look as they do on every other page (`core.figures.METHOD_STYLE`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.figures.explore import METHOD_STYLE, MethodStyle, escaped
from core.lab.shown import signal_name

_GREY = "#6B7280"
_ACCENT = "#0072B2"
_LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "title": {"text": ""}}
_MARGIN = {"l": 10, "r": 10, "t": 60, "b": 10}
_ERROR = "Squared error, % of Uniform’s"
# The columns of a table that are no methods: the paper's own setting takes the accent, the others these in turn.
_OTHERS = (
    ("#D55E00", "dash", "square"),
    ("#009E73", "dot", "cross"),
    ("#CC79A7", "dashdot", "diamond"),
    ("#8F5E2E", "longdash", "triangle-up"),
    ("#785EF0", "longdashdot", "x"),
    ("#6B7280", "solid", "triangle-down"),
)
# Beyond this multiple of the best cell a map's colours stay the same, so that its flat part can be read.
_WORST_SHOWN = 1.25


def baselines(exact: pd.DataFrame, simulated: pd.DataFrame | None = None) -> go.Figure:
    """Relative error of all baselines against the budget: exact lines, and LURE simulated with ±1 standard error.

    Parameters
    ----------
    exact, simulated : of `core.lab.baselines`. With LURE the error's axis is logarithmic.
    """
    traces = [_line(METHOD_STYLE[str(m)], rows, "exact") for m, rows in exact.groupby("method", sort=False)]
    values = [exact["relative_mse"]]
    if simulated is not None:
        for method, rows in simulated.groupby("method", sort=False):
            traces.append(_line(METHOD_STYLE[str(method)], rows, "simulated", "relative_standard_error"))
            values.append(simulated["relative_mse"])
    axis: dict[str, Any] = {"title": {"text": _ERROR}, "ticksuffix": " %"}
    if simulated is not None:
        axis = {"title": {"text": f"{_ERROR} (log scale)"}, "type": "log", **_log_percents(pd.concat(values))}
    return _figure(traces, {**_labels_axis(exact["budget"]), "yaxis": axis})


def ablation(table: pd.DataFrame, own: str, band: pd.DataFrame, simulated: pd.DataFrame | None = None) -> go.Figure:
    """Relative error of every column of a table against the budget.

    Parameters
    ----------
    table : of `core.lab.ablations.exact`. own : key of the column that takes the accent. band : of
    `core.lab.ablations.band`, the grey area of what a simulation could not tell from the best. simulated : of
    `core.lab.ablations.simulated`, drawn as points with ±1 standard error.
    """
    keys = list(dict.fromkeys(table["variant"]))
    labels = dict(zip(table["variant"], table["label"], strict=True))
    styles = _styles(keys, labels, own)
    traces = [*_band(band)]
    traces += [_line(styles[key], table[table["variant"] == key], "exact") for key in keys]
    if simulated is not None:
        traces += [_points(styles[key], simulated[simulated["variant"] == key]) for key in keys]
    return _figure(traces, {**_labels_axis(table["budget"]), "yaxis": {"title": {"text": _ERROR}, "ticksuffix": " %"}})


def savings(table: pd.DataFrame) -> go.Figure:
    """Share of Uniform's labels that each method saves, against Uniform's labels; from `core.lab.savings.savings`."""
    traces = []
    for method, rows in table.groupby("method", sort=False):
        style = METHOD_STYLE[str(method)]
        traces.append(
            _scatter(style, rows["budget"], rows["fraction"])
            | {
                "customdata": rows[["needs", "uniform_needs"]].to_numpy().tolist(),
                "hovertemplate": style.label + ": %{y:.1f} % of Uniform’s %{x:,} labels saved, %{customdata[0]:,} "
                "needed; Uniform needs %{customdata[1]:,} for its error with %{x:,}<extra></extra>",
            }
        )
    axis = {"title": {"text": "Labels saved, % of Uniform’s"}, "ticksuffix": " %"}
    layout = {**_labels_axis(table["budget"], "Labels Uniform is given, M (log scale)"), "yaxis": axis}
    return _figure(traces, layout)


def heat_map(table: pd.DataFrame, n_strata: int, offset: float) -> go.Figure:
    """Relative error for each H and δ: the best cell starred, the chosen one ringed, noise marked ≈.

    Parameters
    ----------
    table : of `core.lab.strata_map.exact`, with at least one value. n_strata, offset : the chosen cell.
    """
    wide = table.pivot(index="offset", columns="n_strata", values="relative_mse") * 100
    noise = table.pivot(index="offset", columns="n_strata", values="noise")
    columns, rows = [str(h) for h in wide.columns], [float(d) for d in wide.index]
    best = table.iloc[int(np.nanargmin(table["relative_mse"]))]
    low = 100 * float(best["relative_mse"])
    colours: dict[str, Any] = {
        "type": "heatmap",
        "x": columns,
        "y": rows,
        "z": [[None if math.isnan(v) else v for v in row] for row in wide.to_numpy().tolist()],
        "zmin": low,
        "zmax": max(min(float(wide.max().max()), _WORST_SHOWN * low), low + 1e-6),
        "text": [["≈" if near else "" for near in row] for row in noise.to_numpy().tolist()],
        "texttemplate": "%{text}",
        "colorscale": "Cividis",
        "reversescale": True,
        "colorbar": {"title": {"text": "% of<br>Uniform’s"}, "ticksuffix": " %"},
        "hovertemplate": "H = %{x}, δ = %{y}: %{z:.1f} % (exact)<extra></extra>",
    }
    marks = [_cell("Best cell", str(int(best["n_strata"])), float(best["offset"]), "star", "#D55E00")]
    if str(n_strata) in columns and rows[0] <= offset <= rows[-1]:
        marks.append(_cell("Chosen setting", str(n_strata), offset, "circle-open", "#D55E00"))
    layout = {
        "xaxis": {"title": {"text": "Strata asked for, H"}, "type": "category"},
        "yaxis": {"title": {"text": "Offset δ"}},
        "height": 560,
    }
    return _figure([colours, *marks], layout)


def signals(table: pd.DataFrame, budget: int) -> go.Figure:
    """Each signal's relative error (left) and AUROC or, without one, Spearman correlation (right), a mark a target.

    Parameters
    ----------
    table : of `core.lab.signals_compared.compare`. budget : one of its budgets.
    """
    at = table[table["budget"] == budget]
    auroc = bool(at["auroc"].notna().any())
    measure, name = ("auroc", "AUROC") if auroc else ("spearman", "Spearman correlation")
    traces = []
    for number, (target, rows) in enumerate(at.groupby("target", sort=False)):
        colour, _, symbol = (_ACCENT, "", "circle") if number == 0 else _OTHERS[(number - 1) % len(_OTHERS)]
        names = [escaped(signal_name(*row)) for row in rows[["surrogate", "signal"]].itertuples(index=False)]
        for panel, (values, scale, words) in enumerate(
            ((rows["relative_mse"], 100, "%{x:.1f} % of Uniform’s error"), (rows[measure], 1, name + " %{x:.3f}"))
        ):
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": escaped(str(target)),
                    "legendgroup": str(number),
                    "showlegend": panel == 0,
                    "x": [None if math.isnan(v) else scale * v for v in values],
                    "y": names,
                    "marker": {"color": colour, "symbol": symbol, "size": 11},
                    "xaxis": "x" if panel == 0 else "x2",
                    "hovertemplate": "%{y}, " + escaped(str(target)) + ": " + words + "<extra></extra>",
                }
            )
    count = at[["surrogate", "signal"]].drop_duplicates().shape[0]
    layout = {
        "xaxis": {"domain": [0, 0.48], "title": {"text": f"{_ERROR}, M = {budget:,}"}, "ticksuffix": " %"},
        "xaxis2": {"domain": [0.52, 1], "anchor": "y", "title": {"text": name}},
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True},
        "shapes": [_vertical(100, "x"), _vertical(0.5 if auroc else 0, "x2")],
        "height": 200 + 36 * count,
    }
    return _figure(traces, layout)


def _figure(traces: Sequence[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    shared = {"legend": _LEGEND, "margin": _MARGIN, "height": 440, "hovermode": "closest", "uirevision": "keep"}
    return go.Figure({"data": list(traces), "layout": shared | layout})


def _styles(keys: Sequence[str], labels: dict[str, str], own: str) -> dict[str, MethodStyle]:
    if set(keys) <= set(METHOD_STYLE):
        return {key: METHOD_STYLE[key] for key in keys}
    others = iter(_OTHERS * (1 + len(keys) // len(_OTHERS)))
    return {
        key: MethodStyle(labels[key], _ACCENT, "solid", "circle", 3.5)
        if key == own
        else MethodStyle(labels[key], *next(others))
        for key in keys
    }


def _line(style: MethodStyle, rows: pd.DataFrame, kind: str, error: str | None = None) -> dict[str, Any]:
    trace = _scatter(style, rows["budget"], rows["relative_mse"])
    if error is None:
        return trace | {"hovertemplate": style.label + f", M = %{{x:,}}: %{{y:.1f}} % ({kind})<extra></extra>"}
    bars = (100 * rows[error]).tolist()
    return trace | {
        "error_y": {"type": "data", "array": bars, "thickness": 1.2, "width": 3, "color": style.colour},
        "customdata": bars,
        "hovertemplate": style.label + f", M = %{{x:,}}: %{{y:.1f}} ± %{{customdata:.1f}} % ({kind})<extra></extra>",
    }


def _scatter(style: MethodStyle, x: pd.Series[int], y: pd.Series[float]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": style.label,
        "legendgroup": style.label,
        "x": x.tolist(),
        "y": [None if math.isnan(value) else 100 * value for value in y],
        "line": {"color": style.colour, "dash": style.dash, "width": style.width},
        "marker": {"color": style.colour, "symbol": style.symbol, "size": 8},
    }


def _points(style: MethodStyle, rows: pd.DataFrame) -> dict[str, Any]:
    cells = rows.rename(columns={"simulated": "relative_mse"})
    trace = _line(style, cells, "simulated", "simulated_error")
    marker = {"color": style.colour, "symbol": f"{style.symbol}-open", "size": 9}
    return trace | {"mode": "markers", "marker": marker, "name": f"{style.label}, simulated", "showlegend": False}


def _band(band: pd.DataFrame) -> list[dict[str, Any]]:
    """From the best to where a simulation would see a difference."""
    shared = {"type": "scatter", "mode": "lines", "x": band["budget"].tolist(), "line": {"width": 0}}
    shared |= {"hoverinfo": "skip", "legendgroup": "noise"}
    low = shared | {"y": (100 * band["best"]).tolist(), "name": "Best", "showlegend": False}
    high = shared | {"y": (100 * band["reach"]).tolist(), "fill": "tonexty", "name": "Noise at T = 3,000"}
    return [low, high | {"fillcolor": "rgba(107,114,128,0.2)"}]


def _labels_axis(budgets: pd.Series[int], title: str = "Labels M (log scale)") -> dict[str, Any]:
    ticks = sorted(set(budgets.tolist()))
    return {
        "xaxis": {"type": "log", "title": {"text": title}, "tickvals": ticks, "ticktext": [f"{t:,}" for t in ticks]}
    }


def _log_percents(values: pd.Series[float]) -> dict[str, Any]:
    steps = (1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    low, high = 100 * values[values > 0].min() / 1.1, 100 * values.max() * 1.1
    ticks = [s * 10**p for p in range(-2, 7) for s in steps if low <= s * 10**p <= high]
    return {"tickvals": ticks, "ticktext": [f"{t:,.0f} %" if t >= 1 else f"{t:g} %" for t in ticks]}


def _cell(name: str, x: str, y: float, symbol: str, colour: str) -> dict[str, Any]:
    marker = {"symbol": symbol, "size": 15, "color": colour, "line": {"width": 3, "color": colour}}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [x],
        "y": [y],
        "marker": marker,
        "hoverinfo": "skip",
    }


def _vertical(x: float, axis: str) -> dict[str, Any]:
    line = {"color": _GREY, "width": 1.5, "dash": "dot"}
    return {"type": "line", "xref": axis, "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}
