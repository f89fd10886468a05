"""More precision: the labels that are promised are those of the list that opens."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.design import manifest
from tests.core.wording import Saying
from tests.pages.conftest import dials, run, table
from tests.pages.desk import desk
from tests.pages.estimate.conftest import (
    ESTIMATE,
    FIRST,
    SECOND,
    bare,
    headline_number,
    judged,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)
from tests.pages.pools import pool, records


def opened(app):
    """Page Label as the button of the top-up opens it."""
    app.button(key="label-more").click()
    run(app)
    assert app.title[0].value == "Label"
    return app


def promised(app):
    return int(re.search(r"the ([\d,]+) ", bare(app.button(key="label-more").label))[1])


def further(app):
    return int(re.search(r"about \*\*([\d,]+) more label", text(app))[1].replace(",", ""))


def in_all(app):
    return int(re.search(r"more labels?\*\*, ([\d,]+) in all", text(app))[1].replace(",", ""))


@pytest.fixture
def thinned(neyman_home):
    """A plan of 100 items of which sixty at random are labelled."""
    questions = two_targets(400)
    plan, _ = plan_of(questions, 100)
    some = np.sort(np.random.default_rng(5).permutation(100)[:60])
    keep(neyman_home, questions, plan, judged(questions, plan.ids[some], "two"), "right-wrong", "two")
    return questions, plan, set(map(str, plan.ids[some]))


def test_labels_that_are_missing_are_those_of_the_plans_own_list(open_page, thinned):
    questions, plan, have = thinned
    app = open_page(ESTIMATE, questions, about="precision", **{"half-width": 9.5})
    assert 60 < in_all(app) <= 100
    # Those that nobody labelled between others are the first to be labelled.
    assert further(app) == 40 and text(app) == Saying("label the 40 items that have no label yet")
    assert promised(app) == 40
    app = opened(app)
    shown = table(app, 0)["item_id"].tolist()
    assert dials(app)["budget"] == 100
    assert shown == [str(item) for item in plan.ids if str(item) not in have]


def test_a_larger_list_shows_as_many_items_as_were_promised(open_page, thinned):
    questions, _, have = thinned
    app = open_page(ESTIMATE, questions, about="precision", **{"half-width": 6})
    total, count = in_all(app), promised(app)
    assert total > 100
    fresh = count - 40
    assert text(app) == Saying(f"{count} items without a label", "40 items of this plan", f"{fresh} new")
    app = opened(app)
    shown = table(app, 0)["item_id"].tolist()
    assert dials(app)["budget"] == total
    assert len(shown) == count and not set(shown) & have


def test_without_missing_labels_all_are_new(open_page, neyman_home):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="precision")
    assert bare(app.button(key="label-more").label) == f"List the {further(app)} new items"
    count = promised(app)
    assert len(table(opened(app), 0)) == count


def tie(home, questions, plan, items):
    given = judged(questions, items, "two")
    other = {item: {"right": "wrong", "wrong": "right"}[label] for item, label in given.items()}
    keep(home, questions, plan, other, "right-wrong", "two", SECOND, "Ben")


def test_ties_come_before_new_labels(open_page, neyman_home):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    tie(neyman_home, questions, plan, plan.ids[30:45])
    app = open_page(ESTIMATE, questions, about="precision", target="two", **{"half-width": 13})
    assert text(app) == Saying("To narrow the interval", "whichever way") or "depending on how 15" in text(app)
    assert text(app) == Saying("Decide the 15 undecided items first")
    assert not [one for one in app.button if one.key == "label-more"]


def test_ties_and_missing_labels_together(open_page, neyman_home):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 100)
    keep(neyman_home, questions, plan, judged(questions, plan.ids[:70], "two"), "right-wrong", "two")
    tie(neyman_home, questions, plan, plan.ids[65:70])
    app = open_page(ESTIMATE, questions, about="precision", target="two", **{"half-width": 9.7})
    needed = int(
        re.search(r"about \*\*([\d,]+) to [\d,]+ more labels\*\*, depending on how 5 disputed items", text(app))[1]
    )
    assert 0 < needed < 30
    assert text(app) == Saying(f"first {needed} of the 30 items")
    assert table(opened(app), 0)["item_id"].tolist() == [str(item) for item in plan.ids[70:]]


def test_a_list_that_is_labelled_already_is_not_offered(open_page, neyman_home):
    questions = two_targets(400)
    small, _ = plan_of(questions, 40)
    large, _ = plan_of(questions, 300)
    keep(neyman_home, questions, small, judged(questions, small.ids, "two"), "right-wrong", "two", FIRST)
    keep(neyman_home, questions, large, judged(questions, large.ids, "two"), "right-wrong", "two", SECOND)
    app = open_page(ESTIMATE, questions, about="precision", plan=small.plan_id)
    assert in_all(app) <= 300
    assert text(app) == Saying("Every item", "larger list")
    assert not [one for one in app.button if one.key == "label-more"]
    press(app, "Choose the plan of 300 labels")
    assert app.selectbox(key="plan").value == app.query_params["plan"] == large.plan_id
    assert "from 300 labels" in text(app)
    assert (app.selectbox(key="label-kind").value, app.selectbox(key="target").value) == ("right-wrong", "two")


def test_items_that_are_labelled_on_a_larger_list_are_told_beside_the_new_ones(open_page, neyman_home):
    questions = two_targets(400)
    small, _ = plan_of(questions, 60)
    large, _ = plan_of(questions, 120)
    keep(neyman_home, questions, small, judged(questions, small.ids, "two"), "right-wrong", "two", FIRST)
    keep(neyman_home, questions, large, judged(questions, large.ids, "two"), "right-wrong", "two", SECOND)
    app = open_page(ESTIMATE, questions, about="precision", plan=small.plan_id, **{"half-width": 6})
    assert in_all(app) > 120
    assert text(app) == Saying("60 of them have a label", "larger list")
    assert promised(app) == further(app) - 60
    assert "not used yet" not in text(app) and "Choose the plan of 120 labels" in [
        bare(one.label) for one in app.button
    ]


def test_a_slip_leaves_no_number_of_labels_to_plan(open_page, neyman_home):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    given = {str(item): str(n % 5 / 4) for n, item in enumerate(plan.ids)} | {str(plan.ids[7]): "7"}
    keep(neyman_home, questions, plan, given, "score", "one")
    app = open_page(ESTIMATE, questions, about="precision")
    assert text(app) == Saying("no number while", "1 of 60 scores")
    assert not headline_number(app) and "label-more" not in [one.key for one in app.button]


def test_of_items_that_the_target_was_partly_asked_none_are_called_the_first(open_page, neyman_home):
    every, _ = plan_of(two_targets(400), 100)
    answered = {str(item) for item in every.ids[:64]} | {str(item) for item in every.ids[80:85]}
    questions = two_targets(400, unasked={str(item) for item in every.ids} - answered)
    plan, _ = plan_of(questions, 100)
    keep(neyman_home, questions, plan, judged(questions, plan.ids[:64], "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="precision", **{"half-width": 9.7})
    assert in_all(app) <= 100
    assert text(app) == Saying("“two”", "only 5")
    assert text(app) == Saying(f"label {further(app)} of the 36 items")
    assert promised(app) == 5 and len(table(opened(app), 0)) == 5


def test_a_list_whose_strata_are_used_up_says_that_it_cannot_bring_all(open_page, neyman_home):
    questions = two_targets(200)
    plan, _ = plan_of(questions, 60)
    every, _ = plan_of(questions, 200)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    gone = [str(item) for item in every.ids if item not in set(plan.ids)][:40]
    rows = pd.DataFrame({"item_id": gone, "label": None, "annotator": "Ann", "status": "given up"})
    Archive(neyman_home).labels.save(plan.plan_id, rows, SECOND, "csv", "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="precision", **{"half-width": 1})
    assert text(app) == Saying("cannot give you all")


def test_one_tie_needs_no_count(open_page, neyman_home):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    tie(neyman_home, questions, plan, plan.ids[30:31])
    assert "the undecided item first" in text(open_page(ESTIMATE, questions, about="precision", target="two"))


def test_the_wanted_half_width_is_in_the_address(open_page, neyman_home):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="precision")
    assert "half-width" not in app.query_params
    field = app.number_input(key="half-width")
    assert field.value is None
    field.set_value(5.0)
    assert "to ±5.0 points" in text(run(app)) and app.query_params["half-width"] == "5"


def test_new_items_that_the_target_was_not_asked_are_told(open_page, neyman_home):
    first, _ = plan_of(two_targets(400), 60)
    every = {f"q{number}" for number in range(400)}
    questions = two_targets(400, unasked=every - set(map(str, first.ids)))
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="precision")
    assert text(app) == Saying("“two” was not asked them", "page Label")
    assert app.button(key="label-more").label == "Go to the list"
    assert "Run a target on these items" in [one.label for one in opened(app).button]


def test_scores_of_a_target_whose_answers_are_unknown_lead_to_the_list(open_page, neyman_home):
    questions = pool(records(400, target="one"), "outcomes alone")
    plan, _ = plan_of(questions, 60)
    given = {str(item): str(n % 7) for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, given, "score", "one")
    app = open_page(ESTIMATE, questions, about="precision", unbounded="true")
    count = promised(app)
    assert count == further(app) and len(table(opened(app), 0)) == count


def test_the_desk_shows_what_nobody_has_labelled(open_page, neyman_home):
    """Two people labelled the list at the desk; whoever sits down there next has labelled nothing."""
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    said, archive = judged(questions, plan.ids, "two"), Archive(neyman_home)
    for person, part in (("Ann", plan.ids), ("Ben", plan.ids[:30])):
        rows = pd.DataFrame({"item_id": list(map(str, part)), "label": [said[str(item)] for item in part]})
        archive.plans.save(plan.plan_id, manifest.write(plan, questions.name), questions.digest, FIRST)
        archive.labels.save(plan.plan_id, rows.assign(annotator=person), FIRST, "here", "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="precision", target="two", **{"half-width": 6})
    count = promised(app)
    app = opened(app)
    assert app.toggle(key="only-free").value and count > 0
    shown = desk(app)
    assert shown["left"] == count
    assert not {*shown["order"]} & {*map(str, plan.ids)}
