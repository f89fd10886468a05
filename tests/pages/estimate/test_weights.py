"""Estimate: items that count by their weights."""

from __future__ import annotations

from core.design import recommend
from core.pool import Pool
from pages.parts.estimate.controls import ABOUT
from tests.pages.estimate.conftest import ESTIMATE, gold, keep, partly_answered, text


def test_the_result_counts_items_by_weight_with_the_other_in_small_print(open_page, neyman_home):
    rows = [
        {**row, "traffic": 1 + 9 * (place % 4 == 0), "group": "ab"[place % 2]}
        for place, row in enumerate(partly_answered())
    ]
    questions = Pool.from_records(rows, "two targets").weighted("traffic")
    plan = recommend(questions, 60, "one").draw(questions, seed=1)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    for tab in ABOUT.names:
        app = open_page(ESTIMATE, questions, about=tab)
        assert not app.exception
        assert not app.error, (tab, text(app))
        small = [caption.value for caption in app.caption if "With every item counted once" in caption.value]
        assert len(small) == 1
        assert "Checked after every label" not in text(app)
    label = open_page("pages/label.py", questions, plan=plan.plan_id)
    assert not label.exception
    assert not label.error
