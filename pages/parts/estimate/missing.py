"""Missing labels on page Estimate: strata without one, labels that have not come back, and what to label next."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core import labels
from core.report import partial as parts
from core.study import Partial, Study
from core.words import counted
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.estimate.handover import back_to_the_list, label_more
from pages.parts.markup import plain

_number = st.column_config.NumberColumn
_COLUMNS = {
    "stratum": _number("Stratum", pinned=True),
    "items": _number("Items", format="localized"),
    "share_of_pool": downloads.share("Share of pool"),
    "planned": _number("Planned", format="localized"),
    "labels": _number("Labels", format="localized"),
}
_ITEM = {
    "order": _number("Order"),
    "item_id": st.column_config.TextColumn("Item", pinned=True),
    "stratum": _number("Stratum"),
    "prompt": st.column_config.TextColumn("Prompt", width="large"),
}


def strata(study: Study, partial: Partial) -> None:
    """Show the strata that wait, why there is no estimate, what to label first, and what is known of the others."""
    frame.headline(plain(parts.headline(partial)))
    st.markdown(plain(parts.reason(partial)))
    if partial.estimate is not None:
        st.info(plain(parts.statement(partial)), icon=":material/join_left:")
    st.markdown("**Label these first**")
    first = partial.first.assign(order=range(1, len(partial.first) + 1))
    rows = _with_prompts(study, first)[["order", "item_id", "stratum", *_prompt(study)]]
    st.dataframe(rows, hide_index=True, column_config=_ITEM, alt="The items to label first, in the design's order.")
    label_more(study, study.plan.design.budget, "Label them", "label-first", "primary")
    if panel := frame.panel("Labels in each stratum", "strata-labels", "stacked_bar_chart"):
        with panel:
            rows = downloads.in_per_cent(partial.strata, downloads.SHARES)
            st.dataframe(rows, hide_index=True, column_config=_COLUMNS, alt="Labels of each stratum.")


def items(study: Study) -> None:
    """The items of the list that have no label yet, those that will get none, and what takes their place."""
    back_to_the_list(study)
    later, drawn = study.labels.not_yet, set(study.labels.ids)
    missing = [item for item in study.labels.missing if item not in set(later)]
    given_up = [item for item in study.labels.lost if item in drawn]
    if missing and (panel := frame.panel(f"Labels still missing ({len(missing):,})", "missing", "pending")):
        with panel:
            _missing(study, missing)
    if later and (panel := frame.panel(f"Not labelled yet ({len(later):,})", "not-yet", "schedule")):
        with panel:
            _missing(study, later)
    if given_up and (panel := frame.panel(f"Cannot be labelled ({len(given_up):,})", "given-up", "event_busy")):
        with panel:
            _replaced(study, given_up)


def _missing(study: Study, missing: Sequence[str]) -> None:
    st.caption(
        "In the design’s order. If nobody can label an item, choose “Replace item” on page Label: the next one of "
        "its stratum takes its place."
    )
    table = _with_prompts(study, pd.DataFrame({"item_id": list(missing)}))
    st.dataframe(table, hide_index=True, column_config=_ITEM, alt="Items of the list without a label.")


def _replaced(study: Study, given_up: list[str]) -> None:
    spare = study.labels.spare
    words = f"{counted(len(given_up), 'item')} of the list will get no label; "
    took = f"{counted(len(spare), 'item takes its', 'items take their')} place, in the design’s order."
    st.caption(words + took if len(spare) else words + "their strata have no item left to take their place.")
    table = _with_prompts(study, spare[["item_id", "stratum"]])
    st.dataframe({"item_id": given_up}, alt="Items of the list that will get no label.")
    st.dataframe(table, hide_index=True, column_config=_ITEM, alt="Replacements, in the design's order.")
    rows = table.assign(plan_id=study.plan.plan_id)[["item_id", "plan_id", *_prompt(study)]]
    name = f"neyman-{study.plan.plan_id}-replacements.csv"
    downloads.csv("Replacements as CSV", lambda: labels.to_csv(rows), name)


def _prompt(study: Study) -> list[str]:
    return ["prompt"] if "prompt" in study.pool.item_columns else []


def _with_prompts(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    if not _prompt(study):
        return table
    ids = table["item_id"].tolist()
    return table.assign(prompt=study.pool.items_with(ids)["prompt"].loc[ids].array)
