"""Label: draw the items, hand them out, label them right here, and import labels."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.design import guard
from core.labels import KINDS
from core.simulation import findings
from core.study import Labelling, Study
from core.words import first_sentence
from pages.parts import guarded, targets
from pages.parts.app import address, frame, state
from pages.parts.label import annotate as label_here
from pages.parts.label import annotator_link as label_alone
from pages.parts.label import details as label_details
from pages.parts.label import export as label_out
from pages.parts.label import forecast as label_forecast
from pages.parts.label import intake as label_back
from pages.parts.label import kept as label_kept
from pages.parts.label import mismatch as label_elsewhere
from pages.parts.label import onward as label_onward
from pages.parts.label import plan as label_plan
from pages.parts.label import table as label_list
from pages.parts.label import waiting as label_waiting
from pages.parts.label import waves as label_waves
from pages.parts.widgets import controls
from pages.parts.widgets.control import panel

_AMOUNT = 220

if label_alone.applies():
    label_alone.page()
    st.stop()
address.check_tab(controls.PART)
pool = frame.frame(
    "Label",
    about="The answers of your model (the target) that people grade.",
)
with frame.errors():
    known, archive = targets.known(pool), state.archive()
    label_plan.resume(archive, pool, known)
    known = label_plan.asked(archive, pool, known)
part, also = controls.PART.value, list[str]()
with st.container():
    # At the desk the item comes first; what it belongs to stands below.
    body = st.container() if part == controls.DESK else None
    finding = st.container()
    choices = st.container(horizontal=True, vertical_alignment="bottom", key="list-controls")
    notes = st.container()
    body = st.container() if body is None else body
with choices, frame.errors():
    amount = st.container(width=_AMOUNT)
    kind = label_plan.kind(known)
    compares = KINDS[kind].compares
    target = controls.target(known, not compares, targets.comparable(known) if compares else targets.single(known))
    judged, with_judged = targets.to_judge(known, target, kind)
with frame.errors(), choices, panel("How it is drawn", "list-settings", icon=":material/tune:"):
    plan = label_plan.draw(archive, pool, known, target, amount, notes)
    if part == controls.LIST:
        also = label_list.also_shown(pool.n_generations > 0)

precision = ""
with finding:
    asked = ", pass or fail" if plan.design.judging is not None and KINDS[kind].verdicts else KINDS[kind].asked
    many, source = first_sentence(findings.request_finding(plan))
    frame.finding(f"{many.removesuffix('.')}{asked}", source)
    if plan.design.judging is None and not compares:
        precision = label_forecast.line(known, target, plan)
        if plan.design.carried is None:
            # Strata of carried verdicts are audited, not sampled by the scheme.
            guarded.warn(guard(plan.design.scheme, plan.strata, plan.design.budget))
sections: dict[str, Callable[[Study], None]] = {
    controls.LIST: partial(label_out.section, also=also),
    controls.DESK: partial(label_here.section, precision=precision),
    controls.RETURNS: label_back.section,
}
with body:
    # In a separate place: if they come or go, the desk below would be taken off the page for a moment.
    with st.container(), frame.errors():
        study = Study(Labelling.load(archive, plan, with_judged, kind, judged))
        label_plan.fix(study)
        with finding:
            label_plan.tried(study)
        label_elsewhere.labelled_plan(archive, study)
        label_waves.offer(study)
    told = part == controls.RETURNS and label_kept.told()
    for tab, section in zip(controls.PART.draw_tabs(), sections.values(), strict=True):
        if tab.open:
            with tab, frame.errors():
                section(study)
if part == controls.LIST:
    label_details.section(known, target, study)
elif details := frame.panel("Details", "list-details", "more_horiz", controls.LIST_DETAIL.address is not None):
    with details:
        label_details.section(known, target, study)
if part != controls.DESK:
    waits = part == controls.RETURNS and label_kept.waits()
    if not told and not waits and not label_kept.pending():
        label_onward.section(study)
    label_waiting.send()
