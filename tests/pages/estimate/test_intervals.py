"""The interval: which one a link may name, and what it says if all labels agree."""

from __future__ import annotations

import pytest

from core.words import level
from tests.core.wording import Saying
from tests.pages.estimate.conftest import (
    ESTIMATE,
    headline_number,
    judged,
    keep,
    plan_of,
    text,
    two_targets,
)


@pytest.mark.parametrize(("label", "shown"), [("right", "100.0 %"), ("wrong", "0.0 %")])
def test_all_right_and_all_wrong(open_page, neyman_home, label, shown):
    pool = two_targets()
    plan, _ = plan_of(pool, 40)
    keep(neyman_home, pool, plan, dict.fromkeys(map(str, plan.ids), label), "right-wrong", "one")
    app = open_page(ESTIMATE, pool, about="precision")
    assert headline_number(app) == shown
    said = text(app)
    assert said == Saying(f"gets {shown} right") and "120 items" in said and "± 0.0" not in said
    assert "To narrow the interval from ±" in said and "nan" not in said


def test_a_confidence_that_is_not_offered_is_told(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 40)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, pool, confidence="42")
    assert text(app) == Saying("the confidence “42”", "95 % is used")
    assert "The address asks" not in text(open_page(ESTIMATE, pool, confidence=level(0.9)))


def test_scores_without_bounds_name_the_interval_that_is_used(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 40)
    given = {str(item): str(3 + n % 5) for n, item in enumerate(plan.ids)}
    keep(neyman_home, pool, plan, given, "score", "one")
    app = open_page(ESTIMATE, pool, unbounded="true")
    box = next(one for one in app.selectbox if one.label == "Interval")
    assert (box.value, box.disabled) == ("Student’s t", True)
    kind = app.selectbox(key="label-kind")
    assert kind.options[kind.index] == "A score"
    assert headline_number(app) and any("Satterthwaite" in (one.help or "") for one in app.markdown)
