"""Labels judge one target, and right answers every one."""

from __future__ import annotations

from core.estimation import stratified
from core.words import value
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.estimate.conftest import (
    ESTIMATE,
    bare,
    gold,
    headline_number,
    judged,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)
from tests.pages.pools import pool, records


def test_labels_of_one_target_are_not_shown_as_anothers(open_page, neyman_home):
    questions = two_targets()
    plan, member = plan_of(questions, 40)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, questions)
    alone = stratified(1 - questions.losses("two")[plan.positions], member[plan.positions], plan.strata.sizes)
    assert headline_number(app) == bare(value(alone.value, True)) and "“two”" in text(app)
    app.selectbox(key="target").set_value("one")
    run(app)
    assert not headline_number(app)
    assert text(app) == Saying("No label", "“one”", "40 labels judge “two”")


def test_right_answers_serve_every_target(open_page, neyman_home):
    questions = two_targets()
    plan, member = plan_of(questions, 40)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions)
    assert app.selectbox(key="target").value == "one"
    for name in ("one", "two"):
        if name == "two":
            app.selectbox(key="target").set_value(name)
            run(app)
        alone = stratified(1 - questions.losses(name)[plan.positions], member[plan.positions], plan.strata.sizes)
        assert headline_number(app) == bare(value(alone.value, True))


def test_right_answers_without_any_answer_of_a_target_lead_to_running_one(open_page, neyman_home):
    questions = pool(records(target=None), "no target")
    plan, _ = plan_of(questions, 20)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions)
    assert text(app) == Saying("20 right answers", "no target’s answer") and not app.error and not headline_number(app)
    press(app, "Run a target on these items")
    assert "Start" in [button.label for button in app.button]
    assert app.session_state["asked-items"] == plan.plan_id


def test_a_target_of_another_pool_in_the_address_does_not_hide_what_was_labelled(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    assert open_page(ESTIMATE, questions, target="three").selectbox(key="target").value == "two"
