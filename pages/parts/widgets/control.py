"""Controls: a parameter of the address, with the widget that shows and changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from pages.parts.app import session

V = TypeVar("V")


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
    of_pool : bool
        Whether it names something of the pool, so that an address loses it when another pool is chosen.
    kept : bool
        Whether the home keeps it, so that the next visit begins with it.
    within : str
        The tab that has it, as an address names it: ``parameter=tab``.
    """

    key: str
    label: str
    default: V
    help: str | None = None
    noun: str = ""
    earlier: Mapping[int, V] = field(default_factory=dict)
    always: bool = False
    of_pool: bool = False
    kept: bool = False
    within: str = ""

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
        session.draw(self.key, shown, self.worded(shown))
        return {"key": self.key, "help": self.help, "on_change": self._take, "args": (then,)}

    def worded(self, shown: Any) -> str:
        """The words in which the widget shows a value, if they may change while the value stays."""
        return ""

    def _take(self, then: Callable[[], None] | None = None) -> None:
        """Put what the widget shows into the address; for a callback."""
        self.set(self._chosen(session.widget(self.key)))
        if self.kept:
            session.held(session.ChangedPrices).keys.add(self.key)
        if then is not None:
            then()

    def _chosen(self, shown: Any) -> V | None:
        """Return the value that the widget shows."""
        return cast(V | None, shown)


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
class Line(Control[str]):
    """A field for a line of text, empty at first."""

    default: str = ""

    def draw(self, placeholder: str, longest: int | None = None) -> str:
        """Draw the field, for at most so many characters."""
        text = self.value
        text = text if longest is None else text[:longest]
        st.text_input(self.label, text, max_chars=longest, placeholder=placeholder, **self.bound(text))
        return text


@dataclass(slots=True)
class Opened:
    """Panels that were open in the last run, by key."""

    keys: set[str] = field(default_factory=set)


@contextmanager
def panel(label: str, key: str, **look: Any) -> Iterator[None]:
    """Draw a button that opens a panel, and the controls of the block in it.

    A browser makes the fields of a panel only as it is opened. One that no run has set since would begin empty, and
    take its value out of the address.
    """
    box, opened = st.popover(label, key=key, on_change="rerun", **look), session.held(Opened).keys
    # The run that follows the opening may overtake the browser, too.
    seen = bool(box.open) and key in opened
    (opened.add if box.open else opened.discard)(key)
    with box, session.hidden(not seen):
        yield


# Controls that choose among names: one option of several, or any number of names.


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

    def draw_row(self, labelled: bool = False) -> V:
        """Draw the options beside each other, by default without the label."""
        value, visibility = self.settle(), "visible" if labelled else "collapsed"
        look = self.bound(value) | {"help": None, "label_visibility": visibility, "required": True}
        look |= {"width": "stretch"} if labelled else {}
        st.segmented_control(self.label, list(self.names), default=value, format_func=self.text, **look)
        return value

    def draw_tabs(self) -> list[TabContainer]:
        """Draw the options as tabs."""
        value = self.settle()
        look = {name: given for name, given in self.bound(self.names[value]).items() if name != "help"}
        return list(st.tabs(list(self.names.values()), default=self.names[value], **look))

    def draw_rows(self, table: Any, **look: Any) -> V:
        """Draw the options as the rows of a table, of which one is chosen."""
        value = self.settle()
        chosen = {"selection": {"rows": [list(self.names).index(value)], "columns": [], "cells": []}}
        session.draw(self.key, chosen)
        st.dataframe(
            table,
            key=self.key,
            on_select=self._take,
            selection_mode="single-row-required",
            hide_index=True,
            **look,
        )
        return value

    def draw_empty(self, placeholder: str, width: int) -> V | None:
        """Draw the box with nothing chosen at first."""
        value = self.value_of(session.address().get(self.key, ("",)))
        look = replace(self, always=True).bound(value) | {"placeholder": placeholder, "width": width}
        options = list(self.names)
        st.selectbox(
            self.label, options, None if value is None else options.index(value), format_func=self.text, **look
        )
        return value

    def worded(self, shown: Any) -> str:
        """The option's name, which may count what comes in."""
        return self.names.get(shown, "")

    def _chosen(self, shown: Any) -> V | None:
        """Return the option that the widget shows, which tabs know by its name, and tables by its row."""
        if isinstance(shown, Mapping):
            rows = shown["selection"]["rows"]
            return list(self.names)[rows[0]] if rows else None
        return cast(V, shown) if shown in self.names else self.option(shown)

    def settle(self) -> V:
        """Return the option that is offered here, which the address names if it always has one."""
        value = self.value
        value = value if value in self.names else self.default
        if self.always and self.option(self.address) != value:
            self.set(value)
        return value


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
