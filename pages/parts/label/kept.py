"""The labels that are kept: what there is, taking the pool's own outcomes, and undoing the last import."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pandas as pd
import streamlit as st

from core import labels
from core.archive import Import
from core.errors import LabelError
from core.labels import KINDS, NOBODY, POOL, Remainder
from core.study import Study
from core.words import counted
from pages.parts.app import session, state
from pages.parts.app.frame import in_callback
from pages.parts.label import onward, unsaved
from pages.parts.label import plan as label_plan
from pages.parts.markup import plain

_SOURCES = {name: title for name, (title, _, _) in labels.FORMATS.items()} | {
    "pool": "The outcomes of the pool",
    "label-studio-min": "Label Studio, short JSON",
    "label-studio-csv": "Label Studio, CSV",
    "langfuse": "Langfuse",
}
# Of a file that was read.
UNTIL_THEN = "Until you keep them, a reload of the page forgets them."


def section(study: Study) -> None:
    """Show the pool's own outcomes, the labels that are kept, and the way back from the last import."""
    unsaved.section()
    if study.target is not None and study.kind == "right-wrong" and study.plan.design.judging is None:
        _outcomes(study)
    held = session.held(unsaved.Held)
    message, held.message = held.message, ""
    if message:
        st.success(plain(message), icon=":material/check_circle:")
        onward.section(study)
    st.caption(plain(_so_far(study)))
    _undo(study)


def told() -> bool:
    """Whether `section` will say what became of labels, with the way on."""
    return bool(session.held(unsaved.Held).message)


@in_callback
def keep(study: Study, rows: pd.DataFrame, source: str, remainders: Sequence[Remainder] = ()) -> None:
    """Keep labels, and tell how many are new; for a callback. ``rows`` may say their kind and target."""
    if unsaved.save(study, rows, source, remainders) and rows["label"].notna().any():
        label_plan.fix_next(study)


def waits() -> bool:
    """Whether a file was read and is not kept."""
    return session.held(unsaved.Held).read is not None


def pending() -> bool:
    """Draw the file that was read and is not kept, wherever the visitor went since; return whether there is one."""
    held = session.held(unsaved.Held)
    file = held.read
    if file is None:
        return False
    count = counted(file.rows["label"].count(), "label")
    with st.container(border=True, key="read-file"):
        said = f"“{file.name}” was read, but its {count} are not kept yet. {UNTIL_THEN}"
        st.warning(plain(said), icon=":material/save:")
        with st.container(horizontal=True):
            args = (file.study, file.rows, file.source, file.remainders)
            st.button(f"Keep {count}", "read-file-keep", type="primary", on_click=keep, args=args)
            st.button("Discard", "read-file-discard", icon=":material/delete:", on_click=held.forget)
    return True


def _outcomes(study: Study) -> None:
    """The pool's own outcomes, if it knows some."""
    assert study.target is not None
    due = study.labels.due
    try:
        rows = labels.of_target(study.pool, study.target, due, study.labels.parser).rows
    except LabelError as error:
        # Whoever has labels need not hear where others might come from.
        if not study.labels.begun:
            st.caption(plain(f"The pool itself cannot say whether answers are right. {error}"))
        return
    known = rows["label"].count()
    st.caption(
        f"The pool itself knows the target’s outcome on {known:,} of {counted(len(due), 'item')}. It counts for "
        "items that nobody has labelled."
    )
    st.button(
        "Take the outcomes that the pool knows", icon=":material/input:", on_click=keep, args=(study, rows, "pool")
    )


def _so_far(study: Study) -> str:
    people, lost = study.labels.n_people, study.labels.n_illegible
    by = f" by {counted(people, 'person', 'people')}" if people else ""
    whose = f" of the answers of {study.labels.judged}" if study.labels.judged else ""
    known = f"Kept so far: labels{whose} on {counted(len(study.labels.labelled), 'item')}{by}."
    text = known if len(study.labels.labelled) else f"No label{whose} is kept yet."
    if study.labels.labelled and (account := study.labels.account).used != len(study.labels.labelled):
        text += f" {account.sentence}"
    return f"{text} {counted(lost, 'further label')} cannot be read." if lost else text


def _undo(study: Study) -> None:
    """A button that says what it will take back."""
    last = state.archive().labels.last_import(*study.labels.family)
    if last is None:
        return
    people = [person or NOBODY for person in last.people if person != POOL]
    named = ", ".join(people[:3]) + (", …" if len(people) > 3 else "")
    moment = datetime.fromisoformat(last.created)
    kinds = " and ".join(KINDS[kind].noun for kind in last.kinds if kind in KINDS)
    what = f"{_SOURCES.get(last.source, last.source)}, {moment.day} {moment:%b %H:%M} UTC"
    what = f"{kinds}; {what}" if kinds else what
    whose = f" of {named}" if named else ""
    st.caption(
        plain(
            f"The last import ({what}) changed {counted(last.changes, 'label')}{whose}. Undoing it brings back what it "
            "replaced; labels given by hand stay."
        )
    )
    st.button(
        "Undo the last import", key="undo-import", icon=":material/undo:", on_click=_take_back, args=(study, last)
    )


@in_callback
def _take_back(study: Study, last: Import) -> None:
    gone = state.archive().labels.undo_import(last)
    # The file that is still shown may be kept again.
    session.held(unsaved.Held).kept = ""
    session.held(unsaved.Held).message = f"{counted(gone, 'label')} of the last import taken back."
