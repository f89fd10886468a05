"""Which of two answers is better: the controls of page Label, the desk, and what page Estimate says of it."""

from __future__ import annotations

import pandas as pd

import core as neyman
from core.archive import Archive
from core.labels import export
from tests.pages.desk import desk, label
from tests.pages.label.conftest import HERE, LABEL, offered
from tests.pages.pools import plan_of, pool, records

ESTIMATE = "pages/estimate.py"
PAIR = "one against other"


def of_two():
    rows = [
        {
            **{name: row[name] for name in ("id", "prompt", "generations")},
            "answer_kind": "text",
            "targets": {name: {"text": f"{name} says {number}"} for name in ("one", "other")},
        }
        for number, row in enumerate(records(60, k=6))
    ]
    return pool(rows, "pairs")


def test_two_answers_stand_beside_each_other_with_their_keys(open_page, neyman_home):
    questions = of_two()
    plan, _ = plan_of(questions, 8)
    asked = {"label-kind": "preference", "target": "one", "against": "other"}
    app = open_page(LABEL, questions, budget=8, **HERE, **asked)
    assert app.selectbox(key="against").value == "other"
    assert list(offered(app)) == ["first", "tie", "second"]
    assert offered(app)["first"][0] == "arrowleft" and offered(app)["second"][0] == "arrowright"
    listed = neyman.request(plan, target="one", against="other").set_index("item_id")
    first = desk(app)["items"][plan.ids[0]]
    assert first["beside"] and [part["title"] for part in first["parts"]] == ["First answer", "Second answer"]
    assert first["parts"][0]["text"] == listed.loc[plan.ids[0], "first_answer"]
    for said in ("first", "tie", "second"):
        label(app, said)
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows["label"].tolist() == ["first", "tie", "second"]
    assert {*rows["kind"]} == {"preference"} and {*rows["target"]} == {PAIR}


def test_the_win_rate_stands_on_page_estimate(open_page, neyman_home):
    questions = of_two()
    plan, _ = plan_of(questions, 30)
    study = neyman.labelled(plan, pd.DataFrame({"item_id": plan.ids, "label": "one"}), "one", against="other")
    rows = study.labels.log.assign(row=range(1, 31))
    study.labels.save(Archive(neyman_home), rows, "csv", "2026-11-30T00:00:00+00:00")
    app = open_page(ESTIMATE, questions, plan=plan.plan_id)
    said = " ".join(one.value for one in app.markdown)
    assert not app.exception and "a win rate of 100" in said and "Wins 100" in said
    assert app.selectbox(key="target").value == PAIR and app.selectbox(key="label-kind").value == "preference"
    # Models alone are offered where one of them is labelled.
    app = open_page(LABEL, questions, plan=plan.plan_id, **{"label-kind": "right-wrong"})
    assert PAIR not in app.selectbox(key="target").options


def test_the_list_for_spreadsheets_shows_both(open_page, neyman_home):
    questions = of_two()
    asked = {"label-kind": "preference", "target": "other", "against": "one"}
    app = open_page(LABEL, questions, budget=8, part="list", **asked)
    assert not app.exception and [one.value for one in app.error] == []
    plan, _ = plan_of(questions, 8)
    assert b"first_answer" in export(neyman.request(plan, target="other", against="one"), "csv", "preference")
