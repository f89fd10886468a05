"""Lab: which method, signal, strata and interval to trust on this pool, and how your pools differ."""

import streamlit as st

from core.design import Scheme
from core.lab import CONSTANT, Experiment, answerable
from pages.parts import prospects
from pages.parts.app import address, frame
from pages.parts.lab import settings as lab_settings
from pages.parts.lab.sections import section, several_pools
from pages.parts.views import promises
from pages.parts.widgets import controls

address.check_tab(lab_settings.SECTION)
asked = lab_settings.questions()
address.check_tab(asked)
pool = frame.frame("Lab", "when does the method help?")
about = "Designs by squared error, relative to Uniform (a plain random sample of the same size)."
if pool.n_generations:
    about += " Proxy-Neyman is the paper’s rule, Oracle-Neyman the best possible one with its strata (groups of items)."
st.caption(about)
row = st.container(key="lab-controls")
with row:
    cells = st.columns([3, 3, 2], vertical_alignment="bottom")
with cells[0]:
    target = controls.target(pool)
kind = controls.current_parser()
with frame.errors():
    prospect = prospects.of(pool, target, kind, scheme=Scheme(parser=kind) if pool.n_generations else None)
    promises.labelled(prospect)
    if prospect.uniform:
        frame.need_generations(pool)
    outcome = prospect.outcome
if target is None or outcome is None:
    st.info(
        "The file knows no outcome of your model (the target), and every comparison here is about the error of "
        f"its estimate. Add to the file {promises.lacking(pool, target)}.",
        icon=":material/info:",
    )
    frame.step("pages/pool.py", "Choose another pool", ":material/database:")
    st.stop()
if outcome.partial:
    st.warning(
        f"The target’s outcome is known for {outcome.losses.size:,} of {outcome.n_items:,} items. This page is exact "
        "for those alone, as if they were the whole pool; what labels give on all items is a forecast (page Plan).",
        icon=":material/rule:",
    )
if outcome.moments.constant:
    known = f"{outcome.losses.size:,} of {outcome.n_items:,}"
    few = f"Too few outcomes are known to compare methods: {known}, and all are the same."
    st.info(few if outcome.partial else CONSTANT, icon=":material/info:")
    st.stop()

with frame.errors():
    with cells[2]:
        settings = lab_settings.settings(bool(pool.n_generations))
    with cells[1]:
        budgets, budget = lab_settings.budgets(outcome, settings.scheme, prospect.budget)
    experiment = Experiment(
        prospect,
        outcome,
        budgets,
        budget,
        settings.scheme,
        settings.trials,
        settings.clip,
        settings.seed,
    )
    answers = answerable(pool)
    if not pool.n_generations:
        st.caption(
            "This pool has no generations (answers of a cheap model, the surrogate). Lab shows what can be compared "
            "without them; the paper’s design, its signals and its strata (groups of similar items) need them."
        )
        frame.step("pages/surrogate.py", "Run a surrogate", ":material/smart_toy:")
        asked = lab_settings.questions(answers)
    for tab, question in zip(asked.draw_tabs(), asked.names, strict=True):
        if tab.open:
            with tab:
                topic = lab_settings.topic(question, answers)
                if topic is None:
                    several_pools(pool, kind)
                else:
                    section(topic, experiment, settings)
