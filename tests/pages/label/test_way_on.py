"""The way from labelling to the estimate leads to the plan that was labelled."""

from __future__ import annotations

from urllib.parse import parse_qs

from tests.pages.desk import label
from tests.pages.label.conftest import HERE, LABEL
from tests.pages.pools import plan_of


def way_on(app):
    (link,) = [one for one in app.get("page_link") if one.proto.label == "Estimate from the labels"]
    return parse_qs(link.proto.query_string)


def test_the_link_names_the_plan_once_it_has_labels(open_page, letters):
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    assert "plan" not in way_on(app)
    label(app, "A")
    assert way_on(app)["plan"] == [plan_of(letters, 8)[0].plan_id]
