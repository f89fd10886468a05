"""The items behind a number on page Estimate: of a stratum, of a group, of a disagreement; the wrong ones first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from core.labels import DECISION
from core.study import Study
from core.words import counted, shortened
from pages.parts import frame, texts
from pages.parts.markup import plain

_PANEL, _WHICH = "items-panel", "items-of"
_ALL, _DISPUTED = "all", "disputed"
_ROWS, _LONGEST = 1000, 120


def section(study: Study) -> None:
    """A panel with the labelled items, all or those of one number, and one of them in full."""
    panel = frame.panel(f"Labelled items ({len(study.outcomes.table):,})", _PANEL, "list_alt")
    if panel is None:
        return
    with panel:
        table = study.judged_items()
        which = st.selectbox("Items of", _choices(table), key=_WHICH, format_func=_name)
        _list(study, table[_chosen(table, which)].reset_index(drop=True))


def of(kind: str, table: pd.DataFrame, column: str) -> dict[str, Any]:
    """What makes the rows of a table lead to their items: keywords for ``st.dataframe``.

    Parameters
    ----------
    kind : str
        What a row is: "stratum" or "group".
    table : DataFrame
        The table as it is shown.
    column : str
        The column with the number or name of each row.
    """
    key = f"{kind}-rows"
    names = [f"{kind} {name}" for name in table[column]]
    return {"key": key, "on_select": _opener(key, names), "selection_mode": "single-row"}


def _opener(key: str, names: list[str]) -> Callable[[], None]:
    def show() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            st.session_state.update({_PANEL: True, _WHICH: names[rows[0]]})

    return show


def _choices(table: pd.DataFrame) -> list[str]:
    strata = [f"stratum {stratum}" for stratum in sorted(table["stratum"].unique())]
    groups = [f"group {group}" for group in sorted(set(table["group"]) - {""})]
    disputed = [_DISPUTED] if table["disputed"].any() else []
    choices = [_ALL, *disputed, *strata, *groups]
    if st.session_state.get(_WHICH) not in choices:
        # Of a stratum or group whose items have no label.
        st.session_state.pop(_WHICH, None)
    return choices


def _name(which: str) -> str:
    return {_ALL: "The whole list", _DISPUTED: "Annotators disagree"}.get(which, which.capitalize())


def _chosen(table: pd.DataFrame, which: str) -> pd.Series[bool]:
    kind, _, name = which.partition(" ")
    if kind == "stratum":
        return table["stratum"] == int(name)
    if kind == "group":
        return table["group"] == name
    return table["disputed"] if which == _DISPUTED else table["value"].notna()


def _list(study: Study, table: pd.DataFrame) -> None:
    wrong = int((table["value"] == 0).sum())
    cut = f", the first {_ROWS:,} shown" if len(table) > _ROWS else ""
    st.caption(f"{counted(len(table), 'item')}, {wrong:,} wrong and first{cut}. Choose a row to read it.")
    rows = table.head(_ROWS)
    prompts = study.pool.items.get("prompt")
    shown = pd.DataFrame(
        {
            "Item": rows["item_id"],
            "Counts": [{0.0: "wrong", 1.0: "right"}.get(value, f"{value:g}") for value in rows["value"]],
            "Label": rows["label"],
            "Target": [shortened(answer, _LONGEST) for answer in rows["target"]],
            "Surrogate": rows["surrogate"],
        }
    )
    if prompts is not None:
        # Last, because it takes all the room that is left.
        shown["Prompt"] = [shortened(str(prompts.iloc[place] or ""), _LONGEST) for place in rows["position"]]
    event = st.dataframe(
        shown,
        hide_index=True,
        key="items-rows",
        on_select="rerun",
        selection_mode="single-row",
        alt="Labelled items, the wrong ones first, with the surrogate’s answers, the target’s answer and the label.",
    )
    chosen = event["selection"]["rows"]
    if len(rows):
        _one(study, rows.iloc[chosen[0] if chosen and chosen[0] < len(rows) else 0])


def _one(study: Study, row: pd.Series[Any]) -> None:
    """One item in full: prompt and options, what surrogate and target said, and who labelled it how."""
    item = str(row["item_id"])
    st.markdown(f"**Item {plain(item)}**")
    left, right = st.columns([3, 2], gap="large")
    content = study.pool.items.loc[item]
    with left:
        prompt = content.get("prompt")
        if isinstance(prompt, str):
            texts.show(prompt, f"judged-{item}")
        for title, text in (("Surrogate", row["surrogate"]), ("Target", row["target"] or "no answer")):
            if text:
                st.caption(title)
                texts.show(str(text), f"judged-{item}-{title}")
    with right:
        given = study.opinions(item)
        people = given["annotator"].replace({"": "no name", DECISION: "decision"})
        rows = pd.DataFrame({"Person": people, "Label": given["label"], "Note": given["note"].fillna("")})
        st.dataframe(rows, hide_index=True, alt="Who labelled this item how.")
