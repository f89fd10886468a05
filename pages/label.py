"""Label: draw the items, hand them out, label them right here, and take labels back."""

import streamlit as st

from core.design import guard
from core.prospect import Question
from core.simulation import findings
from core.study import Labelling, Study
from pages.parts import guarded, targets
from pages.parts.app import address, frame, state
from pages.parts.label import annotate as label_here
from pages.parts.label import annotator_link as label_alone
from pages.parts.label import export as label_out
from pages.parts.label import forecast as label_forecast
from pages.parts.label import intake as label_back
from pages.parts.label import kept as label_kept
from pages.parts.label import mismatch as label_elsewhere
from pages.parts.label import onward as label_onward
from pages.parts.label import plan as label_plan
from pages.parts.label import waiting as label_waiting
from pages.parts.label import waves as label_waves
from pages.parts.views import verdicts
from pages.parts.widgets import controls

_SECTIONS = {
    controls.LIST: label_out.section,
    controls.DESK: label_here.section,
    controls.RETURNS: label_back.section,
}
_CONTROLS = 220

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
here = controls.PART.value == controls.DESK
if here:
    # The item comes first; what it belongs to stands below, and its design out of the way.
    body, right = st.container(), st.container()
    with st.expander("How the list is drawn", icon=":material/tune:"):
        finding, left = st.container(), st.container()
else:
    with st.container(horizontal=True, gap="small"):
        # As wide as its longest option, so that the list has the rest of any window; on a phone it has all of it.
        left, right = st.container(width=_CONTROLS, key="list-controls"), st.container()
    with right:
        finding = st.container()
        body = right
with left:
    top, bottom = st.container(), st.container()
with right:
    question = st.container(horizontal=True)
with question, frame.errors():
    kind = label_plan.kind(known)
    target = controls.target(known, new=True)
    judged, with_judged = targets.to_judge(known, target, kind)
plan = label_plan.draw(archive, pool, known, target, top, bottom)

with finding:
    frame.headline(findings.request_finding(plan))
    if plan.design.judging is None:
        label_forecast.line(known, target, plan)
        if plan.design.carried is None:
            # Strata of carried verdicts are audited, not sampled by the scheme.
            guarded.warn(guard(plan.design.scheme, plan.strata, plan.design.budget))
with body:
    # In a separate place: if they come or go, the desk below would be taken off the page for a moment.
    with st.container(), frame.errors():
        study = Study(Labelling.load(archive, plan, with_judged, kind, judged))
        label_plan.fix(study)
        with finding:
            label_plan.tried(study)
        label_elsewhere.labelled_plan(archive, study)
        label_waves.offer(study)
    told = controls.PART.value == controls.RETURNS and label_kept.told()
    tabs = controls.PART.draw_tabs()
    for tab, section in zip(tabs, _SECTIONS.values(), strict=True):
        if tab.open:
            with tab, frame.errors():
                section(study)
with right:
    verdicts.section(known, Question(target))
    if plan.design.judging is None:
        label_forecast.section(known, target, study)
    if not here:
        waits = controls.PART.value == controls.RETURNS and label_kept.waits()
        if not told and not waits and not label_kept.pending():
            label_onward.section(study)
        label_waiting.send()
