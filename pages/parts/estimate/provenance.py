"""The labels as they were given: who said what of which item, with notes; how people agree; all of it as a file."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels
from core.report import provenance
from core.study import Provenance, Study
from core.words import counted
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.markup import plain

_text = st.column_config.TextColumn
_COLUMNS = {
    "item_id": _text("Item", pinned=True),
    "annotator": _text("Person"),
    "label": _text("Label"),
    "kind": _text("Kind"),
    "target": _text(
        "Judges", help="The target whose answer is judged. Empty for right answers, which count for every target."
    ),
    "note": _text("Note", width="large"),
    "status": _text("Status", help="Why there is no label."),
    "source": _text("Source", help="“here”: given on page Label or here; “pool”: an outcome that the pool knew."),
    "created": st.column_config.DatetimeColumn("Time (UTC)", format="YYYY-MM-DD HH:mm"),
}


def section(study: Study, sources: Provenance) -> None:
    """Show how people agree, then a closed panel with every label of the plan, also of other kinds and targets."""
    log = study.labels.log
    by_people = labels.by_people(log)
    given = by_people[by_people["label"].notna()]
    people = len({*given["annotator"]})
    if sources.several:
        st.caption(plain(provenance.agreement(sources)))
    by = f"{len(given):,} by {counted(people, 'person', 'people')}" if people else "the pool’s own outcomes"
    title = f"Labels as given ({by})"
    panel = frame.panel(title, "as-given", "reviews")
    if panel is None:
        return
    with panel:
        if len(sources.people) > 1:
            st.markdown(plain(provenance.given(sources)))
        shown = log.assign(created=pd.to_datetime(log["created"], utc=True, format="ISO8601"))
        used = [name for name in _COLUMNS if name not in ("status", "target", "note") or _some(log[name])]
        st.dataframe(
            shown[used].fillna({"note": ""}),
            hide_index=True,
            column_config=_COLUMNS,
            alt="Every label of this plan, as it was given.",
        )
        if by_people.empty:
            return
        name = f"neyman-{study.plan.plan_id}-labels.csv"
        downloads.csv("Labels as CSV", lambda: labels.labels_csv(by_people), name)
        st.caption(
            "The file holds what people said, skips too; page Label takes it back. Decisions, and outcomes that the "
            "pool knew, are not in it."
        )


def _some(column: pd.Series) -> bool:
    return bool((column.notna() & (column != "")).any())
