"""Items whose annotators disagree: each as they saw it, with their labels and notes, and a decision."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels
from core.archive import BY_HAND
from core.labels.formats.records import WITHDRAWN
from core.words import counted, shortened
from pages.parts import state
from pages.parts.estimate.chosen import Chosen
from pages.parts.label import item as label_item
from pages.parts.label.work import DECISION
from pages.parts.markup import plain

_AT = "disputed"
_LONGEST = 60


def section(chosen: Chosen, found: labels.Settlement) -> None:
    """All disputed items in the list's order, one at a time; open where one waits for a decision."""
    disputed = [str(item) for item in found.conflicts["item_id"]]
    if not disputed:
        return
    waiting = len(found.undecided)
    title = f"Where annotators disagree ({len(disputed):,})"
    if waiting:
        title = f"{counted(waiting, 'item waits', 'items wait')} for your decision, of {len(disputed):,} disputed"
    with st.expander(title, expanded=bool(waiting), icon=":material/balance:"):
        item = _item(disputed, found)
        _walk(disputed, item)
        left, right = st.columns([3, 2])
        with left:
            label_item.show(chosen.work(), item, False)
        with right:
            _given(chosen, found, item)
            _buttons(chosen, found, disputed, item)
    with st.expander("All disputed items", key="all-disputed", icon=":material/list:"):
        st.dataframe(
            found.conflicts.fillna({"label": "undecided"}),
            hide_index=True,
            column_config={"item_id": "Item", "votes": "Votes", "label": "What counts"},
            alt="Items whose annotators disagree, and what counts.",
        )


def _item(disputed: list[str], found: labels.Settlement) -> str:
    """The item that is looked at: the one chosen, else the first without a decision."""
    item = st.session_state.get(_AT)
    if item not in disputed:
        item = found.undecided[0] if found.undecided else disputed[0]
    return str(item)


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


def _given(chosen: Chosen, found: labels.Settlement, item: str) -> None:
    """Who said what, and why; and what counts now."""
    rows = _rows(chosen, item)
    own = rows[rows["annotator"] != DECISION]
    table = pd.DataFrame(
        {"Person": own["annotator"].replace("", "no name"), "Label": own["label"], "Note": own["note"].fillna("")}
    )
    st.dataframe(table, hide_index=True, alt="The labels of this item, by person, with their notes.")
    counts = found.conflicts.set_index("item_id").at[item, "label"]
    if item in found.undecided:
        st.markdown("Undecided: as many say one as the other.")
    else:
        how = "by decision" if (rows["annotator"] == DECISION).any() else "as the most frequent answer"
        st.markdown(plain(f"What counts, {how}: {shortened(str(counts), _LONGEST)}"))


def _buttons(chosen: Chosen, found: labels.Settlement, disputed: list[str], item: str) -> None:
    rows = _rows(chosen, item)
    with st.container(horizontal=True):
        for number, label in enumerate(_labels(chosen, rows, item)):
            st.button(
                plain(f"“{shortened(label, _LONGEST)}” counts"),
                key=f"decide-{item}-{number}",
                icon=":material/gavel:",
                on_click=_decide,
                args=(chosen, item, label, _next(disputed, found.undecided, item)),
            )
    if (rows["annotator"] == DECISION).any():
        st.button(
            "Withdraw the decision",
            key=f"withdraw-{item}",
            icon=":material/undo:",
            on_click=_withdraw,
            args=(chosen, item),
        )


def _next(disputed: list[str], undecided: tuple[str, ...], item: str) -> str:
    """The next item without a decision after this one, round the end; the item itself where there is no other."""
    place = disputed.index(item)
    waiting = [other for other in disputed[place + 1 :] + disputed[:place] if other in undecided]
    return waiting[0] if waiting else item


def _labels(chosen: Chosen, rows: pd.DataFrame, item: str) -> list[str]:
    """The different labels of an item, as they count."""
    choices = labels.choices_of(chosen.pool.items, [item])[0]
    given = rows.loc[rows["annotator"] != DECISION, "label"]
    read = [labels.canonical(str(label), chosen.asked, choices) for label in given]
    return list(dict.fromkeys(label for label in read if label is not None))


def _rows(chosen: Chosen, item: str) -> pd.DataFrame:
    rows = chosen.rows
    return rows[(rows["item_id"] == item) & rows["label"].notna()]


def _go(item: str) -> None:
    st.session_state[_AT] = item


def _decide(chosen: Chosen, item: str, label: str, then: str) -> None:
    row = pd.DataFrame([{"item_id": item, "label": label, "annotator": DECISION}])
    own = chosen.plan.plan_id
    also = [name for name in chosen.plans if name != own]
    chosen.archive.save_labels(own, row, state.now(), BY_HAND, chosen.asked, chosen.judged, also)
    _go(then)


def _withdraw(chosen: Chosen, item: str) -> None:
    """Take back what was decided of an item, under every plan of the family: an older decision holds no more."""
    gone = pd.DataFrame([{"item_id": item, "label": None, "annotator": DECISION, "status": WITHDRAWN}])
    for plan in chosen.plans:
        rows = labels.relevant(chosen.archive.labels(plan), chosen.asked, chosen.target)
        of_item = rows[(rows["item_id"] == item) & (rows["annotator"] == DECISION)]
        for row in of_item.to_dict("records"):
            chosen.archive.save_labels(plan, gone, state.now(), BY_HAND, row["kind"], row["target"])
    _go(item)
