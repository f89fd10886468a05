"""Items given up and their replacements, items skipped, and what is undone."""

from __future__ import annotations

import csv
import io

from core import labels
from core.archive import Archive
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.desk import desk, label
from tests.pages.label.conftest import HERE, LABEL, progress, shown_item
from tests.pages.pools import plan_of, pool, records


def test_what_is_given_up_is_replaced_in_the_designs_order_and_can_be_undone(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 5)
    first = str(plan.ids[0])
    spare = labels.replacements(plan, [first])["item_id"].tolist()
    app = open_page(LABEL, letters, budget=5, **HERE)
    label(app, "Replace item")
    assert Archive(neyman_home).labels.of(plan.plan_id)["status"].tolist() == ["given up"]
    assert desk(app)["lost"] == Saying("1 item cannot be labelled", "1 replacement")
    assert progress(app).startswith("0 of 5 items")
    items = []
    for _ in range(5):
        items.append(shown_item(app))
        label(app, "A")
    assert items == [*(str(item) for item in plan.ids[1:]), *spare]
    assert desk(app)["over"] == Saying("Every item of the list")
    for _ in range(5):
        label(app, "Undo")
    label(app, "Undo")
    assert shown_item(app) == first and not desk(app)["lost"]
    assert Archive(neyman_home).labels.of(plan.plan_id).empty


def test_a_replacement_that_is_given_up_is_replaced_too_until_the_stratum_is_empty(open_page):
    chosen = pool(records(6, seed=3), "small")
    app = open_page(LABEL, chosen, budget=5, allocation="Uniform", **HERE)
    label(app, "Replace item")
    for _ in range(5):
        label(app, "Replace item")
    assert desk(app)["over"] == Saying("No item of the list")
    assert desk(app)["lost"] == Saying("6 items cannot be labelled", "Nothing is left")


def test_the_replacements_can_be_downloaded_alone(open_page, downloads, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    lost = [str(item) for item in plan.ids[:2]]
    for _ in lost:
        label(app, "Replace item")
    spare = labels.replacements(plan, lost)["item_id"].tolist()
    app = open_page(LABEL, letters, budget=8)
    assert app.dataframe[0].value["item_id"].tolist() == plan.ids.tolist()
    app.toggle(key="only-new").set_value(True)
    to_do = run(app).dataframe[0].value
    assert to_do["item_id"].tolist() == [*plan.ids[2:], *spare]
    assert to_do["position"].tolist() == [3, 4, 5, 6, 7, 8, 9, 10]
    app.toggle(key="only-spare").set_value(True)
    assert run(app).dataframe[0].value["item_id"].tolist() == spare
    rows = list(csv.DictReader(io.StringIO(downloads["CSV"]())))
    assert [row["item_id"] for row in rows] == spare and {row["plan_id"] for row in rows} == {plan.plan_id}


def test_what_was_given_up_by_one_and_labelled_by_another_is_not_lost(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    label(app, "Replace item")
    app = open_page(LABEL, letters, budget=8, annotator="Ben", **HERE)
    assert shown_item(app) == str(plan.ids[1])


def test_what_is_skipped_comes_again_at_the_end(open_page, letters):
    plan, _ = plan_of(letters, 5)
    app = open_page(LABEL, letters, budget=5, **HERE)
    label(app, "Skip")
    for _ in range(4):
        label(app, "A")
    assert shown_item(app) == str(plan.ids[0]) and progress(app).startswith("4 of 5 items")


def test_undo_brings_the_note_back(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    label(app, "A", note="looks odd")
    assert desk(app)["back"] == {"item": plan.ids[0], "label": "A", "note": "looks odd"}
    label(app, "Undo")
    assert shown_item(app) == plan.ids[0] and desk(app)["back"] is None
