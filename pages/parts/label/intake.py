"""Labels that come back: read, checked against the list, shown with everything odd, and kept."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core import labels
from core.errors import LabelError, NeymanError
from core.labels.formats.records import is_reserved
from core.labels.targets import ANSWERS_OF
from core.study import Study
from core.words import counted
from pages.parts.frame import show_error
from pages.parts.label import kept as label_kept
from pages.parts.label import mismatch as label_elsewhere
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


class _Whose(NamedTuple):
    """What labels of one kind say, and whose answers they judge."""

    kind: str
    target: str

    @property
    def told(self) -> str:
        """What a file does that holds such labels."""
        if self.kind == "gold":
            return "says what the right answer is"
        verb = "scores" if self.kind == "score" else "judges"
        return f"{verb} the answers of {self.target}" if self.target else f"{verb} answers"

    @property
    def kept(self) -> str:
        """As what they are kept."""
        noun = label_kept.KINDS[self.kind]
        return f"They are kept as {noun} of {self.target}." if self.target else f"They are kept as {noun}."

    @property
    def named(self) -> str:
        """The labels in few words."""
        noun = label_kept.KINDS[self.kind]
        return f"{noun} of {self.target}" if self.target else noun


def section(study: Study) -> None:
    """A file of labels, or the outcomes that the pool knows; what is kept, and the way back."""
    given = st.file_uploader(
        "Filled list (CSV, XLSX, JSON Lines) or an export of Label Studio, Argilla or Prodigy",
        ["csv", "xlsx", "jsonl", "json", "tsv", "txt"],
        key="labels-file",
    )
    if given is not None:
        try:
            _check(study, _read(given), given.name)
        except NeymanError as error:
            show_error(error)
            st.caption("Nothing that was kept has changed.")
    label_kept.section(study)


def _read(file: UploadedFile) -> labels.LabelFile:
    """What the file holds; read once, and not again with every click beside it."""
    known = st.session_state.get(_READ)
    if known is None or known[0] != file.file_id:
        with st.spinner("Reading the labels"):
            known = (file.file_id, labels.read(file.getvalue(), file.name))
        st.session_state[_READ] = known
    return known[1]


def _check(study: Study, returned: labels.LabelFile, name: str) -> None:
    """What the file says, of this target and of others, and the button that keeps it."""
    for note in returned.notes:
        st.caption(plain(note))
    rows, named = _named(returned.rows, name)
    label_elsewhere.other_question(study, rows[rows["kind"].isna()])
    parts = _parts(study, rows)
    own = _Whose(study.kind, study.judged)
    if own in parts:
        label_elsewhere.strange_answers(*parts[own])
    try:
        found = {whose: part.settle(rows) for whose, (part, rows) in parts.items()}
    except LabelError as error:
        show_error(error)
        st.caption("Nothing that was kept has changed.")
        label_elsewhere.other_plan(study, rows)
        return
    if own in found:
        _show(study, found[own])
    elif study.kind == "gold":
        st.markdown("No row of this file says what a right answer is.")
    else:
        verb = "scores" if study.kind == "score" else "judges"
        st.markdown(plain(f"No row of this file {verb} the answers of {study.judged}."))
    for whose, settled in found.items():
        if whose != own:
            share = f"{len(settled.labels):,} of {counted(len(study.ids), 'item')} of the list"
            st.info(plain(f"This file also {whose.told}: {share}. {whose.kept}"), icon=":material/alt_route:")
            _odd(settled)
    for whose, settled in found.items():
        _compare(parts[whose][0], settled, f" ({whose.named})" if len(found) > 1 else "")
    stored = pd.concat([one.rows for one in found.values()], ignore_index=True) if found else rows.head(0)
    if stored.empty:
        st.caption("No row of this file holds a label that can be read, so there is nothing to keep.")
    st.button(
        "Keep these labels",
        type="primary",
        icon=":material/save:",
        disabled=stored.empty or not named,
        on_click=label_kept.keep,
        args=(study, stored, returned.source),
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


def _parts(study: Study, rows: pd.DataFrame) -> dict[_Whose, tuple[Study, pd.DataFrame]]:
    """The rows of each kind, and of each target of the pool that they judge, with the study that they belong to.

    Rows that say no kind are of the kind that is asked, but what judges a target's answers is no right answer. Rows
    that name a target that the pool does not have stay with the target chosen, where they are told as odd.
    """
    if study.kind == "gold":
        rows = rows[rows["kind"].notna() | rows[ANSWERS_OF].isna()]
    rows = rows.assign(kind=rows["kind"].fillna(study.kind))
    found = {}
    for kind in (study.kind, *(kind for kind in labels.KINDS if kind != study.kind)):
        asked = study if kind == study.kind else replace(study, kind=kind)
        own = rows[rows["kind"] == kind]
        own = own.assign(target="") if kind == "gold" else labels.assign_targets(own, study.pool.targets, asked.judged)
        others = () if kind == "gold" else [name for name in study.pool.targets if name != asked.judged]
        for name in (asked.judged, *others):
            of = own["target"] == name if name != asked.judged else ~own["target"].isin(others)
            if of.any():
                found[_Whose(kind, name)] = (asked if name == asked.judged else replace(asked, target=name), own[of])
    return found


def _show(study: Study, found: labels.Settlement) -> None:
    verb = "has" if len(found.labels) == 1 else "have"
    st.markdown(
        f"##### {len(found.labels):,} of {counted(len(study.ids), 'item')} of the list {verb} a label in this file"
    )
    _odd(found)
    if len(found.conflicts):
        st.caption("Where annotators disagree the most frequent answer counts; ties wait for you on page Estimate.")
        _table(found.conflicts, "Items whose annotators disagree.")


def _odd(found: labels.Settlement) -> None:
    for sentence in found.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
    if found.odd["what"].isin(["unknown label", "several labels"]).any():
        st.caption("What cannot be read is not kept, and replaces no label that was kept before.")
    if len(found.odd):
        _table(found.odd, "Every row that is odd, and why.")


def _table(rows: pd.DataFrame, words: str) -> None:
    titles = {name: _TITLES[name] for name in rows.columns}
    st.dataframe(rows.fillna({"label": ""}), hide_index=True, column_config=titles, alt=words)


def _compare(study: Study, found: labels.Settlement, whose: str) -> None:
    """What the file would change, before it does; ``whose`` answers, where the file judges several targets'."""
    apart = labels.differences(found.rows, study.relevant, study.kind, study.pool.items, study.parser)
    told = []
    if apart.replaced:
        verb, they = ("differs", "it") if apart.replaced == 1 else ("differ", "they")
        told.append(
            f"{counted(apart.replaced, 'label')} kept before {verb} from what the same person says in this file: "
            f"{they} will be replaced"
        )
    if apart.beside:
        verb = "stands" if apart.beside == 1 else "stand"
        told.append(f"{counted(apart.beside, 'label')} {verb} beside another of the same person: both count")
    if apart.others:
        verb = "differs" if apart.others == 1 else "differ"
        rule = "their mean counts" if study.kind == "score" else "the most frequent counts, ties wait for a decision"
        told.append(f"{counted(apart.others, 'label')} {verb} from other labels kept before: {rule}")
    for sentence in told:
        st.warning(plain(f"{sentence}{whose}."), icon=":material/difference:")
