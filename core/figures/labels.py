"""Names beside the ends of lines, in place of a legend: apart from each other, each tied to its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from core.figures.style import LineStyle, escaped

# Size of the letters, height of a row, mean width of a character, and what stands before a name.
_SIZE, _ROW, _CHARACTER, _GAP = 12, 15, 6.4, "\u00a0"
# Characters of the longest value, with the space before it.
_VALUE = 8


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
    """

    styles: tuple[LineStyle, ...]
    last: float
    end: float
    value: str = ""


def spread(places: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Move the middles of boxes apart, as little as possible, so that none overlaps another.

    Parameters
    ----------
    places : sequence of float
        Middles, ascending.
    heights : sequence of float
        Heights of the boxes.
    room : float
        The boxes stay in 0 … room; where they do not fit, they stand close together from 0 on.

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


def margin(styles: Sequence[LineStyle]) -> float:
    """Width that the names of lines and a value need to the right of the plot, in pixels, whatever the value is."""
    longest = max((len(style.label) for style in styles), default=0)
    return 8 + _CHARACTER * (longest + _VALUE)


def beside(
    labels: Sequence[EndLabel], room: float, right: float, vertical: tuple[float, float]
) -> list[dict[str, Any]]:
    """Place names to the right of a plot, each with a leader to the end of its line, as Plotly's annotations.

    Parameters
    ----------
    labels : sequence of EndLabel
        In any order.
    room : float
        Height of the plot in pixels.
    right : float
        Coordinate of the plot's right edge on the horizontal axis.
    vertical : (float, float)
        Ends of the vertical axis.
    """
    ordered = sorted(labels, key=lambda label: label.end)
    heights = [float(_ROW * len(label.styles)) for label in ordered]
    middles = spread([label.end * room for label in ordered], heights, room)
    low, high = vertical
    return [
        {
            "x": label.last,
            "y": low + label.end * (high - low),
            "axref": "x",
            "ayref": "y",
            "ax": right,
            "ay": low + middle / room * (high - low),
            "xanchor": "left",
            "align": "left",
            # A space between the leader and the name.
            "text": _GAP
            + f" =<br>{_GAP}".join(escaped(one.label) for one in label.styles)
            + f" {label.value}".rstrip(),
            "font": {"size": _SIZE},
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1.2,
            "arrowcolor": label.styles[0].colour,
        }
        for label, middle in zip(ordered, middles, strict=True)
    ]
