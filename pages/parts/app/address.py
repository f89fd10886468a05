"""Addresses: their version, which says what they leave out, and the links between pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.pool import Pool
from core.words import listed, shortened
from pages.parts import targets
from pages.parts.app import state
from pages.parts.markup import plain
from pages.parts.widgets.control import Control, Options
from pages.parts.widgets.controls import BUDGET, CONTROLS, EVERY, GATE_RULE, NEW, NEW_NAME, SHARED, TARGET

# Raise it when a control's default changes, and give the control the earlier one (`Control.earlier`).
VERSION = 3
_KEY = "v"
# The stop of the guided demo, which a link to another page leaves.
TOUR = "tour"
_FIRST = 1
_MISREAD = "misread"
# Names of the controls that follow a link.
_FOLLOW = "follow"
_LONGEST = 40


def upgrade() -> None:
    """Bring the address to this version; before any control is drawn.

    Where a session begins at an address of an earlier version, that version's defaults become explicit parameters,
    so that the link keeps its meaning. The first version wrote no version. An address without parameters is no link.
    """
    _drop_misread(one for one in EVERY if not one.noun)
    version, missing = _version(), {}
    if version < VERSION and "session" not in st.session_state:
        earlier = [(control, control.default_in(version)) for control in CONTROLS if control.address is None]
        missing = {control.key: control.text(value) for control, value in earlier if value != control.default}
    if missing or st.query_params.get(_KEY) != str(VERSION):
        st.query_params.update({_KEY: str(VERSION), **missing})
    if missing:
        # A control reads the address as it was when the run began.
        st.rerun()


def check_tab(key: str, label: str, titles: Sequence[str]) -> None:
    """Take out of the address a tab that the page does not have, and note it (`misread`); before any is drawn."""
    _drop_misread([Options(key=key, label=label, default=titles[0], names={title: title for title in titles})])


def follow() -> None:
    """Set controls to what the link that led here says, whatever they were set to before; before any is drawn."""
    names = st.query_params.get(_FOLLOW)
    if names is None:
        return
    for control in EVERY:
        # Streamlit may have left it out, as `carry` says.
        if control.key in names.split(",") and control.address is not None:
            st.session_state.pop(control.key, None)
    del st.query_params[_FOLLOW]


def carry(title: str) -> None:
    """Write to the address what was set on another page and counts on this one, so that a reload and a link keep it.

    On the way to another page Streamlit leaves out of the address what belongs to a control of the page before.
    """
    drawn_here = GATE_RULE if title == "Estimate" else ()
    for control in (TARGET,) if title == "Plan" else SHARED:
        value = st.session_state.get(control.key)
        if control in drawn_here or value in (None, "", control.default):
            continue
        ends = value if isinstance(value, tuple | list) else (value,)
        texts = [f"{end:.15g}" if isinstance(end, float) else str(end) for end in ends]
        if st.query_params.get_all(control.key) != texts:
            # Where the page before was left in the middle of a run, its control has the parameter until the next one.
            with suppress(StreamlitAPIException):
                st.query_params[control.key] = texts


def note(pool: Pool) -> None:
    """Note what the address of a new session asks of a pool that does not have it: a target, a budget beyond its items.

    Page Estimate names what it does not offer itself.
    """
    noted = list(st.session_state.get(_MISREAD, ()))
    target, budget = TARGET.address, BUDGET.address
    if target and pool.targets and target not in pool.targets:
        names = targets.known(pool).targets
        if not TARGET.of({NEW: NEW_NAME} | {name: name for name in names}).offers(target):
            noted.append((TARGET.label, target, f"“{next(iter(names))}”"))
    if budget and BUDGET.reads(budget) and int(budget.replace(",", "")) > pool.n_items:
        noted.append((BUDGET.label, budget, ""))
    if noted:
        st.session_state[_MISREAD] = noted


def misread(title: str) -> None:
    """Say what the address gave that no control can take, for as long as this page is looked at."""
    noted = st.session_state.get(_MISREAD)
    if isinstance(noted, list):
        noted = st.session_state[_MISREAD] = (title, noted)
    if noted is None:
        return
    if noted[0] != title:
        del st.session_state[_MISREAD]
        return
    given = listed([f"“{shortened(text, _LONGEST)}” for “{label}”" for label, text, _ in noted[1]])
    one = len(noted[1]) == 1
    used = "The default is used instead" if one else "The defaults are used instead"
    defaults = listed([default if one else f"{default} for “{label}”" for label, _, default in noted[1] if default])
    used += f": {defaults}." if defaults else "."
    st.caption(plain(f"The address gives {given}, which cannot be used. {used}"))


def links(**more: str) -> dict[str, list[str]]:
    """Return the address's parameters, to be carried along by links between pages, and ``more`` of this link's."""
    carried = {name: st.query_params.get_all(name) for name in st.query_params if name != TOUR}
    added = {name: [_shown(name, text)] for name, text in more.items()}
    return carried | added | ({_FOLLOW: [",".join(added)]} if added else {})


def parameters(digest: str | None = None, **more: str) -> dict[str, str]:
    """Parameters of a link: the version, the pool with this digest, and ``more``."""
    pool = {} if digest is None else {"pool": state.shortened(digest)}
    return {_KEY: str(VERSION), **pool, **more}


def _drop_misread(controls: Iterable[Control[Any]]) -> None:
    given = set(st.query_params)
    misread = {one.key: one for one in controls if one.key in given and one.misread is not None}
    if misread:
        # A widget would fail at some of them, and drop the others without a word.
        noted = st.session_state.get(_MISREAD)
        st.session_state[_MISREAD] = (noted if isinstance(noted, list) else []) + [
            (one.label, str(one.misread), one.text(one.default) if one.default else "") for one in misread.values()
        ]
        for key in misread:
            del st.query_params[key]
        st.rerun()


def _shown(name: str, text: str) -> str:
    """Write an option as its box shows it, which would rewrite the address otherwise."""
    control = next((one for one in EVERY if one.key == name), None)
    option = control.option(text) if isinstance(control, Options) else None
    return text if option is None or not isinstance(control, Options) else control.text(option)


def _version() -> int:
    """Return the version of the present address; one that is not known counts as this one."""
    given = st.query_params.get(_KEY, str(_FIRST) if st.query_params else "")
    return next((version for version in range(_FIRST, VERSION) if given == str(version)), VERSION)
