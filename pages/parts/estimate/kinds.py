"""What the kept labels say: the kind that is looked at first on page Estimate, and those that are kept beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.errors import StreamlitAPIException

from core import labels
from core.design import Plan
from core.pool import Pool
from core.words import counted
from pages.parts.control import Options
from pages.parts.controls import SAYS, TARGET
from pages.parts.markup import plain

_ANEW = "presume-anew"
_SAYS = {
    "gold": ("says what is right", "say what is right"),
    "right-wrong": ("judges “{}”", "judge “{}”"),
    "score": ("scores “{}”", "score “{}”"),
}
_OF_NOBODY = {
    "right-wrong": ("says right or wrong", "say right or wrong"),
    "score": ("gives a score", "give a score"),
}
_READ = {"gold": "Read the right answers", "right-wrong": "Read right or wrong", "score": "Read the scores"}


@dataclass(frozen=True, slots=True)
class Held:
    """Kept labels of one kind: the ``target`` that they judge ("" = none is named), of how many ``items``."""

    kind: str
    target: str
    items: int

    def said(self) -> str:
        """“40 labels judge “one””."""
        return f"{counted(self.items, 'label')} {says(self.kind, self.target, self.items > 1)}"


@dataclass(frozen=True, slots=True)
class _Reading:
    kind: str
    target: str
    rank: tuple[bool, bool, str]


def presume(log: pd.DataFrame, pool: Pool, plan: Plan, strata: NDArray[np.int64]) -> None:
    """Choose what is looked at first, unless the address or the person says otherwise, and write it to the address.

    That is the kind of label that gives an estimate, of these the newest. ``strata``: (N,) of the pool's items. A link
    holds the kind and the target whichever they are: it shows the same when other labels have come in.
    """
    anew = st.session_state.pop(_ANEW, False)
    targets = TARGET.of({name: name for name in pool.targets})
    kind = None if anew else _chosen(SAYS)
    target = None if anew else _chosen(targets)
    if kind is None or (target is None and pool.targets):
        given = log[log["label"].notna() & log["kind"].isin(labels.KINDS if kind is None else [kind])]
        candidates = [name for name in pool.targets if target in (None, name)]
        best = max(_readings(given, candidates, pool, plan, strata), key=lambda one: one.rank, default=None)
        if best is not None:
            kind = kind or best.kind
            target = target or (best.target if best.target in pool.targets else None)
    kind, target = kind or "gold", target or next(iter(pool.targets), None)
    wrong = _write(SAYS, kind)
    if target is not None:
        wrong |= _write(targets, target)
    if wrong:
        # A control takes what is wrong out of the address, and what was written in its place with it.
        st.rerun()


def forget() -> None:
    """Let what is looked at be found out anew; for a callback."""
    st.session_state[_ANEW] = True


def says(kind: str, target: str, several: bool = False) -> str:
    """What a label of a kind does, or several do: “judges “one””; ``target``: "" where none is named."""
    words = _SAYS if target else _SAYS | _OF_NOBODY
    return words[kind][several].format(target)


def held(log: pd.DataFrame) -> list[Held]:
    """What is kept, by kind and target, in the order in which it came."""
    given = log[log["label"].notna() & log["kind"].isin(list(_SAYS))]
    groups = given.groupby(["kind", "target"], sort=False)
    return [Held(str(kind), str(target), int(rows["item_id"].nunique())) for (kind, target), rows in groups]


def offer(others: list[Held], told: bool = False) -> None:
    """A button for each of these that reads it, with a sentence of what it is unless that is ``told`` already."""
    for one in others:
        with st.container(horizontal=True, vertical_alignment="center"):
            if not told:
                st.markdown(f":material/layers: Kept too: {plain(one.said())}.", width="content")
            about = f" of “{plain(one.target)}”" if one.target else ""
            st.button(
                f"{_READ[one.kind]}{about}",
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


def _readings(
    given: pd.DataFrame, targets: list[str], pool: Pool, plan: Plan, strata: NDArray[np.int64]
) -> Iterator[_Reading]:
    """Each way to read what is kept: whether it covers all strata, whether any outcome is known, and how new it is."""
    of_plan = set(map(str, plan.ids))
    for (kind, judged), rows in given.groupby(["kind", "target"], sort=False):
        own = rows[rows["item_id"].isin(of_plan)]
        own = own[labels.readable(own, str(kind), pool.items)]
        places = pool.items.index.get_indexer(own["item_id"].unique())
        newest = str(rows["created"].max())
        if kind != "gold":
            if not judged or judged in targets:
                yield _Reading(str(kind), str(judged), (*_known(places, strata, plan), newest))
            continue
        for name in targets or [""]:
            answered = places[_answered(pool, name, places)] if name else places[:0]
            yield _Reading("gold", name, (*_known(answered, strata, plan), newest))


def _known(places: NDArray[np.int64], strata: NDArray[np.int64], plan: Plan) -> tuple[bool, bool]:
    """Whether labels of these items reach every stratum, and whether there are any."""
    return np.unique(strata[places]).size == plan.strata.n_strata, places.size > 0


def _answered(pool: Pool, target: str, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the target was asked these items."""
    known = pool.targets[target]
    columns = [own for own in (known.answers, known.texts) if own is not None]
    return np.array([any(own[place] is not None for own in columns) for place in places], dtype=bool)


def _read(one: Held) -> None:
    st.session_state["says"] = one.kind
    if one.target:
        st.session_state["target"] = one.target
