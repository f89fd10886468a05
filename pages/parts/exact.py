"""The fields for exact numbers beside a slider: which of them was moved, however late the browser says so."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.parts.app import session

N = TypeVar("N", int, float)
# Width in pixels of a field: too narrow for its buttons.
_WIDTH = 76
# Seconds after which the browser shows what it was sent.
_ON_ITS_WAY = 2.0


@dataclass(slots=True)
class _Given:
    """A value that a field has given its slider, and those that the browser may still report in its place."""

    value: object
    earlier: list[Any]
    until: float = math.inf


@dataclass(frozen=True, slots=True)
class Exact(Generic[N]):
    """The fields of a slider.

    Parameters
    ----------
    key, label : str
        Of the slider.
    low, high, step : int or float
        Of the numbers that a field takes.
    then : callable
        Puts what the slider shows into the address.
    """

    key: str
    label: str
    low: N
    high: N
    step: N
    then: Callable[[], None]

    @property
    def _drawn(self) -> str:
        return f"drawn-{self.key}"

    @property
    def _given(self) -> str:
        return f"given-{self.key}"

    @property
    def earlier(self) -> list[Any]:
        """What the browser may still report of the slider in place of a number that was typed."""
        given: _Given | None = st.session_state.get(self._given)
        return [] if given is None else given.earlier

    def settle(self) -> None:
        """Take back a change of the slider that is none: what was sent before the browser showed the field's number.

        Whoever types a number and clicks elsewhere sends both within a tenth of a second.
        """
        given: _Given | None = st.session_state.get(self._given)
        now = st.session_state.get(self.key)
        if given is not None and now != given.value:
            if now in given.earlier and time.monotonic() < given.until:
                st.session_state[self.key], given.until = given.value, math.inf
            else:
                st.session_state[self._given] = None
        self.then()

    def draw(self, number: N) -> None:
        """Draw the field for the slider's number."""
        self._note()
        self._field(number, "exactly", "", lambda _, typed: typed)

    def draw_ends(self, low: N, high: N) -> None:
        """Draw a field for each end of the slider's range; an end that passes the other one takes it along."""
        self._note()
        with st.container(horizontal=True, horizontal_alignment="distribute", wrap=False):
            self._field(low, "from", "-from", lambda ends, typed: (typed, max(typed, ends[1])))
            self._field(high, "to", "-to", lambda ends, typed: (min(ends[0], typed), typed))

    def _note(self) -> None:
        """Note what the slider shows from now on."""
        now = st.session_state[self._drawn] = st.session_state.get(self.key)
        given: _Given | None = st.session_state.get(self._given)
        if given is None:
            return
        if given.value == now and given.until == math.inf:
            given.until = time.monotonic() + _ON_ITS_WAY
        else:
            # The slider was moved since, or the browser has sent something without reporting an earlier value.
            st.session_state[self._given] = None

    def _field(self, number: N, name: str, end: str, moved: Callable[[Any, N], object]) -> None:
        key = f"exact-{self.key}{end}"

        def use() -> None:
            self.settle()
            now = st.session_state.get(self.key)
            # While the slider moves, the field still reports the number of a moment ago, which nobody has typed.
            if now != st.session_state[self._drawn]:
                return
            earlier = [*self.earlier, now]
            given = st.session_state[self._given] = _Given(moved(now, st.session_state[key]), earlier)
            st.session_state[self.key] = st.session_state[self._drawn] = given.value
            self.then()

        session.draw(key, number)
        look: dict[str, Any] = {"label_visibility": "collapsed", "width": _WIDTH}
        form = None if isinstance(number, int) else "%.4g"
        label = f"{self.label}, {name}"
        st.number_input(
            label, self.low, self.high, step=self.step, format=form, key=key, on_change=use, required=True, **look
        )


def beside() -> DeltaGenerator:
    """Return a row for a slider and its field."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False)
