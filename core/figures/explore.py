"""The main figure: the error of each method against the budget, in the unit that is asked for."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..allocation.ways import ORACLE_NEYMAN, PROXY_NEYMAN, RECOMMENDED, UNIFORM
from ..words import PER_CENT
from . import labels, style
from .labels import EndLabel
from .style import METHOD_STYLES, Figure, LineStyle
from .units import UNITS, Unit

_HEIGHT, _TOP, _BOTTOM, _LEFT = 420, 36, 52, 46
# Of a second row of the title.
_ROW = 15
_ROOM = _HEIGHT - _TOP - _BOTTOM
# The axes are the same for every number of strata and every offset. The lowest budget, unless a lower one is marked:
_LEAST = 5
# Ends of the axis of shares, in per cent: above it a line is cut, and marked. It begins at 0, or at 50 or 80 if every
# line stays well above; it then says so.
_MOST, _LOWS = 120.0, ((0.85, 80.0), (0.55, 50.0), (0.0, 0.0))
# Ticks of the budgets, as many as a narrow figure has room for.
_LADDERS, _MOST_TICKS = ((1, 2, 5), (1, 3)), 7
# Widths: of the line that the headline is about, of those beside it, and of the rest, which is grey.
_THICK, _THIN, _HAIR = 4.5, 2.0, 1.0
# Thin whatever the headline is about.
_BESIDE = (UNIFORM.name, ORACLE_NEYMAN.name)
# Lines with the same values are one line with all their names; what is nearer than this is rounding.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Former:
    """The setting before this one, drawn as a ghost.

    Parameters
    ----------
    label : str
        What was different, “δ = 0.75”.
    curve : DataFrame
        Its line: columns budget and the unit's.
    """

    label: str
    curve: pd.DataFrame


def relative_mse(
    curve: pd.DataFrame,
    simulated: pd.DataFrame | None = None,
    budget: int | None = None,
    unit: Unit = UNITS["relative"],
    former: Former | None = None,
    least: float = 0.0,
    loud: Sequence[str] = (RECOMMENDED.name, PROXY_NEYMAN.name),
    names: Mapping[str, str] | None = None,
) -> Figure:
    """Error against the budget: exact lines with their names, a simulated point, the current budget marked.

    Parameters
    ----------
    curve : DataFrame
        Columns method, budget and the unit's (NaN is a gap); uniform_labels for the unit of labels. Methods with the
        same values are one line.
    simulated : DataFrame, optional
        Columns method, budget, the unit's and that of its standard error; drawn is the point of the thick line at the
        budget, with ±1 standard error.
    budget : int, optional
        Marked by a vertical line; the names stand with their values there.
    unit : Unit
        What is drawn.
    former : Former, optional
        The setting before this one.
    least : float
        A relative error that no setting of the sliders falls below, so that the axis is the same for all of them.
    loud : sequence of str
        Methods of the thick line and of those beside it; Uniform and the best possible rule are beside it too, and all
        others are grey.
    names : Mapping[str, str], optional
        Names of methods, if not those that they have everywhere.
    """
    thick = next((method for method in loud if method in set(curve["method"])), "")
    looks = {method: _look(method, thick, loud, names or {}) for method in curve["method"].unique()}
    lines = _lines(curve, unit, looks)
    frame = _Axes.of(lines, budget, unit, least)
    points = None if simulated is None else simulated[simulated["method"].isin([thick])]
    if points is not None:
        points = points[points["budget"].isin([budget])]
    beside = labels.beside([_label(one, frame, budget) for one in lines], _ROOM, frame.ends)
    marked = beside["shapes"] + ([] if budget is None else [style.vertical(budget)])
    # The thick line is the last one.
    traces = [_trace(one, frame) for one in lines]
    if points is not None and len(points):
        traces.append(_point(points, unit, looks[thick]))
    traces += [cut for one in lines if (cut := _cut(one, frame, budget)) is not None]
    notes = [] if budget is None else [_flag(budget), *_column(budget, beside["annotations"])]
    if former is not None:
        traces.insert(0, _ghost(former, unit, looks[thick]))
        notes.append(_before(former, looks[thick]))
    above = _ROW * frame.title.count("<br>")
    layout = style.layout(
        xaxis=frame.horizontal(),
        yaxis=frame.vertical(),
        height=_HEIGHT + above,
        margin={"l": _LEFT, "r": labels.margin([look for one in lines for look in one.styles])}
        | {"t": _TOP + above, "b": _BOTTOM},
        hovermode="x unified",
        shapes=marked,
        annotations=[*beside["annotations"], style.heading(frame.title, xshift=4 - _LEFT), *notes],
    )
    return {"data": traces, "layout": layout}


def _look(method: str, thick: str, loud: Sequence[str], names: Mapping[str, str]) -> LineStyle:
    """The looks of a method's line: thick, beside it, or a grey hairline."""
    own = METHOD_STYLES[method]
    own = replace(own, label=names.get(method, own.label))
    if method == thick:
        return replace(own, width=_THICK)
    return replace(own, width=_THIN) if method in (*loud, *_BESIDE) else replace(own, width=_HAIR, colour=style.GREY)


@dataclass(frozen=True, slots=True)
class _Line:
    """The exact values of one method, or of several with the same ones, by budget."""

    styles: tuple[LineStyle, ...]
    values: dict[int, float]
    worth: dict[int, float] | None
    unit: Unit

    @property
    def name(self) -> str:
        """The names of its methods, “Equal = Power”."""
        return " = ".join(look.label for look in self.styles)

    @property
    def quiet(self) -> bool:
        """Whether it is a hairline."""
        return self.styles[0].width == _HAIR

    @property
    def last(self) -> int | None:
        """The largest budget at which there still is an error; None if there is none at all."""
        return next((budget for budget, value in reversed(self.values.items()) if value > 0), None)

    def at(self, budget: int | None) -> float:
        """The value at a budget; NaN if there is none."""
        return math.nan if budget is None else self.values.get(budget, math.nan)


@dataclass(frozen=True, slots=True)
class _Axes:
    """Where the axes begin and end: these depend on the pool and the target, never on a slider."""

    least: int
    most: int
    low: float
    high: float
    unit: Unit

    @classmethod
    def of(cls, lines: Sequence[_Line], budget: int | None, unit: Unit, floor: float) -> _Axes:
        most = max(max(one.values) for one in lines)
        least = min(_LEAST, most - 1 or 1) if budget is None else min(_LEAST, budget, most - 1 or 1)
        if not unit.log:
            low = next((low for clear, low in _LOWS if floor >= clear), 0.0)
            return cls(least, most, low, _MOST, unit)
        symbol = METHOD_STYLES["uniform"].symbol
        uniform = [one.values for one in lines if any(look.symbol == symbol for look in one.styles)]
        point = next(((m, value) for values in uniform for m, value in values.items() if value > 0 and m < most), None)
        if point is None:
            return cls(least, most, 1.0, 10.0, unit)
        # Uniform's margin is c √(1/M − 1/N): one of its points gives those of the ends.
        factor = unit.scale * point[1] / math.sqrt(1 / point[0] - 1 / most)
        last = max(0.9 * most, (least + most) / 2)
        return cls(least, most, factor * math.sqrt(1 / last - 1 / most) / 2, factor * math.sqrt(1 / least) * 1.3, unit)

    @property
    def title(self) -> str:
        """The title of the vertical axis, which says so if it does not begin at 0."""
        return self.unit.title + (f"<br>(from {self.low:g}{PER_CENT}, not 0)" if self.low and not self.unit.log else "")

    def height(self, value: float) -> float:
        """Where a value stands, as a share of the plot's height."""
        if math.isnan(value):
            return 0.0
        low, high, at = self.low, self.high, self.unit.scale * value
        if self.unit.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(at, low))
        return min(max((at - low) / (high - low), 0.0), 1.0)

    def below(self, value: float) -> bool:
        """Whether a value has no place on a logarithmic axis: no error is left if every item is labelled."""
        return self.unit.log and value <= 0

    @property
    def ends(self) -> tuple[float, float]:
        """Logarithms of the ends of the horizontal axis."""
        room = 0.02 * math.log10(self.most / self.least) or 0.1
        return math.log10(self.least) - room, math.log10(self.most) + room

    def horizontal(self) -> dict[str, Any]:
        """The axis of budgets."""
        ticks = next((t for steps in _LADDERS if len(t := self._round(steps)) <= _MOST_TICKS), self._round((1,)))
        return {
            "type": "log",
            "title": {"text": style.BUDGET_TITLE, "standoff": 6},
            "tickvals": ticks,
            "ticktext": [f"{tick}" if tick < 1000 else f"{tick // 1000}k" for tick in ticks],
            "tickangle": 0,
            "range": list(self.ends),
            "automargin": False,
            "fixedrange": True,
            "unifiedhovertitle": {"text": "M = %{x:,}"},
        }

    def _round(self, steps: tuple[int, ...]) -> list[int]:
        return [step * 10**p for p in range(8) for step in steps if self.least <= step * 10**p <= self.most]

    def vertical(self) -> dict[str, Any]:
        """The axis of errors."""
        fixed: dict[str, Any] = {"automargin": False, "fixedrange": True}
        if not self.unit.log:
            return fixed | {"range": [self.low, self.high], "ticksuffix": " %", "dtick": 10 if self.low > 50 else 20}
        ticks = [d * 10.0**p for p in range(-6, 7) for d in (1, 2, 5) if self.low <= d * 10.0**p <= self.high]
        texts = [f"{tick:,g}" for tick in ticks]
        log = {"type": "log", "range": [math.log10(self.low), math.log10(self.high)]}
        return fixed | log | {"tickvals": ticks, "ticktext": texts}


def _lines(curve: pd.DataFrame, unit: Unit, looks: Mapping[str, LineStyle]) -> list[_Line]:
    """The lines, methods with the same values together, the thick one last."""
    # Dictionaries: a move of a slider spends more time in pandas than in all sums otherwise.
    values = _by_method(curve, unit.column)
    worths = _by_method(curve, "uniform_labels") if unit.column == "label_share" else {}
    lines: list[_Line] = []
    # Of lines that are one, the most important gives the looks.
    for method in sorted(values, key=lambda method: -looks[method].width):
        one = _Line((looks[method],), values[method], worths.get(method), unit)
        same = next((place for place, other in enumerate(lines) if _same(one.values, other.values)), None)
        if same is None:
            lines.append(one)
        else:
            lines[same] = replace(lines[same], styles=(*lines[same].styles, *one.styles))
    return lines[::-1]


def _by_method(rows: pd.DataFrame, column: str) -> dict[str, dict[int, float]]:
    """A column by method and budget, in the frame's order."""
    columns: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for method, budget, value in zip(*(rows[name].tolist() for name in ("method", "budget", column)), strict=True):
        columns[method][budget] = value
    return columns


def _same(one: dict[int, float], other: dict[int, float]) -> bool:
    return one.keys() == other.keys() and all(
        abs(value - other[budget]) <= _SAME * abs(other[budget]) or (math.isnan(value) and math.isnan(other[budget]))
        for budget, value in one.items()
    )


def _trace(one: _Line, frame: _Axes) -> dict[str, Any]:
    return style.line(one.styles[0], one.values, one.values.values(), "lines") | {
        "name": one.name,
        "y": [
            None if math.isnan(value) or frame.below(value) else one.unit.scale * value for value in one.values.values()
        ],
        "opacity": 0.6 if one.quiet else 1.0,
        "customdata": _texts(one),
        "hovertemplate": f"{one.name}: %{{customdata}}<extra></extra>",
    }


def _point(rows: pd.DataFrame, unit: Unit, look: LineStyle) -> dict[str, Any]:
    """The simulated value of the thick line at the budget, with its standard error."""
    budget, value, error = (rows[name].tolist() for name in ("budget", unit.column, unit.error))
    bars = style.error_bars(look.colour, [unit.scale * one for one in error])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "simulated",
        "x": budget,
        "y": [None if math.isnan(one) else unit.scale * one for one in value],
        "error_y": bars | {"thickness": 2, "width": 6},
        "marker": {"color": look.colour, "symbol": "circle-open", "size": 11, "line": {"width": 2}},
        "customdata": [
            f"{unit.written(one)}, standard error {unit.scale * other:.2g}"
            for one, other in zip(value, error, strict=True)
        ],
        "hovertemplate": "Simulated: %{customdata}<extra></extra>",
    }


def _texts(one: _Line) -> list[str]:
    """Return the crosshair's words for a line at each of its budgets."""
    worth = one.worth
    return [
        one.unit.written(value)
        + ("" if worth is None or math.isnan(value) else f" ({budget:,} for {worth[budget]:,.0f} of Uniform’s)")
        for budget, value in one.values.items()
    ]


def _label(one: _Line, frame: _Axes, budget: int | None) -> EndLabel:
    # At N, where no error is left, a line has a name alone; so has a hairline.
    here = math.nan if budget is None or one.quiet else one.at(budget)
    value = "" if math.isnan(here) else one.unit.written(here)
    last = one.last
    if last is None:
        return EndLabel(one.styles, frame.ends[1], 0.0, value, one.quiet)
    return EndLabel(one.styles, math.log10(last), frame.height(one.values[last]), value, one.quiet)


def _cut(one: _Line, frame: _Axes, budget: int | None) -> dict[str, Any] | None:
    """A mark at the upper edge where a line leaves the figure; with its value if that is at the budget."""
    above = [m for m, value in one.values.items() if one.unit.scale * value > frame.high and m >= frame.least]
    if not above or one.quiet:
        return None
    here = budget in above
    # The nearest place to what is looked at.
    nearest = above[-1] if budget is None else min(above, key=lambda m: abs(math.log(m / budget)))
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": f"{one.name}, above the figure",
        "x": [nearest],
        "y": [frame.high],
        "text": [one.unit.written(one.at(budget)) if here else ""],
        "textposition": "middle right",
        "cliponaxis": False,
        "marker": {"color": one.styles[0].colour, "symbol": "arrow-up", "size": 14},
        "hoverinfo": "skip",
    }


def _ghost(former: Former, unit: Unit, look: LineStyle) -> dict[str, Any]:
    pairs = zip(former.curve["budget"].tolist(), former.curve[unit.column].tolist(), strict=True)
    known = {budget: value for budget, value in pairs if not math.isnan(value)}
    ghost = style.line(look, known, known.values(), "lines")
    return ghost | {
        "name": f"Before: {former.label}",
        "y": [unit.scale * value for value in known.values()],
        "opacity": 0.3,
        "hoverinfo": "skip",
    }


def _before(former: Former, look: LineStyle) -> dict[str, Any]:
    at = {"x": 0, "xref": "paper", "xanchor": "left", "y": 0, "yref": "paper", "yanchor": "bottom", "yshift": 18}
    words = f'<span style="color:{look.colour}">━</span> before your change ({style.escaped(former.label)})'
    return {"text": words, "showarrow": False, "opacity": 0.6, **at}


def _column(budget: int, names: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the heading of the values behind the names, right above the topmost of them."""
    half = _ROW * (1 + names[-1]["text"].count("<br>")) / 2 if names else 0
    return [style.heading(f"at M = {budget:,}", x=1.0, y=one["y"], xshift=4, yshift=half) for one in names[-1:]]


def _flag(budget: int) -> dict[str, Any]:
    at = {"x": math.log10(budget), "xanchor": "left", "xshift": 3, "y": 0, "yref": "paper", "yanchor": "bottom"}
    return {"text": f"M = {budget:,}", "showarrow": False, **at}
