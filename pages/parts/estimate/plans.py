"""The plans of this pool of which labels are kept, and which of them is looked at."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from core.archive import Archive
from core.stratification import EQUAL_MASS
from core.study import KeptPlan
from core.words import counted, shortened
from pages.parts.app import state
from pages.parts.estimate import kinds as estimate_kinds
from pages.parts.markup import plain

_SHOWN, _LONGEST = 6, 40
_PRESUMED = "presumed-plan"


def choose(plans: list[KeptPlan], archive: Archive) -> KeptPlan:
    """Choose a plan: the address's, or else the one with the newest label, if possible of this very pool.

    Either is in the address from then on. What this tab found by itself is found anew on the way back to the page.
    """
    known = {plan.plan_id: plan for plan in plans}
    labelled = [name for name in archive.labels.counts()["plan_id"] if name in known]
    recent = next((name for name in labelled if known[name].of_pool), labelled[0])
    chosen = st.query_params.get("plan") or None
    if chosen is None or ("plan" not in st.session_state and chosen == st.session_state.get(_PRESUMED)):
        chosen = recent
        st.session_state[_PRESUMED] = recent
    names = list(known)
    # Not bound to the address: that would hold the name shown, which changes with every label.
    name = st.selectbox(
        "Plan",
        names,
        names.index(chosen if chosen in known else recent),
        key="plan",
        format_func=lambda one: _name(known[one]) if one in known else str(one),
        on_change=_note,
        help="Lists of this pool that have labels. Plans that differ only in the number of labels share them.",
    )
    with st.container(key="whole-plan"):
        st.caption(plain(_name(known[name])))
    if chosen not in known:
        unknown = plain(f"The address names plan “{shortened(chosen, _LONGEST)}”, which has no labels")
        st.caption(f"{unknown}: the plan with the newest label is shown.")
    elif st.query_params.get("plan") != name:
        st.query_params["plan"] = name
    return known[name]


def go_to(plan_id: str) -> None:
    """Look at another plan of the same family, whose labels are the same; for a callback."""
    st.session_state["plan"] = st.query_params["plan"] = plan_id
    st.session_state.pop(_PRESUMED, None)


def _note() -> None:
    """Write the choice to the address; what its labels say and judge is found out anew."""
    st.query_params["plan"] = st.session_state["plan"]
    for name in (_PRESUMED, "read-as"):
        st.session_state.pop(name, None)
    estimate_kinds.forget()


def _name(plan: KeptPlan) -> str:
    """What it is called in the list: “64 of 70 labels · 5 strata, Proxy-Neyman · 20 Nov · p1a2b3…”."""
    done = f"{plan.labelled:,} of {plan.manifest.n_labels:,} labels"
    return " · ".join((done, _design(plan), _day(plan.newest), f"{plan.plan_id[:_SHOWN]}…"))


def _design(plan: KeptPlan) -> str:
    """What tells a design from others, in few words."""
    chosen, scheme = plan.design, plan.design.scheme
    words = [scheme.sorted_by if scheme.stratifier == EQUAL_MASS else scheme.rule.title]
    if scheme.in_waves:
        words = [scheme.sorted_by, f"{'first' if plan.manifest.earlier is None else 'second'} wave"]
    if not scheme.uniform:
        words.insert(0, counted(scheme.n_strata, "stratum", "strata"))
    return ", ".join([*words, f"seed {chosen.seed}"] if chosen.seed else words)


def _day(moment: str) -> str:
    day = datetime.fromisoformat(moment)
    year = "" if moment[:4] == state.now()[:4] else f" {day.year}"
    return f"{day.day} {day:%b}{year}"
