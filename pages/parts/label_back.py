"""Labels that come back: read, checked against the list, shown with everything odd, and kept."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core import labels
from core.errors import NeymanError
from core.labels.targets import ANSWERS_OF
from pages.parts.frame import show_error
from pages.parts.labelling import DECISION, Work, counted
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
                _keep(work, labels.of_target(work.pool, work.target, work.wanted(), work.kind).rows, "pool")
            except NeymanError as error:
                show_error(error)
    told = st.session_state.pop("kept-labels", None)
    if told:
        st.success(told, icon=":material/check_circle:")
    people = len(set(work.kept()["annotator"]) - {DECISION})
    by = f" by {counted(people, 'person', 'people')}" if people else ""
    whose = f" of the answers of {work.judged}" if work.judged else ""
    st.caption(plain(f"Kept so far: labels{whose} on {counted(len(work.labelled()), 'item')}{by}."))


def _check(work: Work, returned: labels.Returned) -> None:
    """What the file says, of this target and of others, and the button that keeps it."""
    for note in returned.notes:
        st.caption(plain(note))
    parts = _parts(work, returned.rows)
    found = {target: _settled(part, rows) for target, (part, rows) in parts.items()}
    if work.judged in found:
        _show(work, found[work.judged])
    else:
        st.markdown(plain(f"No row of this file judges the answers of {work.judged}."))
    for target in found.keys() - {work.judged}:
        share = f"{len(found[target].labels):,} of {counted(len(work.ids), 'item')} of the list"
        st.info(
            plain(f"This file also judges the answers of {target}: {share}. They are kept as labels of {target}."),
            icon=":material/alt_route:",
        )
        _odd(found[target])
    st.button(
        "Keep these labels",
        type="primary",
        icon=":material/save:",
        on_click=_keep,
        args=(work, pd.concat([one.rows for one in found.values()], ignore_index=True), returned.source),
    )


def _parts(work: Work, rows: pd.DataFrame) -> dict[str, tuple[Work, pd.DataFrame]]:
    """The rows of each target of the pool that they judge, with the work that they belong to.

    Rows that name a target that the pool does not have stay with the target chosen, where they are told as odd.
    """
    if work.asked == "gold":
        if rows[ANSWERS_OF].notna().any():
            st.warning(
                "This list asked whether a target’s answers are right. If its labels say so, set “A label is” above to "
                "“Right or wrong” or to a score.",
                icon=":material/rule:",
            )
        return {"": (work, rows)}
    rows = labels.assign_targets(rows, work.pool.targets, work.judged)
    others = [name for name in work.pool.targets if name != work.judged and (rows["target"] == name).any()]
    found = {name: (replace(work, target=name), rows[rows["target"] == name]) for name in others}
    own = rows[~rows["target"].isin(others)]
    return {work.judged: (work, own), **found} if len(own) else found


def _settled(work: Work, rows: pd.DataFrame) -> labels.Settled:
    """One label an item; a replacement counts where the item that it replaces has no label."""
    have = work.labelled() | set(rows.loc[rows["label"].notna(), "item_id"])
    spare = work.spare({item for item in work.ids if item not in have})["item_id"]
    named = set(rows["item_id"])
    ids = [*work.ids, *(str(item) for item in spare if item in named)]
    options = labels.choices_of(work.pool.items, ids)
    target = work.judged or None
    return labels.settle(rows, ids, work.plan.plan_id, work.asked, options, also=work.plans(), target=target)


def _show(work: Work, found: labels.Settled) -> None:
    verb = "has" if len(found.labels) == 1 else "have"
    st.markdown(
        f"##### {len(found.labels):,} of {counted(len(work.ids), 'item')} of the list {verb} a label in this file"
    )
    _odd(found)
    if len(found.conflicts):
        st.caption("Where annotators disagree the majority counts; ties wait for a decision on page Estimate.")
        st.dataframe(found.conflicts, hide_index=True, alt="Items whose annotators disagree.")


def _odd(found: labels.Settled) -> None:
    for sentence in found.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
    if len(found.odd):
        st.dataframe(found.odd, hide_index=True, alt="Every row that is odd, and why.")


def _keep(work: Work, rows: pd.DataFrame, source: str) -> None:
    changed = work.save(rows, source)
    same = "Nothing new: all of these labels were kept before."
    st.session_state["kept-labels"] = f"{counted(changed, 'new or changed label')} kept." if changed else same
