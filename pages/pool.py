"""Pool: what a file was understood as, what it is worth, and the next step; below, what is in it."""

import streamlit as st

from core.gates import gate_of
from pages.parts import prospects
from pages.parts.app import frame
from pages.parts.pool import answers, details, mapping, summary, upload
from pages.parts.widgets import controls

pool = frame.frame(
    "Pool",
    about="The items that your model (the target) is tested on, and what is known of them: answers, verdicts (right or "
    "wrong).",
)
questions = st.container()
left, right = frame.controls_and_figures(2, 5)
# While a file is asked about, its questions have the whole width.
with questions if mapping.open_file() else left, frame.errors():
    files = upload.chooser(pool)
with questions, frame.errors():
    upload.take(files, pool)

# All that takes long comes first: until it is there, the page shows the pool before with its own name.
with right, frame.errors():
    kind = controls.current_parser() if pool.n_generations else None
    profile = prospects.profile(pool, kind) if pool.n_generations else None
    # The list of a version gate is a selection, of which no figure is one of a model.
    whole = gate_of(pool) is None
    prospect = summary.prospect_of(pool) if whole else None
    models = summary.models(pool, prospect, kind) if whole else None
    summary.section(pool)
    answers.earlier_rules(pool)
    if profile is not None:
        answers.hint(pool, profile, kind)
    if models is not None:
        summary.models_table(pool, models)
        summary.worth(pool, prospect)
        summary.onward(pool, prospect)
details.section(pool, prospect, profile, kind)
