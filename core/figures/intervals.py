"""Figures of results: values and differences with their intervals, a judge against people, versions of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from ..words import PER_CENT, bare, drawn, factor, per_cent, shortened, span, value
from ..words.scale import GradeScale, Unit
from . import labels, style
from .labels import NamedLine
from .style import Figure, LineStyle, escaped

_ROW, _TALL, _FRAME = 40, 62, 70
# A scale with a tick for each grade.
_FEW_GRADES = 10
_POINT, _INSIDE, _LARGER = 13, 7, 3
_PLAIN: dict[str, Any] = {"showlegend": False, "margin": style.BARE_MARGIN | {"r": 28}, "hovermode": "closest"}


def estimates(
    table: pd.DataFrame,
    unit: Unit = True,
    compared: bool = False,
    colour: str = style.ACCENT,
    written: Callable[[float], str] | None = None,
) -> Figure:
    """Values with their intervals on one scale, a row each, the first on top.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high. A row without a value shows nothing, one without limits only its point. With
        the columns least and most, a value that lies between them is a bar from one to the other.
    unit : bool or GradeScale
        Values are shares, shown in per cent on a scale that the intervals fill; it says so if it does not begin at 0.
        Of a scale they are shown as grades.
    compared : bool
        The first row takes the colour, the others are grey.
    colour : str
        Of the rows, hexadecimal.
    written : callable, optional
        How values are written at the right of each row, if nothing can be pointed at.
    """
    traces = [
        _mark(
            row,
            one,
            lambda share: drawn(share, unit),
            style.GREY if compared and row > 0 else colour,
            _value_with_limits(one, unit),
        )
        for row, one in enumerate(table.to_dict("records"))
        if not math.isnan(one["value"])
    ]
    layout = {
        "xaxis": _percents(style.percent_scale(table)) if unit is True else {},
        "yaxis": _rows(table["label"].tolist()),
        "height": _FRAME + _ROW * len(table),
    }
    return {"data": traces, "layout": layout | _PLAIN | _written(table, written)}


def compared(table: pd.DataFrame, limits: Sequence[str], unit: Unit = True) -> Figure:
    """A value with its interval above others of its kind: names and limits stand above the bars, the first accented.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high; NaN if not known.
    limits : sequence of str
        What stands at the right above each bar, such as its interval.
    unit : bool or GradeScale
        As in `estimates`.
    """
    figure = estimates(table, unit, compared=True)
    notes = []
    for row, (name, words) in enumerate(zip(table["label"], limits, strict=True)):
        at = {"y": row, "yshift": 11, "yanchor": "bottom", "xref": "paper", "showarrow": False, "font": {"size": 14}}
        notes += [
            at | {"x": 0, "xanchor": "left", "text": escaped(str(name))},
            at | {"x": 1, "xanchor": "right", "text": escaped(words)},
        ]
    rows = figure["layout"]["yaxis"] | {"tickvals": [], "ticktext": [], "range": [len(table) - 0.5, -0.9]}
    for trace in figure["data"]:
        trace["error_x"] |= {"thickness": 6, "width": 0}
        trace["marker"] |= {"size": trace["marker"]["size"] + _LARGER}
        trace["line"] |= {"width": trace["line"]["width"] + _LARGER}
    size = {"height": _FRAME + _TALL * len(table), "margin": style.BARE_MARGIN | {"l": 0, "r": 0}}
    return figure | {"layout": figure["layout"] | {"yaxis": rows, "annotations": notes} | size}


def at_bar(row: pd.DataFrame, bar: float, colour: str) -> Figure:
    """Draw a share with its interval and the bar that it has to reach.

    Parameters
    ----------
    row : DataFrame
        One row with label, value, low and high.
    bar : float
        In (0, 1).
    colour : str
        Of the verdict.
    """
    reach = row.assign(low=row["low"].clip(upper=bar), high=row["high"].clip(lower=bar))
    figure = estimates(row, colour=colour)
    note = {"x": 100 * bar, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    words = note | {"text": f"bar {per_cent(bar, 1)}", "xanchor": "center"}
    layout = figure["layout"] | {
        "xaxis": _percents(style.percent_scale(reach)),
        "shapes": [style.vertical(100 * bar, 2)],
        "annotations": [words],
        "margin": style.BARE_MARGIN | {"r": 28, "t": 28},
        "height": figure["layout"]["height"] + 20,
    }
    return figure | {"layout": layout}


def provisional(row: pd.DataFrame, unit: Unit, colour: str = style.ACCENT) -> Figure:
    """Draw a provisional value: its interval as a hatched bar, and its point hollow.

    Parameters
    ----------
    row : DataFrame
        One row with label, value, low and high.
    unit : bool or GradeScale
        As in `estimates`.
    colour : str
        As in `estimates`.
    """
    figure = estimates(row, unit, colour=colour)
    one = row.iloc[0]
    (mark,) = figure["data"]
    mark["marker"] |= {"symbol": "circle-open", "line": {"width": 3, "color": colour}}
    mark["error_x"] |= {"visible": False}
    hatched = {
        "type": "bar",
        "orientation": "h",
        "base": [drawn(one["low"], unit)],
        "x": [factor(unit) * (one["high"] - one["low"])],
        "y": [0],
        "width": 0.4,
        "marker": {
            "line": {"color": colour, "width": 1},
            "pattern": {"shape": "/", "fillmode": "replace", "fgcolor": colour, "size": 8, "solidity": 0.15},
        },
        "hovertemplate": mark["hovertemplate"],
    }
    return figure | {"data": [hatched, mark]}


def difference(
    table: pd.DataFrame,
    unit: Unit = True,
    sides: tuple[str, str] = ("", ""),
    written: Callable[[float], str] | None = None,
) -> Figure:
    """Differences with their intervals, and a line if there is none.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high.
    unit : bool or GradeScale
        Differences of shares, shown in percentage points.
    sides : (str, str)
        What a difference below 0 and one above it mean, written above the rows.
    written : callable, optional
        As in `estimates`.
    """
    traces = []
    for row, one in enumerate(table.to_dict("records")):
        limits = f"{bare(one['low'], unit)} to {bare(one['high'], unit)}"
        traces.append(
            _mark(row, one, lambda gap: factor(unit) * gap, style.ACCENT, f"{bare(one['value'], unit)} ({limits})")
        )
    ends = [abs(factor(unit) * x) for x in (*table["low"], *table["high"]) if math.isfinite(x)]
    room = 1.15 * max(ends, default=1.0) or 1.0
    title = "percentage points" if unit is True else ""
    head: dict[str, Any] = _written(table, written)
    layout = {
        "xaxis": {"range": [-room, room], "title": {"text": title}, "zeroline": False},
        "yaxis": _rows(table["label"].tolist()),
        "shapes": [style.vertical(0, width=2)],
        "height": _FRAME + 50 + _ROW * len(table),
    }
    head["annotations"] = [*head.get("annotations", ()), _side(sides[0], "right", -8), _side(sides[1], "left", 8)]
    if any(sides):
        head["margin"] = head.get("margin", _PLAIN["margin"]) | {"t": 30}
    return {"data": traces, "layout": layout | _PLAIN | head}


def _written(table: pd.DataFrame, written: Callable[[float], str] | None) -> dict[str, Any]:
    """Values at the right of their rows, with the room that they take."""
    if written is None:
        return {}
    values = [(row, written(value)) for row, value in enumerate(table["value"]) if not math.isnan(value)]
    at = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 10, "yanchor": "middle", "showarrow": False}
    notes = [at | {"y": row, "text": escaped(words)} for row, words in values]
    return {"annotations": notes, "margin": _PLAIN["margin"] | {"r": 84}}


def _percents(ticks: range) -> dict[str, Any]:
    """An axis of shares, with room for a point or a bar's cap at its ends."""
    room = 0.02 * (ticks[-1] - ticks[0])
    return {
        "range": [ticks[0] - room, ticks[-1] + room],
        "tickvals": list(ticks),
        # Separate texts: a suffix does not reach ticks that are given.
        "ticktext": [f"{tick}{PER_CENT}" for tick in ticks],
        "title": {"text": style.scale_note(ticks), "font": {"size": 12}, "standoff": 12},
        "zeroline": False,
    }


def _side(words: str, anchor: str, shift: int) -> dict[str, Any]:
    """A note above the rows on one side of 0."""
    at = {"x": 0, "y": 1, "yref": "paper", "xanchor": anchor, "yanchor": "bottom", "xshift": shift}
    return {"text": escaped(words), "showarrow": False, **at}


def _mark(row: int, one: dict[Any, Any], at: Callable[[float], float], colour: str, words: str) -> dict[str, Any]:
    """One row: the value as a point or a thick bar, its interval as a thin one.

    A place, not the name: two rows may have the same name.
    """
    low, high = (at(one[name]) for name in ("low", "high"))
    ends = sorted({at(one.get(name, one["value"])) for name in ("least", "most")})
    bar: dict[str, Any] = {"type": "data", "symmetric": False, "visible": math.isfinite(high - low)}
    if bar["visible"]:
        # Each limit belongs to the nearest end.
        less, more = [0.0] * len(ends), [0.0] * len(ends)
        less[0], more[-1] = ends[0] - low, high - ends[-1]
        bar |= {"array": more, "arrayminus": less}
    return {
        "type": "scatter",
        "mode": "markers" if len(ends) == 1 else "lines+markers",
        "x": ends,
        "y": [row] * len(ends),
        # At 0 and at 100 % too, whole.
        "cliponaxis": False,
        "error_x": bar | {"thickness": 3, "width": 7, "color": colour},
        "marker": {"color": colour, "size": _POINT if len(ends) == 1 else _INSIDE},
        "line": {"color": colour, "width": _POINT},
        "hovertemplate": f"{escaped(str(one['label']))}: {words}<extra></extra>",
    }


def _value_with_limits(one: dict[Any, Any], unit: Unit) -> str:
    known = not math.isnan(one["high"] - one["low"])
    least, most = (one.get(name, one["value"]) for name in ("least", "most"))
    about = value(one["value"], unit) if least == most else span(least, most, unit)
    return f"{about}, {span(one['low'], one['high'], unit) if known else 'no interval yet'}"


def _rows(names: list[str]) -> dict[str, Any]:
    """An axis of names, long ones cut; the whole name is in the row's hover text."""
    cut = [shortened(str(name), style.LONGEST_NAME) for name in names]
    places = {"tickvals": list(range(len(cut))), "ticktext": [escaped(name) for name in cut]}
    return places | {"automargin": True, "zeroline": False, "range": [len(cut) - 0.5, -0.5]}


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


def pass_rates(table: pd.DataFrame) -> Figure:
    """Pass rates as bars from 0, with their limits: the judge's own in grey, then the corrected one, then the true one.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high (fractions of 1; NaN if not known) and own, corrected or true in `kind`.
    """
    figure = rates(table.assign(threshold=math.nan))
    looks = {"own": style.GREY, "corrected": style.METHOD_STYLES["recommended"].colour, "true": style.TRUTH}
    bars = []
    for row, (trace, kind) in enumerate(zip(figure["data"], table["kind"], strict=True)):
        colour = looks[kind]
        trace["marker"]["color"] = trace["error_x"]["color"] = colour
        look = {"color": colour, "opacity": 0.35}
        place = {"x": trace["x"], "y": [row], "width": 0.62, "hovertemplate": trace["hovertemplate"]}
        bars.append({"type": "bar", "orientation": "h", "marker": look} | place)
    return figure | {"data": [*bars, *figure["data"]]}


def calibration(table: pd.DataFrame, scale: GradeScale) -> Figure:
    """People's mean grade by the judge's grade with intervals, beside the diagonal on which both are the same.

    Parameters
    ----------
    table : DataFrame
        Columns grades (names of the classes), judge, value, low, high, in grades.
    scale : GradeScale
        Of both.
    """
    ends = [scale.low, scale.high]
    quiet: dict[str, Any] = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    traces = [quiet | {"x": ends, "y": ends, "line": {"color": style.GREY, "dash": "dot", "width": 1.5}}]
    rows = table.to_dict("records")
    bar = {"color": style.ACCENT, "width": 3}
    traces += [quiet | {"x": [one["judge"]] * 2, "y": [one["low"], one["high"]], "line": bar} for one in rows]
    texts = [
        f"the judge’s {one['grades']}: people {one['value']:.2f}, {one['low']:.2f} to {one['high']:.2f}".replace(
            "-", "−"
        )
        for one in rows
    ]
    points = {"x": table["judge"].tolist(), "y": table["value"].tolist(), "customdata": texts}
    look = {"color": style.ACCENT, "size": _POINT}
    drawn_as = {"type": "scatter", "mode": "markers", "hovertemplate": "%{customdata}<extra></extra>"}
    traces.append(drawn_as | {"marker": look} | points)
    room = 0.04 * scale.span
    axis: dict[str, Any] = {"range": [scale.low - room, scale.high + room], "zeroline": False}
    if scale.span <= _FEW_GRADES:
        axis["dtick"] = 1 if scale.span > 1 else 0.2
    layout = style.layout(
        xaxis=axis | {"title": {"text": "The judge’s grade"}},
        yaxis=axis | {"title": {"text": ""}},
        annotations=[style.heading(style.keyed("People’s mean grade", (_SIGNS[2], style.GREY, "both the same")))],
        height=340,
        margin=style.BARE_MARGIN | {"t": 40},
        showlegend=False,
        hovermode="closest",
    )
    return {"data": traces, "layout": layout}


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


# Figures of versions of a model: chances of a gate between two of them, and accuracies over time.

# Column, name, colour and dash of a gate's lines.
_LINES = (
    ("passed", "Pass", style.TRUTH, "solid"),
    ("failed", "Fail", style.CONTRAST, "solid"),
    ("usual_passed", "Pass, usual gate", style.TRUTH, "dot"),
    ("usual_failed", "Fail, usual gate", style.CONTRAST, "dot"),
)


def chances(table: pd.DataFrame, margin: float) -> Figure:
    """Chance that a version gate passes and fails against the true difference in accuracy, and a usual gate's.

    Parameters
    ----------
    table : DataFrame
        Of `core.gates.version_chances.Chances`.
    margin : float
        Of the gate.
    """
    table = table[::-1]
    points = (-100 * table["difference"]).tolist()
    drawn = [(name, colour, dash, style.percents(table[column])) for column, name, colour, dash in _LINES]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": points,
            "y": y,
            "line": {"color": colour, "dash": dash, "width": 2.5},
            "hovertemplate": f"{name}" + " at %{x:+.1f} points: %{y:.0f}" + f"{PER_CENT}<extra></extra>",
        }
        for name, colour, dash, y in drawn
    ]
    lines = [
        NamedLine((LineStyle(name, colour, dash, "circle"),), points, (100 * table[column]).tolist())
        for column, name, colour, dash in _LINES
    ]
    layout = labels.layout(
        lines,
        {"title": {"text": "True difference in accuracy, points", "standoff": 6}},
        {"range": [0, 101], "ticksuffix": PER_CENT},
        "Chance of the verdict",
        320,
        shapes=[style.vertical(-100 * margin)],
    )
    return {"data": traces, "layout": layout}


# Colours of a verdict, readable on light and on dark.
VERDICTS = {"pass": "#178a5b", "fail": "#d1453b", "undecided": "#b7791f"}
# What a verdict must not reach.
_WORSE = "rgba(209,69,59,0.12)"


def verdict(table: pd.DataFrame, margin: float, word: str) -> Figure:
    """The difference of two versions with its interval, in the colour of the verdict, and what counts as worse shaded.

    Parameters
    ----------
    table : DataFrame
        One row: label, value, low, high, differences in accuracy as fractions; a value of NaN is not known.
    margin : float
        The largest loss of accuracy that passes.
    word : str
        "pass", "fail" or "undecided".
    """
    one = table.iloc[0]
    middle = (one["low"] + one["high"]) / 2 if math.isnan(one["value"]) else one["value"]
    figure = difference(table.assign(value=middle, label=""), sides=("worse", "better"))
    for trace in figure["data"]:
        trace["marker"] |= {"color": VERDICTS[word], "size": 18}
        trace["error_x"] |= {"color": VERDICTS[word], "thickness": 5, "width": 12}
    layout = figure["layout"]
    reach = max(layout["xaxis"]["range"][1], 160 * margin)
    shade = {"type": "rect", "x0": -reach, "x1": -100 * margin, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    shade |= {"fillcolor": _WORSE, "line": {"width": 0}}
    note = {"x": -100 * margin, "y": 0, "yref": "paper", "xanchor": "right", "yanchor": "bottom", "xshift": -4}
    layout["annotations"].append(note | {"text": f"worse by more than {100 * margin:g}", "showarrow": False})
    layout["shapes"] = [*layout["shapes"], shade, style.vertical(-100 * margin)]
    layout["xaxis"] |= {"range": [-reach, reach], "title": {"text": "Difference in accuracy, points"}}
    return figure


def race(table: pd.DataFrame, within: float) -> Figure:
    """Models as bars with limits, by how far they are behind the leader; those that dropped out are grey.

    Parameters
    ----------
    table : DataFrame
        Of `core.contests.Standing.table`: model, value, low, high (accuracy less the leader's) and out_after_wave.
    within : float
        How far below the best the answer may be, as a fraction; shaded from there, where no limit of a survivor may be.
    """
    figure = difference(table.assign(label=table["model"]))
    bars, notes = [], []
    at = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 10, "yanchor": "middle", "showarrow": False}
    states = table["state"]
    for row, (trace, out, said) in enumerate(zip(figure["data"], table["out_after_wave"], states, strict=True)):
        leads = row == 0
        colour = style.GREY if out else style.ACCENT if leads else style.CONTRAST
        trace["marker"] |= {"color": colour, "symbol": "x" if out else "star" if leads else "circle"}
        trace["error_x"] |= {"color": colour}
        trace["hovertemplate"] = trace["hovertemplate"].replace("<extra>", f", {said}<extra>")
        look = {"color": colour, "opacity": 0.35}
        place = {"x": trace["x"], "y": [row], "width": 0.62, "hovertemplate": trace["hovertemplate"]}
        # The leader is not behind.
        bars += [] if leads else [{"type": "bar", "orientation": "h", "marker": look} | place]
        notes.append(at | {"y": row, "text": said, "font": {"color": colour}})
    layout = figure["layout"]
    low, high = 100 * table["low"].min(), 100 * max(table["high"].max(), within)
    room = 0.06 * (high - low) or 1.0
    shapes, end = layout["shapes"], high + 2 * room
    if within:
        shade = {"type": "rect", "x0": 100 * within, "x1": end, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
        shapes = [*shapes, shade | {"fillcolor": _WORSE, "line": {"width": 0}}]
        above = {"x": 1, "xref": "paper", "y": 1, "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
        notes.append(above | {"text": f"better by more than {100 * within:g}", "showarrow": False})
    more = {
        "xaxis": layout["xaxis"] | {"range": [low - room, end], "title": {"text": "Points behind the leader"}},
        "margin": layout["margin"] | {"r": 92, "t": 30},
        "shapes": shapes,
        "annotations": notes,
    }
    return {"data": [*bars, *figure["data"]], "layout": layout | more}


def gate_items(same: int, known: int, listed: int, rest: int) -> Figure:
    """Items of a version gate in one bar: equal answers, known outcomes, those to label, and the other differing ones.

    Parameters
    ----------
    same, known, listed, rest : int
        Numbers of items.
    """
    parts = (
        ("Same answer", same, style.GREY),
        ("Differ, outcome known", known, style.CONTRAST),
        ("Differ, to label", listed, style.ACCENT),
        ("Differ, not needed", rest, "rgba(0,114,178,0.3)"),
    )
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": [count],
            "y": [0],
            "marker": {"color": colour},
            "hovertemplate": f"{name}: {count:,} items<extra></extra>",
        }
        for name, count, colour in parts
        if count
    ]
    shown = [(name, count, colour) for name, count, colour in parts if count]
    signs = [("■", colour, f"{name} {count:,}") for name, count, colour in shown]
    layout = style.layout(
        xaxis={"visible": False, "range": [0, same + known + listed + rest], "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
        barmode="stack",
        bargap=0.1,
        annotations=[style.heading(style.keyed("", *signs).lstrip())],
        height=96,
        margin=style.BARE_MARGIN | {"t": 40},
    )
    return {"data": traces, "layout": layout}


def over_time(table: pd.DataFrame) -> Figure:
    """Accuracy of each version with its interval, the oldest on top; a bar between what is possible if there is none.

    Parameters
    ----------
    table : DataFrame
        Of `core.bank.history`.
    """
    known = table["value"].notna()
    middle = table["value"].where(known, (table["low"] + table["high"]) / 2)
    bars = {"least": middle.where(known, table["low"]), "most": middle.where(known, table["high"])}
    return estimates(table.assign(label=table["version"], value=middle, **bars))


def pairs(table: pd.DataFrame) -> Figure:
    """Differences in accuracy of versions that follow each other, with their joint limits; none without a value.

    Parameters
    ----------
    table : DataFrame
        Of `core.bank.differences`.
    """
    table = table[table["neighbours"] & table["value"].notna()]
    # A difference that is exact on these items has limits for other questions alone.
    table = table.assign(**{end: table[f"other_{end}"].fillna(table[end]) for end in ("low", "high")})
    names = table["later"] + " − " + table["earlier"]
    return difference(table.assign(label=names), sides=("later is worse", "later is better"))
