"""The style of every figure: colours, dashes, markers, legend, margins, axes and hover texts.

Each method has one colour, dash and marker everywhere. Figures carry no template, so that the page's light or dark
theme shows through.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..allocation import ways
from ..allocation.ways import WAYS
from ..words import INTERVAL_NAMES, PER_CENT

Corners = tuple[tuple[float, float], ...]


def _ring(count: int, *radii: float, turn: float = 0.0) -> Corners:
    """So many corners clockwise from the top, at these radii in turn; ``turn`` is in steps from corner to corner."""
    angles = [2 * math.pi * (k + turn) / count for k in range(count)]
    return tuple(
        (radii[k % len(radii)] * math.sin(angle), -radii[k % len(radii)] * math.cos(angle))
        for k, angle in enumerate(angles)
    )


def _turned(corners: Corners, eighths: int) -> Corners:
    """Corners after so many eighths of a turn clockwise."""
    cos, sin = math.cos(math.pi * eighths / 4), math.sin(math.pi * eighths / 4)
    return tuple((x * cos - y * sin, x * sin + y * cos) for x, y in corners)


_UP: Corners = ((0, -0.55), (0.55, 0.45), (-0.55, 0.45))
_CROSS: Corners = tuple(
    (x / 6, y / 6)
    for x, y in (
        *((-1, -3), (1, -3), (1, -1), (3, -1), (3, 1), (1, 1)),
        *((1, 3), (-1, 3), (-1, 1), (-3, 1), (-3, -1), (-1, -1)),
    )
)
_BOWTIE: Corners = ((-0.55, -0.45), (0.55, 0.45), (0.55, -0.45), (-0.55, 0.45))

# By Plotly's names; a solid line has none.
DASHES = {"dot": "2 3", "dash": "8 5", "longdash": "12 5", "dashdot": "8 4 2 4", "longdashdot": "12 4 2 4"}
# Corners of markers of size 1 about their middle, y downwards, by Plotly's names; a circle has none.
CORNERS: dict[str, Corners] = {
    "circle": (),
    "square": ((-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)),
    "diamond": ((0, -0.6), (0.6, 0), (0, 0.6), (-0.6, 0)),
    "diamond-tall": ((0, -0.7), (0.4, 0), (0, 0.7), (-0.4, 0)),
    "diamond-wide": ((0, -0.4), (0.7, 0), (0, 0.4), (-0.7, 0)),
    "triangle-up": _UP,
    "arrow-up": _UP,
    "triangle-right": _turned(_UP, 2),
    "triangle-down": _turned(_UP, 4),
    "triangle-left": _turned(_UP, 6),
    "pentagon": _ring(5, 0.55),
    "hexagon": _ring(6, 0.55),
    "octagon": _ring(8, 0.52, turn=0.5),
    "cross": _CROSS,
    "x": _turned(_CROSS, 1),
    "bowtie": _BOWTIE,
    "hourglass": _turned(_BOWTIE, 2),
    "star": _ring(10, 0.62, 0.26),
    "hexagram": _ring(12, 0.6, 0.35),
    "star-diamond": _ring(8, 0.65, 0.3),
    "star-square": _ring(8, 0.3, 0.65),
    "star-triangle-up": _ring(6, 0.65, 0.22),
    "star-triangle-down": _ring(6, 0.22, 0.65),
}


ACCENT, CONTRAST, TRUTH, GREY = ways.ACCENT, ways.CONTRAST, ways.TRUTH, ways.GREY
SHADE = "rgba(107,114,128,0.2)"
# As Plotly takes it: the traces under "data", and "layout".
Figure = dict[str, Any]
# Of a name on an axis; the whole name is in the row's hover text.
LONGEST_NAME = 28
# Of a scale of shares.
_MOST_STEPS = 6

BARE_MARGIN = {"l": 10, "r": 10, "t": 10, "b": 10}
BUDGET_TITLE = "Labels M (log scale)"
ERROR_TITLE = "Squared error, % of Uniform’s"
# Of an axis that begins where its values do.
NOT_FROM_ZERO = " (not from 0)"


@dataclass(frozen=True, slots=True)
class LineStyle:
    """The name and the looks of one line.

    Parameters
    ----------
    label : str
        Its name in the legend.
    colour : str
        Hexadecimal, with a contrast of at least 3 on light and on dark.
    dash : str
        Plotly's name of a dash.
    symbol : str
        Plotly's name of a marker.
    width : float
        Width of the line in pixels.
    """

    label: str
    colour: str
    dash: str
    symbol: str
    width: float = 2.0


_INTERVALS = {
    "tilted": (ACCENT, "solid", "circle", 3.5),
    "korn-graubard": (TRUTH, "dash", "square", 2.0),
    "wald": (CONTRAST, "dot", "x", 2.0),
}
METHOD_STYLES = {way.name: LineStyle(way.title, *way.look) for way in WAYS.entries}
INTERVAL_STYLES = {
    interval: LineStyle(INTERVAL_NAMES[interval] + (" (default)" if interval == "tilted" else ""), *look)
    for interval, look in _INTERVALS.items()
}
# Styles for everything else, assigned in order.
_OTHERS = (
    (CONTRAST, "dash", "square"),
    (TRUTH, "dot", "cross"),
    ("#CC79A7", "dashdot", "diamond"),
    ("#8F5E2E", "longdash", "triangle-up"),
    ("#785EF0", "longdashdot", "x"),
    (GREY, "solid", "triangle-down"),
)


def styles(labels: dict[str, str], accent: str) -> dict[str, LineStyle]:
    """A style for each of several things that have none of their own: the accent for one, others in turn.

    Parameters
    ----------
    labels : dict
        Names people read, by key, in the order of the legend.
    accent : str
        Key that takes the accent.
    """
    # A colour that comes again has the next dash and marker.
    rounds = range(1 + len(labels) // len(_OTHERS))
    others = iter(
        (colour, *_OTHERS[(place + turn) % len(_OTHERS)][1:])
        for turn in rounds
        for place, (colour, _, _) in enumerate(_OTHERS)
    )
    return {
        key: LineStyle(label, ACCENT, "solid", "circle", 3.5) if key == accent else LineStyle(label, *next(others))
        for key, label in labels.items()
    }


def layout(**more: Any) -> dict[str, Any]:
    """The layout that figures share, which name things where they are, and what is special to one."""
    return {"showlegend": False, "height": 440, "hovermode": "closest", "uirevision": "keep"} | more


def line(style: LineStyle, x: Iterable[float], y: Iterable[float], mode: str = "lines+markers") -> dict[str, Any]:
    """A line of shares against budgets, shares in per cent; unknown ones are gaps."""
    trace = {
        "type": "scatter",
        "mode": mode,
        "name": style.label,
        "legendgroup": style.label,
        "x": list(x),
        "y": percents(y),
        "line": {"color": style.colour, "dash": style.dash, "width": style.width},
    }
    marker = {"color": style.colour, "symbol": style.symbol, "size": 8}
    return trace if mode == "lines" else trace | {"marker": marker}


def error_bars(colour: str, half_lengths: Sequence[float]) -> dict[str, Any]:
    """Bars of a line or a point, up and down by so much."""
    return {"type": "data", "array": list(half_lengths), "thickness": 1.2, "width": 3, "color": colour}


def percents(shares: Iterable[float]) -> list[float | None]:
    """Shares in per cent, None if they are not known."""
    return [None if math.isnan(share) else 100 * share for share in shares]


def hover(style: LineStyle, kind: str) -> str:
    """Return the hover text for a point of an error's line: name, budget, value, and whether it is exact."""
    return f"{style.label}, M = %{{x:,}}: %{{y:.1f}} % ({kind})<extra></extra>"


def hover_simulated(style: LineStyle) -> str:
    """The same for a simulated point, whose standard error is its ``customdata``."""
    error = "standard error %{customdata:.1f} points"
    return f"{style.label}, M = %{{x:,}}: %{{y:.1f}} % (simulated, {error})<extra></extra>"


def percent_scale(table: pd.DataFrame) -> range:
    """Ticks in per cent of a scale on which shares with their intervals fill the width, from 0 to 100 at most.

    Parameters
    ----------
    table : DataFrame
        Columns value, low, high: shares in [0, 1], NaN if not known.
    """
    ends = [100 * share for name in ("value", "low", "high") for share in table[name] if math.isfinite(share)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 100.0)
    for step in (1, 2, 5, 10):
        start, stop = math.floor(low / step) * step, math.ceil(high / step) * step
        if low < high and (stop - start) / step <= _MOST_STEPS:
            return range(max(start, 0), min(stop, 100) + 1, step)
    return range(0, 101, 20)


def scale_note(ticks: range) -> str:
    """Return a remark on a scale that does not begin at 0; nothing if it does."""
    return f"scale from {ticks[0]}{PER_CENT}, not 0" if ticks[0] else ""


def percent_axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis of values that are in per cent."""
    return {"title": {"text": title}, "ticksuffix": " %", **more}


def budget_axis(budgets: pd.Series[int], title: str = BUDGET_TITLE) -> dict[str, Any]:
    """A logarithmic axis with a tick at each of a few budgets."""
    return _log_axis(sorted(set(budgets.tolist())), title)


def round_budget_axis(budgets: pd.Series[int], title: str = BUDGET_TITLE) -> dict[str, Any]:
    """A logarithmic axis with ticks at 1, 2 and 5 times the powers of ten, or with more if these are fewer than three.

    The default shows bare digits.
    """
    low, high = int(budgets.min()), int(budgets.max())
    every = [d * 10**p for p in range(8) for d in range(1, 10) if low <= d * 10**p <= high]
    few = [tick for tick in every if str(tick)[0] in "125"]
    return _log_axis(few if len(few) > 2 else every, title)


def log_percent_axis(title: str, values: pd.Series[float]) -> dict[str, Any]:
    """A logarithmic axis of shares in per cent, with round ticks."""
    steps = (1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    low, high = 100 * values[values > 0].min() / 1.1, 100 * values.max() * 1.1
    ticks = [s * 10**p for p in range(-2, 7) for s in steps if low <= s * 10**p <= high]
    texts = [f"{t:,.0f} %" if t >= 1 else f"{t:g} %" for t in ticks]
    return percent_axis(f"{title} (log scale)", type="log", tickvals=ticks, ticktext=texts)


def dotted(width: float = 1.5) -> dict[str, Any]:
    """The grey dotted line of a reference."""
    return {"color": GREY, "width": width, "dash": "dot"}


def vertical(x: float, width: float = 1.5, **more: Any) -> dict[str, Any]:
    """A reference over the whole height."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": dotted(width), **more}


def heading(words: str, x: float = 0.0, y: float = 1.0, **more: Any) -> dict[str, Any]:
    """The title of a vertical axis, level above it, where it needs no room beside the plot and is never cut."""
    at = {"x": x, "xref": "paper", "xanchor": "left", "y": y, "yref": "paper", "yanchor": "bottom", "yshift": 9}
    return {"text": words, "showarrow": False, "align": "left", "font": {"size": 12}, **at, **more}


def keyed(title: str, *signs: tuple[str, str, str]) -> str:
    """Write a heading that names what is drawn below it: after the title, each sign in its colour and its name."""
    parts = (f'<span style="color:{colour}">{sign}</span>\u00a0{name}' for sign, colour, name in signs)
    # En spaces: two spaces are one to a browser, and one is too narrow.
    return "\u2002".join((title, *parts))


def escaped(text: str) -> str:
    """Text of a pool, safe as a label, title or hover text, where Plotly renders tags."""
    return html.escape(str(text), quote=False)


def _log_axis(ticks: list[int], title: str) -> dict[str, Any]:
    axis: dict[str, Any] = {"type": "log", "title": {"text": title}}
    return axis | ({"tickvals": ticks, "ticktext": [f"{t:,}" for t in ticks]} if ticks else {})
