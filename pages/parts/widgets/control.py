"""What a control is: a parameter of the address, and the widget that shows and changes it."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from pages.parts.app import session
from pages.parts.widgets.dial import Dial

V = TypeVar("V")
N = TypeVar("N", int, float)
# The largest whole number of a browser.
_MOST = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Control(Generic[V]):
    """A parameter of the address, which is the only place that holds its value, with a widget.

    Parameters
    ----------
    key : str
        Name of the parameter and key of the widget.
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
    always : bool
        Whether the address has the value even if it is the default.
    """

    key: str
    label: str
    default: V
    help: str | None = None
    noun: str = ""
    earlier: Mapping[int, V] = field(default_factory=dict)
    always: bool = False

    def text(self, value: V) -> str:
        """Write a value for people."""
        return str(value)

    def written(self, value: V) -> str | Sequence[str]:
        """Write a value for the address."""
        return f"{value:.15g}" if isinstance(value, float) else str(value)

    def offers(self, given: str) -> bool:
        """Return whether the address may have this text."""
        return True

    def reads(self, given: str) -> bool:
        """Return whether the widget can make a value of a text, whichever it offers just now."""
        return True

    def value_of(self, given: Sequence[str]) -> V | None:
        """Return the value that the address gives; None if it gives none that can be read."""
        return cast(V, given[-1])

    @property
    def misread(self) -> str | None:
        """The text of the present address of which the widget can make nothing; None if there is none."""
        given = session.address().get(self.key, ())
        return next((text for text in given if text and not self.reads(text)), None)

    def default_in(self, version: int) -> V:
        """Return the value that an address of this version leaves out."""
        last = min((last for last in self.earlier if last >= version), default=None)
        return self.default if last is None else self.earlier[last]

    @property
    def address(self) -> str | None:
        """The parameter in the present address."""
        return session.parameter(self.key)

    @property
    def value(self) -> V:
        """The present value, whether or not the widget is drawn."""
        given = [text for text in session.address().get(self.key, ()) if text]
        value = self.value_of(given) if given and all(map(self.reads, given)) else None
        return self.default if value is None else value

    def set(self, value: V | None) -> None:
        """Change the value; None is the default."""
        session.write(self.parameter(value))

    def parameter(self, value: V | None) -> dict[str, str | Sequence[str] | None]:
        """Return the parameter for a value; None, which takes it out of the address, for a default."""
        left_out = value is None or (value == self.default and not self.always)
        return {self.key: None if left_out else self.written(cast(V, value))}

    def bound(self, shown: Any, then: Callable[[], None] | None = None) -> dict[str, Any]:
        """Have the widget show a value; return what it takes: its key, its help, and what a change does."""
        session.draw(self.key, shown)
        return {"key": self.key, "help": self.help, "on_change": self._take, "args": (then,)}

    def _take(self, then: Callable[[], None] | None = None) -> None:
        """Put what the widget shows into the address; for a callback."""
        self.set(self._chosen(session.widget(self.key)))
        if then is not None:
            then()

    def _chosen(self, shown: Any) -> V | None:
        """Return the value that the widget shows."""
        return cast(V | None, shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Control[V]):
    """A select box of named options.

    Parameters
    ----------
    names : Mapping[V, str]
        What each option is called. An address may have the option or its name.
    aliases : Mapping[str, V]
        Further texts that stand for an option.
    more : bool
        Whether a page may offer options beyond these.
    """

    names: Mapping[V, str] = field(default_factory=dict)
    aliases: Mapping[str, V] = field(default_factory=dict)
    more: bool = False

    def text(self, value: V) -> str:
        """Write a value for people."""
        return self.names.get(value, str(value))

    def option(self, given: str | None) -> V | None:
        """Return the option that a text stands for; None if it stands for none."""
        named = next((option for option, name in self.names.items() if given in (str(option), name)), None)
        stands = None if given is None else self.aliases.get(given)
        return named if stands not in self.names else stands

    def value_of(self, given: Sequence[str]) -> V | None:
        """Return the option that the address names."""
        return self.option(given[-1])

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

    def draw(self, then: Callable[[], None] | None = None) -> V:
        """Draw the box; ``then``: what follows a change."""
        value, options = self.settle(), list(self.names)
        st.selectbox(self.label, options, options.index(value), format_func=self.text, **self.bound(value, then))
        return value

    def draw_list(self, captions: Sequence[str] | None = None) -> V:
        """Draw the options below each other, all of them in sight, each with its caption."""
        value, options = self.settle(), list(self.names)
        place = options.index(value)
        st.radio(self.label, options, place, format_func=self.text, captions=captions, **self.bound(value))
        return value

    def draw_row(self) -> V:
        """Draw the options beside each other, without the label."""
        value = self.settle()
        look = self.bound(value) | {"help": None, "label_visibility": "collapsed", "required": True}
        st.segmented_control(self.label, list(self.names), default=value, format_func=self.text, **look)
        return value

    def draw_tabs(self) -> list[TabContainer]:
        """Draw the options as tabs."""
        value = self.settle()
        look = {name: given for name, given in self.bound(self.names[value]).items() if name != "help"}
        return list(st.tabs(list(self.names.values()), default=self.names[value], **look))

    def draw_empty(self, placeholder: str, width: int) -> V | None:
        """Draw the box with nothing chosen at first."""
        value = self.value_of(session.address().get(self.key, ("",)))
        look = replace(self, always=True).bound(value) | {"placeholder": placeholder, "width": width}
        st.selectbox(self.label, list(self.names), None, format_func=self.text, **look)
        return value

    def _chosen(self, shown: Any) -> V | None:
        """Return the option that the widget shows, which tabs know by its name."""
        return cast(V, shown) if shown in self.names else self.option(shown)

    def settle(self) -> V:
        """Return the option that is offered here, which the address names if it always has one."""
        value = self.value
        value = value if value in self.names else self.default
        if self.always and self.option(self.address) != value:
            self.set(value)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider(Control[N]):
    """A dial over equal steps from ``low`` to ``high``."""

    low: N
    high: N
    step: N

    def reads(self, given: str) -> bool:
        """Return whether a text is a number from ``low`` to ``high``."""
        return _within(given, self.low, self.high)

    def value_of(self, given: Sequence[str]) -> N:
        """Return the number that the address gives."""
        return type(self.low)(float(given[-1]))

    def draw(self) -> N:
        """Draw the dial, whose field takes a number between its steps too."""
        number, kind = self.value, type(self.low)
        stops = [
            kind(round(self.low + step * self.step, 10))
            for step in range(round((self.high - self.low) / self.step) + 1)
        ]
        dial = Dial(
            parameter=self.key, label=self.label, stops=stops, step=self.step, help=self.help, left_out=self._left_out
        )
        dial.draw([number], lambda values: self.set(values[0]))
        return number

    @property
    def _left_out(self) -> list[N] | None:
        return None if self.always else [self.default]


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
        return _is_whole(plain) and (not self.options or self.options[0] <= int(plain) <= self.options[-1])

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
        left_out = None if self.always else [here.default]
        dial = Dial(parameter=self.key, label=self.label, stops=options, step=1, help=self.help, left_out=left_out)
        dial.draw([number], lambda values: here.set(values[0]))
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle(Control[bool]):
    """A switch."""

    def written(self, value: bool) -> str:
        """Write a value for the address."""
        return str(value).lower()

    def reads(self, given: str) -> bool:
        """Return whether a text is a truth value."""
        return given.lower() in ("true", "false")

    def value_of(self, given: Sequence[str]) -> bool:
        """Return the truth value that the address gives."""
        return given[-1].lower() == "true"

    def draw(self) -> bool:
        """Draw the switch."""
        value = self.value
        st.toggle(self.label, value, **self.bound(value))
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Control[int]):
    """A field for a whole number from ``low`` to ``high``."""

    low: int
    high: int

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number from ``low`` to ``high``."""
        return _within(given, self.low, self.high) and float(given).is_integer()

    def value_of(self, given: Sequence[str]) -> int:
        """Return the number that the address gives."""
        return int(float(given[-1]))

    def draw(self, default: int | None = None) -> int:
        """Draw the field, at another default than usual if one is given."""
        number = self.value if self.address or default is None else default
        if self.always and not self.address:
            self.set(number)
        st.number_input(self.label, self.low, self.high, number, **self.bound(number))
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed(Control[int | None]):
    """A field for a seed; if the address has none, it is drawn at random."""

    default: int | None = None
    high: int = 2**31 - 1
    # Of the random ones, so that they are easily read and fit the field.
    digits: int = 6

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number from 0 to ``high``."""
        return _is_whole(given) and int(given) <= self.high

    def value_of(self, given: Sequence[str]) -> int:
        """Return the seed that the address gives."""
        return int(given[-1])

    def draw(self) -> int:
        """Draw the field."""
        number = self.settle()
        st.number_input(self.label, 0, self.high, None, **self.bound(number))
        return number

    def another(self) -> dict[str, str | Sequence[str] | None]:
        """Return the parameter for a new seed."""
        return self.parameter(secrets.randbelow(10**self.digits))

    def _chosen(self, shown: Any) -> int:
        """Return the seed that the field shows; a new one if it was emptied."""
        return secrets.randbelow(10**self.digits) if shown is None else int(shown)

    def settle(self) -> int:
        """Return the seed; a new one, which the address has from then on, if there is none."""
        number = self.value
        if number is None:
            number = self._chosen(None)
            self.set(number)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Names(Control[tuple[str, ...]]):
    """A field for any number of names; empty at first, which stands for all of them."""

    default: tuple[str, ...] = ()

    def written(self, value: tuple[str, ...]) -> Sequence[str]:
        """Write a value for the address."""
        return value

    def value_of(self, given: Sequence[str]) -> tuple[str, ...]:
        """Return the names that the address gives."""
        return tuple(given)

    def draw(self, names: Sequence[str], placeholder: str) -> tuple[str, ...] | None:
        """Draw the field; None stands for all."""
        chosen = [name for name in self.value if name in names]
        st.multiselect(self.label, list(names), chosen, placeholder=placeholder, **self.bound(chosen))
        return tuple(chosen) or None

    def _chosen(self, shown: Any) -> tuple[str, ...]:
        """Return the names that the field shows."""
        return tuple(shown or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Control[float | None]):
    """A field for a share in per cent, empty at first."""

    default: float | None = None

    def reads(self, given: str) -> bool:
        """Return whether a text is a number from 0 to 100."""
        return _within(given, 0, 100)

    def value_of(self, given: Sequence[str]) -> float:
        """Return the per cent that the address gives."""
        return float(given[-1])

    def draw(self, placeholder: str) -> float | None:
        """Draw the field; the share in [0, 1], None if it is empty."""
        given = self.value
        look: dict[str, Any] = {"step": 1.0, "format": "%.4g", "placeholder": placeholder}
        st.number_input(self.label, 0.0, 100.0, None, **look, **self.bound(given))
        return None if given is None else given / 100


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
class Number(Control[float]):
    """A field for a number from ``low`` to ``high``."""

    low: float
    high: float
    step: float = 1.0

    def reads(self, given: str) -> bool:
        """Return whether a text is a number from ``low`` to ``high``."""
        return _within(given, self.low, self.high)

    def value_of(self, given: Sequence[str]) -> float:
        """Return the number that the address gives."""
        return float(given[-1])

    def draw(self) -> float:
        """Draw the field."""
        number = self.value
        st.number_input(self.label, self.low, self.high, number, step=self.step, format="%.4g", **self.bound(number))
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Control[float | None]):
    """A field for a number of at least ``low``, empty at first; ``whole`` numbers have no fraction."""

    default: float | None = None
    low: float = 0.0
    whole: bool = False

    def reads(self, given: str) -> bool:
        """Return whether a text is a number of at least ``low``."""
        return _within(given, self.low, _MOST) and (not self.whole or float(given).is_integer())

    def value_of(self, given: Sequence[str]) -> float:
        """Return the number that the address gives."""
        return float(given[-1])

    def draw(self, placeholder: str) -> float | None:
        """Draw the field; None if it is empty."""
        number = self.value
        if self.whole:
            look: dict[str, Any] = {"min_value": int(self.low), "step": 1}
            number = None if number is None else int(number)
        else:
            look = {"min_value": self.low, "step": 1.0, "format": "%.6g"}
        st.number_input(self.label, value=None, placeholder=placeholder, **look, **self.bound(number))
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(Control[tuple[int, int]]):
    """A dial with two ends on whole numbers from ``low`` to ``high``."""

    low: int
    high: int

    def written(self, value: tuple[int, int]) -> Sequence[str]:
        """Write a value for the address."""
        return [str(end) for end in value]

    def reads(self, given: str) -> bool:
        """Return whether a text is a whole number from ``low`` to ``high``."""
        return _within(given, self.low, self.high) and float(given).is_integer()

    def value_of(self, given: Sequence[str]) -> tuple[int, int] | None:
        """Return the range that the address gives."""
        if len(given) != 2:
            return None
        low, high = (int(float(end)) for end in given)
        return (low, high) if low <= high else None

    def draw(self) -> tuple[int, int]:
        """Draw the dial; an end that passes the other one takes it along."""
        stops = range(self.low, self.high + 1)
        left_out = None if self.always else self.default
        dial = Dial(
            parameter=self.key, label=self.label, stops=stops, step=1, help=self.help, unit=" %", left_out=left_out
        )
        dial.draw(self.value, lambda ends: self.set((ends[0], ends[1])))
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Control[str]):
    """A field for a line of text, empty at first."""

    default: str = ""

    def draw(self, placeholder: str, longest: int | None = None) -> str:
        """Draw the field, for at most so many characters."""
        text = self.value
        text = text if longest is None else text[:longest]
        st.text_input(self.label, text, max_chars=longest, placeholder=placeholder, **self.bound(text))
        return text


def _within(given: str, low: float, high: float) -> bool:
    try:
        return low <= float(given) <= high
    except ValueError:
        return False


def _is_whole(given: str) -> bool:
    return given.isascii() and given.isdigit() and len(given) < 19
