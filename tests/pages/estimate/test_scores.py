"""Scores: their mean in 0 to 1, and beyond it on demand."""

from __future__ import annotations

import numpy as np
import pytest

from core.estimation import Interval, domains, stratified
from core.words import value
from tests.core.wording import Saying
from tests.pages.conftest import table
from tests.pages.estimate.conftest import (
    ESTIMATE,
    bare,
    headline,
    headline_limits,
    headline_number,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)
from tests.pages.pools import pool, records


def test_scores_outside_0_to_1_are_told_and_allowed_on_demand(open_page, neyman_home):
    questions = two_targets()
    plan, member = plan_of(questions, 40)
    given = np.random.default_rng(0).uniform(3, 9, 40)
    ids = [str(item) for item in plan.ids]
    keep(neyman_home, questions, plan, dict(zip(ids, map(str, given), strict=True)), "score", "one")
    app = open_page(ESTIMATE, questions)
    assert text(app) == Saying("40 of 40 scores", "outside 0 to 1") and not headline_number(app) and not app.error
    assert f"“{ids[0]}” = " in text(app) and "by “Ann”" in text(app)
    press(app, "Allow scores outside 0 to 1")
    assert app.toggle(key="unbounded").value is True
    alone = stratified(given, member[plan.positions], plan.strata.sizes, bounded=False)
    assert headline_number(app) == value(alone.value, False) and "mean score" in headline(app)
    assert any(one.key == "next-step" for one in app.button)


def test_scores_on_another_scale_give_no_estimate_from_those_that_happen_to_fit(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 60)
    given = ["0.5"] * 14 + ["4"] * 46
    keep(neyman_home, questions, plan, dict(zip(map(str, plan.ids), given, strict=True)), "score", "one")
    app = open_page(ESTIMATE, questions)
    said = text(app)
    assert said == Saying("46 of 60 scores", "outside 0 to 1", "from 0.500 to 4.00")
    assert "there about" not in said and "0.5 %" not in said and not headline_number(app)
    assert "on page Estimate" not in said and "Back to the list" in [one.label for one in app.button]


def test_a_slip_is_named_and_there_is_no_number(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    given = ["0.5"] * 20 + ["5"] + ["0.75"] * 19
    keep(neyman_home, questions, plan, dict(zip(map(str, plan.ids), given, strict=True)), "score", "one")
    app = open_page(ESTIMATE, questions)
    said = text(app)
    assert said == Saying(
        "no number while",
        "1 of 40 scores",
        f"(item “{plan.ids[20]}” = “5” by “Ann”",
        "If they are on another scale, allow it below",
    )
    assert "on page Estimate" not in said
    assert "from 39 labels" not in said and not headline_number(app)


def test_unbounded_scores_with_one_label_in_each_stratum_have_no_interval(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    ids = [str(item) for item in plan.ids[: plan.strata.n_strata]]
    keep(neyman_home, questions, plan, dict.fromkeys(ids, "7"), "score", "one")
    app = open_page(ESTIMATE, questions, unbounded="true", about="precision")
    assert (headline_number(app), headline_limits(app)) == ("7.000", "")
    assert text(app) == Saying("no 95 % confidence interval") and text(app) == Saying("label more items")
    assert not app.error


def test_groups_of_unbounded_scores_have_estimates(open_page, neyman_home, downloads):
    rows = [{**row, "group": "ab"[number % 2]} for number, row in enumerate(records(target="one"))]
    questions = pool(rows, "grouped")
    plan, member = plan_of(questions, 30)
    given = np.random.default_rng(0).normal(6, 1, 30)
    keep(neyman_home, questions, plan, dict(zip(map(str, plan.ids), map(str, given), strict=True)), "score", "one")
    app = open_page(ESTIMATE, questions, about="groups", unbounded="true")
    alone = domains(given, plan.positions, member, questions.items["group"].tolist(), Interval(bounded=False))
    shown = table(app, 0)
    assert shown["value"].tolist() == pytest.approx(alone["value"].tolist())
    assert shown["high"].tolist() == pytest.approx(alone["high"].tolist()) and min(shown["low"]) > 1
    first = value(alone["value"].min(), False)
    assert text(app) == Saying(f"lowest in “{alone.loc[alone['value'].idxmin(), 'group']}” ({first}, ")
    page = downloads["Report (HTML)"]()
    assert "Mean score is lowest in" in page and "There are no estimates of groups" not in page


def test_a_group_of_unbounded_scores_that_agree_has_no_interval(open_page, neyman_home, downloads):
    rows = [{**row, "group": "ab"[number % 2]} for number, row in enumerate(records(target="one"))]
    questions = pool(rows, "grouped")
    plan, _ = plan_of(questions, 30)
    group = questions.items["group"]
    given = {str(item): "7" if group[item] == "a" else str(n / 10) for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, given, "score", "one")
    app = open_page(ESTIMATE, questions, about="groups", unbounded="true")
    assert "Only “b” (" in text(app) and "inf" not in text(app)
    page = downloads["Report (HTML)"]()
    assert "<td>no interval yet</td>" in page and "∞" not in page and "inf" not in page


def test_scores_in_0_to_1_have_a_mean(open_page, neyman_home):
    questions = two_targets()
    plan, member = plan_of(questions, 40)
    given = np.random.default_rng(0).uniform(0, 1, 40)
    keep(neyman_home, questions, plan, dict(zip(map(str, plan.ids), map(str, given), strict=True)), "score", "one")
    app = open_page(ESTIMATE, questions)
    alone = stratified(given, member[plan.positions], plan.strata.sizes)
    assert headline_number(app) == bare(value(alone.value, True)) and "mean score" in headline(app)
    assert text(app) == Saying("mean score of", value(alone.value, True).replace("\u00a0", " "))


def test_grades_of_a_scale_are_shown_as_grades(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    given = {str(item): str(n % 5 + 1) for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, given, "score:1-5", "one")
    app = open_page(ESTIMATE, questions, plan=plan.plan_id, **{"label-kind": "score:1-5", "at-least": "3"})
    low, high = headline_limits(app).split(" to ")
    assert 1 < float(low) < float(headline_number(app)) < float(high) < 5
    assert "Share graded 3 or better: " in text(app) and app.number_input(key="at-least").value == 3


def test_grades_that_came_as_scores_are_read_on_their_scale(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    given = {str(item): str(n % 5 + 1) for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, given, "score", "one")
    app = open_page(ESTIMATE, questions, plan=plan.plan_id)
    assert not headline_number(app)
    press(app, "Read them as grades, 1 to 5")
    assert app.selectbox(key="label-kind").value == "score:1-5" and 1 < float(headline_number(app)) < 5
