"""Files that belong to another question, plan or pool than the one on the page, named with the way there."""

from __future__ import annotations

import re
from pathlib import PurePath

import pandas as pd
import streamlit as st

from core import labels
from core.archive import Archive
from core.design import Design, manifest
from core.labels import ANSWERS_OF, GOLD, KINDS, RIGHT_WRONG, SCORE, options
from core.pool import shown
from core.study import Study
from core.words import counted
from pages.parts.app import session, state
from pages.parts.app.frame import step
from pages.parts.markup import plain
from pages.parts.widgets import controls

_NEARLY_ALL = 0.9
_SHOWN = 3
_OURS = re.compile(
    r"^neyman-p[0-9a-f]+(-replacements|-without-label|-labels)?|\(\d+\)|(label-studio|argilla|prodigy)$", re.I
)


def person_of(file: str) -> str:
    """Whose list a file is, as its name says: “neyman-p0123456789ab anna.csv” is Anna's, and of nobody without."""
    return " ".join(re.sub(r"[-_.\s]+", " ", _OURS.sub("", PurePath(file).stem)).split())[:80]


def other_question(study: Study, rows: pd.DataFrame) -> None:
    """Say so where nearly all labels answer another question than the one that was asked."""
    given = rows["label"].dropna()
    if given.empty:
        return
    words = given.map(labels.is_word).mean()
    kind = KINDS[study.kind]
    if not kind.judges:
        judged = rows[ANSWERS_OF].notna().any()
        if not judged and (words < _NEARLY_ALL or options.are_words(study.pool, study.labels.ids, study.labels.parser)):
            return
        text = (
            "This list asked whether a target’s answers are right, which says no right answer: such labels are left "
            "out here."
            if judged
            else "Nearly all labels of this file say right or wrong, but the labels are read as right answers."
        )
        _offer(text, RIGHT_WRONG.name, "Read them as right or wrong")
    elif kind.averaged and words >= _NEARLY_ALL:
        text = "Nearly all labels of this file say right or wrong, but scores are asked for."
        _offer(text, RIGHT_WRONG.name, "Read them as right or wrong")
    elif kind.verdicts and _unread(given, study.kind) >= _NEARLY_ALL:
        text = (
            "Nearly all labels of this file say something else than right or wrong. Right, correct, yes, true and 1 "
            "are read, and wrong, incorrect, no, false and 0."
        )
        if rows[ANSWERS_OF].isna().all():
            _offer(text, GOLD.name, "Read them as right answers")
        elif _unread(given, SCORE.name) < 1 - _NEARLY_ALL:
            _offer(text, SCORE.name, "Read them as scores")
        else:
            st.warning(text, icon=":material/rule:")


def strange_answers(study: Study, rows: pd.DataFrame) -> None:
    """Name the right answers that are none of the few which all items of the pool share."""
    if KINDS[study.kind].judges:
        return
    known = options.known_answers(study.pool, study.labels.parser)
    strange = options.outside(rows, study.pool, known, study.labels.parser)
    if strange.empty:
        return
    first = strange.head(_SHOWN).itertuples(index=False)
    examples = ", ".join(f"row {row.row}: {shown(str(row.item_id), 30)} = {shown(str(row.label), 20)}" for row in first)
    many, rest = len(strange) > 1, ", …" if len(strange) > _SHOWN else ""
    verb, they = ("are", "They count as right answers") if many else ("is", "It counts as a right answer")
    st.warning(
        plain(
            f"{counted(len(strange), 'label')} {verb} none of the answers of this pool, {', '.join(known)} ({examples}"
            f"{rest}). {they} anyway: correct slips in the file and upload it again."
        ),
        icon=":material/rule:",
    )


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
            pool = state.DEMO_NAME if digest == state.demo().digest else pools.get(digest)
            if pool is not None:
                st.caption(plain(f"Plan {name} was drawn from the pool “{pool}”: choose that pool first."))
                step("pages/pool.py", "Choose another pool", ":material/database:")


def open_plan(name: str, design: Design, kind: str) -> None:
    """Go to a plan, and stay on the same tab; for a callback."""
    session.write(controls.of_plan(name, design.budget, kind))


def labelled_plan(archive: Archive, study: Study) -> None:
    """Where no label belongs to this plan, but some to another plan of this pool: say so, with the way back there."""
    if study.labels.log["label"].notna().any():
        return
    counts, designs = archive.labels.counts(), archive.plans.table(study.plan.items_digest).set_index("plan_id")
    labelled = counts[counts["plan_id"].isin(designs.index)]
    if labelled.empty:
        return
    name, items = str(labelled["plan_id"].iloc[0]), int(labelled["items"].iloc[0])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/history: You began another list of this pool: {counted(items, 'label')} so far (plan {name}).",
            width="content",
        )
        design = manifest.read(str(designs.at[name, "manifest"])).design
        st.button("Back to that plan", key="back-to-plan", on_click=open_plan, args=(name, design, study.kind))


def _unread(given: pd.Series, kind: str) -> float:
    """The share of labels that are none of this kind."""
    return sum(labels.canonical(str(label), kind) is None for label in given) / len(given)


def _offer(text: str, kind: str, title: str) -> None:
    st.warning(text, icon=":material/rule:")
    st.button(title, key=f"read-as-{kind}", icon=":material/swap_horiz:", on_click=_ask, args=(kind,))


def _ask(kind: str) -> None:
    controls.LABEL_KIND.set(kind)
