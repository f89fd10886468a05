"""What leaves the page: labels as they were given, and a report that says what the page says."""

from __future__ import annotations

import io
import json
import re

import pandas as pd

from core import labels
from core.archive import Archive
from core.study import reproduce
from core.words import span, value
from pages.parts import prospects
from pages.parts.app import premises
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.estimate.conftest import (
    ESTIMATE,
    SECOND,
    bare,
    gold,
    headline_limits,
    headline_number,
    judged,
    keep,
    partly_answered,
    plan_of,
    text,
    two_targets,
)
from tests.pages.pools import pool


def test_labels_as_given_are_shown_and_leave_as_a_file(open_page, neyman_home, downloads):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    given = judged(questions, plan.ids, "two")
    keep(neyman_home, questions, plan, given, "right-wrong", "two")
    some = [str(item) for item in plan.ids[:4]]
    rows = pd.DataFrame({"item_id": some, "label": [given[i] for i in some], "annotator": "Ben", "note": "=look"})
    Archive(neyman_home).labels.save(plan.plan_id, rows, SECOND, "csv", "right-wrong", "two")
    app = open_page(ESTIMATE, questions, about="labels", target="two")
    assert text(app) == Saying("Labels as given (44 by 2 people)")
    assert text(app) == Saying("4 items have two labels", "4 of them (100 %)")
    extra = pd.DataFrame({"item_id": some[:1], "label": ["right"], "annotator": "(decision)"})
    Archive(neyman_home).labels.save(plan.plan_id, extra, SECOND, "here", "right-wrong", "two")
    run(app)
    assert "(decision)" not in downloads["Labels as CSV"]()
    back = labels.read(downloads["Labels as CSV"]().encode(), "labels.csv").rows
    log = Archive(neyman_home).labels.of(plan.plan_id).iloc[:-1]
    assert back[["item_id", "annotator", "label", "note"]].equals(log[["item_id", "annotator", "label", "note"]])
    open_page(ESTIMATE, questions, about="how", target="two")
    page, document = downloads["Report (HTML)"](), json.loads(downloads["Everything as JSON"]())
    assert page == Saying("44 labels of 40 items", "Ann 40 and Ben 4")
    provenance = document["provenance"]
    assert (provenance["kind"], provenance["people"], provenance["conflicts"]) == (
        "right-wrong",
        [["Ann", 40], ["Ben", 4]],
        0,
    )
    assert [note["note"] for note in provenance["notes"]] == ["=look"] * 4
    every, columns = (
        Archive(neyman_home).labels.of(plan.plan_id),
        ["item_id", "annotator", "label", "status", "created"],
    )
    rows = document["labels_as_given"]
    assert [[row[name] for name in columns] for row in rows] == every[columns].to_numpy().tolist()
    assert [row["note"] for row in rows] == [None if note != note else note for note in every["note"]]
    assert {row["source"] for row in rows} == {"csv", "here"} and rows[-1]["annotator"] == "(decision)"
    assert document["people"] == [{"name": "Ann", "labels": 40}, {"name": "Ben", "labels": 4}]
    assert document["top_up"]["further"] > 0


def test_page_and_report_plan_the_same_top_up(open_page, neyman_home, downloads):
    questions = two_targets(400)
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    said = text(open_page(ESTIMATE, questions, about="precision"))
    half_width, more = re.search(r"to ±([\d.]+ points), give about \*\*([\d,]+) more label", said).groups()
    page = bare(downloads["Report (HTML)"]())
    assert f"<td>{half_width}</td><td>{more}</td>" in page and "<td>±" not in page


def test_the_bundle_and_the_pool_give_the_number_on_the_page_again(open_page, neyman_home, downloads):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions, about="how", target="two", **{"confidence": "90%"})
    again = reproduce(downloads["Bundle to reproduce it"](), questions)
    assert again.target == "two" and bare(value(again.estimate().value, True)) == headline_number(app)
    assert bare(span(again.estimate().low, again.estimate().high, True)) == headline_limits(app)


def test_figures_leave_as_images_and_as_numbers(open_page, neyman_home, downloads):
    questions = pool([{**row, "group": "ab"[number % 2]} for number, row in enumerate(partly_answered())], "grouped")
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    open_page(ESTIMATE, questions, ["download-interval-figure"], about="how", target="two")
    rows = pd.read_csv(io.StringIO(downloads["Data as CSV"]()))
    assert rows["label"].tolist() == ["This design", "Uniform"]
    assert set(rows["plan"]) == {plan.plan_id}
    drawing = downloads["SVG"]()
    assert "Accuracy" in drawing and plan.plan_id in drawing and drawing.count("<circle") == 2
    open_page(ESTIMATE, questions, ["download-groups-figure"], about="groups", target="two")
    assert pd.read_csv(io.StringIO(downloads["Data as CSV"]()))["label"].tolist() == ["a", "b"]
    open_page(ESTIMATE, questions, ["download-compared-difference"], about="metrics", target="two", compare="one")
    assert "percentage points" in downloads["SVG"]() and downloads["PDF"]().startswith(b"%PDF-")


def test_files_of_a_large_pool_are_made_outside_the_visit(open_page, neyman_home, downloads, monkeypatch):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    monkeypatch.setattr(prospects, "LARGE", 0)
    monkeypatch.setattr(premises, "_here", premises.Public(root=neyman_home.parent))
    monkeypatch.setattr(premises.Public, "home", lambda public: neyman_home)
    app = open_page(ESTIMATE, questions, about="how", target="two")
    monkeypatch.undo()
    monkeypatch.setattr(premises, "_here", premises.Public(root=neyman_home.parent))
    assert not app.exception
    assert json.loads(downloads["Everything as JSON"]())["promise"] is not None
