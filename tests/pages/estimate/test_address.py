"""The address holds what is looked at: a reload shows the same estimate, whatever came in meanwhile."""

from __future__ import annotations

import pytest

from tests.pages.estimate.conftest import (
    ESTIMATE,
    FIRST,
    SECOND,
    gold,
    headline_number,
    judged,
    keep,
    plan_of,
    press,
    two_targets,
)

THIRD = "2026-01-04T00:00:00+00:00"


@pytest.fixture
def several(neyman_home):
    """Right answers, and newer verdicts on both targets."""
    pool = two_targets(200)
    plan, _ = plan_of(pool, 60)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold", created=FIRST)
    for name in ("two", "one"):
        given = {item: "right" for item in judged(pool, plan.ids, name)}
        keep(neyman_home, pool, plan, given, "right-wrong", name, created=SECOND)
    return pool, plan


def looked_at(app):
    return app.selectbox(key="label-kind").value, app.selectbox(key="target").value, headline_number(app)


def again(open_page, app):
    """A new session at exactly the address of a page."""
    return open_page(ESTIMATE, None, **app.query_params)


def test_what_was_chosen_by_itself_is_in_the_address(open_page, neyman_home):
    pool = two_targets(200)
    plan, _ = plan_of(pool, 60)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold", created=FIRST)
    app = open_page(ESTIMATE, pool)
    assert (app.query_params["label-kind"], app.query_params["target"]) == ("gold", "one")
    given = dict.fromkeys(map(str, plan.ids), "right")
    keep(neyman_home, pool, plan, given, "right-wrong", "two", created=THIRD)
    assert looked_at(again(open_page, app)) == looked_at(app)
    assert looked_at(open_page(ESTIMATE, pool))[:2] == ("right-wrong", "two")


def test_a_button_that_reads_another_kind_writes_the_address(open_page, several):
    pool, _ = several
    app = open_page(ESTIMATE, pool)
    assert app.selectbox(key="label-kind").value == "right-wrong"
    press(app, "Read the right answers")
    shown = looked_at(app)
    assert shown[0] == "gold" and looked_at(again(open_page, app)) == shown
    press(app, "Read right or wrong of “two”")
    assert looked_at(app)[:2] == ("right-wrong", "two") and looked_at(again(open_page, app)) == looked_at(app)


def test_a_link_to_the_first_kind_and_target_stays(open_page, several):
    pool, _ = several
    app = open_page(ESTIMATE, pool, says="The right answer", target="one")
    assert looked_at(app)[:2] == ("gold", "one")
    app.run()
    assert (app.query_params["label-kind"], app.query_params["target"]) == ("gold", "one")
    assert looked_at(again(open_page, app)) == looked_at(app)


def test_the_kind_of_the_address_chooses_the_target(open_page, neyman_home):
    pool = two_targets(200)
    plan, _ = plan_of(pool, 60)
    scores = {str(item): str(n % 5 / 4) for n, item in enumerate(plan.ids)}
    keep(neyman_home, pool, plan, scores, "score", "one", created=FIRST)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, "two"), "right-wrong", "two", created=SECOND)
    assert looked_at(open_page(ESTIMATE, pool, says="score"))[:2] == ("score", "one")
    app = open_page(ESTIMATE, pool)
    press(app, "Read the scores of “one”")
    assert looked_at(app)[:2] == ("score", "one") and looked_at(again(open_page, app)) == looked_at(app)


def test_another_plan_is_looked_at_anew_and_so_is_its_address(open_page, several, neyman_home):
    pool, first = several
    other, _ = plan_of(pool, 40, seed=4)
    keep(neyman_home, pool, other, gold(pool, other.ids), "gold", created=THIRD)
    app = open_page(ESTIMATE, pool, plan=first.plan_id, says="right-wrong", target="two")
    app.selectbox(key="plan").set_value(other.plan_id).run()
    assert looked_at(app)[:2] == ("gold", "one")
    assert app.query_params["plan"] == other.plan_id
    assert looked_at(again(open_page, app)) == looked_at(app)


def test_from_label_and_back_the_address_holds_them(open_page, several):
    pool, _ = several
    app = open_page("pages/label.py", pool, target="two")
    app.switch_page(ESTIMATE).run()
    assert not app.exception
    assert app.query_params["target"] == app.selectbox(key="target").value
    assert looked_at(again(open_page, app)) == looked_at(app)


def test_newer_labels_of_another_plan_leave_the_address_as_it_was(open_page, several, neyman_home):
    pool, first = several
    app = open_page(ESTIMATE, pool)
    assert app.query_params["plan"] == first.plan_id
    other, _ = plan_of(pool, 40, seed=4)
    keep(neyman_home, pool, other, gold(pool, other.ids), "gold", created=THIRD)
    assert looked_at(again(open_page, app)) == looked_at(app)
    link = dict(app.query_params)
    app.switch_page("pages/label.py").run()
    app.query_params = link
    app.switch_page(ESTIMATE).run()
    assert app.selectbox(key="plan").value == app.query_params["plan"] == first.plan_id
