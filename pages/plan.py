"""Plan: what labels, a precision or an amount of money give, before a single label exists."""

import streamlit as st

from core.figures import planning as figures
from core.planning import curve, grid, sheet
from pages.parts import downloads, forecast
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.plan import decisions, others
from pages.parts.plan.answer import about, known, meaning, rests_on
from pages.parts.plan.inputs import draw

# Fewer labels than anybody plans, and where all lines are steep.
_LEAST_SHOWN = 30

pool = frame.frame("Plan", "how many labels do you need?")
left, right = st.columns([3, 7], gap="medium")
with left, frame.errors():
    inputs = draw(pool)
with right, frame.errors():
    outlook, confidence = inputs.outlook, inputs.interval.confidence
    table = curve(inputs.frame, inputs.belief, grid(inputs.frame, outlook.labels), inputs.interval)
    about(pool, inputs)
    frame.finding(plain(outlook.sentence()))
    known(pool, inputs)
    if outlook.half_width > 0:
        st.markdown(plain(meaning(outlook, confidence)))
    shown = table[table["budget"] >= min(_LEAST_SHOWN, outlook.labels)]
    frame.chart(figures.half_widths(shown, outlook.labels, height=300), "forecast", outlook.sentence())
    st.markdown(plain(outlook.verdict()))
    st.caption(plain(rests_on(inputs) + forecast.coinciding(shown)))
if panel := frame.panel("Ship or hold: a release gate", "gate-panel", "flag"):
    with panel:
        decisions.gate(inputs)
if panel := frame.panel("Compare targets", "pairs-panel", "compare_arrows"):
    with panel, frame.errors():
        decisions.pairs(inputs, pool)
if panel := frame.panel("What pools with known outcomes saved", "savings-panel", "savings"):
    with panel, frame.errors():
        others.savings_table(pool, inputs.chosen)
with st.container(horizontal=True):
    downloads.csv("Forecast as CSV", lambda: table.to_csv(index=False), "neyman-forecast.csv")
    st.download_button(
        "One page as HTML",
        lambda: sheet(outlook, inputs.belief, table, inputs.frame.signal, confidence),
        "neyman-plan.html",
        "text/html",
        on_click="ignore",
        icon=":material/description:",
    )
if inputs.chosen is not None:
    frame.step("pages/label.py", "Draw the items to label", ":material/checklist:", budget=str(outlook.labels))
else:
    frame.step("pages/pool.py", "Bring your own pool", ":material/database:")
