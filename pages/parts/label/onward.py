"""The way from a list's labels to their estimate."""

from __future__ import annotations

from core.study import Study
from pages.parts.app import frame


def section(study: Study) -> None:
    """Draw a link to page Estimate, for this plan where it has labels."""
    # The page there shows the plan that it showed last, unless the address says otherwise.
    labelled = {"plan": study.plan.plan_id} if study.labels.begun else {}
    frame.step("pages/estimate.py", "Estimate from the labels", ":material/analytics:", **labelled)
