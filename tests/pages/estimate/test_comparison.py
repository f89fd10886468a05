"""Two targets compared: from right answers, from labels of each, and from what the pool knows."""

from __future__ import annotations

import json

import pytest

from core.estimation import stratified
from core.estimation.contrasts import difference
from core.readers import read
from core.words import value
from tests.core.wording import Saying
from tests.pages.conftest import figures
from tests.pages.estimate.conftest import (
    ESTIMATE,
    bare,
    gold,
    headline_number,
    judged,
    keep,
    plan_of,
    text,
    two_targets,
)
from tests.pages.pools import pool, records


def compared(questions, plan, member, ids=None):
    places = plan.positions if ids is None else questions.items.index.get_indexer(ids)
    right = [1 - questions.losses(name)[places] for name in ("one", "two")]
    return difference(*right, member[places], plan.strata.sizes)


def test_two_targets_from_right_answers(open_page, neyman_home, downloads):
    questions = two_targets()
    plan, member = plan_of(questions, 60)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions, about="metrics")
    assert "Compare with another target" in text(app) and "is right more often" not in text(app)
    app = open_page(ESTIMATE, questions, about="metrics", compare="two")
    gap = compared(questions, plan, member)
    assert text(app) == Saying("“one” is right more often", "“two”", f" {100 * gap.value:.1f} points")
    assert text(app) == Saying("say what is right") and "two separate samples" in text(app)
    drawn = figures(app)
    assert any(one["layout"].get("shapes") for one in drawn), "the line at 0"
    assert "Comparison with another target" in downloads["Report (HTML)"]()
    open_page(ESTIMATE, questions, about="how", compare="two")
    document = json.loads(downloads["Everything as JSON"]())
    assert document["comparison"]["gap"]["value"] == pytest.approx(gap.value)


def test_two_targets_from_labels_of_each(open_page, neyman_home):
    questions = two_targets()
    plan, member = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "one"), "right-wrong", "one")
    # Says the opposite of what the pool knows, so that the source shows.
    turned = {i: {"right": "wrong", "wrong": "right"}[x] for i, x in judged(questions, plan.ids, "two").items()}
    keep(neyman_home, questions, plan, turned, "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="metrics", target="one", compare="two")
    right = [1 - questions.losses("one")[plan.positions], questions.losses("two")[plan.positions]]
    gap = difference(*right, member[plan.positions], plan.strata.sizes)
    assert f"by {abs(100 * gap.value):.1f} points" in text(app)
    assert text(app) == Saying("60 items are judged for both", "right or wrong")


def test_the_pools_own_outcomes_stand_in_for_labels_of_the_other(open_page, neyman_home):
    questions = two_targets()
    plan, member = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "one"), "right-wrong", "one")
    app = open_page(ESTIMATE, questions, about="metrics", compare="two")
    assert f"by {100 * compared(questions, plan, member).value:.1f} points" in text(app)
    assert text(app) == Saying("“two” by the outcomes")


def test_a_pool_with_one_target_offers_no_comparison(open_page, neyman_home):
    questions = pool(records(), "one target")
    plan, _ = plan_of(questions, 20)
    keep(neyman_home, questions, plan, dict.fromkeys(map(str, plan.ids), "right"), "right-wrong", "model")
    app = open_page(ESTIMATE, questions, about="metrics")
    assert headline_number(app) and "Compare with another target" not in text(app)


def test_a_real_pool(open_page, neyman_home, downloads, real_pool):
    questions = read(real_pool("exams-gpt35-k10.jsonl"))
    plan, member = plan_of(questions, 150)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    one, two = questions.targets
    app = open_page(ESTIMATE, questions, about="metrics", compare=two, positive="A")
    right = [1 - questions.losses(name)[plan.positions] for name in (one, two)]
    gap = difference(*right, member[plan.positions], plan.strata.sizes)
    assert f"by {abs(100 * gap.value):.1f} points" in text(app)
    alone = stratified(right[0], member[plan.positions], plan.strata.sizes)
    assert headline_number(app) == bare(value(alone.value, True))
    assert not app.error and not app.warning
    page = downloads["Report (HTML)"]()
    assert "Comparison with another target" in page and "Precision, recall, F1" in page
