"""What the kept labels say: the kind that is looked at first on page Estimate, and those that are kept beside it."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.labels import KINDS
from core.study import Reading, Study, presumed
from core.words import counted
from pages.parts.markup import plain
from pages.parts.widgets.control import Options
from pages.parts.widgets.controls import SAYS, TARGET

_ANEW = "presume-anew"


def presume(study: Study) -> None:
    """Choose what is looked at first, unless the address or the person says otherwise, and write it to the address.

    A link holds the kind and the target whichever they are: it shows the same when other labels have come in.
    """
    anew = st.session_state.pop(_ANEW, False)
    targets = TARGET.of({name: name for name in study.pool.targets})
    kind = None if anew else _chosen(SAYS)
    target = None if anew else _chosen(targets)
    first = presumed(study.labels.log, study.plan, study.pool, kind, target)
    wrong = _write(SAYS, first.kind)
    if first.target:
        wrong |= _write(targets, first.target)
    if wrong:
        # A control takes what is wrong out of the address, and what was written in its place with it.
        st.rerun()


def forget() -> None:
    """Let what is looked at be found out anew; for a callback."""
    st.session_state[_ANEW] = True


def says(kind: str, target: str, several: bool = False) -> str:
    """What a label of a kind does, or several do: “judges “one””; ``target``: "" where none is named."""
    words = KINDS[kind].says if target else KINDS[kind].says_of_nobody
    return words[several].format(target)


def said(one: Reading) -> str:
    """“40 labels judge “one””."""
    return f"{counted(one.items, 'label')} {says(one.kind, one.target, one.items > 1)}"


def offer(others: list[Reading], explained: bool = False) -> None:
    """A button for each of these that reads it, with a sentence of what it is unless it is ``explained`` already."""
    for one in others:
        with st.container(horizontal=True, vertical_alignment="center"):
            if not explained:
                st.markdown(f":material/layers: Kept too: {plain(said(one))}.", width="content")
            about = f" of “{plain(one.target)}”" if one.target else ""
            st.button(
                f"{KINDS[one.kind].read}{about}",
                key=f"read-{one.kind}-{one.target}",
                icon=":material/swap_horiz:",
                on_click=_read,
                args=(one,),
            )


def _chosen(control: Options[str]) -> str | None:
    """What the person chose, or else the option that the address names; None: neither."""
    value = st.session_state.get(control.key)
    return str(value) if value in control.names else control.option(control.address)


def _write(control: Options[str], value: str) -> bool:
    """Set a control and its parameter; whether the address had something that is not offered."""
    drawn, given = control.key in st.session_state, control.address
    if st.session_state.get(control.key) != value:
        st.session_state[control.key] = value
    if given == control.text(value):
        return False
    # Once the control was drawn its parameter is its own: then it writes what is set.
    with suppress(StreamlitAPIException):
        st.query_params[control.key] = control.text(value)
    return given is not None and not drawn


def _read(one: Reading) -> None:
    st.session_state["says"] = one.kind
    if one.target:
        st.session_state["target"] = one.target
