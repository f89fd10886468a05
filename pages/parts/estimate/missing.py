"""What is missing on page Estimate: strata without a label, labels that have not come back, and what to label next."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels
from core.report import partial as parts
from core.words import PER_CENT, counted
from pages.parts.estimate.chosen import Chosen, back_to_the_list, label_more
from pages.parts.markup import plain

_number = st.column_config.NumberColumn
_COLUMNS = {
    "stratum": _number("Stratum"),
    "items": _number("Items", format="localized"),
    "share_of_pool": _number("Share of pool", format=f"%.1f{PER_CENT}%"),
    "planned": _number("Planned", format="localized"),
    "labels": _number("Labels", format="localized"),
}
_ITEM = {
    "order": _number("Order"),
    "item_id": st.column_config.TextColumn("Item"),
    "stratum": _number("Stratum"),
    "prompt": st.column_config.TextColumn("Prompt", width="large"),
}


def strata(chosen: Chosen, found: parts.Partial) -> None:
    """Which strata wait, why there is no estimate, what to label first, and what is known of the others."""
    st.markdown(f"##### {plain(parts.headline(found))}")
    st.markdown(plain(parts.reason(found)))
    if found.estimate is not None:
        st.info(plain(parts.statement(found)), icon=":material/join_left:")
    st.markdown("**Label these first**")
    first = found.first.assign(order=range(1, len(found.first) + 1))
    rows = _with_prompts(chosen, first)[["order", "item_id", "stratum", *_prompt(chosen)]]
    st.dataframe(rows, hide_index=True, column_config=_ITEM, alt="The items to label first, in the design's order.")
    label_more(chosen, chosen.plan.design.budget, "Label them", "label-first", "primary")
    panel = st.expander(
        "Labels in each stratum", key="strata-labels", on_change="rerun", icon=":material/stacked_bar_chart:"
    )
    if not panel.open:
        return
    with panel:
        rows = found.strata.assign(share_of_pool=100 * found.strata["share_of_pool"])
        st.dataframe(rows, hide_index=True, column_config=_COLUMNS, alt="Labels of each stratum.")


def items(chosen: Chosen, found: labels.Settlement) -> None:
    """The items of the list that have no label yet, those that will get none, and what takes their place."""
    back_to_the_list(chosen)
    drawn, lost = set(map(str, chosen.plan.ids)), set(chosen.lost)
    # An undecided item has labels: it waits above for a decision.
    missing = [item for item in found.missing if item in drawn and item not in lost and item not in found.undecided]
    given_up = [item for item in chosen.lost if item in drawn]
    if missing:
        panel = st.expander(
            f"Labels still missing ({len(missing):,})", key="missing", on_change="rerun", icon=":material/pending:"
        )
        if panel.open:
            with panel:
                _missing(chosen, missing)
    if given_up:
        panel = st.expander(
            f"Given up ({len(given_up):,})", key="given-up", on_change="rerun", icon=":material/event_busy:"
        )
        if panel.open:
            with panel:
                _replaced(chosen, given_up)


def _missing(chosen: Chosen, missing: list[str]) -> None:
    st.caption(
        "In the design’s order. An item that nobody can label is given up on page Label; the next one of its stratum "
        "then takes its place."
    )
    table = _with_prompts(chosen, pd.DataFrame({"item_id": missing}))
    st.dataframe(table, hide_index=True, column_config=_ITEM, alt="Items of the list without a label.")


def _replaced(chosen: Chosen, given_up: list[str]) -> None:
    spare = chosen.spare
    words = f"{counted(len(given_up), 'item')} of the list will get no label; "
    took = f"{counted(len(spare), 'item takes its', 'items take their')} place, in the design’s order."
    st.caption(words + took if len(spare) else words + "their strata have no item left to take their place.")
    table = _with_prompts(chosen, spare[["item_id", "stratum"]])
    st.dataframe({"given up": given_up}, alt="Items of the list that will get no label.")
    st.dataframe(table, hide_index=True, column_config=_ITEM, alt="Replacements, in the design's order.")
    rows = table.assign(plan_id=chosen.plan.plan_id)[["item_id", "plan_id", *_prompt(chosen)]]
    st.download_button(
        "Replacements as CSV",
        lambda: labels.to_csv(rows),
        f"neyman-{chosen.plan.plan_id}-replacements.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _prompt(chosen: Chosen) -> list[str]:
    return ["prompt"] if "prompt" in chosen.pool.items else []


def _with_prompts(chosen: Chosen, table: pd.DataFrame) -> pd.DataFrame:
    if not _prompt(chosen):
        return table
    return table.assign(prompt=chosen.pool.items["prompt"].loc[table["item_id"].tolist()].array)
