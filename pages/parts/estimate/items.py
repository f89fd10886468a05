"""The items behind a number on page Estimate: of a stratum, of a group, of a disagreement; the wrong ones first."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.labels import DECISION, letter
from core.study import Study, judged_items, leading
from core.words import counted, shortened
from pages.parts import texts
from pages.parts.app import frame, session
from pages.parts.markup import plain

_PANEL, _WHICH = "items-panel", "items-of"
_ALL, _DISPUTED = "all", "disputed"
_ROWS, _LONGEST = 1000, 120
# What makes the rows of a table lead to their items: keywords for ``st.dataframe``.
ROWS: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row"}


def section(study: Study) -> None:
    """A panel with the items behind the estimate, all or those of one number, and one of them in full."""
    values = study.outcomes.values
    order = leading(values, study.labels.measure)
    panel = frame.panel(f"The {counted(len(values), 'item')} behind it, {order}", _PANEL, "list_alt")
    if panel is None:
        return
    with panel:
        table = judged_items(study)
        which = st.selectbox("Items of", _choices(table), key=_WHICH, format_func=_name)
        _list(study, table[_chosen(table, which)].reset_index(drop=True), "items")


def of_row(study: Study, kind: str, names: pd.Series[Any], chosen: list[int]) -> None:
    """The items behind the chosen row of a table, right below it.

    Parameters
    ----------
    study : Study
        What is estimated.
    kind : str
        What a row is: "stratum" or "group".
    names : Series
        The number or name of each row.
    chosen : list of int
        Places of the chosen rows, none or one.
    """
    if not chosen or chosen[0] >= len(names):
        return
    which, table = f"{kind} {names.iloc[chosen[0]]}", judged_items(study)
    st.markdown(f"**{plain(_name(which))}**")
    _list(study, table[_chosen(table, which)].reset_index(drop=True), kind)


def _choices(table: pd.DataFrame) -> list[str]:
    strata = [f"stratum {stratum}" for stratum in sorted(table["stratum"].unique())]
    groups = [f"group {group}" for group in sorted(set(table["group"]) - {""})]
    disputed = [_DISPUTED] if table["disputed"].any() else []
    choices = [_ALL, *disputed, *strata, *groups]
    if session.widget(_WHICH) not in choices:
        # Of a stratum or group whose items have no label.
        session.forget(_WHICH)
    return choices


def _name(which: str) -> str:
    return {_ALL: "The whole list", _DISPUTED: "Annotators disagree"}.get(which, which[:1].upper() + which[1:])


def _chosen(table: pd.DataFrame, which: str) -> pd.Series[bool]:
    kind, _, name = which.partition(" ")
    if kind == "stratum":
        return table["stratum"] == int(name)
    if kind == "group":
        return table["group"] == name
    return table["disputed"] if which == _DISPUTED else table["value"].notna()


def _list(study: Study, table: pd.DataFrame, place: str) -> None:
    cut = f", the first {_ROWS:,} shown" if len(table) > _ROWS else ""
    order = leading(table["value"], study.labels.measure)
    st.caption(f"{counted(len(table), 'labelled item')}, {order}{cut}. Choose a row to read it.")
    rows = table.head(_ROWS)
    shown = pd.DataFrame(
        {
            "Item": rows["item_id"],
            "Counts": [{0.0: "wrong", 1.0: "right"}.get(value, f"{value:g}") for value in rows["value"]],
            "Label": rows["label"],
            "Target": [shortened(answer, _LONGEST) for answer in rows["target"]],
            "Surrogate": rows["surrogate"],
        }
    )
    if "prompt" in study.pool.item_columns:
        # Last, because it takes all the room that is left.
        shown["Prompt"] = [shortened(prompt or "", _LONGEST) for prompt in rows["prompt"]]
    event = st.dataframe(
        shown,
        hide_index=True,
        column_config={"Item": st.column_config.TextColumn(pinned=True)},
        key=f"{place}-items",
        **ROWS,
        alt="Labelled items, the wrong ones first, with the surrogate’s answers, the target’s answer and the label.",
    )
    chosen = event["selection"]["rows"]
    if len(rows):
        _one(study, rows.iloc[chosen[0] if chosen and chosen[0] < len(rows) else 0], place)


def _one(study: Study, row: pd.Series[Any], place: str) -> None:
    """One item in full: prompt and options, what surrogate and target said, and who labelled it how."""
    item = str(row["item_id"])
    st.markdown(f"**Item {plain(item)}**")
    left, right = st.columns([3, 2], gap="large")
    with left:
        if row["prompt"] is not None:
            texts.show(row["prompt"], f"{place}-{item}")
        if row["choices"] is not None:
            options = [f"{letter(number)}. {option}" for number, option in enumerate(row["choices"])]
            texts.show("\n".join(options), f"{place}-{item}-options")
        for title, text in (("Surrogate", row["surrogate"]), ("Target", row["target"] or "no answer")):
            if text:
                st.caption(title)
                texts.show(str(text), f"{place}-{item}-{title}")
    with right:
        given = study.labels.opinions(item)
        people = given["annotator"].replace({"": "no name", DECISION: "decision"})
        rows = pd.DataFrame({"Person": people, "Label": given["label"], "Note": given["note"].fillna("")})
        st.dataframe(rows, hide_index=True, alt="Each person’s label of this item.")
