"""From the kept labels of a plan to what is estimated: which plan, what a label says, which target, which interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd
import streamlit as st

from core import labels
from core.archive import Archive
from core.design import Plan
from core.estimation import Interval
from core.pool import Pool
from core.stratification import Profile
from core.words import listed
from pages.parts import address, calls, controls, frame, state, targets
from pages.parts.estimate import address as estimate_refused
from pages.parts.estimate import kinds as estimate_kinds
from pages.parts.estimate.plans import Kept, choose, kept
from pages.parts.estimate.readings import Readings, readings
from pages.parts.label.work import DECISION, Work
from pages.parts.markup import plain

_NOTHING = pd.DataFrame({"item_id": [], "stratum": [], "place": []})


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A plan with labels, and how they are to be read.

    ``pool``: of `targets.known`, the plan's own with the answers of targets run since; ``log``: all labels kept for the
    plan and its family; ``rows``: those that say what is asked of this target; ``lost``: ids that will get no label,
    ``spare``: what takes their place; ``items``: the list's ids, then those of labelled replacements; ``beyond``: how
    many items are labelled for a larger list of the same design;
    ``parser``: the answer kind by which targets' answers are read and compared, None = the pool's own.
    """

    pool: Pool
    profile: Profile
    plan: Plan
    document: str
    archive: Archive
    plans: tuple[str, ...]
    log: pd.DataFrame
    rows: pd.DataFrame
    lost: tuple[str, ...]
    spare: pd.DataFrame
    items: tuple[str, ...]
    beyond: int
    target: str | None
    asked: str
    parser: str | None
    interval: Interval

    @property
    def unbounded(self) -> bool:
        """Whether scores may lie outside 0 to 1."""
        return not self.interval.bounded

    @property
    def measure(self) -> str:
        """What the values are called, of `core.report.result.MEASURES`."""
        return "score" if self.asked == "score" else "accuracy"

    @property
    def judged(self) -> str:
        """The target whose answers the labels judge; "" where they say what is right."""
        return "" if self.asked == "gold" else self.target or ""

    def work(self, plan: Plan | None = None) -> Work:
        """The labelling on page Label, of this plan or of one with another budget."""
        scheme = self.plan.design.scheme
        return Work(
            self.pool,
            scheme.parser,
            self.profile,
            plan or self.plan,
            self.asked,
            self.target,
            self.archive,
            scheme.offset,
        )


def select(pool: Pool) -> Chosen:
    """The plan and the readings; ends the page with the next step where no label has come back."""
    archive = state.archive()
    plans = kept(archive, pool)
    if not plans:
        st.info(
            "No label of this pool has come back yet. Hand out a list, label it right here, or take a filled one back.",
            icon=":material/info:",
        )
        frame.step("pages/label.py", "Go to the list", ":material/checklist:")
        st.stop()
    cells = st.columns([3, 2])
    with cells[0]:
        own = choose(plans, archive)
    log, known = archive.labels(*own.family), targets.known(pool)
    profile = calls.pool_profile(pool, own.design.scheme.parser)
    plan = calls.kept_plan(archive, own.plan_id, pool)
    estimate_refused.note(known)
    estimate_kinds.presume(log, known, plan, plan.stratum)
    with cells[1]:
        target = controls.target(known, preset=True)
    if target is None and known.targets:
        # What the session held was the control of the page before, which is gone by now.
        st.rerun()
    read = readings(own.design.scheme.parser)
    estimate_refused.tell(target, read)
    return _chosen(known, archive, own, profile, plan, log, target, read)


def settled(chosen: Chosen) -> labels.Settlement:
    """One label an item, with the decisions taken on this page; ends the page where no label is of this kind."""
    rows = chosen.rows
    if rows["label"].isna().all():
        _none_of_this_kind(chosen)
    estimate_kinds.offer([one for one in estimate_kinds.held(chosen.log) if one.kind != chosen.asked])
    decided = rows[rows["annotator"] == DECISION]
    return labels.settle(
        rows[rows["annotator"] != DECISION],
        chosen.items,
        chosen.plan.plan_id,
        chosen.asked,
        labels.choices_of(chosen.pool.items, chosen.items),
        family=chosen.plans,
        decisions=dict(zip(decided["item_id"], decided["label"], strict=True)),
        unbounded=chosen.unbounded,
        items=chosen.pool.items,
        parser=chosen.parser,
    )


def _chosen(
    known: Pool,
    archive: Archive,
    own: Kept,
    profile: Profile,
    plan: Plan,
    log: pd.DataFrame,
    target: str | None,
    read: Readings,
) -> Chosen:
    asked = read.asked
    rows = labels.relevant(log, asked, target)
    lost = tuple(labels.lost(rows))
    have = set(rows.loc[rows["label"].notna(), "item_id"])
    items = tuple(str(item) for item in plan.ids)
    if have - set(items):
        # Somebody may have labelled replacements without saying which item they are for.
        waiting = labels.replacements(plan, [*lost, *(item for item in items if item not in have)])
        items += tuple(str(item) for item in waiting["item_id"] if str(item) in have)
    inside = rows["item_id"].isin(items)
    beyond = rows.loc[~inside & rows["label"].notna() & (rows["plan_id"] != plan.plan_id), "item_id"].nunique()
    rows = rows[inside | (rows["plan_id"] == plan.plan_id)]
    spare = labels.replacements(plan, lost) if lost else _NOTHING
    return Chosen(
        known,
        profile,
        plan,
        own.document,
        archive,
        own.family,
        log,
        rows,
        lost,
        spare,
        items,
        beyond,
        target,
        read.asked,
        read.parser,
        read.interval,
    )


def _none_of_this_kind(chosen: Chosen) -> None:
    """What the kept labels say instead, and the way to labels of this kind."""
    wanted = estimate_kinds.says(chosen.asked, chosen.target or "")
    kept_ones = estimate_kinds.held(chosen.log)
    there = f" Kept are: {listed([one.said() for one in kept_ones])}." if kept_ones else ""
    st.info(
        plain(f"No label of this plan {wanted} yet.{there} Choose what there is, or label these items too."),
        icon=":material/info:",
    )
    readable = [one for one in kept_ones if one.target in ("", *chosen.pool.targets)]
    estimate_kinds.offer(readable, told=True)
    label_more(chosen, chosen.plan.design.budget, "Label these items", "label-these", "primary")
    st.stop()


def label_more(
    chosen: Chosen,
    budget: int,
    title: str,
    key: str,
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
    only_new: bool = True,
) -> None:
    """A button that opens page Label with this plan's design, another budget, and the same question and target.

    ``only_new``: the list there leaves out what has a label.
    """
    clicked = st.button(
        title, key=key, icon=":material/checklist:", on_click=_hand_over, args=(chosen, budget, only_new), type=kind
    )
    if clicked:
        # The target's control is on this page too: its parameter goes along by itself.
        design = controls.address(chosen.plan.design, budget, chosen.asked)
        st.switch_page("pages/label.py", query_params=address.parameters(chosen.work().pool_digest, **design))


def back_to_the_list(chosen: Chosen) -> None:
    """A button to all of the plan's list on page Label."""
    label_more(chosen, chosen.plan.design.budget, "Back to the list", "label-list", "tertiary", False)


def _hand_over(chosen: Chosen, budget: int, only_new: bool) -> None:
    """Set page Label's controls before they are drawn."""
    controls.adopt(chosen.plan.design, budget, chosen.asked)
    if only_new:
        # Neither of them alone: what is without a label may be replacements and others.
        st.session_state.update({"only-new": True, "only-spare": False})
    if chosen.target is not None:
        st.session_state["target"] = chosen.target
