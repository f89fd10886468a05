"""Figures as inline SVG: they print sharply, need no script, and take the colours of the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import pandas as pd

from ..words import PER_CENT, per_cent, shortened
from .scales import scale
from .style import LONGEST_NAME, percent_scale, scale_note

_WIDTH, _LEFT, _RIGHT, _ROW = 720, 210, 70, 34
# A row with its name above it.
_TALL = 54
# Where a scale as wide as the page begins and ends, in per cent of it.
_SIDES = (6.0, 94.0)


def intervals(table: pd.DataFrame, number: Callable[[float], str], unit: bool, first: bool = False) -> str:
    """Values with their intervals on one scale, a row each.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high; NaN where not known.
    number : callable
        How values are written.
    unit : bool
        Values are shares: the scale has round ends, at most 0 and 1, and says where it does not begin at 0.
    first : bool
        The first row takes the accent, the others are grey.
    """
    ticks = percent_scale(table)
    start, stop = (ticks[0] / 100, ticks[-1] / 100) if unit else _range(table)
    height = _ROW * len(table) + 34

    def x(value: float) -> float:
        inside = min(max(value, start), stop)
        return _LEFT + (inside - start) / (stop - start) * (_WIDTH - _LEFT - _RIGHT)

    marks = [tick / 100 for tick in ticks] if unit else _quarters(start, stop)
    parts = [_axis(x, marks, height, number)]
    if unit and ticks[0]:
        parts.append(_text(_LEFT - 40, height - 8, scale_note(ticks), "end", "small"))
    for row, one in enumerate(table.to_dict("records")):
        y = _ROW * row + _ROW / 2
        colour = "accent" if not first or row == 0 else "quiet"
        parts.append(_row(one, y, colour, x, number))
    return _svg(height, _in_words(table, number), "".join(parts))


def compared(table: pd.DataFrame, number: Callable[[float], str], limits: Sequence[str], unit: bool) -> str:
    """Draw a value with its interval above others of its kind, at any width, the first in the accent.

    Places across are shares of the width and names stand above their bars, so letters keep their size on a phone.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high; NaN where not known.
    number : callable
        How values are written.
    limits : sequence of str
        What stands at the right of each row, such as its interval.
    unit : bool
        As in `intervals`.
    """
    ticks, floor = percent_scale(table) if unit else range(0), _TALL * len(table)
    axis = {
        "range": [*ticks[:1], *ticks[-1:]],
        "tickvals": list(ticks),
        "ticktext": [f"{tick}{PER_CENT}" for tick in ticks],
    }
    values = [100 * value if unit else value for name in ("value", "low", "high") for value in table[name]]
    places = scale(axis if unit else {}, values, *_SIDES)

    def x(value: float) -> str:
        return f"{places.at(100 * value if unit else value):.2f}%"

    parts = []
    for tick, words in places.ticks:
        at = f"{places.at(tick):.2f}%"
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="22" y2="{floor}"/>')
        parts.append(f'<text class="small" x="{at}" y="{floor + 16}" text-anchor="middle">{escape(words)}</text>')
    for row, (one, words) in enumerate(zip(table.to_dict("records"), limits, strict=True)):
        top, colour = _TALL * row, "quiet" if row else "accent"
        parts.append(f'<text class="name {colour}" x="0" y="{top + 15}">{escape(str(one["label"]))}</text>')
        parts.append(f'<text class="name" x="100%" y="{top + 15}" text-anchor="end">{escape(words)}</text>')
        if not math.isnan(one["low"]):
            ends = f'x1="{x(one["low"])}" x2="{x(one["high"])}" y1="{top + 33}" y2="{top + 33}"'
            parts.append(f'<line class="bar {colour}" {ends}/>')
        parts.append(f'<circle class="{colour}" cx="{x(one["value"])}" cy="{top + 33}" r="8"/>')
    note = scale_note(ticks) if unit else ""
    if note:
        parts.append(f'<text class="small" x="100%" y="{floor + 34}" text-anchor="end">{escape(note)}</text>')
    size = f'width="100%" height="{floor + (40 if note else 22)}"'
    return (
        f'<svg class="fluid" {size} role="img" aria-label="{escape(_in_words(table, number))}">{"".join(parts)}</svg>'
    )


def difference(
    table: pd.DataFrame, number: Callable[[float], str], unit: bool, sides: tuple[str, str] = ("", "")
) -> str:
    """Differences with their intervals on a scale about 0, which a broken line marks.

    Parameters
    ----------
    table : DataFrame
        Columns label, value, low, high.
    number : callable
        How values are written.
    unit : bool
        Differences of shares, in percentage points.
    sides : (str, str)
        What a difference below 0 and one above it mean.
    """
    ends = [abs(v) for name in ("value", "low", "high") for v in table[name].tolist() if math.isfinite(v)]
    far = _round_above(1.1 * max(ends, default=1.0) or 1.0)
    height = _ROW * len(table) + (54 if unit or any(sides) else 34)
    floor = _ROW * len(table) + 34

    def x(value: float) -> float:
        inside = min(max(value, -far), far)
        return _LEFT + (inside + far) / (2 * far) * (_WIDTH - _LEFT - _RIGHT)

    parts = [_axis(x, _quarters(-far, far), floor, lambda v: f"{(100 if unit else 1) * v:.3g}".replace("-", "−"))]
    parts.append(f'<line class="zero" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="{floor - 26}"/>')
    for row, one in enumerate(table.to_dict("records")):
        parts.append(_row(one, _ROW * row + _ROW / 2, "accent", x, number))
    notes = ((x(0), "points" if unit else "", "middle"), (_LEFT, sides[0], "start"), (_WIDTH - _RIGHT, sides[1], "end"))
    parts += [_text(at, height - 6, words, anchor, "small") for at, words, anchor in notes if words]
    return _svg(height, _in_words(table, number), "".join(parts))


def shares(table: pd.DataFrame) -> str:
    """Each stratum's share of pool and of labels, two bars a stratum.

    Parameters
    ----------
    table : DataFrame
        Columns stratum, share_of_pool, labels.
    """
    of_labels, of_pool = (table["labels"] / table["labels"].sum()).tolist(), table["share_of_pool"].tolist()
    most = max(*of_labels, *of_pool)
    height, parts = _ROW * len(table) + 30, []
    for row, (stratum, share, labels) in enumerate(zip(table["stratum"].tolist(), of_pool, of_labels, strict=True)):
        top = _ROW * row + 4
        parts.append(_text(_LEFT - 10, top + 17, f"Stratum {stratum}", "end"))
        for offset, colour, value in ((0, "quiet", share), (13, "accent", labels)):
            width = value / most * (_WIDTH - _LEFT - _RIGHT)
            parts.append(f'<rect class="{colour}" x="{_LEFT}" y="{top + offset}" width="{width:.1f}" height="11"/>')
            parts.append(_text(_LEFT + width + 6, top + offset + 10, per_cent(value, 1), "start", "small"))
    y = height - 16
    for x, colour, words in ((_LEFT, "quiet", "share of pool"), (_LEFT + 130, "accent", "share of labels")):
        parts.append(f'<rect class="{colour}" x="{x}" y="{y}" width="11" height="11"/>')
        parts.append(_text(x + 17, y + 10, words, "start", "small"))
    return _svg(height, "Share of pool and of labels in each stratum", "".join(parts))


def _in_words(table: pd.DataFrame, number: Callable[[float], str]) -> str:
    return "; ".join(f"{row['label']}: {number(float(row['value']))}" for row in table.to_dict("records"))


def _row(
    one: dict[Any, Any], y: float, colour: str, x: Callable[[float], float], number: Callable[[float], str]
) -> str:
    label, value, low, high = str(one["label"]), float(one["value"]), float(one["low"]), float(one["high"])
    short = shortened(label, LONGEST_NAME)
    title = f"<title>{escape(label)}</title>"
    parts = [f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{title}{escape(short)}</text>']
    if not math.isnan(low):
        left, right = x(low), x(high)
        parts.append(f'<line class="{colour}" x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}"/>')
        for end in (left, right):
            parts.append(f'<line class="{colour}" x1="{end:.1f}" x2="{end:.1f}" y1="{y - 7}" y2="{y + 7}"/>')
    if not math.isnan(value):
        parts.append(f'<circle class="{colour}" cx="{x(value):.1f}" cy="{y}" r="6"/>')
    parts.append(_text(_WIDTH - 4, y + 4, number(value), "end"))
    return "".join(parts)


def _axis(x: Callable[[float], float], values: Sequence[float], height: int, number: Callable[[float], str]) -> str:
    parts = []
    for value in values:
        at = x(value)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - 26}"/>')
        parts.append(_text(at, height - 8, number(value), "middle", "small"))
    return "".join(parts)


def _quarters(start: float, stop: float) -> list[float]:
    return [start + (stop - start) * step / 4 for step in range(5)]


def _text(x: float, y: float, words: str, anchor: str, kind: str = "") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(height: float, words: str, inside: str) -> str:
    box = f'viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(words)}"'
    return f"<svg {box}>{inside}</svg>"


def _round_above(far: float) -> float:
    """The next of 1, 2, 4, 6, 8 times a power of ten: its half and whole read well on a scale."""
    power = 10.0 ** math.floor(math.log10(far))
    return power * next(step for step in (1, 2, 4, 6, 8, 10) if step * power >= far * (1 - 1e-9))


def _range(table: pd.DataFrame) -> tuple[float, float]:
    ends = pd.concat([table["low"], table["high"], table["value"]])
    ends = ends[ends.map(math.isfinite)]
    low, high = (0.0, 1.0) if ends.empty else (float(ends.min()), float(ends.max()))
    room = 0.1 * (high - low) or 0.5
    return low - room, high + room
