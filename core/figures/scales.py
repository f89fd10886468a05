"""Where the values of a figure stand on paper: an axis as a length in pixels, with its ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_TICKS = 5
_ROUND = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis of a Plotly figure as pixels from ``start`` to ``stop``.

    Parameters
    ----------
    low, high : float
        Ends of the axis; of a logarithmic one their logarithms.
    start, stop : float
        Pixels of the ends.
    log : bool
        Values are placed by their logarithm to the base 10.
    names : tuple of str
        Of an axis of names, which stand at 0, 1, 2, …
    ticks : tuple of (float, str)
        Values, not logarithms, and what stands beside them.
    """

    low: float
    high: float
    start: float
    stop: float
    log: bool = False
    names: tuple[str, ...] = ()
    ticks: tuple[tuple[float, str], ...] = field(default=())

    def at(self, value: Any) -> float:
        """The pixel of a value or a name; NaN for a value that has no place, such as 0 on a logarithmic axis."""
        number = float(self.names.index(value)) if self.names else float(value)
        if self.log:
            number = math.log10(number) if number > 0 else math.nan
        return self.along(number)

    def along(self, place: float) -> float:
        """The pixel of a place on the axis: of a value, or of a logarithm on a logarithmic axis."""
        return self.start + (place - self.low) / (self.high - self.low) * (self.stop - self.start)


def scale(axis: dict[str, Any], values: Sequence[Any], start: float, stop: float) -> Scale:
    """Return the scale of a Plotly axis between two pixels.

    Parameters
    ----------
    axis : dict
        Its layout: type, range, rangemode, tickvals with ticktext, dtick, ticksuffix.
    values : sequence
        What is drawn along it, for an axis without a range.
    start, stop : float
        Pixels of its ends.
    """
    names = tuple(dict.fromkeys(str(value) for value in values)) if axis.get("type") == "category" else ()
    if names:
        shown = axis.get("tickvals", range(len(names)))
        ticks = tuple((float(place), names[place]) for place in shown)
        return Scale(-0.5, len(names) - 0.5, start, stop, names=names, ticks=ticks)
    log = axis.get("type") == "log"
    low, high = _ends(axis, [float(value) for value in values if value is not None], log)
    given = axis.get("tickvals")
    if given is None:
        step = float(axis.get("dtick") or _step(high - low))
        marks = [step * number for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
        texts = [f"{mark:,.10g}{axis.get('ticksuffix', '')}".replace("-", "−") for mark in marks]
    else:
        marks, texts = [float(mark) for mark in given], [str(text) for text in axis.get("ticktext") or given]
    return Scale(low, high, start, stop, log, ticks=tuple(zip(marks, texts, strict=True)))


def _ends(axis: dict[str, Any], values: list[float], log: bool) -> tuple[float, float]:
    if axis.get("range"):
        low, high = (float(end) for end in axis["range"])
        return low, high
    known = [math.log10(value) if log else value for value in values if math.isfinite(value) and (not log or value > 0)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if axis.get("rangemode") == "tozero":
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.06 * (high - low) or 0.5
    return low - (room if low else 0.0), high + room


def _step(length: float) -> float:
    """The round step that gives about five ticks."""
    power = 10.0 ** math.floor(math.log10(length / _TICKS))
    return next(number * power for number in _ROUND if length / (number * power) <= _TICKS + 1)
