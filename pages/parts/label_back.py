"""Labels that come back: read, checked against the list, shown with everything odd, and kept."""

from __future__ import annotations

import streamlit as st

from core import labels
from core.errors import NeymanError
from pages.parts import state
from pages.parts.frame import show_error
from pages.parts.labelling import DECISION, Work
from pages.parts.markup import plain


def section(work: Work) -> None:
    """A file of labels, or the outcomes that the pool knows."""
    given = st.file_uploader(
        "Filled list (CSV, XLSX, JSON Lines) or an export of Label Studio, Argilla or Prodigy",
        ["csv", "xlsx", "jsonl", "json", "tsv", "txt"],
        key="labels-file",
    )
    if given is not None:
        try:
            returned = labels.read(given.getvalue(), given.name)
            _check(work, returned)
        except NeymanError as error:
            show_error(error)
            st.caption("Nothing that was kept has changed.")
    if work.target is not None and work.asked == "right-wrong":
        st.caption("The pool itself may know the target’s outcome on these items.")
        if st.button("Take the outcomes that the pool knows", icon=":material/input:"):
            try:
                _keep(work, labels.of_target(work.pool, work.target, work.ids, work.kind).rows, "pool")
            except NeymanError as error:
                show_error(error)
    told = st.session_state.pop("kept-labels", None)
    if told:
        st.success(told, icon=":material/check_circle:")
    kept = work.kept()
    labelled = kept.loc[kept["label"].notna(), "item_id"].nunique()
    st.caption(f"Kept so far: labels of {labelled:,} items by {len(set(kept['annotator']) - {DECISION}):,} people.")


def _check(work: Work, returned: labels.Returned) -> None:
    for note in returned.notes:
        st.caption(plain(note))
    named = set(returned.rows["item_id"])
    have = set(work.kept().dropna(subset="label")["item_id"])
    spare = work.spare([item for item in work.ids if item not in have | named])
    ids = [*work.ids, *(item for item in spare if item in named)]
    found = labels.settle(
        returned.rows, ids, work.plan.plan_id, work.asked, labels.choices_of(work.pool.items, ids), also=work.plans()
    )
    share = f"{len(found.labels):,} of {len(work.ids):,} items of the list have a label in this file"
    st.markdown(f"##### {share}")
    for sentence in found.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
    if len(found.odd):
        st.dataframe(found.odd, hide_index=True, alt="Every row that is odd, and why.")
    if len(found.conflicts):
        st.caption("Where annotators disagree the majority counts; ties wait for a decision on page Estimate.")
        st.dataframe(found.conflicts, hide_index=True, alt="Items whose annotators disagree.")
    st.button(
        "Keep these labels",
        type="primary",
        icon=":material/save:",
        on_click=_keep,
        args=(work, found.rows, returned.source),
    )


def _keep(work: Work, rows, source: str) -> None:
    work.keep_plan()
    changed = work.archive.save_labels(work.plan.plan_id, rows, state.now(), source, work.asked)
    same = "Nothing new: all of these labels were kept before."
    st.session_state["kept-labels"] = f"{changed:,} new or changed labels kept." if changed else same
