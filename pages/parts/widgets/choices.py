"""Controls that choose among names: one option of several, or any number of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from pages.parts.app import session
from pages.parts.widgets.control import Control, V


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
        options = list(self.names)
        st.selectbox(
            self.label, options, None if value is None else options.index(value), format_func=self.text, **look
        )
        return value

    def worded(self, shown: Any) -> str:
        """The option's name, which may count what comes in."""
        return self.names.get(shown, "")

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
