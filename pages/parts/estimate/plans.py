"""The plans of this pool of which labels are kept, and which of them is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from core.archive import Archive
from core.stratification import EQUAL_MASS
from core.study import KeptPlan
from core.words import counted, shortened
from pages.parts.app import session, state
from pages.parts.estimate import kinds as estimate_kinds
from pages.parts.estimate.controls import READ_AS
from pages.parts.markup import plain
from pages.parts.widgets.controls import PLAN

_SHOWN, _LONGEST = 6, 40


@dataclass(slots=True)
class Presumed:
    """The plan that this tab found by itself, and what the address named that has no labels."""

    plan: str = ""
    unknown: str = ""


def choose(plans: list[KeptPlan], archive: Archive) -> KeptPlan:
    """Choose a plan: the address's, or else the one with the newest label, if possible of this very pool.

    Either is in the address from then on.
    """
    known, presumed = {plan.plan_id: plan for plan in plans}, session.held(Presumed)
    labelled = [name for name in archive.labels.counts()["plan_id"] if name in known]
    recent = next((name for name in labelled if known[name].of_pool), labelled[0])
    given = PLAN.address
    if given not in known:
        presumed.plan, presumed.unknown = recent, given or ""
        PLAN.set(recent)
    elif given != presumed.plan:
        presumed.unknown = ""
    name = PLAN.of({one: _name(known[one]) for one in known}).draw(_note)
    with st.container(key="whole-plan"):
        st.caption(plain(_name(known[name])))
    if presumed.unknown:
        unknown = plain(f"The address names plan “{shortened(presumed.unknown, _LONGEST)}”, which has no labels")
        st.caption(f"{unknown}: the plan with the newest label is shown.")
    return known[name]


def go_to(plan_id: str) -> None:
    """Show another plan of the same family, which shares its labels; for a callback."""
    PLAN.set(plan_id)


def _note() -> None:
    """Have what the other plan's labels say and judge found out."""
    READ_AS.set(None)
    estimate_kinds.forget()


def _name(plan: KeptPlan) -> str:
    """Return a plan's name in the list: “64 of 70 labels · 5 strata, Proxy-Neyman · 20 Nov · p1a2b3…”."""
    done = f"{plan.labelled:,} of {plan.manifest.n_labels:,} labels"
    return " · ".join((done, _design(plan), _day(plan.newest), f"{plan.plan_id[:_SHOWN]}…"))


def _design(plan: KeptPlan) -> str:
    """Return the traits that tell a design from others, in few words."""
    chosen, scheme = plan.design, plan.design.scheme
    if chosen.judging is not None:
        return f"checks the judge {chosen.judging.judge}, seed {chosen.seed}"
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
