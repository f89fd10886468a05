"""Labels that come back: read, checked against the list, shown with everything odd, and kept."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core import labels
from core.errors import LabelError, NeymanError
from core.labels.records import is_reserved
from pages.parts import label_elsewhere, label_kept
from pages.parts.frame import show_error
from pages.parts.labelling import Work, counted
from pages.parts.markup import plain

_READ = "labels-read"
_TITLES = {
    "what": "What is odd",
    "row": "Row",
    "item_id": "Item",
    "annotator": "Annotator",
    "label": "Label",
    "status": "Why there is none",
    "votes": "Votes",
}


def section(work: Work) -> None:
    """A file of labels, or the outcomes that the pool knows; what is kept, and the way back."""
    given = st.file_uploader(
        "Filled list (CSV, XLSX, JSON Lines) or an export of Label Studio, Argilla or Prodigy",
        ["csv", "xlsx", "jsonl", "json", "tsv", "txt"],
        key="labels-file",
    )
    if given is not None:
        try:
            _check(work, _read(given), given.name)
        except NeymanError as error:
            show_error(error)
            st.caption("Nothing that was kept has changed.")
    label_kept.section(work)


def _read(file: UploadedFile) -> labels.Returned:
    """What the file holds; read once, and not again with every click beside it."""
    known = st.session_state.get(_READ)
    if known is None or known[0] != file.file_id:
        with st.spinner("Reading the labels"):
            known = (file.file_id, labels.read(file.getvalue(), file.name))
        st.session_state[_READ] = known
    return known[1]


def _check(work: Work, returned: labels.Returned, name: str) -> None:
    """What the file says, of this target and of others, and the button that keeps it."""
    for note in returned.notes:
        st.caption(plain(note))
    rows, named = _named(returned.rows, name)
    label_elsewhere.other_question(work, rows)
    label_elsewhere.strange_answers(work, rows)
    parts = _parts(work, rows)
    try:
        found = {target: _settled(part, rows) for target, (part, rows) in parts.items()}
    except LabelError as error:
        show_error(error)
        st.caption("Nothing that was kept has changed.")
        label_elsewhere.other_plan(work, rows)
        return
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
    for target, settled in found.items():
        _compare(parts[target][0], settled, f" (answers of {target})" if len(found) > 1 else "")
    stored = pd.concat([one.rows for one in found.values()], ignore_index=True)
    if stored.empty:
        st.caption("No row of this file holds a label that can be read, so there is nothing to keep.")
    st.button(
        "Keep these labels",
        type="primary",
        icon=":material/save:",
        disabled=stored.empty or not named,
        on_click=label_kept.keep,
        args=(work, stored, returned.source),
    )


def _named(rows: pd.DataFrame, file: str) -> tuple[pd.DataFrame, bool]:
    """The rows with a name for those that have none, as the person says; and whether that name can be."""
    nobody = (rows["annotator"] == "") & rows["label"].notna()
    if not nobody.any():
        return rows, True
    some = "" if nobody.sum() == rows["label"].notna().sum() else " without a name"
    name = st.text_input(
        f"Whose labels{some} are these?",
        label_elsewhere.person_of(file),
        max_chars=80,
        key=f"whose-{file}",
        help="The file names nobody. Labels of one person replace each other, those of several people are counted.",
    ).strip()
    if is_reserved(name):
        st.error(plain(f"Nobody can be called {name}: give another name."), icon=":material/error:")
        return rows, False
    return rows.assign(annotator=rows["annotator"].where(rows["annotator"] != "", name)), True


def _parts(work: Work, rows: pd.DataFrame) -> dict[str, tuple[Work, pd.DataFrame]]:
    """The rows of each target of the pool that they judge, with the work that they belong to.

    Rows that name a target that the pool does not have stay with the target chosen, where they are told as odd.
    """
    if work.asked == "gold":
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
    return labels.settle(
        rows,
        ids,
        work.plan.plan_id,
        work.asked,
        options,
        also=work.plans(),
        target=work.judged or None,
        items=work.pool.items,
        parser=work.kind,
    )


def _show(work: Work, found: labels.Settled) -> None:
    verb = "has" if len(found.labels) == 1 else "have"
    st.markdown(
        f"##### {len(found.labels):,} of {counted(len(work.ids), 'item')} of the list {verb} a label in this file"
    )
    _odd(found)
    if len(found.conflicts):
        st.caption("Where annotators disagree the most frequent answer counts; ties wait for you on page Estimate.")
        _table(found.conflicts, "Items whose annotators disagree.")


def _odd(found: labels.Settled) -> None:
    for sentence in found.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
    if found.odd["what"].isin(["unknown label", "several labels"]).any():
        st.caption("What cannot be read is not kept, and replaces no label that was kept before.")
    if len(found.odd):
        _table(found.odd, "Every row that is odd, and why.")


def _table(rows: pd.DataFrame, words: str) -> None:
    titles = {name: _TITLES[name] for name in rows.columns}
    st.dataframe(rows.fillna({"label": ""}), hide_index=True, column_config=titles, alt=words)


def _compare(work: Work, found: labels.Settled, whose: str) -> None:
    """What the file would change, before it does; ``whose`` answers, where the file judges several targets'."""
    apart = labels.differing(found.rows, work.kept(), work.asked, work.pool.items, work.kind)
    told = []
    if apart.replaced:
        verb, they = ("differs", "it") if apart.replaced == 1 else ("differ", "they")
        told.append(
            f"{counted(apart.replaced, 'label')} {verb} from labels of the same person kept before: {they} will be "
            "replaced"
        )
    if apart.others:
        verb = "differs" if apart.others == 1 else "differ"
        rule = "their mean counts" if work.asked == "score" else "the most frequent counts, ties wait for a decision"
        told.append(f"{counted(apart.others, 'label')} {verb} from other labels kept before: {rule}")
    for sentence in told:
        st.warning(plain(f"{sentence}{whose}."), icon=":material/difference:")
