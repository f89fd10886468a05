"""Figures of the lab's tables, each from its tidy frame; methods look as they do everywhere (`core.figures.style`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from core.figures import labels, style
from core.figures.labels import NamedLine
from core.figures.style import INTERVAL_STYLES, METHOD_STYLES, Figure, LineStyle, escaped
from core.words import shortened

# Beyond this multiple of the best cell a map's colours stay the same, so that its flat part can be read.
_WORST_COLOURED = 1.25
# The paper's grid of panels, and the heights of a row and of what stands above.
_ROWS, _COLUMNS = 2, 4
_PANEL, _HEAD = 290, 130


def baselines(exact: pd.DataFrame, simulated: pd.DataFrame | None = None) -> Figure:
    """Relative error of every method against the budget; the error's axis is logarithmic with simulated methods.

    Parameters
    ----------
    exact : DataFrame
        Columns method, budget, relative_mse (a ratio; NaN is a gap).
    simulated : DataFrame, optional
        Of methods without an exact error: method, budget, relative_mse, relative_standard_error, drawn as lines with
        ±1 standard error.
    """
    traces, values, lines = [], [exact["relative_mse"]], []
    for method, rows in exact.groupby("method", sort=False):
        traces.append(_exact(METHOD_STYLES[str(method)], rows))
        lines.append(_named(METHOD_STYLES[str(method)], rows, "relative_mse"))
    axis, title = style.percent_axis(""), style.ERROR_TITLE + style.NOT_FROM_ZERO
    if simulated is not None:
        for method, rows in simulated.groupby("method", sort=False):
            look = METHOD_STYLES[str(method)]
            traces.append(_simulated(look, rows, "relative_mse", "relative_standard_error"))
            values.append(simulated["relative_mse"])
            lines.append(_named(look, rows, "relative_mse"))
        axis = style.log_percent_axis("", pd.concat(values))
        title, axis = style.ERROR_TITLE + axis["title"]["text"], axis | {"title": {"text": ""}}
    return {"data": traces, "layout": labels.layout(lines, style.budget_axis(exact["budget"]), axis, title)}


def ablation(table: pd.DataFrame, accent: str, band: pd.DataFrame, simulated: pd.DataFrame | None = None) -> Figure:
    """Relative error of every variant against the budget.

    Parameters
    ----------
    table : DataFrame
        Columns variant, label, budget, relative_mse.
    accent : str
        Variant that takes the accent.
    band : DataFrame
        Columns budget, best, largest: the grey area of what a simulation could not tell from the best.
    simulated : DataFrame, optional
        Columns variant, budget, simulated, simulated_error, drawn as points with ±1 standard error.
    """
    variants = dict(zip(table["variant"], table["label"], strict=True))
    methods = variants.keys() <= METHOD_STYLES.keys()
    looks = {key: METHOD_STYLES[key] for key in variants} if methods else style.styles(variants, accent)
    traces = [*_band(band), *(_exact(look, table[table["variant"] == key]) for key, look in looks.items())]
    if simulated is not None:
        for key, look in looks.items():
            trace = _simulated(look, simulated[simulated["variant"] == key], "simulated", "simulated_error")
            marker = {"color": look.colour, "symbol": f"{look.symbol}-open", "size": 9}
            name = f"{look.label}, simulated"
            traces.append(trace | {"mode": "markers", "marker": marker, "name": name, "showlegend": False})
    layout = labels.layout(
        [_named(look, table[table["variant"] == key], "relative_mse") for key, look in looks.items()],
        style.budget_axis(table["budget"]),
        style.percent_axis(""),
        style.ERROR_TITLE + style.NOT_FROM_ZERO,
    )
    return {"data": traces, "layout": layout}


def ladder(table: pd.DataFrame, budget: int) -> Figure:
    """Relative error of each rung at one budget, the first rung on top; simulated ones with ±1 standard error.

    Parameters
    ----------
    table : DataFrame
        Columns rung, label, budget, relative_mse, exact, error, why.
    budget : int
        One of the table's budgets.
    """
    at = table[table["budget"] == budget]
    kinds = [
        "exact" if exact else f"simulated, standard error {100 * e:.1f} points"
        for exact, e in zip(at["exact"], at["error"], strict=True)
    ]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "y": list(at["label"]),
        "x": style.percents(at["relative_mse"]),
        "marker": {"color": [METHOD_STYLES[rung].colour for rung in at["rung"]]},
        "text": ["" if math.isnan(value) else f"{100 * value:.1f} %" for value in at["relative_mse"]],
        "textposition": "auto",
        "error_x": {"type": "data", "array": (100 * at["error"]).tolist(), "visible": not bool(at["exact"].all())},
        "customdata": [[kind, escaped(why)] for kind, why in zip(kinds, at["why"], strict=True)],
        "hovertemplate": "%{y}: %{x:.1f} % (%{customdata[0]})<br>%{customdata[1]}<extra></extra>",
        "showlegend": False,
    }
    return _figure(
        [bars],
        xaxis=style.percent_axis(f"{style.ERROR_TITLE}, M = {budget:,}", rangemode="tozero"),
        yaxis={"type": "category", "autorange": "reversed", "automargin": True},
        shapes=[style.vertical(100)],
        height=140 + 44 * len(at),
        margin=style.BARE_MARGIN,
    )


def across(table: pd.DataFrame) -> Figure:
    """Relative error against the budget, a panel a pool and target, in the paper's grid of two rows and four columns.

    Parameters
    ----------
    table : DataFrame
        Columns digest, pool, target, method, budget, relative_mse. Of up to four pools each column is one, with its
        first two targets; of more pools the first target of the first eight is drawn.
    """
    panels = _panels(table)
    columns, rows = 1 + max(column for _, column, _ in panels), 1 + max(row for row, _, _ in panels)
    height = _HEAD + _PANEL * rows
    values = 100 * table["relative_mse"]
    span = [min(float(values.min()), 100.0) - 4, max(float(values.max()), 100.0) + 4]
    budgets = style.budget_axis(table["budget"])
    traces, names, drawn = [], [], set[str]()
    layout: dict[str, Any] = {"height": height, "legend": style.LEGEND | {"y": 1 + 50 / height}}
    layout["margin"] = style.MARGIN | {"t": _HEAD - 30}
    for place, (row, column, cells) in enumerate(panels):
        number = "" if place == 0 else str(place + 1)
        left, top = column / columns, 1 - row / rows
        x = {"domain": [left, left + 0.93 / columns], "anchor": f"y{number}"}
        y = {"domain": [top - 0.74 / rows, top], "anchor": f"x{number}", "showticklabels": column == 0}
        layout[f"xaxis{number}"] = budgets | x | {"title": {"text": "Labels M" if row == rows - 1 else ""}}
        layout[f"yaxis{number}"] = style.percent_axis("% of Uniform’s" if column == 0 else "", range=span, **y)
        first = cells.iloc[0]
        title = f"{_cut(first['pool'])}<br>{_cut(first['target'])}"
        at = {"x": left, "y": top, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        names.append({"text": title, "showarrow": False, "align": "left"} | at)
        for method, of_method in cells.groupby("method", sort=False):
            trace = _exact(METHOD_STYLES[str(method)], of_method)
            traces.append(trace | {"xaxis": f"x{number}", "yaxis": f"y{number}", "showlegend": method not in drawn})
            drawn.add(str(method))
    return _figure(traces, annotations=names, **layout)


def savings(table: pd.DataFrame) -> Figure:
    """Share of Uniform's labels that each method saves, against Uniform's labels.

    Parameters
    ----------
    table : DataFrame
        Columns method, budget, fraction, needs, uniform_needs.
    """
    traces, lines = [], []
    for method, rows in table.groupby("method", sort=False):
        look = METHOD_STYLES[str(method)]
        lines.append(_named(look, rows, "fraction"))
        needs: dict[str, Any] = {"customdata": rows[["needs", "uniform_needs"]].to_numpy().tolist()}
        needs["hovertemplate"] = (
            look.label + ": %{y:.1f} % of Uniform’s %{x:,} labels saved, %{customdata[0]:,} needed; Uniform needs "
            "%{customdata[1]:,} for its error with %{x:,}<extra></extra>"
        )
        traces.append(style.line(look, rows["budget"], rows["fraction"]) | needs)
    budgets = style.budget_axis(table["budget"], "Labels Uniform is given, M (log scale)")
    title = "Labels saved, % of Uniform’s" + (style.NOT_FROM_ZERO if table["fraction"].min() > 0 else "")
    return {"data": traces, "layout": labels.layout(lines, budgets, style.percent_axis(""), title)}


def heat_map(table: pd.DataFrame, n_strata: int, offset: float) -> Figure:
    """Relative error for each H and δ: the best cell starred, the chosen one ringed, noise marked ≈.

    Parameters
    ----------
    table : DataFrame
        Columns n_strata, offset, relative_mse (at least one value), noise.
    n_strata : int
        H of the chosen cell.
    offset : float
        δ of the chosen cell.
    """
    wide = table.pivot(index="offset", columns="n_strata", values="relative_mse")
    noise = table.pivot(index="offset", columns="n_strata", values="noise")
    columns, rows = [str(h) for h in wide.columns], [float(d) for d in wide.index]
    best = table.iloc[int(np.nanargmin(table["relative_mse"]))]
    low = 100 * float(best["relative_mse"])
    colours: dict[str, Any] = {
        "type": "heatmap",
        "x": columns,
        "y": rows,
        "z": [style.percents(row) for row in wide.to_numpy().tolist()],
        "zmin": low,
        "zmax": max(min(100 * float(wide.max().max()), _WORST_COLOURED * low), low + 1e-6),
        "text": [["≈" if near else "" for near in row] for row in noise.to_numpy().tolist()],
        "texttemplate": "%{text}",
        "colorscale": "Cividis",
        "reversescale": True,
        "colorbar": {"title": {"text": "% of<br>Uniform’s"}, "ticksuffix": " %"},
        "hovertemplate": "H = %{x}, δ = %{y}: %{z:.1f} % (exact)<extra></extra>",
    }
    marks = [_cell("Best cell", str(int(best["n_strata"])), float(best["offset"]), "star")]
    if str(n_strata) in columns and rows[0] <= offset <= rows[-1]:
        marks.append(_cell("Chosen setting", str(n_strata), offset, "circle-open"))
    return _figure(
        [colours, *marks],
        xaxis={"title": {"text": "Strata requested, H"}, "type": "category"},
        yaxis={"title": {"text": "Offset δ"}},
        height=560,
    )


def signals(table: pd.DataFrame, budget: int) -> Figure:
    """Each signal's relative error (above) and AUROC or, without one, Spearman correlation (below), a mark a target.

    Parameters
    ----------
    table : DataFrame
        Columns surrogate, signal, label, target, budget, relative_mse, auroc, spearman.
    budget : int
        One of the table's budgets.
    """
    at = table[table["budget"] == budget]
    auroc = bool(at["auroc"].notna().any())
    measure, name = ("auroc", "AUROC") if auroc else ("spearman", "Spearman correlation")
    targets = [str(target) for target in at["target"].unique()]
    looks = style.styles({target: target for target in targets}, accent=targets[0] if targets else "")
    traces = []
    for number, (target, rows) in enumerate(at.groupby("target", sort=False)):
        look, who = looks[str(target)], escaped(str(target))
        shared: dict[str, Any] = {
            "type": "scatter",
            "mode": "markers",
            "name": who,
            "legendgroup": str(number),
            "y": [escaped(label) for label in rows["label"]],
            "marker": {"color": look.colour, "symbol": look.symbol, "size": 11},
        }
        error = "%{y}, " + who + ": %{x:.1f} % of Uniform’s error<extra></extra>"
        rank = "%{y}, " + who + ": " + name + " %{x:.3f}<extra></extra>"
        values = [None if math.isnan(value) else value for value in rows[measure]]
        # A single target is the one that the page names.
        left = {
            "showlegend": len(targets) > 1,
            "x": style.percents(rows["relative_mse"]),
            "xaxis": "x",
            "hovertemplate": error,
        }
        right = {"showlegend": False, "x": values, "xaxis": "x2", "yaxis": "y2", "hovertemplate": rank}
        traces += [shared | left, shared | right]
    rows_axis: dict[str, Any] = {"type": "category", "autorange": "reversed", "automargin": True}
    count = at[["surrogate", "signal"]].drop_duplicates().shape[0]
    return _figure(
        traces,
        xaxis=style.percent_axis("", anchor="y"),
        xaxis2={"anchor": "y2"},
        yaxis=rows_axis | {"domain": [0.65, 1]},
        yaxis2=rows_axis | {"domain": [0, 0.35]},
        shapes=[
            style.vertical(100, yref="y domain"),
            style.vertical(0.5 if auroc else 0, xref="x2", yref="y2 domain"),
        ],
        annotations=[
            style.heading(f"{style.ERROR_TITLE}, M = {budget:,}<br>{style.NOT_FROM_ZERO.strip()}"),
            style.heading(f"{name}{style.NOT_FROM_ZERO}", y=0.35),
        ],
        legend=style.LEGEND | {"y": 1.18},
        margin=style.MARGIN | {"t": 100},
        height=360 + 60 * count,
    )


def coverage(table: pd.DataFrame) -> Figure:
    """Coverage (above, with ±2 standard errors of the simulation) and mean width (below) of each interval.

    Parameters
    ----------
    table : DataFrame
        Columns interval, budget, coverage, coverage_error, width, confidence; of one confidence.
    """
    traces = []
    for interval, rows in table.groupby("interval", sort=False):
        look = INTERVAL_STYLES[str(interval)]
        start = f"{look.label}, M = %{{x:,}}: "
        bars = style.error_bars(look.colour, (200 * rows["coverage_error"]).tolist())
        covered = {"error_y": bars, "hovertemplate": start + "contains the truth in %{y:.1f} %<extra></extra>"}
        width: dict[str, Any] = {"yaxis": "y2", "showlegend": False}
        width["hovertemplate"] = start + "%{y:.1f} points wide<extra></extra>"
        traces.append(style.line(look, rows["budget"], rows["coverage"]) | covered)
        traces.append(style.line(look, rows["budget"], rows["width"]) | width)
    axis, level = style.budget_axis(table["budget"]), 100 * float(table["confidence"].iloc[0])
    promised = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": level, "y1": level, "line": style.dotted()}
    return _figure(
        traces,
        xaxis=axis | {"anchor": "y2"},
        yaxis=style.percent_axis("", domain=[0.56, 1]),
        yaxis2={"domain": [0, 0.44], "rangemode": "tozero"},
        shapes=[promised],
        annotations=[
            style.heading(f"Contains the truth{style.NOT_FROM_ZERO}"),
            style.heading("Mean width, points", y=0.44),
        ],
        legend=style.LEGEND | {"y": 1.1},
        height=480,
    )


def _figure(traces: list[dict[str, Any]], **layout: Any) -> Figure:
    return {"data": traces, "layout": style.layout(**layout)}


def _panels(table: pd.DataFrame) -> list[tuple[int, int, pd.DataFrame]]:
    """Row, column and cells of each panel of `across`."""
    panels = []
    few = table["digest"].nunique() <= _COLUMNS
    for place, (_, of_pool) in enumerate(table.groupby("digest", sort=False)):
        if few:
            targets = [cells for _, cells in of_pool.groupby("target", sort=False)][:_ROWS]
            panels += [(row, place, cells) for row, cells in enumerate(targets)]
        elif place < _ROWS * _COLUMNS:
            cells = of_pool[of_pool["target"] == of_pool["target"].iloc[0]]
            panels.append((place // _COLUMNS, place % _COLUMNS, cells))
    return panels


def _cut(name: object) -> str:
    return escaped(shortened(str(name), style.LONGEST_NAME))


def _named(look: LineStyle, rows: pd.DataFrame, column: str) -> NamedLine:
    return NamedLine((look,), rows["budget"].tolist(), (100 * rows[column]).tolist())


def _exact(look: LineStyle, rows: pd.DataFrame) -> dict[str, Any]:
    trace = style.line(look, rows["budget"], rows["relative_mse"])
    return trace | {"hovertemplate": style.hover(look, "exact")}


def _simulated(look: LineStyle, rows: pd.DataFrame, column: str, error: str) -> dict[str, Any]:
    errors = (100 * rows[error]).tolist()
    return style.line(look, rows["budget"], rows[column]) | {
        "error_y": style.error_bars(look.colour, errors),
        "customdata": errors,
        "hovertemplate": style.hover_simulated(look),
    }


def _band(band: pd.DataFrame) -> list[dict[str, Any]]:
    """From the best to where a simulation would see a difference."""
    shared: dict[str, Any] = {"type": "scatter", "mode": "lines", "x": band["budget"].tolist(), "line": {"width": 0}}
    shared |= {"hoverinfo": "skip", "legendgroup": "noise"}
    low = {"y": style.percents(band["best"]), "name": "Best", "showlegend": False}
    high = {"y": style.percents(band["largest"]), "name": "Noise at T = 3,000"}
    return [shared | low, shared | high | {"fill": "tonexty", "fillcolor": style.SHADE}]


def _cell(name: str, x: str, y: float, symbol: str) -> dict[str, Any]:
    line = {"width": 3, "color": style.CONTRAST}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [x],
        "y": [y],
        "marker": {"symbol": symbol, "size": 15, "color": style.CONTRAST, "line": line},
        "hoverinfo": "skip",
    }
