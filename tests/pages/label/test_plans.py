"""The plan that is labelled: the way back to another one, and links to it."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from core.archive import Archive
from core.design import Design, Scheme, manifest
from core.study import next_seed
from pages.parts.app import state
from pages.parts.app.address import VERSION
from tests.core.wording import Saying
from tests.pages.conftest import bare, components, dials, press, run
from tests.pages.desk import desk, label, place
from tests.pages.label.conftest import HERE, LABEL, RIGHT_WRONG, progress, shown_item
from tests.pages.pools import odd, plan_of, pool, records


def test_another_plan_with_labels_is_told_with_the_way_back_in_a_place_of_its_own(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    assert "another list" not in bare(app.markdown)
    at = place(app)
    label(app, "A")
    assert app.query_params["plan"] == plan.plan_id and "strata" not in dials(app), "the list is fixed"
    press(app, "Make a new list")
    assert app.selectbox(key="design").value == "recommended" and not desk(app)["back"]
    assert progress(app).startswith("0 of 8") and f"1 label so far (plan {plan.plan_id})" in bare(app.markdown)
    assert place(app) == at, "no line above the desk takes it off the page"
    press(app, "Back to that plan")
    assert progress(app).startswith("1 of 8") and "another list" not in bare(app.markdown)
    assert place(app) == at


def test_a_link_for_annotators_shows_labelling_alone(open_page, neyman_home, two_targets):
    plan = Design(8, Scheme(n_strata=3), seed=4).draw(two_targets)
    app = open_page(LABEL, two_targets, budget=8, strata=3, seed=4, target="second", **RIGHT_WRONG)
    assert Archive(neyman_home).plans.table().empty
    app.session_state["annotators"] = True
    run(app)
    (link,) = [one.value for one in app.code if "only=label" in one.value]
    query = dict(parse_qsl(link.partition("?")[2]))
    assert query.pop("pool") == two_targets.digest[:16] and "second" not in link
    app = open_page(LABEL, two_targets, **query)
    assert "Enter your name to begin" in bare(app.info) and not components(app, "neyman_desk"), (
        "two without a name would be one"
    )
    app = open_page(LABEL, two_targets, **query, annotator="Ann")
    assert not dials(app) and not app.selectbox and shown_item(app) == str(plan.ids[0])
    assert "Show the truth" not in [one.label for one in app.toggle]
    label(app, "Wrong")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["annotator", "target", "label"]].to_numpy().tolist() == [["Ann", "second", "wrong"]]
    assert "second" not in bare(app.caption) + bare(app.text) + bare(app.markdown)


def test_a_link_to_a_plan_that_is_not_kept_says_so(open_page, letters):
    app = open_page(LABEL, letters, only="label", plan="p000000000000", asks="gold")
    assert bare(app.error) == Saying("plan of this link", "not kept")


@pytest.mark.parametrize("asks", ["foo", ""])
def test_a_link_that_does_not_say_what_is_asked_is_damaged(open_page, neyman_home, letters, asks):
    plan, _ = plan_of(letters, 8)
    Archive(neyman_home).plans.save(plan.plan_id, manifest.write(plan, "p"), letters.digest, "2026-01-01T00:00:00Z")
    app = open_page(LABEL, letters, only="label", plan=plan.plan_id, asks=asks, annotator="Ann")
    assert "This link is damaged" in bare(app.error) and not components(app, "neyman_desk")
    app = open_page(LABEL, letters, only="label", plan=plan.plan_id, asks="gold", annotator="Ann")
    assert not app.error and desk(app)["order"]


def test_where_the_outcomes_are_known_a_result_is_there_without_labelling(open_page, letters):
    app = open_page(LABEL, letters, budget=8, **HERE)
    assert "take these outcomes" in bare(app.caption)
    assert "take these outcomes" not in bare(label(app, "A").caption), "labelling has begun"
    partly = bare(open_page(LABEL, odd("a target known for some items only"), budget=60, seed=0).caption)
    assert partly == Saying("knows where “model” is right on 40 of these 60 items", "for the others alone")
    for kind in ("no targets", "a target without any known outcome"):
        assert "take these outcomes" not in bare(open_page(LABEL, odd(kind), budget=40, seed=0).caption), kind


def test_whoever_comes_back_without_a_choice_goes_on_with_the_list_that_was_begun(open_page, neyman_home, letters):
    begun = open_page(LABEL, letters, budget=8, **HERE)
    label(begun, "A")
    plan = begun.selectbox(key="design").value
    assert plan not in ("recommended", "paper")
    again = open_page(LABEL, letters, v=VERSION, **HERE)
    assert again.selectbox(key="design").value == plan and "Labelling has begun" in bare(again.caption)
    # The budget is the list's own, and the seed that of the next list: neither says that a new one is wanted.
    for carried in ({"budget": 8}, {"seed": next_seed(Archive(neyman_home), letters, 10**6)}):
        again = open_page(LABEL, letters, v=VERSION, **carried)
        assert again.selectbox(key="design").value == plan, carried
    # An address that names a list shows it, and offers the other one. A budget of 12 is 12 on every page.
    for chosen in ({"budget": 12}, {"budget": 6, "seed": 5}):
        other = open_page(LABEL, letters, v=VERSION, **chosen)
        assert other.selectbox(key="design").value == "recommended", chosen
    assert press(other, "Continue your list").selectbox(key="design").value == plan


def test_the_budget_of_the_first_screen_is_no_choice_of_another_list(open_page):
    """Whoever began a list of 20 of MMLU-Pro came back by the first screen to a new one of 200."""
    bundled = pool(records(state.PUBLISHED_BUDGET + 20), state.PUBLISHED_NAME)
    plan = label(open_page(LABEL, bundled, budget=20, **HERE), "A").selectbox(key="design").value
    again = open_page(LABEL, bundled, v=VERSION, budget=state.PUBLISHED_BUDGET)
    assert again.selectbox(key="design").value == plan


def test_and_with_the_question_that_was_answered_last_unless_the_address_asks_another(open_page, two_targets):
    begun = label(open_page(LABEL, two_targets, budget=8, **HERE, **RIGHT_WRONG), "Right")
    for query, kind, done in (({}, "right-wrong", 1), ({"label-kind": "The right answer"}, "gold", 0)):
        again = open_page(LABEL, two_targets, v=VERSION, **HERE, **query)
        assert again.selectbox(key="design").value == begun.selectbox(key="design").value
        assert again.selectbox(key="label-kind").value == kind and progress(again) == f"{done} of 8 items"
