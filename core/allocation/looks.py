"""The looks of a line in every figure, as data that no library of figures owns."""

from __future__ import annotations

from typing import NamedTuple

ACCENT = "#0072B2"
CONTRAST = "#D55E00"
TRUTH = "#009E73"
GREY = "#6B7280"


class Look(NamedTuple):
    """Colour, dash, marker and width of a line.

    Parameters
    ----------
    colour : str
        Hexadecimal, with a contrast of at least 3 on light and on dark.
    dash : str
        "solid", "dash", "dot", "dashdot", "longdash" or "longdashdot".
    symbol : str
        Plotly's name of a marker, one of those of `core.figures.markers`, that no other method has.
    width : float
        In pixels.
    """

    colour: str
    dash: str
    symbol: str
    width: float = 2.0
