"""Plan: what labels, a precision or an amount of money give, before a single label exists."""

import streamlit as st

from core.planning import sheet
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.plan import decisions, others
from pages.parts.plan.answer import about, meaning, rests_on
from pages.parts.plan.inputs import draw
from pages.parts.views import promise

# Fewer labels than anybody plans, and where all lines are steep.
_LEAST_SHOWN = 30

pool = frame.frame("Plan", "how many labels do you need?")
left, right = st.columns([3, 7], gap="medium")
with left, frame.errors():
    prospect = draw(pool)
with right, frame.errors():
    answer, table = prospect.promise, prospect.half_width_curve()
    about(pool, prospect)
    frame.finding(plain(answer.sentence))
    if answer.half_width > 0:
        st.markdown(plain(meaning(prospect)))
    shown = table[table["budget"] >= min(_LEAST_SHOWN, answer.labels)]
    promise.figure(prospect, shown, 300)
    st.markdown(plain(answer.verdict))
    st.caption(plain(rests_on(prospect) + promise.coinciding(prospect, shown)))
if panel := frame.panel("Ship or hold: a release gate", "gate-panel", "flag"):
    with panel:
        decisions.gate(prospect)
if panel := frame.panel("Compare targets", "pairs-panel", "compare_arrows"):
    with panel, frame.errors():
        decisions.pairs(prospect)
if panel := frame.panel("What pools with known outcomes saved", "savings-panel", "savings"):
    with panel, frame.errors():
        others.savings_table(pool, prospect if prospect.has_pool else None)
with st.container(horizontal=True):
    downloads.csv("Forecast as CSV", lambda: table.to_csv(index=False), "neyman-forecast.csv")
    st.download_button(
        "One page as HTML",
        lambda: sheet(answer.labels, [answer.sentence, answer.verdict], answer.rests_on, table),
        "neyman-plan.html",
        "text/html",
        on_click="ignore",
        icon=":material/description:",
    )
if prospect.has_pool:
    frame.step("pages/label.py", "Draw the items to label", ":material/checklist:", budget=str(answer.labels))
else:
    frame.step("pages/pool.py", "Bring your own pool", ":material/database:")
