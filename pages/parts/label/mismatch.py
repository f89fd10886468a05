"""Files that belong to another question, plan or pool than the one on the page, named with the way there."""

from __future__ import annotations

import re
from pathlib import PurePath

import pandas as pd
import streamlit as st

from core.archive import Archive
from core.design import Design, manifest
from core.labels import KINDS
from core.study import Mismatch, Study
from core.words import counted
from pages.parts.app import session, state
from pages.parts.app.frame import step
from pages.parts.markup import plain
from pages.parts.widgets import controls

_OURS = re.compile(
    r"^neyman-p[0-9a-f]+(-replacements|-without-label|-labels)?|\(\d+\)|(label-studio|argilla|prodigy)$", re.I
)


def person_of(file: str) -> str:
    """Whose list a file is, as its name says: “neyman-p0123456789ab anna.csv” is Anna's, and of nobody without."""
    return " ".join(re.sub(r"[-_.\s]+", " ", _OURS.sub("", PurePath(file).stem)).split())[:80]


def other_question(mismatch: Mismatch | None) -> None:
    """Say why labels answer another question than the one that was asked, and offer it."""
    if mismatch is None:
        return
    st.warning(mismatch.sentence, icon=":material/rule:")
    if mismatch.kind:
        key, title = f"read-as-{mismatch.kind}", f"Read them as {KINDS[mismatch.kind].noun}"
        st.button(title, key=key, icon=":material/swap_horiz:", on_click=_ask, args=(mismatch.kind,))


def other_plan(study: Study, rows: pd.DataFrame) -> None:
    """Where the plan that a file names is kept: the way to it."""
    names = [name for name in dict.fromkeys(rows["plan_id"].dropna()) if name not in study.labels.family]
    designs = state.archive().plans.table().set_index("plan_id")
    for name in names:
        if name not in designs.index:
            continue
        digest = str(designs.at[name, "digest"])
        if designs.at[name, "items_digest"] == study.plan.items_digest:
            design = manifest.read(str(designs.at[name, "manifest"])).design
            st.button(
                f"Open plan {name}",
                key=f"open-{name}",
                icon=":material/history:",
                on_click=open_plan,
                args=(name, design, study.kind),
            )
        else:
            pools = state.archive().pools.table().set_index("digest")["name"]
            pool = state.PRACTICE_NAME if digest == state.practice().digest else pools.get(digest)
            if pool is not None:
                st.caption(plain(f"Plan {name} was drawn from the pool “{pool}”: choose that pool first."))
                step("pages/pool.py", "Choose another pool", ":material/database:")


def open_plan(name: str, design: Design, kind: str) -> None:
    """Go to a plan, and stay on the same tab; for a callback."""
    session.write(controls.of_plan(name, design.budget, kind))


def labelled_plan(archive: Archive, study: Study) -> None:
    """Say that no label belongs to this plan, but some to another plan of this pool, with the way back there."""
    if study.labels.begun:
        return
    designs = archive.plans.table(study.plan.items_digest)
    kept, counts = {*designs["plan_id"]}, archive.labels.counts()
    found = next(((name, n) for name, n in zip(counts["plan_id"], counts["items"], strict=True) if name in kept), None)
    if found is None:
        return
    name, items = found
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/history: You began another list of this pool: {counted(items, 'label')} so far (plan {name}).",
            width="content",
        )
        design = manifest.read(str(designs.set_index("plan_id").at[name, "manifest"])).design
        st.button("Back to that plan", key="back-to-plan", on_click=open_plan, args=(name, design, study.kind))


def _ask(kind: str) -> None:
    controls.LABEL_KIND.set(kind)
