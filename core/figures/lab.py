"""Figures of the lab's tables, each from its tidy frame; methods look as they do everywhere (`core.figures.style`)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation import ways
from ..words import shortened
from . import labels, style
from .labels import NamedLine, Panel
from .style import INTERVAL_STYLES, METHOD_STYLES, Figure, LineStyle, escaped

# Beyond this multiple of the best cell a map's colours stay the same, so that its flat part can be read.
_WORST_COLOURED = 1.25
_MAP_LEFT = 30
# Panels of pools: of so few pools two targets each, and so many in all, as in the paper's grid; and their height.
_FEW, _TARGETS, _MOST, _PANEL = 4, 2, 8, 300
# Pixels of a character on an axis of names, and of what stands beside it.
_CHARACTER, _GAP = 6.4, 14
# Of a signal's row, between two panels of them, and of a row above them.
_SIGNAL, _BETWEEN, _HEAD = 36, 62, 15
# Of a phone that a key fits, of a character of the key, and between its columns and above what stands below it.
_PHONE, _KEYED, _APART = 350, 6.0, 6
_SIGNS = {
    "circle": "●",
    "square": "■",
    "cross": "✚",
    "diamond": "◆",
    "triangle-up": "▲",
    "x": "✖",
    "triangle-down": "▼",
}
# A panel of choices above one of the recommended design, as shares of a figure's height.
_UPPER, _LOWER = (0.34, 1.0), (0.0, 0.22)
_RECOMMENDED = ways.RECOMMENDED.name
_NAMES: dict[str, Any] = {"type": "category", "autorange": "reversed", "automargin": False}


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
    traces, values, lines, ends = [], [exact["relative_mse"]], [], list[float]()
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
            ends += (100 * (rows["relative_mse"] + rows["relative_standard_error"])).tolist()
        axis = style.log_percent_axis("", pd.concat(values))
        title, axis = style.ERROR_TITLE + axis["title"]["text"], axis | {"title": {"text": ""}}
    return {
        "data": traces,
        "layout": labels.layout(lines, style.budget_axis(exact["budget"]), axis, title, beyond=ends),
    }


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
    # Only allocations are methods; any other column is a choice, with another colour.
    choices = {key: label for key, label in variants.items() if key not in METHOD_STYLES}
    chosen = style.styles(choices, accent)
    looks = {key: chosen[key] if key in choices else METHOD_STYLES[key] for key in variants}
    traces = [*_band(band), *(_exact(look, table[table["variant"] == key]) for key, look in looks.items())]
    if simulated is not None:
        for key in simulated["variant"].unique():
            look = looks[key]
            trace = _simulated(look, simulated[simulated["variant"] == key], "simulated", "simulated_error")
            marker = {"color": look.colour, "symbol": f"{look.symbol}-open", "size": 9}
            name = f"{look.label}, simulated"
            traces.append(trace | {"mode": "markers", "marker": marker, "name": name})
    lines = {key: _named(look, table[table["variant"] == key], "relative_mse") for key, look in looks.items()}
    axis, title = style.percent_axis(""), style.ERROR_TITLE + style.NOT_FROM_ZERO
    panels = [Panel(list(lines.values()), axis, title)]
    if (apart := _apart(table)) is not None:
        ours = lines.pop(_RECOMMENDED)
        panels = [Panel(list(lines.values()), axis, f"{style.ERROR_TITLE} (in two parts)", domain=_UPPER)]
        panels.append(Panel([ours], axis | {"range": apart, "nticks": 3}, "", domain=_LOWER))
        for trace in traces:
            if trace["name"] == METHOD_STYLES[_RECOMMENDED].label:
                trace["yaxis"] = "y2"
    return {"data": traces, "layout": labels.stacked(panels, style.budget_axis(table["budget"]))}


def _apart(table: pd.DataFrame) -> list[float] | None:
    """The scale of the recommended design in a separate panel, if most of one panel would be empty; else None.

    A point of error has the same height in both panels.
    """
    ours = 100 * table.loc[table["variant"] == _RECOMMENDED, "relative_mse"].dropna()
    others = 100 * table.loc[table["variant"] != _RECOMMENDED, "relative_mse"].dropna()
    if ours.empty or others.empty:
        return None
    span = max(others.max() - others.min(), ours.max() - ours.min(), 1.0)
    if others.min() - ours.max() <= span:
        return None
    room = span * (_LOWER[1] - _LOWER[0]) / (_UPPER[1] - _UPPER[0])
    middle, half = float(ours.max() + ours.min()) / 2, float(max(room, 1.1 * (ours.max() - ours.min()))) / 2
    return [middle - half, middle + half]


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
        "y": _broken(at["label"]),
        "x": style.percents(at["relative_mse"]),
        "marker": {"color": [METHOD_STYLES[rung].colour for rung in at["rung"]]},
        "text": ["" if math.isnan(value) else f"{100 * value:.1f} %" for value in at["relative_mse"]],
        "textposition": "auto",
        # Beside a bar that is too short for it, never upright.
        "textangle": 0,
        "error_x": {"type": "data", "array": (100 * at["error"]).tolist(), "visible": not bool(at["exact"].all())},
        "customdata": [[kind, escaped(why)] for kind, why in zip(kinds, at["why"], strict=True)],
        "hovertemplate": "%{y}: %{x:.1f} % (%{customdata[0]})<br>%{customdata[1]}<extra></extra>",
    }
    left = _room(bars["y"])
    return _figure(
        [bars],
        xaxis=style.percent_axis("", rangemode="tozero", automargin=False),
        yaxis=_NAMES,
        shapes=[style.vertical(100)],
        annotations=[style.heading(f"{style.ERROR_TITLE}, M = {budget:,}", xshift=4 - left)],
        height=70 + 44 * len(at),
        margin={"l": left, "r": 24, "t": 36, "b": 30},
    )


def across(table: pd.DataFrame) -> list[Figure]:
    """Relative error against the budget, a figure a pool and target, all on the same axes.

    Parameters
    ----------
    table : DataFrame
        Columns digest, pool, target, method, budget, relative_mse. Of up to four pools the first two targets are
        drawn; of more pools the first target of the first eight.
    """
    values = 100 * table["relative_mse"]
    span = [min(float(values.min()), 100.0) - 4, max(float(values.max()), 100.0) + 4]
    return [_panel(cells, style.budget_axis(table["budget"]), span) for cells in _panels(table)]


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
    """Relative error for each H and δ: the best cell starred, the chosen one marked, a line around those as good.

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
        "colorscale": "Cividis",
        "reversescale": True,
        "colorbar": {"title": {"text": "% of<br>Uniform’s"}, "ticksuffix": " %", "thickness": 14, "xpad": 6},
        "hovertemplate": "H = %{x}, δ = %{y}: %{z:.1f} % (exact)<extra></extra>",
    }
    marks = [_cell("Best cell", str(int(best["n_strata"])), float(best["offset"]), "star", 20)]
    key = [("★", style.CONTRAST, "best cell")]
    as_good = noise.to_numpy(dtype=bool, na_value=False) | (wide.to_numpy() == best["relative_mse"])
    around = _around(as_good, rows) if as_good.any() and not as_good.all() else ""
    if around:
        key.append(("□", style.CONTRAST, "as good as the best"))
    if str(n_strata) in columns and rows[0] <= offset <= rows[-1]:
        marks.append(_cell("Chosen setting", str(n_strata), offset, "circle", 14))
        key.append(("●", style.CONTRAST, "chosen setting"))
    return _figure(
        [colours, *marks],
        xaxis={"title": {"text": "Strata requested, H"}, "type": "category", "automargin": False},
        yaxis={"automargin": False},
        annotations=[style.heading(style.keyed("Offset δ", *key), xshift=4 - _MAP_LEFT)],
        shapes=[{"type": "path", "path": around, "line": {"color": style.CONTRAST, "width": 2}}] if around else [],
        margin={"l": _MAP_LEFT, "r": 10, "t": 36, "b": 52},
        height=520,
    )


def _around(inside: NDArray[np.bool_], rows: Sequence[float]) -> str:
    """Path around the cells of a map that are inside, in places of its columns and values of its rows."""
    middles = [(low + high) / 2 for low, high in itertools.pairwise(rows)]
    step = rows[1] - rows[0] if len(rows) > 1 else 1.0
    ends = [rows[0] - step / 2, *middles, rows[-1] + (rows[-1] - rows[-2] if len(rows) > 1 else 1.0) / 2]
    framed = np.pad(inside, 1)
    lines = []
    for row, column in np.argwhere(framed[1:, 1:-1] != framed[:-1, 1:-1]):
        lines.append(f"M{column - 0.5},{ends[row]:g}L{column + 0.5},{ends[row]:g}")
    for row, column in np.argwhere(framed[1:-1, 1:] != framed[1:-1, :-1]):
        lines.append(f"M{column - 0.5},{ends[row]:g}L{column - 0.5},{ends[row + 1]:g}")
    return "".join(lines)


def signals(table: pd.DataFrame, budget: int, recommended: float = math.nan, chosen: str = "") -> Figure:
    """Each signal's relative error (above) and AUROC or, without one, Spearman correlation (below), a mark a target.

    Parameters
    ----------
    table : DataFrame
        Columns surrogate, signal, label, target, budget, relative_mse, auroc, spearman.
    budget : int
        One of the table's budgets.
    recommended : float
        Relative error of the recommended design, a line across; NaN for none.
    chosen : str
        The target that is spoken of: of more targets than there are markers, all others are grey.
    """
    at = table[table["budget"] == budget]
    auroc = bool(at["auroc"].notna().any())
    measure, name = ("auroc", "AUROC") if auroc else ("spearman", "Spearman correlation")
    targets = [str(target) for target in at["target"].unique()]
    looks = style.styles({target: target for target in targets}, accent=targets[0] if targets else "")
    named = list(looks.values())
    if chosen in targets and len(targets) > len(_SIGNS):
        # The chosen one is drawn last, on top of the others.
        targets = [*(target for target in targets if target != chosen), chosen]
        ours, rest = (
            LineStyle(label, colour, "solid", "circle")
            for label, colour in ((chosen, style.ACCENT), ("Other targets", style.GREY))
        )
        looks, named = {target: ours if target == chosen else rest for target in targets}, [ours, rest]
    traces = []
    for target in targets:
        rows = at[at["target"] == target]
        look, who = looks[target], escaped(target)
        shared: dict[str, Any] = {
            "type": "scatter",
            "mode": "markers",
            "name": who,
            "y": _broken(rows["label"]),
            "marker": {"color": look.colour, "symbol": look.symbol, "size": 11},
        }
        error = "%{y}, " + who + ": %{x:.1f} % of Uniform’s error<extra></extra>"
        rank = "%{y}, " + who + ": " + name + " %{x:.3f}<extra></extra>"
        values = [None if math.isnan(value) else value for value in rows[measure]]
        left = {"x": style.percents(rows["relative_mse"]), "xaxis": "x", "hovertemplate": error}
        right = {"x": values, "xaxis": "x2", "yaxis": "y2", "hovertemplate": rank}
        traces += [shared | left, shared | right]
    room, high = _room(_broken(at["label"])), _SIGNAL * at[["surrogate", "signal"]].drop_duplicates().shape[0]
    upper = 1 - high / (2 * high + _BETWEEN)
    title = f"{style.ERROR_TITLE}, M = {budget:,}<br>{style.NOT_FROM_ZERO.strip()}"
    # A single target is the one that the page names.
    signs = [(_SIGNS[look.symbol], look.colour, _cut(look.label)) for look in named] if len(named) > 1 else []
    lines = [style.vertical(100, yref="y domain")]
    # Plotly's own range leaves out lines: at its end, one would pass for the axis.
    ends = [100.0, *(value for value in style.percents(at["relative_mse"]) if value is not None)]
    if not math.isnan(recommended):
        ends.append(100 * recommended)
        look = METHOD_STYLES["recommended"]
        lines.append(style.vertical(100 * recommended, yref="y domain") | {"line": {"color": look.colour, "width": 2}})
        signs.append(("│", look.colour, "Recommended design"))
    key = _key(signs, 4 - room)
    head = _HEAD * (2 + len({note["yshift"] for note in key})) + (_APART if key else 0)
    return _figure(
        traces,
        xaxis=style.percent_axis("", anchor="y", automargin=False, range=_padded(ends)),
        xaxis2={"anchor": "y2", "automargin": False},
        yaxis=_NAMES | {"domain": [upper, 1]},
        yaxis2=_NAMES | {"domain": [0, 1 - upper]},
        shapes=[*lines, style.vertical(0.5 if auroc else 0, xref="x2", yref="y2 domain")],
        annotations=[
            *key,
            style.heading(title, xshift=4 - room),
            style.heading(f"{name}{style.NOT_FROM_ZERO}", y=1 - upper, xshift=4 - room),
        ],
        margin={"l": room, "r": 24, "t": 21 + head, "b": 30},
        height=2 * high + _BETWEEN + 51 + head,
    )


def _padded(ends: Sequence[float]) -> list[float]:
    """The range of an axis on which each of some values stands clear of both ends."""
    room = 0.04 * (max(ends) - min(ends) or 1.0)
    return [min(ends) - room, max(ends) + room]


def against(table: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """Relative error of every method of the table of methods, a mark a scenario, with ±1 standard error.

    Parameters
    ----------
    table : DataFrame
        Columns scenario, title, budget, relative_mse (NaN has no mark), error; of one budget.
    titles : mapping
        Titles of the scenarios.
    """
    at = table[table["relative_mse"].notna()]
    names = {str(name): titles[str(name)] for name in at["scenario"].unique()}
    looks = style.styles(names, accent=next(iter(names)))
    traces: list[dict[str, Any]] = []
    for scenario, rows in at.groupby("scenario", sort=False):
        look = looks[str(scenario)]
        errors = (100 * rows["error"]).tolist()
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": look.label,
                "x": style.percents(rows["relative_mse"]),
                "y": _broken(rows["title"]),
                "error_x": style.error_bars(look.colour, errors),
                "customdata": [f" ± {error:.1f}" if error else "" for error in errors],
                "marker": {"color": look.colour, "symbol": look.symbol, "size": 10},
                "hovertemplate": f"%{{y}}, {look.label}: %{{x:.1f}}%{{customdata}} %<extra></extra>",
            }
        )
    methods = list(dict.fromkeys(_broken(at["title"])))
    room, key = _room(methods), _key([(_SIGNS[one.symbol], one.colour, one.label) for one in looks.values()], 0)
    head = _HEAD * (1 + len({note["yshift"] for note in key})) + _APART
    key = [note | {"xshift": note["xshift"] + 4 - room, "yshift": note["yshift"] - _HEAD} for note in key]
    return _figure(
        traces,
        xaxis=style.percent_axis("", rangemode="tozero", automargin=False),
        yaxis=_NAMES | {"categoryorder": "array", "categoryarray": methods},
        shapes=[style.vertical(100)],
        annotations=[*key, style.heading(style.ERROR_TITLE, xshift=4 - room)],
        margin={"l": room, "r": 24, "t": 21 + head, "b": 30},
        height=_SIGNAL * len(methods) + 51 + head,
    )


def coverage(table: pd.DataFrame) -> Figure:
    """Coverage (above, with ±2 standard errors of the simulation) and mean width (below) of each interval.

    Parameters
    ----------
    table : DataFrame
        Columns interval, budget, coverage, coverage_error, width, confidence; of one confidence.
    """
    traces, covered, wide = [], [], []
    for interval, rows in table.groupby("interval", sort=False):
        look = INTERVAL_STYLES.get(str(interval)) or METHOD_STYLES[str(interval)]
        start = f"{look.label}, M = %{{x:,}}: "
        bars = style.error_bars(look.colour, (200 * rows["coverage_error"]).tolist())
        share = {"error_y": bars, "hovertemplate": start + "contains the truth in %{y:.1f} %<extra></extra>"}
        width = {"yaxis": "y2", "hovertemplate": start + "%{y:.1f} points wide<extra></extra>"}
        traces.append(style.line(look, rows["budget"], rows["coverage"]) | share)
        traces.append(style.line(look, rows["budget"], rows["width"]) | width)
        covered.append(_named(look, rows, "coverage"))
        wide.append(_named(look, rows, "width"))
    level = 100 * float(table["confidence"].iloc[0])
    ends = [100 * at for sign in (-2, 2) for at in table["coverage"] + sign * table["coverage_error"]]
    promised = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": level, "y1": level, "line": style.dotted()}
    layout = labels.stacked(
        [
            Panel(
                covered, style.percent_axis(""), f"Contains the truth{style.NOT_FROM_ZERO}", (*ends, level), (0.58, 1)
            ),
            Panel(wide, {"rangemode": "tozero"}, "Mean width, points", (0,), (0, 0.44)),
        ],
        style.budget_axis(table["budget"]),
        480,
        shapes=[promised],
    )
    return {"data": traces, "layout": layout}


def _figure(traces: list[dict[str, Any]], **layout: Any) -> Figure:
    return {"data": traces, "layout": style.layout(**layout)}


def _panels(table: pd.DataFrame) -> list[pd.DataFrame]:
    """The cells of each figure of `across`."""
    targets = _TARGETS if table["digest"].nunique() <= _FEW else 1
    return [
        cells
        for _, of_pool in table.groupby("digest", sort=False)
        for _, cells in list(of_pool.groupby("target", sort=False))[:targets]
    ][:_MOST]


def _panel(cells: pd.DataFrame, budgets: dict[str, Any], span: list[float]) -> Figure:
    """One pool and target."""
    looks = {method: METHOD_STYLES[str(method)] for method in cells["method"].unique()}
    of_method = {method: cells[cells["method"] == method] for method in looks}
    layout = labels.layout(
        [_named(look, of_method[method], "relative_mse") for method, look in looks.items()],
        budgets,
        style.percent_axis("", range=span),
        f"{_cut(cells['pool'].iloc[0])}<br>{_cut(cells['target'].iloc[0])}: {style.ERROR_TITLE}",
        _PANEL,
    )
    return {"data": [_exact(look, of_method[method]) for method, look in looks.items()], "layout": layout}


def _key(signs: list[tuple[str, str, str]], left: float) -> list[dict[str, Any]]:
    """Signs with their names above a title of two rows, in columns of one width, as many as a phone has room for."""
    width = _APART + _KEYED * max((2 + len(unescape(name)) for _, _, name in signs), default=0)
    columns = max(1, int(_PHONE // width))
    rows = math.ceil(len(signs) / columns)
    return [
        style.heading(
            style.keyed("", sign).lstrip(),
            xshift=left + width * (place // rows),
            yshift=9 + _APART + _HEAD * (1 + rows - place % rows),
        )
        for place, sign in enumerate(signs)
    ]


def _broken(names: pd.Series[str]) -> list[str]:
    """Names on an axis, long ones in several rows."""
    return ["<br>".join(map(escaped, labels.rows(str(name)))) for name in names]


def _room(names: list[str]) -> float:
    """Pixels that names on an axis take."""
    return _GAP + _CHARACTER * max((len(row) for name in names for row in name.split("<br>")), default=0)


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
    low = {"y": style.percents(band["best"]), "name": "Best"}
    high = {"y": style.percents(band["largest"]), "name": "Noise at T = 3,000"}
    return [shared | low, shared | high | {"fill": "tonexty", "fillcolor": style.SHADE}]


def _cell(name: str, x: str, y: float, symbol: str, size: int) -> dict[str, Any]:
    # An edge of another colour, as one of the map's own is near that of the mark.
    line = {"width": 2, "color": "#FFFFFF"}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [x],
        "y": [y],
        "marker": {"symbol": symbol, "size": size, "color": style.CONTRAST, "line": line},
        "hoverinfo": "skip",
    }
