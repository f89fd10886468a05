"""From page Estimate to the list on page Label: the same design, question and target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import streamlit as st

from core.archive import Archive, is_by_hand
from core.estimation import Interval
from core.labels import KINDS
from core.pool import Pool
from core.stratification import EQUAL_MASS
from core.study import KeptPlan, Labelling, Reading, Study, damaged_plans, kept_plan, kept_plans, presumed, readings
from core.words import counted, listed, shortened
from pages.parts import targets
from pages.parts.app import frame, session, state
from pages.parts.app.address import choices
from pages.parts.estimate import figures
from pages.parts.estimate.controls import AT_LEAST, INTERVAL, READ_AS, SAYS, UNBOUNDED, note, tell
from pages.parts.label import kept
from pages.parts.markup import plain
from pages.parts.widgets import controls
from pages.parts.widgets.control import panel
from pages.parts.widgets.controls import DESK, LIST, PART, PLAN, TARGET


def label_more(
    study: Study,
    budget: int,
    title: str,
    key: str,
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
    only_new: bool = True,
) -> None:
    """A button that opens page Label with this plan's design, another budget, and the same question and target.

    ``only_new``: list and desk there leave out what anybody has labelled; what was labelled there goes on there.
    """
    clicked = st.button(title, key=key, icon=":material/checklist:", on_click=_show_new, args=(only_new,), type=kind)
    if clicked:
        list_of = choices().replace(
            design=None,
            plan=study.plan.plan_id,
            budget=budget,
            kind=study.kind,
            target=study.target,
            others={PART.key: [DESK if _by_hand(study) else LIST]},
        )
        st.switch_page("pages/label.py", query_params=list_of.parameters())


def back_to_the_list(study: Study) -> None:
    """A button to all of the plan's list on page Label."""
    label_more(study, study.plan.design.budget, "Back to the list", "label-list", "tertiary", False)


def _by_hand(study: Study) -> bool:
    """Whether the latest label was given on page Label; otherwise the list is labelled elsewhere."""
    sources = study.labels.log["source"]
    return not sources.empty and is_by_hand(sources.iloc[-1])


def _show_new(only_new: bool) -> None:
    """Have the list there begin with what has no label."""
    if only_new:
        # Neither of them alone: what is without a label may be replacements and others.
        session.show("only-new", True)
        session.show("only-spare", False)
        # At the desk too: what others have labelled has a label.
        session.show("only-free", True)


def presume(study: Study) -> None:
    """Choose what is looked at first, unless the address says otherwise, and write it to the address.

    A link holds the kind and the target whichever they are: it shows the same when other labels have come in.
    """
    targets = TARGET.of({name: name for name in study.pool.targets})
    kind, target = SAYS.option(SAYS.address), targets.option(targets.address)
    first = presumed(study.labels.log, study.plan, study.pool, kind, target)
    session.write(SAYS.parameter(first.kind) | (targets.parameter(first.target) if first.target else {}))


def forget() -> None:
    """Let what is looked at be found out again; for a callback."""
    session.write({SAYS.key: None, TARGET.key: None})


def says(kind: str, target: str, several: bool = False) -> str:
    """Return the verb for a label of a kind, or for several: “judges “one””; ``target``: "" if none is named."""
    words = KINDS[kind].says if target else KINDS[kind].says_of_nobody
    return words[several].format(target)


def said(one: Reading) -> str:
    """“40 labels judge “one””."""
    return f"{counted(one.items, 'label')} {says(one.kind, one.target, one.items > 1)}"


def offer(others: list[Reading], explained: bool = False) -> None:
    """A button for each of these that reads it, with a sentence of what it is unless it is ``explained`` already."""
    for one in others:
        with st.container(horizontal=True, vertical_alignment="center"):
            if not explained:
                st.markdown(f":material/layers: Kept too: {plain(said(one))}.", width="content")
            about = f" of “{plain(one.target)}”" if one.target else ""
            st.button(
                f"{KINDS[one.kind].read}{about}",
                key=f"read-{one.kind}-{one.target}",
                icon=":material/swap_horiz:",
                on_click=_read,
                args=(one,),
            )


def _read(one: Reading) -> None:
    session.write(SAYS.parameter(one.kind) | (TARGET.parameter(one.target) if one.target else {}))


# Readings of the kept labels on page Estimate: their kind, the interval, and how answers are compared.


def ask(study: Study, target: str | None) -> Study:
    """The study as it is to be read: what a label says, how answers are read, the interval and its confidence."""
    with panel("Settings", "estimate-reading", icon=":material/tune:"):
        says = SAYS.draw()
        unbounded = KINDS[says].averaged and KINDS[says].scale is None and UNBOUNDED.draw()
        threshold = AT_LEAST.draw_for(KINDS[says])
        name = _interval(unbounded)
        confidence = controls.CONFIDENCE.draw()
        # Labels that judge an answer need none that is read. A plan whose generations are read in one way most likely
        # has targets to be read in the same: that way stands first, and so in no address.
        read_as = study.labels.parser or controls.OWN
        if not KINDS[says].judges:
            names = READ_AS.names
            read_as = READ_AS.of({read_as: names[read_as], **names}).draw()
    labels = replace(
        study.labels,
        kind=says,
        target=target,
        parser=None if read_as == controls.OWN else read_as,
        interval=Interval(name, confidence, bounded=not unbounded),
        threshold=threshold,
    )
    return Study(labels)


def _interval(unbounded: bool) -> str:
    """The interval for values from 0 to 1; without bounds there is but one, and it is named."""
    if not unbounded:
        return INTERVAL.draw()
    st.selectbox(
        INTERVAL.label,
        ["Student’s t"],
        key="interval-used",
        disabled=True,
        help="Scores without bounds get Student’s t with Satterthwaite’s degrees of freedom.",
    )
    return INTERVAL.default


# The plans of this pool of which labels are kept, and which of them is looked at.

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
    forget()


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


def select(pool: Pool) -> Study:
    """The plan with its labels as they are to be read; ends the page with the next step if there is no label."""
    kept.pending()
    archive = state.archive()
    plans, damaged = kept_plans(archive, pool), damaged_plans(archive, pool)
    if damaged:
        st.warning(
            f"The manifest of plan {listed(damaged)} is damaged: restore it from a backup. Other plans still work.",
            icon=":material/warning:",
        )
    if not plans:
        st.info(
            "This pool has no labels yet. Export a list, label it here, or take a filled list back.",
            icon=":material/info:",
        )
        frame.next_step("pages/label.py", "Go to the list", ":material/checklist:")
        figures.section()
        st.stop()
    cells = st.container(key="estimate-controls-plan").columns([5, 2, 2], vertical_alignment="bottom")
    with cells[0]:
        chosen = choose(plans, archive)
    known = targets.known(pool)
    study = Study(Labelling.load(archive, kept_plan(archive, chosen.plan_id, pool), known))
    note(known)
    presume(study)
    with cells[1]:
        target = controls.target(known)
    with cells[2]:
        study = ask(study, target)
    tell(study)
    return _with_labels(study)


def _with_labels(study: Study) -> Study:
    """The study, and the ways to what else is kept; ends the page if no label is of this kind."""
    kinds = readings(study.labels.log)
    if study.labels.rows["label"].notna().any():
        offer([one for one in kinds if one.kind != study.kind])
        return study
    missing = says(study.kind, study.target or "")
    there = f" Labels kept so far: {listed([said(one) for one in kinds])}." if kinds else ""
    st.info(
        plain(f"No label of this plan {missing} yet.{there} Choose what there is, or label these items too."),
        icon=":material/info:",
    )
    readable = [one for one in kinds if one.target in ("", *study.pool.targets)]
    offer(readable, explained=True)
    label_more(study, study.plan.design.budget, "Label these items", "label-these", "primary")
    st.stop()
