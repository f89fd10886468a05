"""Names beside the ends of lines, in place of a legend: apart from each other, each tied to its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap
from typing import Any

from . import style
from .style import LineStyle, escaped

# Size of the letters, height of a row, mean width of a character, and what stands before a name.
_SIZE, _ROW, _CHARACTER, _GAP = 12, 15, 6.4, "\u00a0"
# Longer names break, so that a plot on a phone has more room than they have.
_LONGEST = 20
# Characters of the longest value, with the space before it; and of what stands around a name without a value.
_VALUE, _MORE = 8, 3
# Of a figure whose lines have names: the room above, below and to the left of its plot.
_TOP, _BOTTOM, _LEFT = 36, 52, 46


@dataclass(frozen=True, slots=True)
class EndLabel:
    """A name at the right end of a line.

    Parameters
    ----------
    styles : tuple of LineStyle
        Of the line; of several lines that are one.
    last, end : float
        Where the line ends: on the horizontal axis, and as a share of the plot's height, 0 at the bottom.
    value : str
        What follows the name.
    quiet : bool
        Whether it is pale.
    """

    styles: tuple[LineStyle, ...]
    last: float
    end: float
    value: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A line that takes its name at its right end.

    Parameters
    ----------
    styles : tuple of LineStyle
        Whose line it is; several if they share one.
    x, y : sequence of float
        Its points, in the units of the axes; NaN is a gap.
    """

    styles: tuple[LineStyle, ...]
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True, slots=True)
class Panel:
    """A plot of named lines, alone or one of several above each other.

    Parameters
    ----------
    lines : sequence of NamedLine
        Those that are named.
    vertical : dict
        The axis. One without a range gets one that holds every line.
    title : str
        Of the vertical axis, level above it.
    beyond : sequence of float
        Further heights that the axis holds, such as 0.
    domain : (float, float)
        Ends of the panel as shares of the figure's height, 0 at the bottom.
    """

    lines: Sequence[NamedLine]
    vertical: dict[str, Any]
    title: str
    beyond: Sequence[float] = ()
    domain: tuple[float, float] = (0.0, 1.0)


def layout(
    lines: Sequence[NamedLine],
    horizontal: dict[str, Any],
    vertical: dict[str, Any],
    title: str,
    height: int = 440,
    beyond: Iterable[float] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the layout of a figure whose lines have their names at their ends, in place of a legend.

    Parameters
    ----------
    lines : sequence of NamedLine
        Those that are named.
    horizontal, vertical : dict
        The axes. One without a range gets one that holds every line.
    title : str
        Of the vertical axis, level above it.
    height : int
        In pixels.
    beyond : iterable of float
        Further heights that the vertical axis holds, such as 0.
    more
        Of the layout.
    """
    return stacked([Panel(lines, vertical, title, tuple(beyond))], horizontal, height, **more)


def stacked(panels: Sequence[Panel], horizontal: dict[str, Any], height: int = 440, **more: Any) -> dict[str, Any]:
    """Return the layout of panels above each other, the first on top, on one horizontal axis.

    Parameters
    ----------
    panels : sequence of Panel
        With their names at the ends of their lines.
    horizontal : dict
        The axis. One without a range gets one that holds every line.
    height : int
        In pixels.
    more
        Of the layout.
    """
    lines = [line for panel in panels for line in panel.lines]
    x = _range(horizontal, (at for line in lines for at in line.x), 0.02)
    top = _TOP + _ROW * panels[0].title.count("<br>")
    axes: dict[str, Any] = {}
    notes, leaders = [], []
    for number, panel in enumerate(panels, 1):
        y = _range(panel.vertical, (*(at for line in panel.lines for at in line.y), *panel.beyond), 0.05)
        names = beside(_ends(panel, horizontal, y), height - top - _BOTTOM, x, panel.domain)
        notes += [*names["annotations"], style.heading(panel.title, y=panel.domain[1], xshift=4 - _LEFT)]
        leaders += names["shapes"]
        axes[f"yaxis{number if number > 1 else ''}"] = panel.vertical | {
            "range": list(y),
            "automargin": False,
            "domain": list(panel.domain),
        }
    lowest = f"y{len(panels) if len(panels) > 1 else ''}"
    return style.layout(
        xaxis=horizontal | {"range": list(x), "automargin": False, "anchor": lowest},
        **axes,
        height=height,
        margin={
            "l": _LEFT,
            "r": margin([one for line in lines for one in line.styles], _MORE),
            "t": top,
            "b": _BOTTOM,
        },
        annotations=[*notes, *more.pop("annotations", ())],
        shapes=[*more.pop("shapes", ()), *leaders],
        **more,
    )


def rows(name: str) -> list[str]:
    """Break a long name into rows: what stands in brackets is one, the rest is broken between words."""
    start, bracket, rest = name.partition(" (")
    if len(name) <= _LONGEST:
        return [name]
    return [*wrap(start, _LONGEST, break_long_words=False, break_on_hyphens=False), *([f"({rest}"] if bracket else [])]


def _ends(panel: Panel, horizontal: dict[str, Any], y: tuple[float, float]) -> list[EndLabel]:
    """The names of a panel's lines, where they end; if lines end together, in the order in which they come there."""
    ends = []
    for line in sorted(panel.lines, key=lambda line: [b for b in [*line.y][::-1] if _drawn(panel.vertical, b)][1:]):
        points = [(a, b) for a, b in zip(line.x, line.y, strict=True) if _drawn(panel.vertical, b)]
        if points:
            last, end = _along(horizontal, points[-1][0]), _along(panel.vertical, points[-1][1])
            ends.append(EndLabel(line.styles, last, min(max((end - y[0]) / (y[1] - y[0]), 0.0), 1.0)))
    return ends


def _along(axis: dict[str, Any], value: float) -> float:
    return math.log10(value) if axis.get("type") == "log" else value


def _drawn(axis: dict[str, Any], value: float) -> bool:
    return math.isfinite(value) and (axis.get("type") != "log" or value > 0)


def _range(axis: dict[str, Any], values: Iterable[float], room: float) -> tuple[float, float]:
    """The ends of an axis, with some room beyond the values but none below 0 if it begins there."""
    if "range" in axis:
        return axis["range"][0], axis["range"][1]
    known = [_along(axis, float(value)) for value in values if _drawn(axis, value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    free = room * (high - low) or 0.1
    return (low if low == 0 and axis.get("type") != "log" else low - free), high + free


def spread(places: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Move the middles of boxes apart, as little as possible, so that none overlaps another.

    Parameters
    ----------
    places : sequence of float
        Middles, ascending.
    heights : sequence of float
        Heights of the boxes.
    room : float
        The boxes stay in 0 … room; if they do not fit, they stand close together from 0 on.

    Notes
    -----
    With the heights of the boxes below it taken off, the places must not fall: isotonic regression by pooling adjacent
    violators, which minimises the sum of squared moves.
    """
    below = list(accumulate(heights, initial=0.0))
    offsets = [start + height / 2 for start, height in zip(below, heights, strict=False)]
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(places, offsets, strict=True):
        mean, size = place - offset, 1
        while blocks and blocks[-1][0] > mean:
            before, many = blocks.pop()
            mean, size = (before * many + mean * size) / (many + size), many + size
        blocks.append((mean, size))
    free = max(room - below[-1], 0.0)
    starts = [min(max(mean, 0.0), free) for mean, size in blocks for _ in range(size)]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]


def margin(styles: Sequence[LineStyle], value: int = _VALUE) -> float:
    """Width in pixels that the names of lines need to the right of the plot, with a value of so many characters."""
    longest = max((len(row) for one in styles for row in rows(one.label)), default=0)
    return 8 + _CHARACTER * (longest + value)


def beside(
    labels: Sequence[EndLabel],
    room: float,
    horizontal: tuple[float, float],
    domain: tuple[float, float] = (0.0, 1.0),
) -> dict[str, Any]:
    """Place names to the right of a plot, each with a leader to the end of its line.

    Parameters
    ----------
    labels : sequence of EndLabel
        In any order.
    room : float
        Height of the figure's plots in pixels.
    horizontal : (float, float)
        Ends of the horizontal axis.
    domain : (float, float)
        Ends of the plot as shares of ``room``.

    Returns
    -------
    dict
        Of a layout in Plotly's terms: the names as annotations and the leaders as shapes, both from below. An arrow of
        an annotation would have the browser lay out the whole page once more.
    """
    # What differs by less than a pixel ends together.
    ordered = sorted(labels, key=lambda label: round(label.end, 3))
    texts = [
        f" =<br>{_GAP}".join(f"<br>{_GAP}".join(map(escaped, rows(one.label))) for one in label.styles)
        for label in ordered
    ]
    heights = [float(_ROW * (1 + text.count("<br>"))) for text in texts]
    foot, share = domain[0], domain[1] - domain[0]
    ends = [label.end * share * room for label in ordered]
    middles = [foot + middle / room for middle in spread(ends, heights, share * room)]
    low, high = horizontal
    names = [
        {
            "x": 1,
            "xref": "paper",
            "xanchor": "left",
            "y": middle,
            "yref": "paper",
            "yanchor": "middle",
            "align": "left",
            "showarrow": False,
            # A space between the leader and the name.
            "text": f"{_GAP}{text} {label.value}".rstrip(),
            "font": {"size": _SIZE},
            "opacity": 0.7 if label.quiet else 1.0,
        }
        for label, text, middle in zip(ordered, texts, middles, strict=True)
    ]
    leaders = [
        {"type": "line", "xref": "paper", "x0": (label.last - low) / (high - low), "x1": 1}
        | {"yref": "paper", "y0": foot + share * label.end, "y1": middle}
        | {"line": {"color": label.styles[0].colour, "width": 0.6 if label.quiet else 1.2}}
        for label, middle in zip(ordered, middles, strict=True)
    ]
    return {"annotations": names, "shapes": leaders}
