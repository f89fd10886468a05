"""Estimate: the accuracy with its interval, from the labels that came back."""

import streamlit as st

from pages.parts.app import frame
from pages.parts.estimate import missing as estimate_missing
from pages.parts.estimate import oddities as estimate_odd
from pages.parts.estimate import panel as estimate_shown
from pages.parts.estimate import selection as estimate_inputs
from pages.parts.estimate import unread as estimate_unread
from pages.parts.label import waiting as label_waiting
from pages.parts.plan import versions

pool = frame.frame(
    "Estimate",
    about="How good your model (the target) is, from labels.",
)
if versions.instead(pool):
    st.stop()
# What this browser could not save yet counts once it is sent.
label_waiting.send()
with frame.errors():
    study = estimate_inputs.select(pool)
    # The number comes first, even if something has to be said about its labels.
    number = st.container(key="estimate-number")
    estimate_odd.section(study)
    estimate_unread.section(study)
    waiting = study.partial()
    if waiting is None:
        estimate_shown.show(study, number)
    else:
        estimate_missing.strata(study, waiting)
    estimate_missing.items(study)
