"""The plan that page Label shows: of the recommended design, of the paper's, or a kept one with another budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.archive import Archive
from core.design import LEAST_BUDGET, Design, Plan, family
from core.pool import Pool
from core.prospect import Prospect
from core.study import Study, kept_plan
from core.words import counted, shortened
from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.widgets import basis, controls
from pages.parts.widgets.control import Control

# The plan that the next run fixes: a control that is drawn cannot be set.
_FIXED = "fixed-plan"
# The plan that the address named, and that is not there.
_UNKNOWN = "unknown-plan"
_LONGEST = 40


def resume(archive: Archive, pool: Pool) -> None:
    """Have whoever comes without a choice go on with the list that has the newest label, and with its question."""
    if _chosen(controls.DESIGN, controls.SEED, controls.BUDGET):
        return
    begun = _begun(archive, archive.plans.table(pool.items_digest))
    if begun is None:
        return
    _go_on(begun)
    if not _chosen(controls.LABEL_KIND):
        rows = archive.labels.of(begun)
        kinds = rows.loc[rows["label"].notna() & rows["kind"].isin(list(controls.LABEL_KIND.names)), "kind"]
        if not kinds.empty:
            st.session_state[controls.LABEL_KIND.key] = str(kinds.iloc[-1])


def _chosen(*some: Control[Any]) -> bool:
    """Whether the address or this tab chooses one of these."""
    return any(one.address is not None or one.key in st.session_state for one in some)


def draw(
    archive: Archive, pool: Pool, known: Pool, target: str | None, top: DeltaGenerator, bottom: DeltaGenerator
) -> Plan:
    """Draw the controls of the design, and the plan; of a list that is fixed, what it is and the way to a new one.

    Parameters
    ----------
    archive : Archive
        Where plans and labels are kept.
    pool : Pool
        The pool that lists and labels belong to.
    known : Pool
        The same with the answers of targets that were run since.
    target : str or None
        The model to be evaluated; None where it has not run.
    top, bottom : DeltaGenerator
        Places of the design's controls and of the answer kind.
    """
    with top:
        # The number of labels comes first; what it may be follows from what is chosen below it.
        amount = st.container()
    with top, frame.errors():
        designs = archive.plans.table(pool.items_digest)
        begun, fixed = _begun(archive, designs), _fixed(archive, pool, designs)
        if fixed is not None:
            return fixed
        if begun is not None:
            st.button("Go on with your list", key="begun-list", icon=":material/undo:", on_click=_go_on, args=(begun,))
        plans = designs["plan_id"].tolist()
        _note_unknown(plans)
        chosen = controls.design(plans)
    if chosen not in controls.DESIGN.names:
        with top, frame.errors():
            return _stored(archive, pool, chosen, amount)
    controls.SEED.settle()
    with bottom:
        kind = controls.parser()
    with top, frame.errors():
        if chosen == controls.PAPERS:
            return _papers(pool, kind, amount)
        asked = basis.choose(
            prospects.to_choose(known, target, kind), chosen == controls.GATE, prospects.earlier(known, target)
        )
        return _recommended(pool, asked, amount)


def _note_unknown(plans: list[str]) -> None:
    """Say so where the address named a plan that is not there, for as long as what came instead is shown."""
    design = controls.DESIGN
    if design.key not in st.session_state and design.address and design.address not in plans:
        st.session_state[_UNKNOWN] = design.address if design.option(design.address) is None else None
    unknown = st.session_state.get(_UNKNOWN)
    if unknown and design.current() == design.default:
        shown = design.text(design.default)
        st.caption(
            plain(
                f"The address names “{shortened(unknown, _LONGEST)}”, a plan that is not kept here. {shown} is shown."
            )
        )


def tried(study: Study) -> None:
    """Say so where nothing needs labelling, since the pool knows the target's outcome on every item of the list."""
    target = study.target
    if target is None or study.labels.log["label"].notna().any():
        return
    if np.isnan(study.pool.losses(target, study.labels.parser)[study.plan.positions]).any():
        return
    st.caption(
        plain(
            f"This pool already knows where “{target}” is right. To see a result at once, choose “Right or wrong” and "
            "take these outcomes on the tab “Take labels back”."
        )
    )


def fix(study: Study) -> None:
    """Fix the list once it has labels: another design or seed is an explicit new list."""
    if study.labels.log["label"].notna().any() and st.session_state.get(controls.DESIGN.key) != study.plan.plan_id:
        study.labels.save_plan(state.archive(), state.now())
        fix_next(study)
        st.rerun()


def fix_next(study: Study) -> None:
    """Have the next run fix a list that is kept and has labels; for a callback, which saves a run that finds them."""
    st.session_state[_FIXED] = study.plan.plan_id


def _begun(archive: Archive, designs: pd.DataFrame) -> str | None:
    """The list that has the newest label."""
    known = set(designs["plan_id"])
    return next((name for name in archive.labels.counts()["plan_id"] if name in known), None)


def _go_on(plan_id: str) -> None:
    st.session_state[_FIXED] = plan_id


def _fixed(archive: Archive, pool: Pool, designs: pd.DataFrame) -> Plan | None:
    """The plan that the address or the session names, where it has labels."""
    name = st.session_state.pop(_FIXED, None)
    if name is not None:
        st.session_state[controls.DESIGN.key] = name
    chosen = str(st.session_state.get(controls.DESIGN.key, controls.DESIGN.address))
    if chosen not in set(designs["plan_id"]):
        return None
    plan = kept_plan(archive, chosen, pool, prospects.profile)
    if not archive.labels.any_of(*family(plan, designs)):
        return None
    if name is not None:
        st.session_state[controls.BUDGET.key] = plan.design.budget
    # In the address, so that a link and a reload find this list whatever is known of the pool by then.
    controls.DESIGN.of({chosen: chosen}).draw_set()
    st.caption(plain(f"{_described(plan)}. Labelling has begun, so this list no longer changes: it can only grow."))
    budget = controls.budget(plan.design.budget, plan.strata.n_items, plan.design.budget)
    st.button("Make a new list", key="new-list", icon=":material/add:", on_click=_new_list)
    return plan if budget == plan.design.budget else plan.with_budget(budget)


def _new_list() -> None:
    """Go back to the recommended design with another seed; the labels stay with the list they were given to."""
    st.session_state[controls.DESIGN.key] = controls.BEST
    st.session_state[controls.SEED.key] = None


def _recommended(pool: Pool, asked: Prospect, amount: DeltaGenerator) -> Plan:
    with amount:
        budget = controls.budget(asked.least, pool.n_items)
    seed = controls.SEED.draw()
    waves = not (asked.uniform or asked.question.gate) and budget >= LEAST_BUDGET and controls.WAVES.draw()
    # Lists and labels belong to the pool without the targets that were run since.
    return replace(asked.at(budget).plan(seed, 2 if waves else 1), pool=pool)


def _papers(pool: Pool, kind: str | None, amount: DeltaGenerator) -> Plan:
    scheme = controls.scheme(kind, controls.ALLOCATION.draw())
    if scheme.allocation == "uniform" and not pool.n_generations:
        with amount:
            budget = controls.budget(1, pool.n_items)
        return Design(budget, scheme).draw(pool, controls.SEED.draw())
    if not pool.n_generations:
        st.button("Draw a uniform list", key="draw-uniform", icon=":material/casino:", on_click=_draw_uniform)
    frame.need_generations(pool, listing=False)
    asked = prospects.of(pool, None, kind, scheme=scheme)
    with amount:
        budget = controls.budget(asked.least, pool.n_items)
    return asked.at(budget).plan(controls.SEED.draw())


def _draw_uniform() -> None:
    st.session_state[controls.ALLOCATION.key] = "uniform"


def _stored(archive: Archive, pool: Pool, plan_id: str, amount: DeltaGenerator) -> Plan:
    plan = kept_plan(archive, plan_id, pool, prospects.profile)
    st.caption(plain(f"{_described(plan)}. A larger budget adds items at the end of its list."))
    with amount:
        budget = controls.budget(plan.least_budget, plan.strata.n_items, plan.design.budget)
    return plan if budget == plan.design.budget else plan.with_budget(budget)


def _described(plan: Plan) -> str:
    """What a kept plan is, in words."""
    scheme = plan.design.scheme
    if scheme.allocation == "uniform":
        return f"Drawn uniformly, seed {plan.seed}"
    strata = counted(plan.strata.n_strata, "stratum", "strata")
    shared = scheme.rule.title
    if scheme.in_waves:
        strata = strata if plan.earlier is None else counted(plan.strata.n_strata - 1, "stratum", "strata")
        shared = f"{'first' if plan.earlier is None else 'second'} of two waves"
    return f"{strata} along {scheme.sorted_by}, {shared}, seed {plan.seed}"
