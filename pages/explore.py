"""Explore: the errors of the paper's design and of the recommended one on this pool, while their settings change."""

from dataclasses import replace

import streamlit as st

from pages.parts import explore, prospects
from pages.parts.app import address, frame
from pages.parts.widgets import basis, controls

pool = frame.frame(
    "Explore",
    about="A design cuts the items into strata (groups that look alike) and shares the labels among them. Uniform is a "
    "plain random sample.",
)
left, right = frame.controls_and_figures(2, 5)
with left, frame.errors():
    target = controls.target(pool, new=True)
    # What the budget may be follows from the strata below it.
    amount, choice, own = st.container(), st.container(), st.container()
    with st.expander("More settings", icon=":material/tune:"):
        kind = controls.parser()
        recommended = basis.choose(prospects.to_choose(pool, target, kind))
        controls.UNIT.draw()
        simulate = recommended.known is not None and controls.SIMULATE.draw()
        trials = controls.TRIALS.draw() if simulate else 0
    settings = rules = None
    with own:
        if pool.n_generations:
            st.markdown("**The paper’s design**")
            scheme = controls.scheme(kind, explore.touch)
            settings = rules = recommended.asking(replace(recommended.question, scheme=scheme))
            if scheme.rule.whole:
                # It has no strata, on which the other rules could be compared.
                compared = replace(scheme, allocation=controls.ALLOCATION.default)
                rules = recommended.asking(replace(recommended.question, scheme=compared))
        elif not recommended.uniform:
            st.caption("The paper’s design needs a cheap model’s answers (the surrogate’s), which this pool lacks.")
            frame.step("pages/surrogate.py", "Run a surrogate", ":material/smart_toy:")
    with amount:
        least = rules or recommended
        labels = controls.budget(least.least, least.n_items)
    settings, rules = (one and one.at(labels) for one in (settings, rules))
    recommended = recommended.at(labels)
    with choice:
        drawn = explore.choose(recommended, settings)
    designs = explore.Designs(drawn, rules, recommended, trials)
with right, frame.errors():
    explore.findings_section(designs)
    if st.button("Draw this list", type="primary", icon=":material/checklist:"):
        st.switch_page("pages/label.py", query_params=address.links())
    explore.details(designs)
