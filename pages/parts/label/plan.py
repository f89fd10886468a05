"""The plan that page Label shows: of the recommended design, of the paper's, or a kept one with another budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.archive import Archive
from core.design import LEAST_BUDGET, Design, Plan, Scheme, family, manifest
from core.gates import gate_of
from core.labels import KINDS
from core.pool import Pool
from core.prospect import Prospect
from core.study import Study, kept_plan, usual_kind
from core.words import counted, shortened
from pages.parts import prospects, targets
from pages.parts.app import address, frame, session, state
from pages.parts.markup import plain
from pages.parts.views import verdicts
from pages.parts.widgets import basis, controls

_LONGEST = 40
# The first version of the addresses that asks for verdicts on answers that are there.
_ASKS_FOR_VERDICTS = 8


def resume(archive: Archive, pool: Pool, known: Pool) -> None:
    """Have whoever comes without a choice go on with the list that has the newest label, and with its question.

    Without a list, the question follows from what is ``known`` of the pool, answers of targets that were run included.
    """
    designs = archive.plans.table(pool.items_digest)
    plan, begun = controls.PLAN.address, _begun(archive, designs)
    if plan is None and begun is not None and not _chosen(pool, designs, begun):
        plan = begun
        _go_on(begun)
    # A model that has not run has no answers to judge.
    if controls.LABEL_KIND.address is not None or (plan is None and _is_new(pool)):
        return
    kinds = pd.Series(dtype=object)
    if plan is not None:
        rows = archive.labels.of(plan)
        kinds = rows.loc[rows["label"].notna() & rows["kind"].map(lambda one: one in KINDS), "kind"]
    if not kinds.empty:
        controls.LABEL_KIND.set(str(kinds.iloc[-1]))
    elif plan is None and not (_is_earlier() and {"answer", "choices"} & {*known.item_columns}):
        controls.LABEL_KIND.set(usual_kind(known))


def kind(known: Pool) -> str:
    """Draw the kinds of label and return the chosen one; the list of a gate asks for no right answers."""
    control = controls.LABEL_KIND
    if gate_of(known) is not None:
        asked = [
            name for name in control.names if KINDS[name].judges and not (KINDS[name].scale or KINDS[name].compares)
        ]
        return str(replace(control.of({name: control.names[name] for name in asked}), help=None).draw())
    if len(targets.comparable(known)) < 2:
        single = {name: title for name, title in control.names.items() if not KINDS[name].compares}
        return str(control.of(single).draw())
    return control.draw()


def asked(archive: Archive, pool: Pool, known: Pool) -> Pool:
    """Return the pool with what people judge by the list of the address, if it checks a judge."""
    designs = archive.plans.table(pool.items_digest)
    texts = dict(zip(designs["plan_id"], designs["manifest"], strict=True))
    if '"judging"' not in texts.get(controls.PLAN.address, ""):
        return known
    return targets.asked(kept_plan(archive, str(controls.PLAN.address), pool), known)


def _chosen(pool: Pool, designs: pd.DataFrame, begun: str) -> bool:
    """Whether the address says what to draw: a design, a model that has not run, a seed or a budget that was chosen.

    A budget was not if every page begins with it, or if it is that of the list that was begun.
    """
    if controls.DESIGN.address or _is_new(pool) or prospects.seed_is_chosen(pool):
        return True
    begun_with = (one.design.budget for one in manifest.intact(designs.loc[designs["plan_id"] == begun, "manifest"]))
    budget = controls.BUDGET.value if controls.BUDGET.address else None
    return budget not in (None, *state.first_budgets(pool), *begun_with)


def _is_earlier() -> bool:
    """Whether the address is of a version that asked for right answers if they or the options were known."""
    return session.held(address.FirstAddress).version < _ASKS_FOR_VERDICTS


def _is_new(pool: Pool) -> bool:
    """Whether the address asks for a list for a model that has not run."""
    return bool(pool.targets) and controls.TARGET.address == controls.NEW


def draw(
    archive: Archive, pool: Pool, known: Pool, target: str | None, amount: DeltaGenerator, notes: DeltaGenerator
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
        The model to be evaluated; None if it has not run.
    amount, notes : DeltaGenerator
        Places of the number of labels, and of what everybody has to know.
    """
    # How answers are read comes last, though the design follows from it.
    top, bottom = st.container(), st.container()
    designs = archive.plans.table(pool.items_digest)
    with notes:
        begun, named = _begun(archive, designs), _named(designs)
    kept = None if named is None else kept_plan(archive, named, pool)
    if gate_of(pool) is not None:
        return _of_gate(pool, kept if begun is None else kept_plan(archive, begun, pool), notes)
    with top:
        if kept is not None and archive.labels.any_of(*family(kept, designs)):
            return _fixed(kept, amount, notes)
        if begun is not None:
            notes.button("Continue your list", "begun-list", icon=":material/undo:", on_click=_go_on, args=(begun,))
        chosen = controls.design(named)
        if kept is not None and chosen == named:
            return _stored(kept, amount)
    controls.SEED.settle(prospects.first_seed(pool))
    with bottom:
        kind = controls.parser()
    with top:
        if chosen == controls.PAPERS:
            return _papers(pool, kind, amount, notes)
        asked = basis.choose(prospects.to_choose(known, target, kind), chosen == controls.GATE)
        return _recommended(pool, asked, amount)


def _budget(amount: DeltaGenerator, least: int, n_items: int, default: int | None = None) -> int:
    """Draw the number of labels at its place, which is in sight whether or not the design is."""
    with amount, session.hidden(False):
        return controls.budget(least, n_items, default)


@dataclass(slots=True)
class Unknown:
    """The plan that the address named, and that is not kept here."""

    plan: str = ""


def _named(designs: pd.DataFrame) -> str | None:
    """The kept plan that the address names; says so if it names another, for as long as the default is shown."""
    unknown, given, design = session.held(Unknown), controls.PLAN.address, controls.DESIGN
    if given and given in set(designs["plan_id"]):
        unknown.plan = ""
        return given
    if given:
        unknown.plan = given
        controls.PLAN.set(None)
    if unknown.plan and design.value == design.default:
        named, shown = shortened(unknown.plan, _LONGEST), design.text(design.default)
        st.caption(plain(f"The address names “{named}”, a plan that is not kept here. {shown} is shown."))
    return None


def tried(study: Study) -> None:
    """Say of which items nothing needs labelling, since the file has the target's outcome or the right answer."""
    target = study.target
    if study.labels.begun or study.labels.pair is not None:
        return
    if target is None:
        if study.kind == "gold" and study.is_keyed:
            st.caption(
                "The file has the right answer to every item of this list. Run your model on these items: its answers "
                "are compared with them, and no labels are needed."
            )
        return
    losses = study.pool.losses(target, study.labels.parser)[study.plan.positions]
    known = sum(not math.isnan(loss) for loss in losses)
    if not known:
        return
    where, then = "", ""
    if known < len(losses):
        where = f" on {known:,} of these {counted(len(losses), 'item')}"
        then = ", and switch on “Only items without any label” on “Label here”: people are asked for the others alone"
    way = "take these outcomes" if KINDS[study.kind].verdicts else "choose “Right or wrong” and take these outcomes"
    said = (
        f"This pool already knows where “{target}” is right{where}. To see a result at once, {way} on “Import labels”"
    )
    st.caption(plain(f"{said}{then}."))


def fix(study: Study) -> None:
    """Fix the list once it has labels: another design or seed is an explicit new list."""
    if study.labels.begun and controls.PLAN.address != study.plan.plan_id:
        study.labels.save_plan(state.archive(), state.now())
        fix_next(study)
        st.rerun()


def fix_next(study: Study) -> None:
    """Have the address name a list that is kept and has labels, so that a link and a reload find it."""
    session.write(controls.of_plan(study.plan.plan_id, study.plan.design.budget, study.kind))


def _begun(archive: Archive, designs: pd.DataFrame) -> str | None:
    """The list that has the newest label."""
    known = set(designs["plan_id"])
    return next((name for name in archive.labels.counts()["plan_id"] if name in known), None)


def _go_on(plan_id: str) -> None:
    session.write({controls.PLAN.key: plan_id, controls.DESIGN.key: None, controls.BUDGET.key: None})


def _fixed(plan: Plan, amount: DeltaGenerator, notes: DeltaGenerator) -> Plan:
    """Draw what a plan with labels is."""
    controls.DESIGN.of({plan.plan_id: plan.plan_id}).draw()
    st.caption(plain(f"{_described(plan)}."))
    budget = _budget(amount, plan.design.budget, plan.strata.n_items, plan.design.budget)
    with notes.container(horizontal=True, vertical_alignment="center"):
        st.caption("Labelling has begun, so this list no longer changes: it can only grow.", width="content")
        new_list("new-list")
    return plan if budget == plan.design.budget else plan.with_budget(budget)


def new_list(key: str) -> None:
    """Draw the way to another list; the labels stay with the list they were given to."""
    st.button("Make a new list", key=key, icon=":material/add:", on_click=_new_list)


def _new_list() -> None:
    """Go back to the recommended design with another seed."""
    session.write(controls.another_list())


def _of_gate(pool: Pool, kept: Plan | None, notes: DeltaGenerator) -> Plan:
    """The list of a version gate: all its items, which no control changes."""
    own, both = gate_of(pool), ""
    if own is not None and (own.gradings["target"] == own.old).any():
        both = f" Answers of {own.old} are graded too: choose it as the target as well."
    notes.caption(
        plain(
            f"The list of a version gate is labelled as a whole. Its items were fixed when the gate was planned.{both}"
        )
    )
    if kept is not None:
        return kept if kept.design.budget == pool.n_items else kept.with_budget(pool.n_items)
    kind = controls.parser()
    seed = controls.SEED.settle(prospects.first_seed(pool))
    return Design(pool.n_items, Scheme(allocation="uniform", n_strata=1, parser=kind)).draw(pool, seed)


def _recommended(pool: Pool, asked: Prospect, amount: DeltaGenerator) -> Plan:
    budget = _budget(amount, asked.least, pool.n_items)
    seed = controls.SEED.draw()
    waves = not (asked.uniform or asked.question.gate) and budget >= LEAST_BUDGET and controls.WAVES.draw()
    here = asked.at(budget)
    single = not (waves or asked.uniform or asked.question.gate)
    carry = controls.CARRY.draw() if single and verdicts.may_be_known(asked.pool, asked.question) else controls.NOTHING
    if carry == controls.NOTHING:
        # Lists and labels belong to the pool without the targets that were run since.
        return replace(here.plan(seed, 2 if waves else 1), pool=pool)
    design = verdicts.carrying(here, carry == controls.FOLLOWING)
    st.caption(plain(design.why))
    return replace(replace(design, seed=seed).plan(pool.items_digest, pool.ids, here.profile), pool=pool)


def _papers(pool: Pool, kind: str | None, amount: DeltaGenerator, notes: DeltaGenerator) -> Plan:
    scheme = controls.scheme(kind, folded=False)
    if scheme.allocation == "uniform" and not pool.n_generations:
        budget = _budget(amount, 1, pool.n_items)
        return Design(budget, scheme).draw(pool, controls.SEED.draw())
    with notes:
        frame.need_generations(pool, _draw_recommended)
    asked = prospects.of(pool, None, kind, scheme=scheme)
    budget = _budget(amount, asked.least, pool.n_items)
    return asked.at(budget).plan(controls.SEED.draw())


def _draw_recommended() -> None:
    session.write(controls.another_list())


def _stored(plan: Plan, amount: DeltaGenerator) -> Plan:
    st.caption(plain(f"{_described(plan)}. A larger budget adds items at the end of its list."))
    budget = _budget(amount, plan.least_budget, plan.strata.n_items, plan.design.budget)
    return plan if budget == plan.design.budget else plan.with_budget(budget)


def _described(plan: Plan) -> str:
    """Return the description of a kept plan, in words."""
    scheme, judging = plan.design.scheme, plan.design.judging
    if judging is not None:
        return f"Checks the judge “{judging.judge}”, seed {plan.seed}"
    if scheme.allocation == "uniform":
        return f"Drawn uniformly, seed {plan.seed}"
    strata = counted(plan.strata.n_strata, "stratum", "strata")
    shared = scheme.rule.title
    if scheme.in_waves:
        strata = strata if plan.earlier is None else counted(plan.strata.n_strata - 1, "stratum", "strata")
        shared = f"{'first' if plan.earlier is None else 'second'} of two waves"
    return f"{strata} along {scheme.sorted_by}, {shared}, seed {plan.seed}"
