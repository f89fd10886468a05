"""The panels behind the number stay open while other controls change, and say what they show."""

from __future__ import annotations

import json

from core.estimation import domains
from core.words import value
from tests.core.wording import Saying
from tests.pages.conftest import run, table
from tests.pages.estimate.conftest import (
    ESTIMATE,
    headline_number,
    judged,
    keep,
    plan_of,
    text,
    two_targets,
)
from tests.pages.first_sight import crowded
from tests.pages.pools import pool, records


def test_the_open_tab_stays_open_when_another_control_changes(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    scores = {str(item): str(n % 5 / 4) for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, scores, "score", "one")
    shown = open_page(ESTIMATE, questions, about="precision")
    assert not len(shown.dataframe), "nothing is drawn in other tabs"
    assert crowded(shown) == [] and crowded(open_page(ESTIMATE, questions, about="decide")) == []
    app = open_page(ESTIMATE, questions, about="how")
    assert "Stratum" in text(app) and " of the variance, " in text(app)
    before = table(app, 1)["high"].tolist()
    app.selectbox(key="confidence").set_value(0.99)
    run(app)
    assert len(app.dataframe) == 2
    assert table(app, 1)["high"].tolist() > before


def test_the_groups_that_are_lowest_and_highest_are_named(open_page, neyman_home):
    rows = [{**row, "group": "hard" if row["targets"]["two"]["loss"] else "easy"} for row in records(200, target="two")]
    grouped = pool(rows, "grouped")
    plan, member = plan_of(grouped, 80)
    keep(neyman_home, grouped, plan, judged(grouped, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, grouped, about="groups")
    right = 1 - grouped.losses("two")[plan.positions]
    groups = domains(right, plan.positions, member, grouped.items["group"].tolist()).set_index("group")
    limits = f"{value(groups.at['hard', 'low'], True)} to {value(groups.at['hard', 'high'], True)}".replace(
        "\u00a0", " "
    )
    assert text(app) == Saying(
        f"lowest in “hard” (0.0 %, {limits})", "highest in “easy” (100.0 %, ", " can tell the two apart"
    )


def test_strata_are_headed_by_their_entropy_and_not_by_a_sign_for_the_standard_error(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="how")
    columns = json.loads(app.dataframe[0].proto.columns)
    assert columns["se_low"]["label"] == "Entropy from (nats)" and columns["se_high"]["label"] == "Entropy to (nats)"


def test_other_intervals_are_offered_only_where_there_are_others(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    scores = {str(item): str(n % 5 / 4) for n, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, scores, "score", "one")
    assert "Other intervals" in text(open_page(ESTIMATE, questions, about="how"))
    app = open_page(ESTIMATE, questions, unbounded="true", about="how")
    assert headline_number(app) and "Other intervals" not in text(app)
