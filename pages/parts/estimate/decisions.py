"""Items whose annotators disagree: each as they saw it, with their labels and notes, and a decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.labels import DECISION
from core.study import Study
from core.words import counted, shortened
from pages.parts.app import session, state
from pages.parts.app.frame import in_callback
from pages.parts.label import item as label_item
from pages.parts.markup import plain

_ROWS = "disputed-rows"
_LONGEST = 60


@dataclass(slots=True)
class Dispute:
    """The disputed item that is looked at."""

    item: str = ""


def section(study: Study) -> None:
    """All disputed items in the list's order, one at a time; open if one waits for a decision."""
    disputed = [str(item) for item in study.labels.settlement.conflicts["item_id"]]
    if not disputed:
        return
    waiting = len(study.labels.ties)
    title = f"If annotators disagree ({len(disputed):,})"
    if waiting:
        title = f"{counted(waiting, 'item waits', 'items wait')} for your decision, of {len(disputed):,} disputed"
    with st.expander(title, expanded=bool(waiting), icon=":material/balance:"):
        item = _item(disputed, study)
        _walk(disputed, item)
        left, right = st.columns([3, 2])
        with left:
            label_item.show(study, item)
        with right:
            _given(study, item)
            _buttons(study, disputed, item)
        st.markdown("**All disputed items**")
        st.caption("Choose a row to see the item above.")
        st.dataframe(
            study.labels.settlement.conflicts.fillna({"label": "undecided"}),
            hide_index=True,
            column_config={
                "item_id": st.column_config.TextColumn("Item", pinned=True),
                "votes": "Votes",
                "label": "What counts",
            },
            key=_ROWS,
            on_select=_opener(disputed),
            selection_mode="single-row",
            alt="Items whose annotators disagree, and what counts.",
        )


def _opener(disputed: list[str]) -> Callable[[], None]:
    def show() -> None:
        rows = session.widget(_ROWS)["selection"]["rows"]
        if rows:
            _go(disputed[rows[0]])

    return show


def _item(disputed: list[str], study: Study) -> str:
    """The item that is looked at: the one study, else the first without a decision."""
    item = session.held(Dispute).item
    if item not in disputed:
        item = study.labels.ties[0] if study.labels.ties else disputed[0]
    return item


def _walk(disputed: list[str], item: str) -> None:
    place = disputed.index(item)
    with st.container(horizontal=True, vertical_alignment="center"):
        for title, step, icon in (("Previous", -1, "arrow_back"), ("Next", 1, "arrow_forward")):
            other = place + step
            inside = 0 <= other < len(disputed)
            st.button(
                title,
                key=f"disputed-{title.lower()}",
                icon=f":material/{icon}:",
                disabled=not inside,
                on_click=_go,
                args=(disputed[other] if inside else item,),
            )
        st.caption(f"{place + 1:,} of {len(disputed):,}")


def _given(study: Study, item: str) -> None:
    """Who said what, and why; and what counts now."""
    rows = study.labels.opinions(item)
    given = rows[rows["annotator"] != DECISION]
    table = pd.DataFrame(
        {"Person": given["annotator"].replace("", "no name"), "Label": given["label"], "Note": given["note"].fillna("")}
    )
    st.dataframe(table, hide_index=True, alt="The labels of this item, by person, with their notes.")
    counts = study.labels.settlement.conflicts.set_index("item_id").at[item, "label"]
    if item in study.labels.ties:
        st.markdown("Undecided: people are split evenly.")
    else:
        how = "by decision" if (rows["annotator"] == DECISION).any() else "as the most frequent answer"
        st.markdown(plain(f"What counts, {how}: {shortened(str(counts), _LONGEST)}"))


def _buttons(study: Study, disputed: list[str], item: str) -> None:
    rows = study.labels.opinions(item)
    with st.container(horizontal=True):
        for number, label in enumerate(study.labels.choices(item)):
            st.button(
                plain(f"“{shortened(label, _LONGEST)}” counts"),
                key=f"decide-{item}-{number}",
                icon=":material/gavel:",
                on_click=_decide,
                args=(study, item, label, _next(disputed, study.labels.ties, item)),
            )
    if (rows["annotator"] == DECISION).any():
        st.button(
            "Withdraw the decision",
            key=f"withdraw-{item}",
            icon=":material/undo:",
            on_click=_withdraw,
            args=(study, item),
        )


def _next(disputed: list[str], undecided: tuple[str, ...], item: str) -> str:
    """The next item without a decision after this one, round the end; the item itself if there is no other."""
    place = disputed.index(item)
    waiting = [other for other in disputed[place + 1 :] + disputed[:place] if other in undecided]
    return waiting[0] if waiting else item


def _go(item: str) -> None:
    session.held(Dispute).item = item


@in_callback
def _decide(study: Study, item: str, label: str, then: str) -> None:
    study.labels.decide(state.archive(), item, label, state.now())
    _go(then)


@in_callback
def _withdraw(study: Study, item: str) -> None:
    study.labels.withdraw(state.archive(), item, state.now())
    _go(item)
