"""Judge: how far an automatic judge can be trusted, and what the pass rate is without its errors."""

import streamlit as st

from pages.parts import targets
from pages.parts.app import frame
from pages.parts.judge import example, inputs, sections

pool = frame.frame("Judge", "how good is your automatic grader?")
with frame.errors():
    known = targets.known(pool)
if not inputs.there(known):
    st.stop()
left, right = frame.controls_and_figures(3, 7)
with left, frame.errors():
    asked = inputs.draw(pool, known)
with right, frame.errors():
    example.story(pool)
    sections.known(asked)
    if asked.judgement is None:
        sections.before_labels(asked)
        sections.list_section(asked)
        sections.precision(asked)
    else:
        sections.after_labels(asked, asked.judgement)
        sections.list_section(asked)
    # What all labels say comes after what a hundred say.
    example.section(pool, asked.verdicts, asked.judgement)
