"""Which items the list holds, what it shows of them, and a look at it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core import labels
from core.design import Plan
from core.labels.targets import ANSWERS_OF
from pages.parts.label.work import Work

_SHOWN = 200
_LONGEST = 60
_NONE = "(no answer)"
_SWAYING = {"stratum": "Stratum", "semantic_entropy": "Semantic entropy"}


def also_shown() -> list[str]:
    """What else the annotators are shown: columns that would sway them, by default none."""
    chosen = st.multiselect(
        "Also show the annotators",
        list(_SWAYING),
        key="also-show",
        format_func=_SWAYING.get,
        persist_state="session",
        placeholder="Nothing that sways them",
    )
    if chosen:
        st.caption(
            "This sways annotators: who knows that an item is held to be hard looks for mistakes. Show it only to "
            "people who do not label."
        )
    return chosen


def choose(work: Work, also: list[str]) -> tuple[pd.DataFrame, str]:
    """The list as it is handed out, and a name for its files: all of it, what has no label, or replacements alone."""
    done, lost, spare = work.labelled(), work.lost(), work.spare()
    listed = _rows(work, work.plan, also)
    places = spare["place"].to_numpy(dtype=np.int64)
    more = replace(work.plan, positions=places, ids=spare["item_id"].to_numpy(dtype=object))
    extra = _rows(work, more, also)
    extra["position"] += len(work.ids)
    waiting = extra[~extra["item_id"].isin(done)]
    to_do = pd.concat([listed[~listed["item_id"].isin(done | lost)], waiting], ignore_index=True)
    name = work.plan.plan_id
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(waiting) and st.toggle(
            f"Only the replacements of what was given up ({len(waiting):,})", key="only-spare"
        ):
            return waiting, f"{name}-replacements"
        if (done or lost) and st.toggle(f"Only items without a label ({len(to_do):,})", key="only-new"):
            return to_do, f"{name}-without-label"
    return listed, name


def table(request: pd.DataFrame) -> None:
    """The first items of the list."""
    shown = request.head(_SHOWN)
    if "image" in shown:
        shown = shown.assign(image=[_short(value) for value in shown["image"]])
    st.dataframe(
        shown,
        hide_index=True,
        column_config={"plan_id": None, ANSWERS_OF: None},
        alt="The items to label, in order.",
    )
    if len(request) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(request):,} are shown; the files hold all.")


def _rows(work: Work, plan: Plan, also: list[str]) -> pd.DataFrame:
    """These items with what the annotators are to see."""
    known = work.answers() if work.judged else {}
    answers = [known.get(str(item)) or _NONE for item in plan.ids] if known else None
    frame = labels.request(plan, work.pool.items, answers, target=work.judged or None)
    if "stratum" in also:
        frame["stratum"] = plan.items["stratum"]
    if "semantic_entropy" in also:
        frame["semantic_entropy"] = work.profile.signal[plan.positions]
    # What the target was never asked cannot be judged: an empty answer would be taken for a wrong one.
    return frame[frame["item_id"].isin(list(known))].reset_index(drop=True) if known else frame


def _short(value: object) -> object:
    """An image as its path, or as the beginning of its data: those of a whole list are too much for a browser."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]} …"
    return [_short(one) for one in value] if isinstance(value, list | np.ndarray) else value
