"""From the kept labels of a plan to its result: which plan, what a label says, which target, which interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core import intervals, labels, manifest, report
from core.archive import Archive
from core.design import Plan
from core.errors import LabelError
from core.pool import Pool
from core.profile import Profile
from pages.parts import calls, controls, frame, state
from pages.parts.labelling import DECISION, family

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A plan with labels, and how they are to be read. ``items``: the list's ids, then its replacements'."""

    pool: Pool
    profile: Profile
    plan: Plan
    document: str
    archive: Archive
    plans: tuple[str, ...]
    items: tuple[str, ...]
    asked: str
    target: str | None
    interval: str
    confidence: float


def choose(pool: Pool) -> Chosen:
    """The plan and the readings; ends the page with the next step where no label has come back."""
    archive = state.archive()
    designs = archive.designs()
    designs = designs[designs["digest"] == pool.digest]
    counts = {plan: archive.labels(plan).dropna(subset="label")["item_id"].nunique() for plan in designs["plan_id"]}
    labelled = [plan for plan in designs["plan_id"] if counts[plan]]
    if not labelled:
        st.info(
            "No label of this pool has come back yet. Hand out a list, label it right here, or take a filled one back.",
            icon=":material/info:",
        )
        frame.step("pages/label.py", "Go to the list", ":material/checklist:")
        st.stop()
    cells = st.columns([2, 2, 2, 1.4, 1])
    with cells[0]:
        name = st.selectbox(
            "Plan", labelled, key="plan", bind="query-params", help="Lists of this pool of which labels have come back."
        )
    document = str(designs.loc[designs["plan_id"] == name, "manifest"].iloc[0])
    found = manifest.read(document)
    profile = calls.pool_profile(pool, found.design.parser)
    ids = pool.items.index.to_numpy(dtype=object)
    plan = manifest.reproduce(found, pool.digest, ids, profile)
    plans = tuple(family(plan, designs))
    rows = archive.labels(*plans)
    with cells[1]:
        asked = _asked(rows)
    with cells[2]:
        target = controls.target(pool)
    with cells[3]:
        interval = st.selectbox(
            "Interval", intervals.NAMES, key="interval", format_func=_interval_name, bind="query-params"
        )
    with cells[4]:
        confidence = st.selectbox(
            "Confidence", _CONFIDENCES, 2, key="confidence", format_func=lambda c: f"{100 * c:g} %", bind="query-params"
        )
    have = set(rows.loc[rows["label"].notna(), "item_id"])
    listed = [str(item) for item in plan.ids]
    spare = labels.replacements(plan, profile, ids, [item for item in listed if item not in have])
    items = (*listed, *(str(item) for item in spare["item_id"] if str(item) in have))
    return Chosen(pool, profile, plan, document, archive, plans, items, asked, target, interval, float(confidence))


def settled(chosen: Chosen) -> labels.Settled:
    """One label an item, with the decisions taken on this page."""
    rows = chosen.archive.labels(*chosen.plans)
    decided = rows[rows["annotator"] == DECISION]
    return labels.settle(
        rows[rows["annotator"] != DECISION],
        chosen.items,
        chosen.plan.plan_id,
        chosen.asked,
        labels.choices_of(chosen.pool.items, chosen.items),
        also=chosen.plans,
        decisions=dict(zip(decided["item_id"], decided["label"], strict=True)),
    )


def result_of(chosen: Chosen, found: labels.Settled) -> report.Result:
    """The result of the settled labels.

    Raises
    ------
    LabelError : no label can be compared with the target's answers.
    """
    parser = chosen.plan.design.parser
    answers = None
    if chosen.asked == "gold" and chosen.target is not None:
        answers = labels.target_answers(chosen.pool, chosen.target, chosen.items, parser)
    losses = labels.losses(found, answers, chosen.pool.items, parser)
    losses = losses[losses["loss"].notna()]
    if losses.empty:
        raise LabelError("No label can be compared with an answer of the target: run the target on these items first.")
    places = chosen.pool.items.index.get_indexer(losses["item_id"])
    labelled = report.Labelled(losses["item_id"].tolist(), np.asarray(places), losses["loss"].to_numpy(dtype=float))
    items = chosen.pool.items
    return report.result(
        chosen.plan,
        chosen.pool.name,
        labelled,
        chosen.plan.strata.of_level[chosen.profile.levels.member],
        items["group"].tolist() if "group" in items else None,
        target=chosen.target or "",
        confidence=chosen.confidence,
        interval=chosen.interval,
        manifest=chosen.document,
        made=f"Made {state.now()}.",
    )


def _asked(rows: pd.DataFrame) -> str:
    """What a label says; by default what was asked when the labels were given (it stands behind their source)."""
    asked = rows.loc[rows["label"].notna(), "source"].str.rpartition(" ")[2]
    asked = asked[asked.isin(labels.KINDS)]
    return controls.label_kind("says", asked.mode().iloc[0] if len(asked) else "gold")


def _interval_name(name: str) -> str:
    return {"wilson": "Wilson", "korn-graubard": "Korn–Graubard", "wald": "Wald"}.get(name, name.capitalize())
