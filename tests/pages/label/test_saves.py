"""Saves that fail: item and answer stay on the screen with what is wrong, and nothing is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from core.archive import Archive, copies
from core.archive.database import FILE
from pages.parts.app import state
from tests.core.wording import Saying
from tests.pages.conftest import bare, press, run
from tests.pages.desk import desk, label, send
from tests.pages.label.conftest import HERE, LABEL, progress, shown_item
from tests.pages.pools import plan_of
from tests.pages.troubles import busy, full, read_only, unreadable
from tests.sampled import sampled


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(state, "_PATIENCE", 0.02)


def labels(home, plan):
    return Archive(home).labels.of(plan.plan_id)[["item_id", "label", "note"]].to_numpy().tolist()


def replies(app):
    return list(desk(app)["replies"].values())


def test_a_busy_database_is_waited_for_with_the_answer_at_the_desk(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    with busy(neyman_home):
        label(app, "B", note="hm")
        for _ in range(2):
            assert replies(app) == [{"busy": True}] and not app.error
            assert shown_item(app) == plan.ids[0] and progress(app) == "0 of 8 items"
            send(app)
    send(app)
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", "hm"]]
    assert shown_item(app) == plan.ids[1] and replies(app) == [{"saved": True, "message": None}]


@pytest.mark.parametrize(("trouble", "what"), [(full, "is full"), (read_only, "is read-only")])
def test_what_is_wrong_is_said_and_the_answer_is_saved_when_it_is_right_again(
    open_page, neyman_home, letters, trouble, what
):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    with trouble(neyman_home):
        for step in (lambda: label(app, "B"), lambda: send(app)):
            step()
            assert f"{what}." in replies(app)[0]["error"] and shown_item(app) == plan.ids[0]
    assert labels(neyman_home, plan) == []
    send(app)
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", None]] and shown_item(app) == plan.ids[1]


def test_what_follows_a_failed_save_waits_and_is_saved_in_order_for_whom_it_was(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    with read_only(neyman_home):
        steps = [{"item": str(item), "label": answer} for item, answer in zip(plan.ids, "ABC", strict=False)]
        send(app, *steps, {"item": str(plan.ids[2]), "label": "C", "undo": True})
        assert len(replies(app)) == 1 and "error" in replies(app)[0]
        app.text_input(key="annotator").input("Ben")
        run(app)
    send(app)
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["item_id", "annotator", "label"]].to_numpy().tolist() == [
        [plan.ids[0], "Ann", "A"],
        [plan.ids[1], "Ann", "B"],
    ]


def test_what_is_sent_twice_is_done_once(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    first, second = map(str, plan.ids[:2])
    steps = [
        {"item": first, "label": "A", "id": "a1"},
        {"item": first, "label": "C", "was": "A", "id": "c1"},
        {"item": first, "label": "C", "undo": True, "id": "u1"},
        {"item": second, "label": "B", "id": "b1"},
        {"item": second, "label": "B", "undo": True, "id": "u2"},
    ]
    send(app, *steps)
    # The app was restarted before the browser had its replies.
    send(open_page(LABEL, letters, budget=8, annotator="Ann", **HERE), *steps)
    assert labels(neyman_home, plan) == [[plan.ids[0], "A", None]]


def test_what_no_desk_sends_is_left_out(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    first = str(plan.ids[0])
    send(
        app,
        {"item": "of another pool", "label": "A"},
        {"item": first, "status": "dropped"},
        {"item": 7},
        {"item": first},
    )
    assert labels(neyman_home, plan) == [] and "Reload the page" in app.error[0].value
    send(app, {"item": first, "label": "A", "to": "of nobody"})
    assert labels(neyman_home, plan) == [] and not replies(app)


def test_item_and_answer_stay_where_the_page_itself_cannot_be_read(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    address = dict(app.query_params)
    with unreadable():
        label(app, "B")
        assert "is busy" in bare(app.error) and replies(app) == [{"busy": True}]
        assert shown_item(app) == plan.ids[0] and plan.ids[0] in desk(app)["items"]
        assert dict(app.query_params) == address, "no other pool is shown instead"
    send(app)
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", None]] and shown_item(app) == plan.ids[1]


def test_an_answer_that_waits_does_not_replace_one_that_came_first(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    one, two = (open_page(LABEL, letters, budget=8, annotator="Ann", **HERE) for _ in range(2))
    with read_only(neyman_home):
        label(one, "A")
    label(two, "B")
    send(one)
    assert replies(one)[0]["message"] == Saying("labelled as “B”")
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", None]]


@pytest.mark.parametrize("trouble", sampled([full, read_only], lambda trouble: trouble is full))
def test_a_file_of_labels_waits_and_is_kept_as_a_whole(open_page, neyman_home, letters, trouble):
    plan, _ = plan_of(letters, 40)
    app = open_page(LABEL, letters, budget=40, part="Take labels back")
    rows = "".join(f"{item},{plan.plan_id},A,{'Ann' * 40}\n" for item in plan.ids)
    app.file_uploader(key="labels-file").upload(
        "filled.csv", f"item_id,plan_id,label,annotator\n{rows}".encode(), "text/csv"
    )
    run(app)
    with trouble(neyman_home):
        press(app, "Keep these labels")
        assert "Not saved." in bare(app.error) and "Your file: 40 rows." in bare(app.markdown)
    assert labels(neyman_home, plan) == []
    press(app, "Save again")
    assert "40 new or changed labels kept." in bare(app.success) and len(labels(neyman_home, plan)) == 40


@pytest.mark.parametrize(
    ("trouble", "what", "key"),
    sampled(
        [(busy, "is busy", "csv-made"), (full, "is full", "for-tool"), (read_only, "is read-only", "csv-made")],
        lambda trouble, what, key: trouble is not read_only,
    ),
)
def test_a_list_whose_plan_cannot_be_kept_says_so_and_keeps_it_when_it_is_taken_again(
    open_page, neyman_home, downloads, letters, trouble, what, key
):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8)
    with trouble(neyman_home):
        app.download_button(key=key).click()
        run(app)
        assert "its plan is not kept" in bare(app.error) and what in bare(app.error)
        assert plan.ids[0] in downloads["CSV"]()
    assert Archive(neyman_home).plans.table().empty
    app.download_button(key=key).click()
    run(app)
    assert not app.error and Archive(neyman_home).plans.table()["plan_id"].tolist() == [plan.plan_id]


def test_undoing_says_what_is_wrong(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = label(open_page(LABEL, letters, budget=8, **HERE), "A")
    with read_only(neyman_home):
        label(app, "Undo")
        assert "is read-only" in replies(app)[0]["error"] and shown_item(app) == plan.ids[1]
    send(app)
    assert labels(neyman_home, plan) == [] and shown_item(app) == plan.ids[0]


def test_a_damaged_label_is_said_with_what_to_do(open_page, neyman_home, letters):
    app = label(open_page(LABEL, letters, budget=8, **HERE), "A")
    with closing(sqlite3.connect(neyman_home / FILE)) as database, database:
        copies.daily(database, neyman_home, datetime.now(UTC))
        database.execute("UPDATE label_changes SET label = 'B'")
    run(app)
    assert "is damaged" in bare(app.error) and "Restore the copy of" in bare(app.error)
