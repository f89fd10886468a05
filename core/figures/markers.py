"""Markers and dashes of lines on paper, for drawings that no browser makes."""

from __future__ import annotations

import math

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
