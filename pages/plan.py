"""Plan: what labels, a precision or an amount of money give, before a single label exists."""

import math

import streamlit as st

from core.figures import planning as figures
from core.planning import curve, grid, sheet, textbook_size
from core.words import level, per_cent
from pages.parts import downloads, frame
from pages.parts.markup import plain
from pages.parts.plan import decisions, others
from pages.parts.plan.inputs import draw

pool = frame.frame("Plan")
with frame.errors():
    inputs = draw(pool)
    outlook = inputs.outlook
    table = curve(inputs.frame, inputs.belief, grid(inputs.frame, outlook.labels), inputs.interval)
st.markdown(f"##### {plain(outlook.sentence())}")
frame.chart(figures.half_widths(table, outlook.labels, height=310), "forecast", outlook.sentence())
st.markdown(plain(outlook.verdict()))
confidence = inputs.interval.confidence
if outlook.half_width > 0:
    half, agreeing = outlook.half_width, ""
    if inputs.chosen is not None and not math.isnan(outlook.agreeing):
        agreeing = f" The surrogate agrees with itself on {per_cent(outlook.agreeing)} of the items."
    by_formula = textbook_size(half, inputs.belief.accuracy.middle, outlook.n_items, confidence)
    st.caption(
        plain(
            f"± is the half-width of a {level(confidence)} interval. Forecast along {inputs.frame.signal}.{agreeing} "
            f"The textbook formula for a random sample gives {by_formula:,} labels for ±{100 * half:.3g} points."
        )
    )
if panel := frame.panel("Ship or hold: a release gate", "gate-panel", "flag"):
    with panel:
        decisions.gate(inputs)
if panel := frame.panel("Compare targets", "pairs-panel", "compare_arrows"):
    with panel, frame.errors():
        decisions.pairs(inputs, pool)
if panel := frame.panel("What pools with known outcomes saved", "savings-panel", "savings"):
    with panel, frame.errors():
        others.savings_table(pool)
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
