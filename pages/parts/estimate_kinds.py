"""What the kept labels say: the kind that is looked at first on page Estimate, and those that are kept beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core import labels
from core.design import Plan
from core.pool import Pool
from core.report.numbers import counted
from pages.parts.markup import plain

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
    """Choose what is looked at first, unless the address or the person says otherwise.

    That is the kind of label that gives an estimate, of these the newest. ``strata``: (N,) of the pool's items.
    """
    free = "says" not in st.session_state and "says" not in st.query_params
    named = {st.session_state.get("target"), st.query_params.get("target")} & set(pool.targets)
    if named and not free:
        return
    given = log[log["label"].notna() & log["kind"].isin(labels.KINDS)]
    if not free and "says" in st.session_state:
        given = given[given["kind"] == st.session_state["says"]]
    targets = [name for name in pool.targets if name in named or not named]
    found = list(_readings(given, targets, pool, plan, strata))
    if not found:
        return
    best = max(found, key=lambda one: one.rank)
    if free:
        st.session_state["says"] = best.kind
    if not named and best.target in pool.targets:
        st.session_state["target"] = best.target


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
