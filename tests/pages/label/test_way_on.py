"""The way from labelling to the estimate leads to the plan that was labelled."""

from __future__ import annotations

from urllib.parse import parse_qs

from tests.pages.conftest import press, run
from tests.pages.desk import desk, label
from tests.pages.label.conftest import HERE, LABEL
from tests.pages.label.test_back import filled, upload
from tests.pages.pools import plan_of


def way_on(app):
    (link,) = [one for one in app.get("page_link") if one.proto.label == "Estimate from the labels"]
    return parse_qs(link.proto.query_string)


def test_the_link_names_the_plan_once_it_has_labels(open_page, letters):
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    assert "plan" not in way_on(app)
    label(app, "A")
    assert way_on(app)["plan"] == [plan_of(letters, 8)[0].plan_id]


def test_it_stands_once_where_labels_were_just_kept(open_page, letters):
    plan = plan_of(letters, 8)[0]
    app = open_page(LABEL, letters, budget=8, part="Take labels back")
    assert "plan" not in way_on(app)
    app = press(upload(app, filled(plan, "A", "Ann")), "Keep these labels")
    assert way_on(app)["plan"] == [plan.plan_id] and "8 new or changed labels kept" in app.success[0].value


def test_a_finished_list_leads_to_a_new_one_too(open_page, letters):
    plan = plan_of(letters, 8)[0]
    app = open_page(LABEL, letters, budget=8, part="Take labels back")
    press(upload(app, filled(plan, "A", "Ann")), "Keep these labels")
    app = open_page(LABEL, letters, budget=8, annotator="Ben", **HERE)
    assert "next-list" not in {one.key for one in app.button}, "Ben has labelled nothing"
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    app.button(key="next-list").click()
    assert not desk(run(app))["done"] and app.query_params["seed"] != str(plan.seed)
