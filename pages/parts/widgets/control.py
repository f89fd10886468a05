"""What a control is: one widget, its parameter in the address, and how the one is read from the other."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from core.allocation import nearest
from pages.parts.exact import Exact, beside

V = TypeVar("V")
N = TypeVar("N", int, float)
# The largest whole number of a browser.
_MOST = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Control(Generic[V]):
    """A widget whose value is in the address.

    Parameters
    ----------
    key : str
        Key of the widget and name of the parameter.
    label : str
        What stands above the widget.
    default : V
        The value that an address leaves out.
    help : str, optional
        Shown on the question mark beside the label.
    noun : str
        What messages about the address call the parameter.
    earlier : Mapping[int, V]
        Defaults that have changed, by the last version of the addresses that had them.
    """

    key: str
    label: str
    default: V
    help: str | None = None
    noun: str = ""
    earlier: Mapping[int, V] = field(default_factory=dict)

    def text(self, value: V) -> str:
        """Write a value as the address has it."""
        return str(value)

    def offers(self, given: str) -> bool:
        """Return whether the address may have this text."""
        return True

    def reads(self, given: str) -> bool:
        """Return whether the widget can make a value of a text, whichever it offers just now."""
        return True

    @property
    def misread(self) -> str | None:
        """The text of the present address of which the widget can make nothing; None where there is none."""
        return next((text for text in st.query_params.get_all(self.key) if text and not self.reads(text)), None)

    def default_in(self, version: int) -> V:
        """Return the value that an address of this version leaves out."""
        last = min((last for last in self.earlier if last >= version), default=None)
        return self.default if last is None else self.earlier[last]

    @property
    def bound(self) -> dict[str, Any]:
        """What every widget takes: its key, its help, and that its value stands in the address."""
        return {"key": self.key, "help": self.help, "bind": "query-params"}

    @property
    def address(self) -> str | None:
        """The parameter in the present address."""
        return st.query_params.get(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Control[V]):
    """A select box of named options.

    Parameters
    ----------
    names : Mapping[V, str]
        What each option is called. The address may have an option's name or, as in ``stratifier=k-means``, the option.
    aliases : Mapping[str, V]
        Further texts that stand for an option.
    more : bool
        Whether a page may offer options beyond these.
    """

    names: Mapping[V, str] = field(default_factory=dict)
    aliases: Mapping[str, V] = field(default_factory=dict)
    more: bool = False

    def text(self, value: V) -> str:
        """Write a value as the address has it."""
        return self.names.get(value, str(value))

    def option(self, given: str | None) -> V | None:
        """Return the option that a text stands for; None where it stands for none."""
        named = next((option for option, name in self.names.items() if given in (str(option), name)), None)
        return named if given is None else self.aliases.get(given, named)

    def offers(self, given: str) -> bool:
        """Return whether the address may have this text."""
        return self.option(given) is not None

    def reads(self, given: str) -> bool:
        """Return whether a text stands for an option, as far as that is known before the options are."""
        return self.more or not self.names or self.option(given) is not None

    def of(self, names: Mapping[V, str]) -> Options[V]:
        """Return the same control with other options, of which the first is the default."""
        return replace(self, names=names, default=next(iter(names), self.default))

    def with_more(self, names: Mapping[V, str]) -> Options[V]:
        """Return the same control with further options."""
        return replace(self, names={**self.names, **names})

    def current(self) -> V:
        """Return the option that the session or the address has, also where the box is not drawn."""
        given = st.session_state.get(self.key, self.address)
        option = None if given is None else self.option(str(given))
        return self.default if option is None else option

    def draw(self) -> V:
        """Draw the box, at the default at first."""
        return cast(V, self._box(list(self.names).index(self.default)))

    def draw_list(self) -> V:
        """Draw the options below each other, all of them in sight."""
        self._settle()
        start = list(self.names).index(self.default)
        return st.radio(self.label, list(self.names), start, format_func=self.text, **self.bound)

    def draw_row(self) -> V:
        """Draw the options beside each other, without the label."""
        self._settle()
        chosen = st.segmented_control(
            self.label,
            list(self.names),
            default=self.default,
            required=True,
            format_func=self.text,
            label_visibility="collapsed",
            **self.bound | {"help": None},
        )
        return cast(V, chosen)

    def draw_set(self) -> V | None:
        """Draw the box at what the session is set to, which the address has even where it is the default."""
        return self._box(None, required=True)

    def draw_empty(self, placeholder: str, width: int) -> V | None:
        """Draw the box with nothing chosen at first."""
        return self._box(None, placeholder=placeholder, width=width)

    def _box(self, index: int | None, **look: Any) -> V | None:
        self._settle()
        chosen = st.selectbox(self.label, list(self.names), index, format_func=self.text, **self.bound, **look)
        return cast(V | None, chosen)

    def _settle(self) -> None:
        """Have the address name the option as the widget shows it, which reads no other name."""
        given = self.address
        option = self.option(given)
        if option is not None and given != self.text(option) and self.key not in st.session_state:
            # A widget reads the address as it was when the run began.
            st.query_params[self.key] = self.text(option)
            st.rerun()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider(Control[N]):
    """A slider over equal steps from ``low`` to ``high``."""

    low: N
    high: N
    step: N

    def reads(self, given: str) -> bool:
        """Return whether a text is a number from ``low`` to ``high``."""
        return _within(given, self.low, self.high)

    def draw(self) -> N:
        """Draw the slider, and a field beside it for a number between its steps."""
        exact = Exact(self.key, self.label, self.low, self.high, self.step)
        with beside():
            number: N = st.slider(
                self.label, self.low, self.high, self.default, self.step, on_change=exact.settle, **self.bound
            )
            exact.draw(number)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps(Control[int]):
    """A slider over given whole numbers, written in ``form``, with a field beside it for numbers between them."""

    options: tuple[int, ...] = ()
    form: str = "{}"

    def text(self, value: int) -> str:
        """Write a value as the address has it."""
        return self.form.format(value)

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number, from the first to the last step where these are given."""
        plain = given.replace(",", "")
        return _is_whole(plain) and (not self.options or self.options[0] <= int(plain) <= self.options[-1])

    def draw(self, options: Sequence[int] = (), default: int | None = None) -> int:
        """Draw the slider over ``options``, ascending, and its field; return the only option bare.

        A number between the steps, from the address or the field, joins them; one that the field has replaced stays
        among them while the browser may report it, since Streamlit reads a number that is none of them as the default.
        """
        options = options or self.options
        if len(options) == 1:
            return options[0]
        before = st.session_state.get(self.key)
        if before is not None and not options[0] <= int(before) <= options[-1]:
            # Another choice moved an end, such as fewer strata: the slider goes to the nearest step.
            st.session_state[self.key] = nearest(list(options), int(before))
        given = str(st.session_state.get(self.key, self.address)).replace(",", "")
        if _is_whole(given) and options[0] <= int(given) <= options[-1]:
            options = sorted({*options, int(given)})
        start = self.default if default is None else default
        exact = Exact(self.key, self.label, options[0], options[-1], 1)
        options = sorted({*options, *(number for number in exact.earlier if options[0] <= number <= options[-1])})
        with beside():
            number: int = st.select_slider(
                self.label, options, start, format_func=self.text, on_change=exact.settle, **self.bound
            )
            exact.draw(number)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle(Control[bool]):
    """A switch."""

    def text(self, value: bool) -> str:
        """Write a value as the address has it."""
        return str(value).lower()

    def reads(self, given: str) -> bool:
        """Return whether a text is a truth value."""
        return given.lower() in ("true", "false")

    def draw(self) -> bool:
        """Draw the switch."""
        return st.toggle(self.label, self.default, **self.bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Control[int]):
    """A field for a whole number from ``low`` to ``high``."""

    low: int
    high: int

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number from ``low`` to ``high``."""
        return _within(given, self.low, self.high) and float(given).is_integer()

    def draw(self) -> int:
        """Draw the field."""
        number: int = st.number_input(self.label, self.low, self.high, self.default, **self.bound)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed(Control[int | None]):
    """A field for a seed; where neither the address nor the session has one, it is drawn at random and kept."""

    default: int | None = None
    high: int = 2**31 - 1
    # Of the random ones, so that they are easily read and fit the field.
    digits: int = 6

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number from 0 to ``high``."""
        return _is_whole(given) and int(given) <= self.high

    def draw(self) -> int:
        """Draw the field."""
        self.settle()
        return cast(int, st.number_input(self.label, 0, self.high, None, **self.bound))

    def settle(self) -> None:
        """Take a seed where there is none; before anything slow, since it may have to run the page again."""
        if self.key in st.session_state:
            if st.session_state[self.key] is None:
                st.session_state[self.key] = secrets.randbelow(10**self.digits)
        elif not self.reads(self.address or ""):
            # The address is where a reload and a link find it. A control reads it as it was when the run began.
            st.query_params[self.key] = str(secrets.randbelow(10**self.digits))
            st.rerun()


@dataclass(frozen=True, slots=True, kw_only=True)
class Names(Control[tuple[str, ...]]):
    """A field for any number of names; empty at first, which stands for all of them."""

    default: tuple[str, ...] = ()

    def draw(self, names: Sequence[str], placeholder: str) -> tuple[str, ...] | None:
        """Draw the field; None stands for all."""
        if self.key in st.session_state:
            st.session_state[self.key] = [name for name in st.session_state[self.key] if name in names]
        chosen = st.multiselect(self.label, list(names), placeholder=placeholder, **self.bound)
        return tuple(chosen) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Control[None]):
    """A field for a share in per cent, empty at first."""

    default: None = None

    def reads(self, given: str) -> bool:
        """Return whether a text is a number from 0 to 100."""
        return _within(given, 0, 100)

    def draw(self, placeholder: str) -> float | None:
        """Draw the field; the share in [0, 1], None where it is empty."""
        given = st.number_input(
            self.label,
            min_value=0.0,
            max_value=100.0,
            value=None,
            step=1.0,
            format="%.4g",
            placeholder=placeholder,
            **self.bound,
        )
        return None if given is None else float(given) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Positive(Control[None]):
    """A field for a number above 0, empty at first."""

    default: None = None

    def offers(self, given: str) -> bool:
        """Return whether the address may have this text."""
        try:
            return 0 < float(given) < math.inf
        except ValueError:
            return False

    def draw(self, unit: str, least: float, proposed: float) -> float:
        """Draw the field; empty it stands for ``proposed``, which moves with every label and so is in no address."""
        given = st.number_input(
            self.label + unit,
            min_value=least,
            value=None,
            step=0.1,
            format="%.4g",
            placeholder=f"{proposed:.4g}",
            width=320,
            **self.bound,
        )
        return proposed if given is None else float(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Control[float]):
    """A field for a number from ``low`` to ``high``."""

    low: float
    high: float
    step: float = 1.0

    def reads(self, given: str) -> bool:
        """Return whether a text is a number from ``low`` to ``high``."""
        return _within(given, self.low, self.high)

    def draw(self) -> float:
        """Draw the field."""
        given = st.number_input(
            self.label, self.low, self.high, self.default, step=self.step, format="%.4g", **self.bound
        )
        return float(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Control[None]):
    """A field for a number of at least ``low``, empty at first; ``whole`` numbers have no fraction."""

    default: None = None
    low: float = 0.0
    whole: bool = False

    def reads(self, given: str) -> bool:
        """Return whether a text is a number of at least ``low``."""
        return _within(given, self.low, _MOST) and (not self.whole or float(given).is_integer())

    def draw(self, placeholder: str) -> float | None:
        """Draw the field; None where it is empty."""
        if self.whole:
            look: dict[str, Any] = {"min_value": int(self.low), "step": 1}
        else:
            look = {"min_value": self.low, "step": 1.0, "format": "%.6g"}
        given = st.number_input(self.label, value=None, placeholder=placeholder, **look, **self.bound)
        return None if given is None else float(given)

    def current(self) -> float:
        """Return the number that the session or the address has, also where the field is not drawn; 0 for none."""
        given = st.session_state.get(self.key, self.address)
        try:
            number = float(given) if given is not None else 0.0
        except ValueError:
            return 0.0
        return number if self.low <= number < math.inf else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(Control[tuple[int, int]]):
    """A slider with two handles on whole numbers from ``low`` to ``high``."""

    low: int
    high: int

    def current(self) -> tuple[int, int]:
        """Return the range that the session or the address has, also where the slider is not drawn."""
        given = st.session_state.get(self.key) or st.query_params.get_all(self.key)
        try:
            low, high = (int(float(end)) for end in given)
        except (ValueError, OverflowError):
            return self.default
        return (low, high) if self.low <= low <= high <= self.high else self.default

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number from ``low`` to ``high``."""
        return _within(given, self.low, self.high) and float(given).is_integer()

    def draw(self) -> tuple[int, int]:
        """Draw the slider, and a field for each end below it; an end that passes the other one takes it along."""
        exact = Exact(self.key, self.label, self.low, self.high, 1)
        low, high = st.slider(
            self.label, self.low, self.high, self.default, format="%d %%", on_change=exact.settle, **self.bound
        )
        exact.draw_ends(low, high)
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Control[str]):
    """A field for a line of text, empty at first."""

    default: str = ""

    def draw(self, placeholder: str, longest: int | None = None) -> str:
        """Draw the field, for at most so many characters."""
        text: str = st.text_input(self.label, max_chars=longest, placeholder=placeholder, **self.bound)
        return text


def _within(given: str, low: float, high: float) -> bool:
    try:
        return low <= float(given) <= high
    except ValueError:
        return False


def _is_whole(given: str) -> bool:
    return given.isascii() and given.isdigit() and len(given) < 19
