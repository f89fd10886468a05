"""Judge: how far an automatic judge can be trusted, and what the pass rate is without its errors."""

import streamlit as st

from pages.parts import targets
from pages.parts.app import frame
from pages.parts.judge import example, grades, inputs, sections

pool = frame.frame("Judge", "how good is your automatic grader?")
with frame.errors():
    known = targets.known(pool)
if not inputs.there(known):
    sections.of_example()
    st.stop()
example.story(pool)
left, right = frame.controls_and_figures(3, 7)
with left, frame.errors():
    asked = inputs.draw(pool, known)
with right, frame.errors():
    if isinstance(asked, inputs.GradesQuestion):
        grades.answer(asked)
    else:
        sections.answer(asked)
with frame.errors():
    if isinstance(asked, inputs.GradesQuestion):
        grades.details(asked)
    else:
        sections.details(asked)
example.ways(pool)
