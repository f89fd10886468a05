"""Estimate: the accuracy with its interval, from the labels that came back."""

from functools import partial

import streamlit as st

from pages.parts.app import frame
from pages.parts.estimate import oddities, panel, selection
from pages.parts.label.waiting import send

pool = frame.frame(
    "Estimate",
    about="How good your model (the target) is, from labels.",
)
# What this browser could not save yet counts once it is sent.
send()
with frame.errors():
    study = selection.select(pool)
    # The number comes first, even if something has to be said about its labels.
    number = st.container(key="estimate-number")
    oddities.section(study)
    oddities.unread_section(study)
    waiting = study.partial()
    if waiting is None:
        panel.show(study, number)
    else:
        with number:
            oddities.begun(study, waiting)
        oddities.show_remarks(oddities.remarks(study))
        panel.tabs(
            study,
            {
                "first": ("", partial(oddities.first_section, study, waiting)),
                "labels": ("", partial(panel.labels_section, study)),
                "how": ("", partial(oddities.counts_section, waiting)),
            },
        )
