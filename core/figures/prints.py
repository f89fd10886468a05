"""A figure of a page without a browser: on paper under a title, as SVG, PDF and PNG, or inside a page without a script.

Plotly draws in browsers alone. What it is given here (lines, points, bars, bands, axes above each other, notes) is
drawn as SVG. On paper that is white under dark letters; PDF and PNG are made of it, with letters embedded. Inside a
page (`inline`) it takes the colours of the page's style sheet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise
from typing import Any

from ..words import shortened
from .scales import Scale, scale
from .style import ACCENT, CORNERS, DASHES, GREY, Figure

_WIDTH, _SCALE = 760, 3.0
_INK, _QUIET, _GRID = "#1F2933", "#52606D", "#E4E7EB"
# Liberation Sans comes with the converter; elsewhere Arial and Helvetica have the same widths.
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
_EDGE, _TITLE, _NOTE, _LONGEST = 16, 24, 17, 110
# Room below the plot for ticks, and for a title below them; and of a letter.
_TICKED, _TITLED, _LETTER = 26, 46, 6.4
# Colours that a page's style sheet decides.
_VARIABLES = {
    ACCENT: "var(--accent)",
    GREY: "var(--soft)",
    _INK: "var(--ink)",
    _QUIET: "var(--soft)",
    _GRID: "var(--rule)",
    "#FFFFFF": "var(--paper)",
}
_COLOUR = re.compile(r'(?<=")(?:' + "|".join(_VARIABLES) + r')(?=")', re.IGNORECASE)
_TAG = re.compile(r'<span style="color:(#[0-9A-Fa-f]{6})">(.*?)</span>')


def svg(figure: Figure, title: str, notes: Sequence[str] = ()) -> str:
    """Draw a figure under a title.

    Parameters
    ----------
    figure : Figure
        Of `core.figures.explore`, `intervals`, `strata` or `signal`: scatter and bar traces, lines as shapes, notes.
    title : str
        What it shows.
    notes : sequence of str
        Lines below the title: pool, design, M, seed, exact or simulated.
    """
    layout = figure["layout"]
    head = _EDGE + _TITLE + _NOTE * len(notes) + 6
    height = head + layout["height"]
    words = [_text(_EDGE, _EDGE + 14, shortened(title, _LONGEST), size=16, weight="bold")]
    words += [_text(_EDGE, head - 12 - _NOTE * left, note, colour=_QUIET) for left, note in enumerate(reversed(notes))]
    parts = _Sheet.of(figure, head, _WIDTH).parts()
    size = f'width="{_WIDTH}" height="{height:g}" viewBox="0 0 {_WIDTH} {height:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONT}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(' '.join(notes))}</desc>"
        f'<rect width="{_WIDTH}" height="{height:g}" fill="#FFFFFF"/>{"".join([*words, *parts])}</svg>\n'
    )


def inline(figure: Figure, words: str, width: float = _WIDTH) -> str:
    """Draw a figure as a part of an HTML page, which its style sheet sizes and colours.

    Parameters
    ----------
    figure : Figure
        As of `svg`. Its accent, greys, letters and ground become the variables --accent, --soft, --rule, --ink and
        --paper.
    words : str
        What it says, for people who do not see it.
    width : float
        In its own pixels: a narrow figure keeps its letters readable on a phone.
    """
    parts = "".join(_Sheet.of(figure, 0, width).parts())
    coloured = _COLOUR.sub(lambda colour: _VARIABLES[colour[0].upper()], parts)
    box = f'viewBox="0 0 {width:g} {figure["layout"]["height"]:g}"'
    return f'<svg {box} role="img" aria-label="{escape(words)}">{coloured}</svg>'


def pdf(figure: Figure, title: str, notes: Sequence[str] = ()) -> bytes:
    """Draw a figure as a page of its size, lines as lines and letters as letters; parameters as of `svg`."""
    # Loaded where it is needed: it is large.
    import vl_convert

    return bytes(vl_convert.svg_to_pdf(svg(figure, title, notes)))


def png(figure: Figure, title: str, notes: Sequence[str] = ()) -> bytes:
    """Draw a figure as an image of three pixels for one; parameters as of `svg`."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg(figure, title, notes), scale=_SCALE))


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A figure's parts, and the scales on which they stand, by the names of its axes."""

    spec: dict[str, Any]
    left: float
    right: float
    top: float
    bottom: float
    scales: dict[str, Scale]

    @classmethod
    def of(cls, spec: dict[str, Any], head: float, width: float) -> _Sheet:
        layout, margin = spec["layout"], spec["layout"]["margin"]
        # Letters reach a little further than in the browser, and nothing makes room for them by itself.
        left, right = _EDGE + max(margin["l"], _room(layout.get("yaxis", {}))), width - _EDGE - margin["r"]
        titled = layout["xaxis"].get("title", {}).get("text")
        below = max(margin["b"], _TITLED if titled else _TICKED)
        top, bottom = head + margin["t"], head + layout["height"] - below
        scales = {}
        for name in [key for key in layout if re.fullmatch(r"[xy]axis\d*", key)]:
            axis, letter = layout[name], name[0]
            short = name.replace("axis", "")
            drawn = [t for t in spec["data"] if t.get(f"{letter}axis", letter) == short]
            values = [value for trace in drawn for value in trace.get(letter) or ()]
            start, stop = axis.get("domain", (0, 1))
            ends = (left, right) if letter == "x" else (bottom, top)
            pixels = [ends[0] + share * (ends[1] - ends[0]) for share in (start, stop)]
            scales[short] = scale(axis, values, *pixels)
        return cls(spec, left, right, top, bottom, scales)

    def parts(self) -> list[str]:
        """All marks, those in front last."""
        return [*self.axes(), *self.shapes(), *self.traces(), *self.annotations()]

    def axes(self) -> Iterator[str]:
        """Draw grid lines with their texts on the left, ticks below, and the title of the horizontal axis.

        Rows of names have lines across them too.
        """
        across, rows = self.scales["x"], "ticktext" in self.spec["layout"].get("yaxis", {})
        for name, one in self.scales.items():
            for value, words in one.ticks:
                at = one.at(value) if not one.names else one.along(value)
                if not min(one.start, one.stop) - 0.5 <= at <= max(one.start, one.stop) + 0.5:
                    continue
                if name[0] == "y":
                    yield _line(self.left, at, self.right, at, _GRID, 1)
                    first = at + 4 - 13 * words.count("<br>") / 2
                    yield from _rows(words, self.left - 6, first, "end", 12, 13, _QUIET)
                else:
                    if rows:
                        yield _line(at, self.top, at, self.bottom, _GRID, 1)
                    yield from _rows(words, at, self.bottom + 16, "middle", 11, 13, _QUIET)
        yield _line(across.start, self.bottom, across.stop, self.bottom, _QUIET, 1)
        title = self.spec["layout"]["xaxis"].get("title", {}).get("text", "")
        yield _text((self.left + self.right) / 2, self._title(), title, "middle", size=13)

    def traces(self) -> Iterator[str]:
        """Bars first, then lines and points."""
        bars = [trace for trace in self.spec["data"] if trace["type"] == "bar"]
        for place, trace in enumerate(bars):
            yield from self._bars(trace, place, len(bars))
        below: list[tuple[float, float]] = []
        for trace in self.spec["data"]:
            if trace["type"] == "scatter":
                points = self._points(trace)
                if trace.get("fill") == "tonexty":
                    yield _band(points, below, trace["fillcolor"])
                yield from self._scatter(trace, points)
                below = points

    def shapes(self) -> Iterator[str]:
        """Lines that are no data, such as that of the current budget."""
        for shape in self.spec["layout"].get("shapes", ()):
            line = shape.get("line", {"color": "none", "width": 0})
            x0, x1, y0, y1 = (
                self._at(letter, shape.get(f"{letter}ref", letter), shape[letter + end])
                for letter in "xy"
                for end in "01"
            )
            if shape["type"] == "rect":
                size = f'width="{abs(x1 - x0):.1f}" height="{abs(y1 - y0):.1f}" fill="{shape["fillcolor"]}"'
                yield f'<rect x="{min(x0, x1):.1f}" y="{min(y0, y1):.1f}" {size}/>'
                continue
            more = f'{_dashed(line.get("dash"))} stroke-opacity="{shape.get("opacity", 1):g}"'
            yield _line(x0, y0, x1, y1, line["color"], line["width"], more)

    def annotations(self) -> Iterator[str]:
        """Notes, a row of text for each of their lines."""
        for note in self.spec["layout"].get("annotations", ()):
            x = self._at("x", note.get("xref", "x"), note["x"], True) + note.get("xshift", 0)
            y = self._at("y", note.get("yref", "y"), note["y"], True) - note.get("yshift", 0)
            size = note.get("font", {}).get("size", 12)
            rows = note["text"].split("<br>")
            high = (size + 3) * len(rows)
            top = {"bottom": y - high, "middle": y - high / 2, "top": y}[note.get("yanchor", "middle")]
            anchor = {"left": "start", "center": "middle", "right": "end"}[note.get("xanchor", "center")]
            yield from _rows(note["text"], x, top + size, anchor, size, size + 3, _INK)

    def _title(self) -> float:
        rows = max((words.count("<br>") for _, words in self.scales["x"].ticks), default=0)
        return self.bottom + 38 + 13 * rows

    def _at(self, letter: str, reference: str, value: Any, logarithm: bool = False) -> float:
        """The pixel of a share of the plot or of a value of an axis, for notes that of a logarithm."""
        if reference == "paper":
            start, stop = (self.left, self.right) if letter == "x" else (self.bottom, self.top)
            return start + float(value) * (stop - start)
        one = self.scales[reference]
        return one.along(float(value)) if logarithm and one.log else one.at(value)

    def _bars(self, trace: dict[str, Any], place: int, count: int) -> Iterator[str]:
        x, y = self.scales["x"], self.scales[trace.get("yaxis", "y")]
        whole = float(trace.get("width") or 0.8) * abs(x.along(1) - x.along(0))
        wide = whole / count
        for name, value in zip(trace["x"], trace["y"], strict=True):
            left, top, foot = x.at(name) - whole / 2 + place * wide, y.at(value), y.at(0)
            size = f'width="{wide:.1f}" height="{foot - top:.1f}"'
            yield f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{trace["marker"]["color"]}"/>'

    def _points(self, trace: dict[str, Any]) -> list[tuple[float, float]]:
        x, y = self.scales["x"], self.scales[trace.get("yaxis", "y")]
        return [
            (x.at(one), math.nan if other is None else y.at(other))
            for one, other in zip(trace["x"], trace["y"], strict=True)
        ]

    def _scatter(self, trace: dict[str, Any], points: Sequence[tuple[float, float]]) -> Iterator[str]:
        x, y = self.scales["x"], self.scales[trace.get("yaxis", "y")]
        high, low = min(y.start, y.stop), max(y.start, y.stop)
        mode = trace["mode"]
        if "lines" in mode:
            line = trace["line"]
            path = _path(points, high, low, line.get("shape") == "hv")
            if not line.get("width", 2):
                return
            look = f'stroke="{line["color"]}" stroke-width="{line.get("width", 2):g}"{_dashed(line.get("dash"))}'
            yield f'<path d="{path}" fill="none" {look} opacity="{trace.get("opacity", 1):g}"/>'
        if "markers" not in mode:
            return
        marker, bars = trace["marker"], trace.get("error_y", {}).get("array") or [None] * len(points)
        yield from _across(trace, points, x)
        size, texts = marker.get("size", 6), trace.get("text") or [""] * len(points)
        looks = [
            each if isinstance(each, Sequence) and not isinstance(each, str) else [each] * len(points)
            for each in (marker["color"], marker.get("symbol", "circle"))
        ]
        for (at, height), colour, symbol, bar, words, value in zip(
            points, *looks, bars, texts, trace["y"], strict=True
        ):
            if math.isnan(height) or not high - 1 <= height <= low + 1 or not self.left - 1 <= at:
                continue
            if bar is not None and math.isfinite(bar):
                ends = [min(max(y.at(max(value + sign * bar, 1e-12)), high), low) for sign in (-1, 1)]
                yield _line(at, ends[0], at, ends[1], trace["error_y"]["color"], 1.2)
            yield _marker(at, height, size, symbol, colour)
            if words:
                yield _text(at + size, height + 4, words)


def _room(axis: dict[str, Any]) -> float:
    """Pixels that the names on a vertical axis take."""
    return _LETTER * max(
        (len(unescape(row)) for name in axis.get("ticktext", ()) for row in name.split("<br>")), default=0
    )


def _across(trace: dict[str, Any], points: Sequence[tuple[float, float]], x: Scale) -> Iterator[str]:
    """Bars to the left and right of points, with caps: intervals."""
    bars = trace.get("error_x", {})
    if not bars.get("visible"):
        return
    look = (bars["color"], bars["thickness"])
    for value, (_, y), less, more in zip(trace["x"], points, bars["arrayminus"], bars["array"], strict=True):
        ends = x.at(value - less), x.at(value + more)
        yield _line(ends[0], y, ends[1], y, *look)
        for end in ends:
            yield _line(end, y - bars["width"], end, y + bars["width"], *look)


def _path(points: Sequence[tuple[float, float]], high: float, low: float, steps: bool) -> str:
    """A line through points, cut where it leaves the plot; unknown ones are gaps."""
    parts, pen = [], False
    for (x0, y0), (x1, y1) in pairwise(points):
        if math.isnan(y0) or math.isnan(y1):
            pen = False
            continue
        corners = [(x0, y0), (x1, y0), (x1, y1)] if steps else [(x0, y0), (x1, y1)]
        for one, other in pairwise(corners):
            inside = _clipped(*one, *other, high, low)
            if inside is None:
                pen = False
                continue
            start, stop = inside
            if not pen or start != one:
                parts.append(f"M{start[0]:.1f} {start[1]:.1f}")
            parts.append(f"L{stop[0]:.1f} {stop[1]:.1f}")
            pen = stop == other
    return "".join(parts)


def _band(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]], colour: str) -> str:
    """The surface between two lines; unknown points are left out."""
    known = [(x, y) for x, y in [*upper, *reversed(lower)] if not math.isnan(y)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _clipped(
    x0: float, y0: float, x1: float, y1: float, high: float, low: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The part of a segment between two heights; None if there is none."""
    if max(y0, y1) < high or min(y0, y1) > low:
        return None

    def inside(x: float, y: float) -> tuple[float, float]:
        bound = min(max(y, high), low)
        return (x, y) if bound == y else (x0 + (bound - y0) / (y1 - y0) * (x1 - x0), bound)

    return inside(x0, y0), inside(x1, y1)


def _marker(x: float, y: float, size: float, symbol: str, colour: str) -> str:
    kind = symbol.removesuffix("-open")
    look = f'fill="#FFFFFF" stroke="{colour}" stroke-width="1.5"' if kind != symbol else f'fill="{colour}"'
    if not CORNERS.get(kind):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size / 2:g}" {look}/>'
    corners = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in CORNERS[kind])
    return f'<polygon points="{corners}" {look}/>'


def _line(x0: float, y0: float, x1: float, y1: float, colour: str, width: float, more: str = "") -> str:
    ends = f'x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"{more}/>'


def _dashed(dash: str | None) -> str:
    return f' stroke-dasharray="{DASHES[dash]}"' if dash in DASHES else ""


def _rows(words: str, x: float, y: float, anchor: str, size: float, step: float, colour: str) -> Iterator[str]:
    """Text with line breaks and coloured signs, as Plotly has it, a row each from ``y`` down."""
    for number, row in enumerate(words.split("<br>")):
        yield _text(x, y + number * step, row, anchor, size, colour)


def _text(
    x: float, y: float, words: str, anchor: str = "start", size: float = 12, colour: str = _INK, weight: str = "normal"
) -> str:
    """One row; what is no coloured sign is text, never markup."""
    parts = _TAG.split(words)
    inside = "".join(
        escape(unescape(text), quote=False)
        if kind == 0
        else (f'<tspan fill="{text}">' if kind == 1 else f"{escape(unescape(text), quote=False)}</tspan>")
        for text, kind in zip(parts, (0, 1, 2) * len(parts), strict=False)
    )
    look = f'font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"'
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}{bold}>{inside}</text>'
