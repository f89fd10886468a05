"""Labels right here and back, and the estimate, without a browser."""

from __future__ import annotations

import csv
import io
import re

import pytest

from core import labels
from core.archive import Archive
from core.estimation import stratified
from core.readers import read
from tests.conftest import ROOT
from tests.core.wording import Saying
from tests.pages.conftest import bare, figures, press, run
from tests.pages.desk import desk, label
from tests.pages.estimate.conftest import headline_limits, headline_number
from tests.pages.pools import odd, plan_of
from tests.sampled import sampled

LABEL, ESTIMATE = "pages/label.py", "pages/estimate.py"
RIGHT_WRONG = {"label-kind": "Right or wrong"}
GOLD = {"label-kind": "gold"}


@pytest.fixture(scope="module")
def demo():
    return read(ROOT / "data" / "demo.jsonl.gz", "Practice pool")


def test_without_labels_the_page_leads_to_the_list(open_page):
    app = open_page(ESTIMATE)
    assert "no labels yet" in app.info[0].value
    assert "An example" in bare(app.caption) and len(figures(app)) == 1


def test_labels_given_here_are_kept_at_once_skipped_and_taken_back(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 8)
    app = open_page(LABEL, None, budget=8, part="Label here", **RIGHT_WRONG)
    app.text_input(key="annotator").input("Ann")
    run(app)
    label(app, "Right")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["item_id", "annotator", "label"]].to_numpy().tolist() == [[plan.ids[0], "Ann", "right"]]
    label(app, "Wrong")
    label(app, "Skip")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows["label"].tolist() == ["right", "wrong", None] and rows["status"].tolist() == ["", "", "skipped"]
    label(app, "Undo")
    label(app, "Undo")
    assert Archive(neyman_home).labels.of(plan.plan_id)["item_id"].tolist() == [plan.ids[0]]
    assert desk(app)["done"] == 1
    assert Archive(neyman_home).plans.table()["plan_id"].tolist() == [plan.plan_id]


def test_somebody_else_starts_at_the_first_item(open_page, demo):
    app = open_page(LABEL, None, budget=8, part="Label here", **RIGHT_WRONG)
    app.text_input(key="annotator").input("Ann")
    run(app)
    label(app, "Right")
    app.text_input(key="annotator").input("Ben")
    assert desk(run(app))["done"] == 0


def test_the_truth_and_the_targets_answer_are_shown_only_where_asked_for(open_page, demo):
    plan, _ = plan_of(demo, 8)
    item = demo.items.loc[plan.ids[0]]
    app = open_page(LABEL, None, budget=8, part="Label here", **GOLD)
    shown = desk(app)["items"][plan.ids[0]]
    assert shown["prompt"] and item["prompt"].startswith(shown["prompt"]) and shown["parts"] == []
    app.toggle(key="show-truth").set_value(True)
    assert desk(run(app))["items"][plan.ids[0]]["parts"] == [{"title": "Truth", "text": item["answer"]}]


def filled(plan, pool, target):
    """The downloaded list, filled by script with right and wrong."""
    request = labels.request(plan, pool.items)
    losses = dict(zip(pool.items.index, pool.losses(target), strict=True))
    rows = list(csv.DictReader(io.StringIO(labels.to_csv(request))))
    for row in rows:
        row["label"] = "wrong" if losses[labels.unescape(row["item_id"])] else "right"
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def test_a_filled_list_comes_back_and_becomes_the_estimate_of_core(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 60)
    target = next(iter(demo.targets))
    app = open_page(LABEL, None, budget=60, part="Take labels back", **RIGHT_WRONG)
    content = filled(plan, demo, target)
    app.file_uploader(key="labels-file").upload("filled.csv", content)
    run(app)
    assert "60 of 60 items" in bare(app.markdown)
    assert len(Archive(neyman_home).labels.of(plan.plan_id)) == 0, "nothing is kept before it is asked for"
    press(app, "Keep these labels")
    assert "60 new or changed labels kept" in app.success[0].value
    press(app, "Keep these labels")
    assert "Nothing new" in app.success[0].value
    app.switch_page(ESTIMATE)
    run(app)
    member = plan.stratum
    value = 1 - demo.losses(target)[plan.positions]
    estimate = stratified(value, member[plan.positions], plan.strata.sizes)
    assert headline_number(app) == f"{100 * estimate.value:.1f} %"
    assert headline_limits(app) == f"{100 * estimate.low:.1f} % to {100 * estimate.high:.1f} %"
    assert not app.warning
    # Practice ends with the truth.
    truth = 1 - float(demo.losses(target).mean())
    held = "contains" if estimate.low <= truth <= estimate.high else "misses"
    said = bare(app.markdown).replace("\u00a0", " ")
    assert f"By the right answers in the file, the accuracy is {100 * truth:.1f} %. The interval {held} it" in said


def test_a_damaged_or_foreign_file_changes_nothing(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 8)
    app = open_page(LABEL, None, budget=8, part="Label here", **RIGHT_WRONG)
    label(app, "Right")
    before = Archive(neyman_home).labels.of(plan.plan_id)
    app = open_page(LABEL, None, budget=8, part="Take labels back", **RIGHT_WRONG)
    foreign = (b"", b"\x00\x01\x02", b"a,b\n1,2\n", b'{"item_id": "nobody", "label": "right"}\n', b"PK\x03\x04")
    for number, content in enumerate(foreign):
        app.file_uploader(key="labels-file").upload(f"odd-{number}.csv", content)
        run(app)
        assert len(app.error) == 1 and bare(app.caption) == Saying("Nothing", "kept", "changed"), content
        assert Archive(neyman_home).labels.of(plan.plan_id).equals(before)


def test_a_tie_between_people_is_decided_and_the_decision_kept(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 30)
    app = open_page(LABEL, None, budget=30, part="Take labels back", **RIGHT_WRONG)
    app.file_uploader(key="labels-file").upload("filled.csv", filled(plan, demo, next(iter(demo.targets))))
    press(run(app), "Keep these labels")
    other = {"right": "wrong", "wrong": "right"}[Archive(neyman_home).labels.of(plan.plan_id)["label"].iloc[0]]
    app = open_page(LABEL, None, budget=30, part="Label here", **RIGHT_WRONG)
    app.text_input(key="annotator").input("Ann")
    run(app)
    label(app, other.capitalize())
    app = open_page(ESTIMATE)
    assert bare(app.warning) == Saying("1 item is undecided")
    press(app, "“right” counts")
    assert "undecided" not in bare(app.warning)
    app = open_page(ESTIMATE)
    assert "undecided" not in bare(app.warning) and "30 labels" in bare(app.caption)


def test_numbers_that_are_right_answers_are_not_read_as_scores(open_page, demo):
    """What was asked is kept with the labels: the numeric answers of these items could be scores."""
    plan, _ = plan_of(demo, 30)
    lines = "item_id,label\n" + "".join(f"{item},{demo.items.loc[item, 'answer']}\n" for item in plan.ids)
    app = open_page(LABEL, None, budget=30, part="Take labels back", **GOLD)
    app.file_uploader(key="labels-file").upload("gold.csv", lines.encode())
    press(run(app), "Keep these labels")
    app = open_page(ESTIMATE)
    assert app.selectbox(key="label-kind").value == "gold"
    assert headline_number(app)


def test_a_label_belongs_to_whoever_is_named_at_the_moment_it_is_given(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 8)
    app = open_page(LABEL, None, budget=8, part="Label here", **RIGHT_WRONG)
    app.text_input(key="annotator").input("Max")
    label(app, "Wrong", note="odd question")
    row = Archive(neyman_home).labels.of(plan.plan_id).iloc[0]
    assert (row["annotator"], row["note"], row["label"]) == ("Max", "odd question", "wrong")


def test_undo_leaves_imported_labels_alone(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 12)
    app = open_page(LABEL, None, budget=12, part="Take labels back", **RIGHT_WRONG)
    app.file_uploader(key="labels-file").upload("filled.csv", filled(plan, demo, next(iter(demo.targets))))
    press(run(app), "Keep these labels")
    app = open_page(LABEL, None, budget=12, part="Label here", **RIGHT_WRONG)
    assert desk(app)["back"] is None
    assert len(Archive(neyman_home).labels.of(plan.plan_id)) == 12


def test_replacements_can_be_taken_back(open_page, neyman_home, demo):
    plan, _ = plan_of(demo, 20)
    lost = str(plan.ids[3])
    spare = labels.replacements(plan, [lost])["item_id"].iloc[0]
    listed = [str(item) for item in plan.ids if str(item) != lost]
    content = "item_id,label\n" + "".join(f"{item},right\n" for item in [*listed, spare])
    app = open_page(LABEL, None, budget=20, part="Take labels back", **RIGHT_WRONG)
    app.file_uploader(key="labels-file").upload("filled.csv", content.encode())
    run(app)
    assert not app.warning
    press(app, "Keep these labels")
    assert "from 20 labels" in bare(open_page(ESTIMATE).markdown)


def test_more_precision_leads_to_a_list_of_the_new_items(open_page, demo):
    app = open_page(LABEL, None, budget=40, part="Take labels back", **RIGHT_WRONG)
    press(app, "Take the outcomes that the pool knows")
    app = open_page(ESTIMATE, about="precision")
    more = int(re.search(r"about \*\*([\d,]+) more labels", bare(app.markdown))[1].replace(",", ""))
    app = open_page(LABEL, None, budget=40 + more, **RIGHT_WRONG)
    app.toggle(key="only-new").set_value(True)
    run(app)
    plan, _ = plan_of(demo, 40 + more)
    assert app.dataframe[0].value["item_id"].tolist()[:5] == [str(item) for item in plan.ids[40:45]]


@pytest.mark.parametrize(
    "kind", sampled(("one item", "k = 1", "all SE = 0", "no targets"), ("one item", "no targets").__contains__)
)
def test_labels_and_estimate_on_odd_pools(open_page, kind):
    for part in ("The list", "Label here", "Take labels back"):
        app = open_page(LABEL, odd(kind), part=part)
        assert not app.error
    assert "This pool has no labels" in open_page(ESTIMATE, odd(kind)).info[0].value
