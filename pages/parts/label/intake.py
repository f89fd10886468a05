"""Labels that come back: read, checked against the list, shown with everything odd, and kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core import labels
from core.errors import LabelError, NeymanError
from core.labels import KINDS, is_reserved
from core.study import Reading, Study, split
from core.words import counted
from pages.parts.app import quarantine, session, state
from pages.parts.app.frame import show_error
from pages.parts.label import kept as label_kept
from pages.parts.label import mismatch as label_elsewhere
from pages.parts.label import tool as label_tool
from pages.parts.label import words as label_words
from pages.parts.markup import plain

_TITLES: dict[str, Any] = {
    "what": "What is odd",
    "row": "Row",
    "item_id": st.column_config.TextColumn("Item", pinned=True),
    "annotator": "Annotator",
    "label": "Label",
    "status": "Why there is none",
    "votes": "Votes",
}


@dataclass(slots=True)
class Intake:
    """The file that was read last, and what it settled."""

    read: tuple[str, labels.LabelFile] | None = None
    settled: tuple[object, dict[Reading, labels.Settlement]] | None = None


def section(study: Study) -> None:
    """A file of labels, or the outcomes that the pool knows; what is kept, and the way back."""
    given = st.file_uploader(
        "Filled list (CSV, XLSX, JSON Lines), an export of Label Studio, Argilla or Prodigy, or a graded Inspect log",
        ["csv", "xlsx", "jsonl", "json", "tsv", "txt", "eval"],
        key="labels-file",
    )
    fetched = label_tool.fetch(study)
    if given is None:
        quarantine.prepare()
    elif fetched is not None:
        st.caption("Your file is shown. Remove it to see the labels that were fetched.")
    try:
        returned = fetched if given is None else _read(given)
        if returned is not None:
            _check(study, returned)
    except NeymanError as error:
        show_error(error)
        st.caption("Nothing that was kept has changed.")
    label_kept.section(study)


def _read(file: UploadedFile) -> label_tool.Returned:
    """What the file holds; read once, and not again with every click beside it."""
    known = session.held(Intake).read
    if known is None or known[0] != file.file_id:
        with st.spinner("Reading the labels"):
            returned = quarantine.quarantine().labels(file.getvalue(), file.name, state.archive().folder)
            known = (file.file_id, returned)
        session.held(Intake).read = known
    return label_tool.Returned(file.name, file.file_id, known[1])


def _check(study: Study, returned: label_tool.Returned) -> None:
    """What the file says, of this target and of others, and the button that keeps it."""
    for note in returned.labels.notes:
        st.warning(plain(note), icon=":material/rule:")
    rows, asked = returned.labels.rows, False
    if KINDS[study.kind].verdicts:
        rows, asked = label_words.read(rows)
    rows, named = _named(rows, returned.name)
    if not asked:
        label_elsewhere.other_question(study, rows[rows["kind"].isna()])
    parts = split(rows, study.pool.targets, study.kind, study.target)
    # Rows that judge answers are no right answers.
    beside = len(rows) - sum(map(len, parts.values()))
    studies = {reading: Study(study.labels.about(reading)) for reading in parts}
    present = Reading(study.kind, study.labels.judged)
    if present in parts:
        label_elsewhere.strange_answers(study, parts[present])
    try:
        settlements = _settled(study, parts, returned)
    except LabelError as error:
        show_error(error)
        st.caption("Nothing that was kept has changed.")
        label_elsewhere.other_plan(study, rows)
        return
    if present in settlements:
        _show(study, settlements[present], beside)
    elif not KINDS[study.kind].judges:
        st.markdown("No row of this file says what a right answer is.")
    else:
        verb = "scores" if KINDS[study.kind].averaged else "judges"
        st.markdown(plain(f"No row of this file {verb} the answers of {study.labels.judged}."))
    for reading, settlement in settlements.items():
        if reading != present:
            share = f"{len(settlement.labels):,} of {counted(len(study.labels.ids), 'item')} of the list"
            text = f"This file also {_says(reading)}: {share}. They are kept as {_name(reading)}."
            st.info(plain(text), icon=":material/alt_route:")
            _odd(settlement)
    for reading, settlement in settlements.items():
        _compare(studies[reading], settlement, f" ({_name(reading)})" if len(parts) > 1 else "")
    stored = pd.concat([one.rows for one in settlements.values()], ignore_index=True) if parts else rows.head(0)
    if stored.empty:
        st.caption("No row of this file holds a label that can be read, so there is nothing to keep.")
    st.button(
        "Keep these labels",
        type="primary",
        icon=":material/save:",
        disabled=stored.empty or not named,
        on_click=label_kept.keep,
        args=(study, stored, returned.labels.source, _remainders(settlements, present, beside, returned)),
    )


def _settled(
    study: Study, parts: dict[Reading, pd.DataFrame], returned: label_tool.Returned
) -> dict[Reading, labels.Settlement]:
    """One label an item for each way to read the file; settled once, and not again with every click beside it."""
    question = study.kind, study.target, study.labels.parser, study.labels.interval
    read = tuple(one for part in parts.values() for one in labels.words_of(part))
    key = (returned.key, session.widget(_whose(returned.name)), study.pool.digest, study.labels.family, question, read)
    known = session.held(Intake).settled
    if known is not None and known[0] == key:
        return known[1]
    settlements = {reading: study.labels.about(reading).settle(part) for reading, part in parts.items()}
    listed = set(study.labels.ids)
    # Items beside the list may replace some of it, which depends on the labels kept by then.
    if all(listed.issuperset(part["item_id"]) for part in parts.values()):
        session.held(Intake).settled = key, settlements
    return settlements


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
        key=_whose(file),
        help="The file names no annotator. Labels by one person replace each other; those by several people all count.",
    ).strip()
    if is_reserved(name):
        st.error(plain(f"The name “{name}” is reserved. Choose another one."), icon=":material/error:")
        return rows, False
    return rows.assign(annotator=rows["annotator"].where(rows["annotator"] != "", name)), True


def _whose(file: str) -> str:
    """Key of the field for the annotator of a file that names nobody."""
    return f"whose-{file}"


def _remainders(
    settlements: dict[Reading, labels.Settlement], present: Reading, beside: int, returned: label_tool.Returned
) -> tuple[labels.Remainder, ...]:
    """What the file holds beside what is kept of it, for each way to read it."""
    left = {reading: one.left for reading, one in settlements.items()}
    if present in left:
        left[present] = left[present].with_foreign(beside)
    return tuple(
        labels.Remainder(returned.name, reading.kind, reading.target, rows, returned.labels.notes)
        for reading, rows in left.items()
    )


def _show(study: Study, settlement: labels.Settlement, beside: int) -> None:
    count, items = len(settlement.labels), counted(len(study.labels.ids), "item")
    st.markdown(f"## {count:,} of {items} of the list {'has' if count == 1 else 'have'} a label in this file")
    if account := settlement.account.with_foreign(beside).sentence:
        st.caption(plain(account))
    _odd(settlement)
    if len(settlement.conflicts):
        st.caption("Where annotators disagree the most frequent answer counts; ties wait for you on page Estimate.")
        _table(settlement.conflicts, "Items whose annotators disagree.")


def _odd(settlement: labels.Settlement) -> None:
    for sentence in settlement.sentences:
        st.warning(plain(sentence), icon=":material/rule:")
    if settlement.odd["what"].isin(["unknown label", "several labels"]).any():
        st.caption("What cannot be read is not kept, and replaces no label that was kept before.")
    if len(settlement.odd):
        _table(settlement.odd, "Every row that is odd, and why.")


def _table(rows: pd.DataFrame, words: str) -> None:
    titles = {name: _TITLES[name] for name in rows.columns}
    st.dataframe(rows.fillna({"label": ""}), hide_index=True, column_config=titles, alt=words)


def _compare(study: Study, settlement: labels.Settlement, whose: str) -> None:
    """What the file would change, before it does; ``whose`` answers, where the file judges several targets'."""
    items = study.pool.items_with({*settlement.rows["item_id"], *study.labels.relevant["item_id"]})
    apart = labels.differences(settlement.rows, study.labels.relevant, study.kind, items, study.labels.parser)
    warnings = []
    if apart.replaced:
        verb, they = ("differs", "it") if apart.replaced == 1 else ("differ", "they")
        warnings.append(
            f"{counted(apart.replaced, 'label')} kept before {verb} from what the same person says in this file: "
            f"{they} will be replaced"
        )
    if apart.beside:
        verb = "stands" if apart.beside == 1 else "stand"
        warnings.append(f"{counted(apart.beside, 'label')} {verb} beside another of the same person: both count")
    if apart.others:
        verb = "differs" if apart.others == 1 else "differ"
        rule = (
            "their mean counts" if KINDS[study.kind].averaged else "the most frequent counts, ties wait for a decision"
        )
        warnings.append(f"{counted(apart.others, 'label')} {verb} from other labels kept before: {rule}")
    for sentence in warnings:
        st.warning(plain(f"{sentence}{whose}."), icon=":material/difference:")


def _says(reading: Reading) -> str:
    """What a file does that holds such labels."""
    if not KINDS[reading.kind].judges:
        return "says what the right answer is"
    verb = "scores" if KINDS[reading.kind].averaged else "judges"
    return f"{verb} the answers of {reading.target}" if reading.target else f"{verb} answers"


def _name(reading: Reading) -> str:
    """What such labels are called."""
    noun = KINDS[reading.kind].noun
    return f"{noun} of {reading.target}" if reading.target else noun
