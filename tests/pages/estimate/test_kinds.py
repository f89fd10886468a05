"""Labels of several kinds on one plan: which is looked at first, and the way to the others."""

from __future__ import annotations

from tests.core.wording import Saying
from tests.pages.estimate.conftest import (
    ESTIMATE,
    FIRST,
    SECOND,
    gold,
    judged,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)
from tests.pages.pools import pool, records


def test_the_kind_that_gives_an_estimate_is_looked_at_first(open_page, neyman_home):
    questions = pool(records(target=None), "no target")
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold", created=SECOND)
    given = {str(item): ("right", "wrong")[n % 3 == 0] for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, given, "right-wrong", created=FIRST)
    app = open_page(ESTIMATE, questions)
    assert app.selectbox(key="label-kind").value == "right-wrong" and "from 40 labels" in text(app)
    assert text(app) == Saying("40 labels say what is right")
    press(app, "Read the right answers")
    assert app.selectbox(key="label-kind").value == "gold" and text(app) == Saying("40 labels say right or wrong")
    assert text(app) == Saying("no target’s answer")
    press(app, "Read right or wrong")
    assert "from 40 labels" in text(app)


def test_of_kinds_that_give_an_estimate_the_newest_is_looked_at_first(open_page, neyman_home):
    questions = two_targets()
    for seed, (first, second, newest) in enumerate([(FIRST, SECOND, "right-wrong"), (SECOND, FIRST, "gold")]):
        plan, _ = plan_of(questions, 40, seed=seed)
        keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold", created=first)
        keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two", created=second)
        app = open_page(ESTIMATE, questions, plan=plan.plan_id)
        assert app.selectbox(key="label-kind").value == newest
        assert app.selectbox(key="target").value == {"right-wrong": "two", "gold": "one"}[newest]


def test_a_kind_with_every_stratum_comes_before_a_newer_one_without(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold", created=FIRST)
    first = [item for item, h in zip(plan.ids, plan.items["stratum"].to_numpy(), strict=True) if h == 0]
    keep(neyman_home, questions, plan, judged(questions, first, "two"), "right-wrong", "two", created=SECOND)
    app = open_page(ESTIMATE, questions)
    assert app.selectbox(key="label-kind").value == "gold" and "from 40 labels" in text(app)
    assert f"Kept too: {len(first)} labels judge “two”." in text(app)


def test_right_answers_are_compared_with_a_target_that_was_asked(open_page, neyman_home):
    rows = [{**row, "targets": {"none": {"loss": 0.0}, "some": {"answer": "A"}}} for row in records(target=None)]
    questions = pool(rows, "answers of one")
    plan, _ = plan_of(questions, 30)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions)
    assert app.selectbox(key="target").value == "some" and "from 30 labels" in text(app)
