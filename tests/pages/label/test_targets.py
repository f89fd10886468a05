"""Labels stay with the target whose answers they judge, given here or brought back in a file."""

from __future__ import annotations

import csv
import io

import pytest

from core import labels
from core.archive import Archive
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, components, press, run
from tests.pages.desk import desk, label
from tests.pages.label.conftest import HERE, LABEL, RIGHT_WRONG, progress, shown_item
from tests.pages.pools import plan_of, pool, records


def test_each_target_has_its_own_labelling(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    query = {"budget": 8, **HERE, **RIGHT_WRONG}
    app = open_page(LABEL, two_targets, target="first", **query)
    shown = desk(app)["items"][shown_item(app)]
    assert shown["parts"] == [{"title": "Answer to judge", "text": "A"}], "nobody sees whose answer it is"
    label(app, "Right")
    label(app, "Replace item")
    assert progress(app).startswith("1 of 8 items")
    app.selectbox(key="target").set_value("second")
    run(app)
    assert progress(app).startswith("0 of 8 items") and shown_item(app) == str(plan.ids[0])
    assert not desk(app)["lost"] and desk(app)["back"] is None
    label(app, "Wrong")
    assert progress(app).startswith("1 of 8 items")
    app.selectbox(key="target").set_value("first")
    assert progress(run(app)).startswith("1 of 8 items")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    labels = rows[["item_id", "target", "label", "kind"]].to_numpy().tolist()
    assert [plan.ids[0], "first", "right", "right-wrong"] in labels
    assert [plan.ids[0], "second", "wrong", "right-wrong"] in labels
    app.selectbox(key="label-kind").set_value("gold")
    assert progress(run(app)).startswith("0 of 8 items")


def judged(rows):
    """A filled list: (item, label, code of the target)."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["item_id", "label", "answers_of"])
    writer.writerows(rows)
    return stream.getvalue().encode()


def given_back(open_page, chosen, content, **query):
    app = open_page(LABEL, chosen, budget=8, **{"part": "Take labels back", **RIGHT_WRONG, **query})
    app.file_uploader(key="labels-file").upload("filled.csv", content)
    return run(app)


def test_a_list_names_its_target_by_a_code(open_page, downloads, two_targets):
    open_page(LABEL, two_targets, budget=8, target="second", **RIGHT_WRONG)
    rows = list(csv.DictReader(io.StringIO(downloads["CSV"]())))
    assert {row["answers_of"] for row in rows} == {labels.target_code("second")}
    assert {row["target_answer"] for row in rows} == {"B"}
    assert "second" not in downloads["CSV"]()


def test_rows_that_judge_another_target_are_kept_under_it(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    first, second = (labels.target_code(name) for name in ("first", "second"))
    rows = [(item, "right", first) for item in plan.ids[:3]] + [(item, "wrong", second) for item in plan.ids[:5]]
    app = given_back(open_page, two_targets, judged([*rows, (plan.ids[0], "right", "t00000000")]))
    assert bare(app.markdown) == Saying("3 of 8 items", "in this file")
    assert bare(app.info) == Saying("answers of second", "5 of 8 items")
    assert "1 row judges another target" in bare(app.warning)
    press(app, "Keep these labels")
    assert "8 new or changed labels kept" in bare(app.success)
    stored = Archive(neyman_home).labels.of(plan.plan_id)
    assert stored.groupby("target")["label"].agg(list).to_dict() == {"first": ["right"] * 3, "second": ["wrong"] * 5}
    assert "on 3 items by 1 person" in bare(app.caption)


def test_a_file_of_another_target_alone_says_so(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    rows = [(item, "wrong", labels.target_code("second")) for item in plan.ids[:1]]
    app = given_back(open_page, two_targets, judged(rows))
    assert bare(app.markdown) == Saying("No row of this file", "answers of first")
    press(app, "Keep these labels")
    assert "1 new or changed label kept" in bare(app.success)
    assert Archive(neyman_home).labels.of(plan.plan_id)["target"].tolist() == ["second"]


def test_a_file_of_unknown_targets_is_refused(open_page, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = given_back(open_page, two_targets, judged([(plan.ids[0], "right", "t00000000")]))
    assert len(app.error) == 1 and bare(app.caption) == Saying("Nothing that was kept")


def test_a_list_of_verdicts_is_not_taken_for_right_answers_in_silence(open_page, two_targets):
    plan, _ = plan_of(two_targets, 8)
    content = judged([(plan.ids[0], "right", labels.target_code("first"))])
    app = given_back(open_page, two_targets, content, **{"label-kind": "The right answer"})
    assert bare(app.warning) == Saying("whether a target’s answers are right")


def test_a_file_without_a_code_belongs_to_the_target_that_is_chosen(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    content = f"item_id,label\n{plan.ids[0]},right\n".encode()
    press(given_back(open_page, two_targets, content, target="second"), "Keep these labels")
    assert Archive(neyman_home).labels.of(plan.plan_id)["target"].tolist() == ["second"]


def test_a_replacement_comes_back_beside_the_cancelled_row_that_it_replaces(open_page, two_targets):
    plan, _ = plan_of(two_targets, 8)
    lost = str(plan.ids[2])
    spare = str(labels.replacements(plan, [lost])["item_id"].iloc[0])
    rows = [(item, "" if item == lost else "right", "") for item in [*map(str, plan.ids), spare]]
    app = given_back(open_page, two_targets, judged(rows))
    assert "8 of 8 items" in bare(app.markdown) and not app.warning


@pytest.fixture(scope="module")
def half_asked():
    """A target that was asked every second item, and gave no answer to every fourth."""
    rows = []
    for number, row in enumerate(records(60, target=None)):
        text = "The answer is 7." if number % 4 else "I cannot say."
        rows.append({**row, "answer_kind": "number", **({"targets": {"m": {"text": text}}} if number % 2 == 0 else {})})
    return pool(rows, "half asked")


def test_without_an_answer_there_is_nothing_to_judge(open_page, letters):
    unasked = pool([{key: value for key, value in row.items() if key != "targets"} for row in records(40)], "unasked")
    for kind in ("Right or wrong", "A score, 0 to 1"):
        app = open_page(LABEL, unasked, budget=8, **HERE, **{"label-kind": kind})
        assert "there is nothing to judge" in bare(app.warning)
        assert not components(app, "neyman_desk") and button(app, "Run a target on these items")
    press(app, "Ask for the right answer")
    assert app.selectbox(key="label-kind").value == "gold" and desk(app)["order"]
    # Its file has them all.
    assert "no labels are needed" in bare(app.caption)
    listed = open_page(LABEL, unasked, budget=8, **RIGHT_WRONG, **{"list-detail": "strata"})
    files = {one.proto.label: one.proto.disabled for one in listed.get("download_button")}
    assert files["CSV"] and files["JSON Lines"] and not files["Manifest"]


def test_what_the_target_was_never_asked_waits(open_page, downloads, half_asked):
    plan, _ = plan_of(half_asked, 12)
    answered = [str(item) for item in plan.ids if half_asked.targets["m"].texts[half_asked.items.index.get_loc(item)]]
    assert 0 < len(answered) < 12
    app = open_page(LABEL, half_asked, budget=12, **RIGHT_WRONG)
    rows = list(csv.DictReader(io.StringIO(downloads["CSV"]())))
    assert [row["item_id"] for row in rows] == answered
    silent = {item for item in answered if half_asked.items.index.get_loc(item) % 4 == 0}
    assert {row["target_answer"] for row in rows if row["item_id"] in silent} == {"(no answer)"}
    assert f"{12 - len(answered)} items wait" in bare(app.caption)
    app = open_page(LABEL, half_asked, budget=12, **HERE, **RIGHT_WRONG)
    assert f"{12 - len(answered)} items wait" in bare(app.caption)
    items = []
    for _ in answered:
        items.append(shown_item(app))
        silence_named = "the target was asked, but gave no answer" in desk(app)["items"][items[-1]]["parts"][0]["title"]
        assert silence_named == (items[-1] in silent)
        label(app, "Wrong")
    assert items == answered and progress(app).startswith(f"{len(answered)} of {len(answered)} items")
