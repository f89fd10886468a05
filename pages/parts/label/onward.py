"""The way from a list's labels to what they say."""

from __future__ import annotations

from core.gates import gate_of
from core.study import Study
from pages.parts.app import frame
from pages.parts.widgets import controls


def section(study: Study) -> None:
    """Draw a link to page Estimate, for this plan if it has labels; of a gate's or a judge's list, to its verdict."""
    own = gate_of(study.pool)
    if own is not None:
        versions = {controls.GATE_OLD.key: own.old, controls.GATE_NEW.key: own.new}
        frame.step("pages/versions.py", "Is the new version worse?", ":material/difference:", **versions)
        return
    if study.plan.design.judging is not None:
        frame.step("pages/judge.py", "How good is the judge?", ":material/gavel:", plan=study.plan.plan_id)
        return
    # The page there shows the plan that it showed last, unless the address says otherwise.
    labelled = {"plan": study.plan.plan_id} if study.labels.begun else {}
    frame.step("pages/estimate.py", "Estimate from the labels", ":material/analytics:", **labelled)
