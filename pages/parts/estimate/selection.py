"""The plan that page Estimate looks at, and how its labels are read."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from core.study import Labelling, Study, damaged_plans, kept_plan, kept_plans, readings
from core.words import listed
from pages.parts import targets
from pages.parts.app import frame, state
from pages.parts.estimate import address as estimate_refused
from pages.parts.estimate import example as estimate_example
from pages.parts.estimate import kinds as estimate_kinds
from pages.parts.estimate.handover import label_more
from pages.parts.estimate.plans import choose
from pages.parts.estimate.readings import ask
from pages.parts.label import kept as label_kept
from pages.parts.markup import plain
from pages.parts.widgets import controls


def select(pool: Pool) -> Study:
    """The plan with its labels as they are to be read; ends the page with the next step if there is no label."""
    label_kept.pending()
    archive = state.archive()
    plans, damaged = kept_plans(archive, pool), damaged_plans(archive, pool)
    if damaged:
        st.warning(
            f"The manifest of plan {listed(damaged)} is damaged: restore it from a backup. Other plans still work.",
            icon=":material/warning:",
        )
    if not plans:
        st.info(
            "This pool has no labels yet. Export a list, label it here, or take a filled list back.",
            icon=":material/info:",
        )
        frame.step("pages/label.py", "Go to the list", ":material/checklist:")
        estimate_example.section()
        st.stop()
    cells = st.container(key="estimate-controls-plan").columns([5, 2])
    with cells[0]:
        chosen = choose(plans, archive)
    known = targets.known(pool)
    study = Study(Labelling.load(archive, kept_plan(archive, chosen.plan_id, pool), known))
    estimate_refused.note(known)
    estimate_kinds.presume(study)
    with cells[1]:
        target = controls.target(known)
    study = ask(study, target)
    estimate_refused.tell(study)
    return _with_labels(study)


def _with_labels(study: Study) -> Study:
    """The study, and the ways to what else is kept; ends the page if no label is of this kind."""
    kinds = readings(study.labels.log)
    if study.labels.rows["label"].notna().any():
        estimate_kinds.offer([one for one in kinds if one.kind != study.kind])
        return study
    missing = estimate_kinds.says(study.kind, study.target or "")
    there = f" Labels kept so far: {listed([estimate_kinds.said(one) for one in kinds])}." if kinds else ""
    st.info(
        plain(f"No label of this plan {missing} yet.{there} Choose what there is, or label these items too."),
        icon=":material/info:",
    )
    readable = [one for one in kinds if one.target in ("", *study.pool.targets)]
    estimate_kinds.offer(readable, explained=True)
    label_more(study, study.plan.design.budget, "Label these items", "label-these", "primary")
    st.stop()
