"""Controls that take a number: dials over steps (one number or both ends of a range), and fields."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from pages.parts.widgets.control import Control, V

NAME = "neyman_dial"
N = TypeVar("N", int, float)
_HERE = Path(__file__).with_name("dial")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranged(Control[V]):
    """A number from ``low`` to ``high``; ``whole`` ones have no fraction."""

    low: float = 0
    # The largest whole number of a browser.
    high: float = 2**53 - 1
    whole: bool = False

    def reads(self, given: str) -> bool:
        """Return whether a text is such a number."""
        try:
            number = float(given)
        except ValueError:
            return False
        return self.low <= number <= self.high and (not self.whole or number.is_integer())

    def value_of(self, given: Sequence[str]) -> V | None:
        """Return the number that the address gives."""
        number = float(given[-1])
        return cast(V, int(number) if self.whole else number)

    def field(self, shown: float | None, **look: Any) -> None:
        """Draw a field that shows a number; None: it is empty."""
        kind = int if self.whole else float
        limits = {"min_value": kind(self.low), "max_value": kind(self.high), "value": None}
        st.number_input(self.label, **limits | {"step": kind(1)} | look | self.bound(shown))


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider(Ranged[N]):
    """A dial over equal steps from ``low`` to ``high``, whose field takes a number between them too."""

    step: N

    def draw(self, then: Callable[[], None] | None = None) -> N:
        """Draw the dial; ``then``: what follows a change."""

        def take(values: tuple[N, ...]) -> None:
            self.set(values[0])
            if then is not None:
                then()

        count = round((self.high - self.low) / self.step)
        stops = [type(self.step)(round(self.low + step * self.step, 10)) for step in range(count + 1)]
        _dial(self, stops, self.step, [self.default]).draw([self.value], take)
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps(Control[int]):
    """A dial over given whole numbers, written in ``form``."""

    options: tuple[int, ...] = ()
    form: str = "{}"

    def text(self, value: int) -> str:
        """Write a value for people."""
        return self.form.format(value)

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number, from the first to the last step if these are given."""
        plain = given.replace(",", "")
        if not (plain.isascii() and plain.isdigit() and len(plain) < 19):
            return False
        return not self.options or self.options[0] <= int(plain) <= self.options[-1]

    def value_of(self, given: Sequence[str]) -> int:
        """Return the number that the address gives."""
        return int(given[-1].replace(",", ""))

    def settle(self, default: int) -> int:
        """Return the number; the default, which the address has from then on if it always has one."""
        if self.address:
            return self.value
        if self.always:
            self.set(default)
        return default

    def draw(self, options: Sequence[int] = (), default: int | None = None) -> int:
        """Draw the dial over ``options``, ascending; return the only option bare.

        A number between the steps, from the address or the field, joins them; one beyond them is shown at the nearest
        end, and stays in the address.
        """
        options = options or self.options
        if len(options) == 1:
            return options[0]
        here = self if default is None else replace(self, default=default)
        number = min(max(here.settle(here.default), options[0]), options[-1])
        _dial(here, options, 1, [here.default]).draw([number], lambda values: here.set(values[0]))
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(Ranged[tuple[int, int]]):
    """A dial with two ends on whole numbers from ``low`` to ``high``, in per cent."""

    whole: bool = True

    def written(self, value: tuple[int, int]) -> Sequence[str]:
        """Write a value for the address."""
        return [str(end) for end in value]

    def value_of(self, given: Sequence[str]) -> tuple[int, int] | None:
        """Return the range that the address gives."""
        if len(given) != 2:
            return None
        low, high = (int(float(end)) for end in given)
        return (low, high) if low <= high else None

    def draw(self) -> tuple[int, int]:
        """Draw the dial; an end that passes the other one takes it along."""
        stops = range(int(self.low), int(self.high) + 1)
        dial = _dial(self, stops, 1, self.default, unit=" %")
        dial.draw(self.value, lambda ends: self.set((ends[0], ends[1])))
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Ranged[float]):
    """A field for a number."""

    step: float = 1.0

    def draw(self) -> float:
        """Draw the field."""
        number = self.value
        self.field(number, value=number, step=self.step, format="%.4g")
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Ranged[int]):
    """A field for a whole number."""

    whole: bool = True

    def draw(self, default: int | None = None) -> int:
        """Draw the field, at another default than usual if one is given."""
        number = self.value if self.address or default is None else default
        if self.always and not self.address:
            self.set(number)
        self.field(number, value=number)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Ranged[float | None]):
    """A field for a share in per cent, empty at first."""

    default: float | None = None
    high: float = 100

    def draw(self, placeholder: str) -> float | None:
        """Draw the field; the share in [0, 1], None if it is empty."""
        given = self.value
        self.field(given, format="%.4g", placeholder=placeholder)
        return None if given is None else given / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Ranged[float | None]):
    """A field for a number of at least ``low``, empty at first."""

    default: float | None = None

    def draw(self, placeholder: str) -> float | None:
        """Draw the field; None if it is empty."""
        number = self.value
        look = {} if self.whole else {"format": "%.6g"}
        self.field(number, max_value=None, placeholder=placeholder, **look)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Positive(Control[float | None]):
    """A field for a number above 0, empty at first."""

    default: float | None = None

    def offers(self, given: str) -> bool:
        """Return whether the address may have this text."""
        try:
            return 0 < float(given) < math.inf
        except ValueError:
            return False

    def value_of(self, given: Sequence[str]) -> float | None:
        """Return the number that the address gives."""
        return float(given[-1]) if self.offers(given[-1]) else None

    def draw(self, unit: str, least: float, proposed: float) -> float:
        """Draw the field; empty it stands for ``proposed``, which moves with every label and so is in no address."""
        given = self.value
        given = None if given is None else max(given, least)
        look: dict[str, Any] = {"step": 0.1, "format": "%.4g", "placeholder": f"{proposed:.4g}", "width": 320}
        st.number_input(self.label + unit, least, None, None, **look, **self.bound(given))
        return proposed if given is None else given


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed(Ranged[int | None]):
    """A field for a seed; if the address has none, it is given one (`settle`)."""

    default: int | None = None
    high: float = 2**31 - 1
    whole: bool = True
    # Of the random ones, so that they are easily read and fit the field.
    digits: int = 6

    @property
    def below(self) -> int:
        """Seeds that nobody chose are below this."""
        return int(10**self.digits)

    def draw(self, first: int | None = None) -> int:
        """Draw the field; ``first`` as in `settle`."""
        number = self.settle(first)
        self.field(number)
        return number

    def another(self) -> dict[str, str | Sequence[str] | None]:
        """Return the parameter for a new seed."""
        return self.parameter(secrets.randbelow(self.below))

    def _chosen(self, shown: Any) -> int:
        """Return the seed that the field shows; a new one if it was emptied."""
        return secrets.randbelow(self.below) if shown is None else int(shown)

    def settle(self, first: int | None = None) -> int:
        """Return the seed; ``first`` or a random one, which the address has from then on, if there is none."""
        number = self.value
        if number is None:
            number = self._chosen(first)
            self.set(number)
        return number


def _dial(control: Control[Any], stops: Sequence[N], step: N, default: Sequence[N], unit: str = "") -> Dial[N]:
    """Return the dial of a control over these stops."""
    left_out = None if control.always else default
    return Dial(
        parameter=control.key,
        label=control.label,
        stops=stops,
        step=step,
        help=control.help,
        unit=unit,
        left_out=left_out,
    )
