"""Saves that fail: item and answer stay on the screen with what is wrong, and nothing is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from core.archive import Archive
from core.archive.database import FILE
from pages.parts import state
from tests.pages.conftest import bare, button, messages, press, run
from tests.pages.label.conftest import HERE, LABEL, offered, progress, shown_item
from tests.pages.pools import plan_of, pool, records
from tests.pages.troubles import busy, full, read_only, unreadable


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(state, "_PATIENCE", 0.02)


def labels(home, plan):
    return Archive(home).labels(plan.plan_id)[["item_id", "label", "note"]].to_numpy().tolist()


def test_a_busy_database_is_waited_for_with_item_and_answer_on_the_screen(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    app.text_input(key=f"note-{plan.plan_id}-{plan.ids[0]}").input("hm")
    with busy(neyman_home):
        press(app, "B")
        for _ in range(2):
            assert messages(app, "warning") == ["Busy, saving again …"] and not app.error
            assert shown_item(app) == plan.ids[0] and "Your answer: B" in bare(app.markdown)
            assert "Skip" not in offered(app) and progress(app).startswith("0 of 8")
            run(app)
    run(app)
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", "hm"]]
    assert shown_item(app) == plan.ids[1] and not app.warning and "Skip" in offered(app)


@pytest.mark.parametrize(("trouble", "what"), [(full, "is full"), (read_only, "is read-only")])
def test_what_is_wrong_is_said_and_the_answer_is_saved_when_it_is_right_again(
    open_page, neyman_home, letters, trouble, what
):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    with trouble(neyman_home):
        for label in ("B", "Save again"):
            press(app, label)
            assert f"{what}." in bare(app.error) and bare(app.error).startswith("Not saved.")
            assert shown_item(app) == plan.ids[0] and "Your answer: B" in bare(app.markdown)
    assert labels(neyman_home, plan) == []
    press(app, "Save again")
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", None]]
    assert shown_item(app) == plan.ids[1] and not app.error


def test_a_typed_answer_and_a_skip_wait_as_well(open_page, neyman_home):
    texts = pool([{**row, "answer": f"answer {number}"} for number, row in enumerate(records(60, k=6))], "texts")
    plan, _ = plan_of(texts, 8)
    app = open_page(LABEL, texts, budget=8, **HERE)
    with read_only(neyman_home):
        app.text_input(key="given-answer").input("a long answer")
        press(app, "Keep")
        assert "Your answer: a long answer" in bare(app.markdown)
        press(app, "Discard")
        assert shown_item(app) == plan.ids[0] and "Your answer" not in bare(app.markdown)
        press(app, "Skip")
        assert "Your answer: skipped" in bare(app.markdown)
    press(app, "Save again")
    assert shown_item(app) == plan.ids[1] and labels(neyman_home, plan) == [[plan.ids[0], None, None]]


def test_item_and_answer_stay_where_the_page_itself_cannot_be_read(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    address = dict(app.query_params)
    with unreadable():
        press(app, "B")
        assert "is busy" in bare(app.error) and "Busy, saving again …" in messages(app, "warning")
        assert shown_item(app) == plan.ids[0] and "Your answer: B" in bare(app.markdown)
        assert dict(app.query_params) == address, "no other pool is shown instead"
    run(app)
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", None]] and shown_item(app) == plan.ids[1]


def test_an_answer_that_waits_does_not_replace_one_that_came_first(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    one, two = (open_page(LABEL, letters, budget=8, annotator="Ann", **HERE) for _ in range(2))
    with read_only(neyman_home):
        press(one, "A")
    press(two, "B")
    press(one, "Save again")
    assert "was labelled as “B” in the meantime" in bare(one.info)
    assert labels(neyman_home, plan) == [[plan.ids[0], "B", None]]


@pytest.mark.parametrize("trouble", [full, read_only])
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


@pytest.mark.parametrize("key", ["csv-made", "for-tool"])
@pytest.mark.parametrize(("trouble", "what"), [(busy, "is busy"), (full, "is full"), (read_only, "is read-only")])
def test_a_list_whose_plan_cannot_be_kept_says_so_and_keeps_it_when_it_is_taken_again(
    open_page, neyman_home, downloads, letters, trouble, what, key
):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8)
    with trouble(neyman_home):
        app.download_button(key=key).click()
        run(app)
        assert "its plan is not kept" in bare(app.error) and what in bare(app.error)
        assert plan.ids[0] in downloads["List as CSV"]()
    assert Archive(neyman_home).designs().empty
    app.download_button(key=key).click()
    run(app)
    assert not app.error and Archive(neyman_home).designs()["plan_id"].tolist() == [plan.plan_id]


def test_undoing_says_what_is_wrong(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = press(open_page(LABEL, letters, budget=8, **HERE), "A")
    with read_only(neyman_home):
        press(app, "Undo the last")
        assert "is read-only" in bare(app.error) and shown_item(app) == plan.ids[1]
        run(app)
        assert not app.error
    press(app, "Undo the last")
    assert labels(neyman_home, plan) == [] and button(app, "Skip")


def test_a_damaged_label_is_said_with_what_to_do(open_page, neyman_home, letters):
    app = press(open_page(LABEL, letters, budget=8, **HERE), "A")
    with closing(sqlite3.connect(neyman_home / FILE)) as database, database:
        database.execute("UPDATE label_changes SET label = 'B'")
    run(app)
    assert "is damaged" in bare(app.error) and "backups" in bare(app.error)
