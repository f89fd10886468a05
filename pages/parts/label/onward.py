"""The way from a list's labels to their estimate."""

from __future__ import annotations

from core.study import Study
from pages.parts import frame, state


def section(study: Study) -> None:
    """Draw a link to page Estimate, for this plan where it has labels."""
    plan = study.plan
    # The page there shows the plan that it showed last, unless the address says otherwise.
    with frame.errors():
        stored = plan.plan_id in set(state.archive().designs(plan.items_digest)["plan_id"])
    labelled = {"plan": plan.plan_id} if stored and study.log["label"].notna().any() else {}
    frame.step("pages/estimate.py", "Estimate from the labels", ":material/analytics:", **labelled)
