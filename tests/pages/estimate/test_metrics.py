"""Precision, recall, F1, and what was answered."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.estimation.contrasts import metric
from tests.core.wording import Saying
from tests.pages.estimate.conftest import (
    ESTIMATE,
    gold,
    judged,
    keep,
    plan_of,
    text,
    two_targets,
)


def test_metrics_of_one_answer(open_page, neyman_home, downloads):
    pool = two_targets()
    plan, member = plan_of(pool, 60)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold")
    app = open_page(ESTIMATE, pool, about="metrics", target="two", positive="B")
    items = pool.items.loc[list(plan.ids)]
    said = np.array([pool.targets["two"].answers[place] == "B" for place in plan.positions])
    true = (items["answer"] == "B").to_numpy()
    precision = metric("precision", said, true, member[plan.positions], plan.strata.sizes)
    assert "Where “two” answers" not in text(app), "it answers every time"
    assert text(app) == Saying(f"“two” says “B”, it is right {100 * precision.value:.0f} %", "This is its precision")
    assert "Precision, recall, F1" in downloads["Report (HTML)"]()
    open_page(ESTIMATE, pool, about="how", target="two", positive="B")
    rows = json.loads(downloads["Everything as JSON"]())["metrics"]["rows"]
    assert rows[0]["value"] == pytest.approx(precision.value)


def test_right_or_wrong_labels_know_no_precision(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 60)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, "one"), "right-wrong", "one")
    assert "Precision, recall, F1" not in text(open_page(ESTIMATE, pool, about="metrics"))


def test_accuracy_where_the_target_answered(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 60)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold")
    assert "Where “one” answers" in text(open_page(ESTIMATE, pool, about="metrics", target="one"))
