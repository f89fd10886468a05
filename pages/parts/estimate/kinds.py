"""Kinds of the kept labels on page Estimate: the one that is looked at first, and those that are kept beside it."""

from __future__ import annotations

import streamlit as st

from core.labels import KINDS
from core.study import Reading, Study, presumed
from core.words import counted
from pages.parts.app import session
from pages.parts.estimate.controls import SAYS
from pages.parts.markup import plain
from pages.parts.widgets.controls import TARGET


def presume(study: Study) -> None:
    """Choose what is looked at first, unless the address says otherwise, and write it to the address.

    A link holds the kind and the target whichever they are: it shows the same when other labels have come in.
    """
    targets = TARGET.of({name: name for name in study.pool.targets})
    kind, target = SAYS.option(SAYS.address), targets.option(targets.address)
    first = presumed(study.labels.log, study.plan, study.pool, kind, target)
    session.write(SAYS.parameter(first.kind) | (targets.parameter(first.target) if first.target else {}))


def forget() -> None:
    """Let what is looked at be found out again; for a callback."""
    session.write({SAYS.key: None, TARGET.key: None})


def says(kind: str, target: str, several: bool = False) -> str:
    """Return the verb for a label of a kind, or for several: “judges “one””; ``target``: "" if none is named."""
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


def _read(one: Reading) -> None:
    session.write(SAYS.parameter(one.kind) | (TARGET.parameter(one.target) if one.target else {}))
