"""Plan: what labels, a precision or an amount of money give, before a single label exists."""

import streamlit as st

from core.figures import planning
from pages.parts import downloads, targets
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.plan import decisions, others, over_time, versions
from pages.parts.plan.answer import about
from pages.parts.plan.inputs import draw
from pages.parts.views import promises
from pages.parts.widgets import controls

pool = frame.frame("Plan", titled=False)
if versions.instead(pool, "Version gate: is the new version worse?"):
    st.stop()
st.title("Plan: how many labels do you need?")
led = versions.leads()
if led:
    versions.panel(pool)
left, right = frame.controls_and_figures(3, 7)
with left, frame.errors():
    prospect = draw(pool)
with right, frame.errors():
    answer, table = prospect.promise, prospect.half_width_curve()
    about(pool, prospect)
    promises.first(pool, prospect.fact if prospect.has_pool else None)
    if prospect.has_pool:
        promises.labelled(prospect)
    promises.part(prospect)
    frame.finding(plain(answer.title))
    st.markdown(plain(answer.below))
    if answer.half_width > 0:
        st.markdown(plain(prospect.meaning))
    shown = planning.planned(table, answer.labels)
    promises.figure(prospect, shown, 300)
    if answer.remark:
        st.markdown(plain(answer.remark))
    shared = planning.shared_lines(shown, prospect.forecast_method)
    st.caption(plain(f"{answer.rests_on} {shared}".rstrip()), help=plain(prospect.approach))
if panel := frame.panel("Ship or hold: an accuracy gate", "gate-panel", "flag", controls.BAR.address is not None):
    with panel:
        decisions.gate(prospect)
if panel := frame.panel("Compare models", "pairs-panel", "compare_arrows"):
    with panel, frame.errors():
        decisions.pairs(prospect)
# A new pool has no models to compare.
if prospect.has_pool and not led:
    versions.panel(pool)
if prospect.has_pool and (panel := frame.panel("Versions and models side by side", "versions-panel", "timeline")):
    with panel, frame.errors():
        over_time.section(targets.known(pool))
saved, savings = others.NOTHING
if panel := frame.panel("What pools with known outcomes saved", "savings-panel", "savings"):
    with panel, frame.errors():
        saved, savings = others.savings_table(pool, prospect if prospect.has_pool else None)
sheet = decisions.sheet(prospect, saved, savings)
with st.container(horizontal=True):
    downloads.csv("Forecast as CSV", lambda: sheet().frame().to_csv(index=False), "neyman-forecast.csv")
    st.download_button(
        "One page as HTML",
        lambda: sheet().html(),
        "neyman-plan.html",
        "text/html",
        on_click="ignore",
        icon=":material/description:",
    )
if prospect.has_pool:
    frame.step("pages/label.py", "Draw the items to label", ":material/checklist:", budget=str(answer.labels))
else:
    frame.step("pages/pool.py", "Bring your own pool", ":material/database:")
