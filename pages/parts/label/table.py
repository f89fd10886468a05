"""Items of the list, what it shows of them, and a look at it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels
from core.labels import ANSWERS_OF
from core.pool import several
from core.study import Study
from pages.parts import prospects

_SHOWN = 200
_LONGEST = 60
_SWAYING = {"stratum": "Stratum", "semantic_entropy": "Semantic entropy"}


def also_shown(entropy: bool) -> list[str]:
    """Return the columns also shown to annotators: those that would sway them, by default none.

    ``entropy``: the semantic entropy is known.
    """
    chosen = st.multiselect(
        "Also show the annotators",
        list(_SWAYING) if entropy else ["stratum"],
        key="also-show",
        format_func=lambda name: _SWAYING[name],
        persist_state="session",
        placeholder="Nothing that influences them",
    )
    if chosen:
        st.caption(
            "This influences annotators: people who know that an item should be hard look for mistakes. Show it only "
            "to people who do not label."
        )
    return chosen


def choose(study: Study, also: list[str]) -> tuple[pd.DataFrame, str]:
    """The list as it is handed out, and a name for its files: all of it, what has no label, or replacements alone."""
    passes = labels.criteria.passes(study.plan.design.judging)
    whole = labels.criteria.with_columns(study.labels.request(), passes) if passes else study.labels.request()
    if also:
        places = study.pool.places(whole["item_id"])
        if "stratum" in also:
            whole["stratum"] = study.plan.stratum[places]
        if "semantic_entropy" in also:
            whole["semantic_entropy"] = prospects.profile(study.pool, study.plan.design.scheme.parser).signal[places]
    row = st.container(horizontal=True, vertical_alignment="bottom")
    done = study.labels.labelled.union(study.labels.lost)
    if not done:
        return whole, study.plan.plan_id
    spare = whole["position"] > len(study.labels.ids)
    waiting = whole[spare & ~whole["item_id"].isin(study.labels.labelled)].reset_index(drop=True)
    to_do = whole[~whole["item_id"].isin(done)].reset_index(drop=True)
    name = study.plan.plan_id
    with row:
        if len(waiting) and st.toggle(f"Only replacements ({len(waiting):,})", key="only-spare"):
            return waiting, f"{name}-replacements"
        if st.toggle(f"Only items without a label ({len(to_do):,})", key="only-new"):
            return to_do, f"{name}-without-label"
    return whole[~spare], name


def table(request: pd.DataFrame) -> None:
    """The first items of the list."""
    shown = request.head(_SHOWN)
    if "image" in shown:
        shown = shown.assign(image=pd.Series([_short(value) for value in shown["image"]], shown.index, dtype=object))
    st.dataframe(
        shown,
        hide_index=True,
        column_config={"plan_id": None, ANSWERS_OF: None, "item_id": st.column_config.TextColumn(pinned=True)},
        alt="The items to label, in order.",
    )
    if len(request) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(request):,} are shown; the files hold all.")


def _short(value: object) -> object:
    """An image as its path, or as the beginning of its data: those of a whole list are too much for a browser."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]} …"
    return [_short(one) for one in value] if several(value) else value
