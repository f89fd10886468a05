"""Labels that come back: read, checked against the list, shown with everything odd, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core import labels
from core.errors import LabelError, NeymanError
from core.judge import WORDS
from core.labels import KINDS, is_reserved
from core.study import Incoming, Reading, Study, check_rows, of_judged, other_answers
from core.words import counted
from pages.parts.app import quarantine, session, state
from pages.parts.app.frame import finding, show_error
from pages.parts.label import kept as label_kept
from pages.parts.label import mismatch as label_elsewhere
from pages.parts.label import tool as label_tool
from pages.parts.label import unsaved
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
    settled: tuple[object, Mapping[Reading, labels.Settlement]] | None = None


def section(study: Study) -> None:
    """A file of labels, or the outcomes that the pool knows; what is kept, and the way back."""
    given = st.file_uploader(
        "Filled list (CSV, XLSX, JSON Lines), an export of Label Studio, Argilla or Prodigy, or a graded Inspect log",
        # Of any type: the browser would refuse one with a red sign alone, where the reader says what it is.
        key="labels-file",
        on_change=session.held(unsaved.Held).forget,
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
        else:
            label_kept.pending()
    except NeymanError as error:
        show_error(error)
        st.caption("Nothing that was kept has changed.")
    label_kept.section(study)


def _read(file: UploadedFile) -> label_tool.Returned:
    """Return the file's labels; read once, and not again with every click beside it."""
    known = session.held(Intake).read
    if known is None or known[0] != file.file_id:
        with st.spinner("Reading the labels"):
            returned = quarantine.quarantine().labels(file.getvalue(), file.name, state.archive().folder)
            known = (file.file_id, returned)
        session.held(Intake).read = known
    return label_tool.Returned(file.name, file.file_id, known[1])


def _check(study: Study, returned: label_tool.Returned) -> None:
    """Show the file's labels on this target and on others, and the button that keeps them."""
    if KINDS[study.kind].judges:
        judged = of_judged(returned.labels, study.pool, study.target, study.plan.design.judging)
        returned = replace(returned, labels=judged)
    beside = other_answers(study.labels, [returned.labels])
    notes = (*returned.labels.notes, *filter(None, [beside]))
    for note in notes:
        st.warning(plain(note), icon=":material/rule:")
    usual = WORDS if study.plan.design.judging is not None and KINDS[study.kind].verdicts else {}
    rows, known = label_words.read(study, returned.labels.rows, str(returned.key), usual)
    rows, named = _named(rows, returned.name)
    shown = any(one.answer for one in returned.labels.shown)
    incoming = Incoming(study.labels, rows, shown=shown)
    mismatch = None if known else incoming.mismatch
    label_elsewhere.other_question(mismatch)
    if not (mismatch and mismatch.kind) and (meaning := incoming.blank_may_mean):
        label_words.ask_of_blanks(meaning, str(returned.key))
    for sentence in filter(None, [incoming.blank_beside_answers, incoming.retyped, incoming.strange]):
        st.warning(plain(sentence), icon=":material/rule:")
    try:
        incoming = _settled(incoming, returned.labels, (returned.key, session.widget(_whose(returned.name))))
    except LabelError as error:
        show_error(error)
        st.caption("Nothing that was kept has changed.")
        label_elsewhere.other_plan(study, rows)
        return
    understood = incoming.not_understood.empty
    if not understood:
        label_words.ask(incoming, str(returned.key), bool(mismatch and mismatch.kind))
    if incoming.present is None:
        st.markdown(plain(incoming.missing))
    else:
        _show(study, incoming.present, incoming.beside)
    for sentence, settlement in incoming.others.items():
        st.info(plain(sentence), icon=":material/alt_route:")
        _odd(settlement)
    for change in incoming.changes:
        st.warning(plain(change), icon=":material/difference:")
    stored = incoming.stored
    if nameless := study.target is None and bool(study.pool.targets) and KINDS[study.kind].judges:
        st.warning(
            "Whose results are these? Name the new model above, or choose it as the target.", icon=":material/badge:"
        )
    if not understood:
        st.caption("Nothing is kept until every label is understood.")
    elif stored.empty:
        st.caption("No row of this file has a label that can be read, so there is nothing to keep.")
    left = incoming.remainders(returned.name, notes) if incoming.settlements else ()
    file = unsaved.ReadFile(returned.name, str(returned.key), study, stored, returned.labels.source, left)
    held = session.held(unsaved.Held)
    if understood and named and not nameless and not stored.empty:
        held.hold(file)
    is_kept = held.kept == file.key
    st.button(
        "Keep these labels",
        type="secondary" if is_kept else "primary",
        icon=":material/save:",
        disabled=stored.empty or not named or nameless or not understood,
        on_click=label_kept.keep,
        args=(study, stored, file.source, left),
    )
    if understood and not stored.empty:
        st.caption("They are kept." if is_kept else label_kept.UNTIL_THEN)


def _settled(incoming: Incoming, file: labels.LabelFile, whose: tuple[object, ...]) -> Incoming:
    """The labels of a file, checked and settled once and not again with every click beside it."""
    key, held = (whose, incoming.depends_on), session.held(Intake)
    if held.settled is not None and held.settled[0] == key:
        return replace(incoming, settled=held.settled[1])
    for reading in incoming.parts:
        check_rows(incoming.labels.about(reading), [file])
    settlements = incoming.settlements
    if incoming.of_list:
        held.settled = key, settlements
    return incoming


def _named(rows: pd.DataFrame, file: str) -> tuple[pd.DataFrame, bool]:
    """The rows with a name for those that have none, as the person says; and whether that name can be."""
    nobody = (rows["annotator"] == "") & rows["label"].notna()
    if not nobody.any():
        return rows, True
    which = "these labels" if nobody[rows["label"].notna()].all() else "the labels without a name"
    name = st.text_input(
        f"Who gave {which}?",
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


def _show(study: Study, settlement: labels.Settlement, beside: int) -> None:
    count, items = len(settlement.labels), counted(len(study.labels.ids), "item")
    finding(f"{count:,} of {items} {'has' if count == 1 else 'have'} a label in this file")
    if account := settlement.account.with_foreign(beside).sentence:
        st.caption(plain(account))
    if none := len(settlement.without_verdict):
        goes = "it goes" if none == 1 else "they go"
        st.caption(f"{counted(none, 'item')} without a verdict: limits hold whichever way {goes}.")
    _odd(settlement)
    if len(settlement.conflicts):
        st.caption("If annotators disagree, the most frequent answer counts; ties wait for you on page Estimate.")
        _table(settlement.conflicts, "Items whose annotators disagree.")


def _odd(settlement: labels.Settlement) -> None:
    # What is not understood is named and asked above.
    asked = settlement.odd["what"].isin([labels.oddities.NOT_A_LABEL, labels.oddities.OUT_OF_RANGE])
    for sentence in labels.oddities.sentences(settlement.odd[~asked]):
        st.warning(plain(sentence), icon=":material/rule:")
    if settlement.odd["what"].isin(["several labels"]).any():
        st.caption("What cannot be read is not kept, and replaces no label that was kept before.")
    if len(settlement.odd):
        _table(settlement.odd, "Every row with a problem, and why.")


def _table(rows: pd.DataFrame, words: str) -> None:
    titles = {name: _TITLES[name] for name in rows.columns}
    st.dataframe(rows.fillna({"label": ""}), hide_index=True, column_config=titles, alt=words)
