"""Where to go from page Pool: what fits a pool with what is known of it."""

from __future__ import annotations

import streamlit as st

from core.judge import n_judged, named_judge
from core.pool import Pool, named_versions, newest_first
from core.prospect import Prospect
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.plan.controls import THIS_POOL
from pages.parts.widgets import controls


def first(pool: Pool) -> None:
    """Draw the way that most take with such a pool."""
    if named_judge(pool):
        frame.step("pages/judge.py", "How good is the judge?", ":material/gavel:")
    else:
        frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")


def judged(pool: Pool) -> str:
    """Say whose verdicts a pool of outputs has; nothing of any other pool."""
    judging = named_judge(pool)
    if judging is None:
        return ""
    known = n_judged(pool, judging)
    if known == pool.n_items:
        return f"“{judging}” passes or fails each item."
    return (
        f"“{judging}” has verdicts on {known:,} of {pool.n_items:,} items, and a judge needs one on each. If people "
        "gave them, they are a target’s score: “Change the fields”."
    )


def section(pool: Pool, prospect: Prospect | None) -> None:
    """Draw the ways on; ``prospect``: what is known of the pool beforehand."""
    st.header("Next")
    if known := judged(pool):
        frame.step("pages/judge.py", "How good is the judge?", ":material/gavel:")
        st.caption(plain(f"{known} A few labels tell how far a judge can be trusted."))
    if named_versions(names := pool.targets.answered):
        new, old, *_ = newest_first(names)
        pair = {controls.GATE_OLD.key: old, controls.GATE_NEW.key: new}
        frame.step("pages/versions.py", "Is the new version worse?", ":material/difference:", **pair)
        st.caption(plain(f"{new} against {old}: only answers that differ are graded."))
    first, second, third = st.columns(3)
    with first:
        if pool.n_generations or pool.targets if prospect is None else not prospect.uniform:
            frame.step("pages/explore.py", "Explore what the method gains", ":material/query_stats:")
            exact = prospect is not None and prospect.is_exact
            st.caption(f"What each design saves with any number of labels{', exact from known outcomes' * exact}.")
        else:
            frame.step("pages/surrogate.py", "Ask a cheap model first", ":material/smart_toy:")
            st.caption("Labels are most useful where its answers disagree. Without them, items are drawn uniformly.")
    with second:
        plan = {"plan-for": THIS_POOL}
        frame.step("pages/plan.py", "Plan labels, precision and money", ":material/calculate:", **plan)
        st.caption("How precise labels are on this pool, how many you need for a precision, and what they cost.")
    with third:
        frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
        st.caption("A list for your annotators, or label right here.")
