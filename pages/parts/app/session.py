"""The state of one browser tab: its address, and what no address can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Held = TypeVar("Held")
# Names of parameters → their values, in the order of the address.
Parameters = dict[str, list[str]]
_TAB = "tab"
# Addresses that the browser may still report: far more than fit between a click and its answer.
_REMEMBERED = 50


@dataclass(slots=True)
class Tab:
    """The state of one browser tab from run to run.

    Parameters
    ----------
    page : str
        Where the address was read.
    query, given : str or None, Parameters
        What the browser said last, as it came and as it reads.
    address : Parameters
        The address.
    replaced : list of Parameters
        What stood in its place since the tab came to the page, newest last.
    drawn : dict
        Widgets that were drawn since, and in which words.
    begun : bool
        Whether a page was drawn.
    hidden : bool
        Whether widgets are drawn in a panel that is not open (`hidden`).
    parts : dict
        What parts of the pages hold, by its type.
    """

    page: str = ""
    query: str | None = None
    given: Parameters = field(default_factory=dict)
    address: Parameters = field(default_factory=dict)
    replaced: list[Parameters] = field(default_factory=list)
    drawn: dict[str, str] = field(default_factory=dict)
    begun: bool = False
    hidden: bool = False
    parts: dict[type[Any], Any] = field(default_factory=dict)


@dataclass(slots=True)
class ChangedPrices:
    """Keys of controls that the home keeps and that somebody has changed since they were kept."""

    keys: set[str] = field(default_factory=set)


def tab() -> Tab:
    """Return what this tab holds."""
    try:
        held: Tab = st.session_state[_TAB]
    except KeyError:
        held = st.session_state[_TAB] = Tab()
    return held


def held(kind: type[Held]) -> Held:
    """Return what one part of the pages holds in this tab; new and empty at first."""
    return cast(Held, tab().parts.setdefault(kind, kind()))


def address() -> Parameters:
    """Return the present address.

    The browser says where it is at every run. On the way it may be overtaken: a click that follows another within a
    moment still brings the address of before, which an answer has changed since. If the browser went by itself
    (another page, Back, Forward, a link), its address counts.
    """
    here, run = tab(), get_script_run_ctx()
    page, travelled = (run.page_script_hash, run.is_history_navigation) if run else ("", False)
    if run is None or run.query_string != here.query:
        here.query = run.query_string if run else None
        here.given = {name: st.query_params.get_all(name) for name in st.query_params}
    given = here.given
    if page != here.page or travelled:
        if page != here.page:
            here.replaced.clear()
            here.drawn.clear()
        here.page, here.address = page, given
    elif given != here.address:
        if given in here.replaced:
            st.query_params.from_dict(here.address)
        else:
            # A link to the same page: Streamlit leaves the browser where it is.
            here.address = given
            st.query_params.from_dict(given)
    return here.address


def parameter(name: str) -> str | None:
    """Return a parameter of the present address, the last one of this name; None if it has none."""
    given = address().get(name)
    return given[-1] if given else None


def write(values: Mapping[str, str | Sequence[str] | None]) -> None:
    """Change parameters of the address, all at once; None takes one out."""
    now = address()
    changed = dict(now)
    for name, value in values.items():
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = [value] if isinstance(value, str) else list(value)
    if changed == now:
        return
    here = tab()
    here.replaced = [*here.replaced, now][-_REMEMBERED:]
    here.address = changed
    st.query_params.from_dict(changed)


def widget(key: str, default: Any = None) -> Any:
    """Return what a widget shows that stands in no address."""
    return st.session_state.get(key, default)


def draw(key: str, value: Any, words: str = "") -> None:
    """Have a widget show a value, and these words if it also keeps text; call it before the widget is drawn.

    One that shows both is left alone: what is set takes the place of what is being typed or moved in the browser. What
    Streamlit says of a key when the tab comes to a page is what a widget of this key showed on the page before.
    """
    address()
    drawn = tab().drawn
    if tab().hidden or drawn.get(key) != words or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    drawn[key] = words


@contextmanager
def hidden(is_hidden: bool) -> Iterator[None]:
    """Have the widgets of the block show their values anew in every run for as long as nobody sees them."""
    here, before = tab(), tab().hidden
    here.hidden = is_hidden
    try:
        yield
    finally:
        here.hidden = before


def show(key: str, value: Any) -> None:
    """Have a widget show a value; in a callback, or before it is drawn."""
    st.session_state[key] = value


def begin(key: str, value: Any) -> None:
    """Have a widget begin with a value, which others may set as well; before it is drawn."""
    st.session_state.setdefault(key, value)


def keep(key: str) -> None:
    """Have a widget begin with what the same one showed on another page; before it is drawn."""
    if key in st.session_state:
        st.session_state[key] = st.session_state[key]


def forget(*keys: str) -> None:
    """Have widgets begin again with their defaults."""
    for key in keys:
        st.session_state.pop(key, None)
