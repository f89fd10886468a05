"""The dial: a number with its slider, or both ends of a range, in one component; so there is one value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import streamlit as st

NAME = "neyman_dial"
N = TypeVar("N", int, float)
_HERE = Path(__file__)
_mount = st.components.v2.component(
    NAME,
    css=_HERE.with_suffix(".css").read_text(encoding="utf-8"),
    js=_HERE.with_suffix(".js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dial(Generic[N]):
    """The looks of a dial, and the values that it takes.

    Parameters
    ----------
    parameter : str
        What the address calls it.
    label : str
        What stands above it.
    help : str, optional
        Shown at the question mark beside the label.
    stops : Sequence of int or float
        Where the slider stops, ascending; the field takes what lies between them too.
    step : int or float
        Of the field's arrow keys.
    unit : str
        What stands behind a number.
    ends : tuple of str
        What the two ends of a range are called.
    left_out : Sequence of int or float, optional
        The value that the address leaves out.
    """

    parameter: str
    label: str
    stops: Sequence[N]
    step: N
    help: str | None = None
    unit: str = ""
    ends: tuple[str, str] = ("from", "to")
    left_out: Sequence[N] | None = None

    @property
    def key(self) -> str:
        """Of the component."""
        return f"dial-{self.parameter}"

    def draw(self, values: Sequence[N], then: Callable[[tuple[N, ...]], None]) -> None:
        """Draw the dial.

        Parameters
        ----------
        values : Sequence of int or float
            What it shows: one number, or the two ends of a range.
        then : callable
            Called with what somebody has set it to; in a callback.
        """
        whole = all(isinstance(stop, int) for stop in self.stops)
        data = asdict(self) | {
            "stops": list(self.stops),
            "values": list(values),
            "low": self.stops[0],
            "high": self.stops[-1],
            "whole": whole,
            "heard": _number(self.key),
        }
        _mount(key=self.key, data=data, on_turned_change=partial(self._take, len(values), then))

    def _take(self, count: int, then: Callable[[tuple[N, ...]], None]) -> None:
        values = self.read(getattr(st.session_state.get(self.key), "turned", None), count)
        if values is not None:
            then(values)

    def read(self, sent: Any, count: int) -> tuple[N, ...] | None:
        """Return the values that a browser has sent; None if they are none that the dial can have."""
        values = sent.get("values") if isinstance(sent, dict) else None
        if not isinstance(values, list) or len(values) != count:
            return None
        kind = type(self.stops[0])
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                return None
            if kind(value) != value or not self.stops[0] <= value <= self.stops[-1]:
                return None
        return None if values != sorted(values) else tuple(kind(value) for value in values)


def _number(key: str) -> int:
    """The number of the last message that came from a dial."""
    sent = getattr(st.session_state.get(key), "turned", None)
    number = sent.get("number") if isinstance(sent, dict) else None
    return number if isinstance(number, int) else 0
