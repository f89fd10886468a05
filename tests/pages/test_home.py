"""A home that cannot be used for a while: every page says so, nothing is lost, and its database is copied."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime

import pandas as pd
import pytest

from core.archive import Archive
from pages.parts.app import kept, state
from tests.core.archive.test_read_only import read_only as may_only_be_read
from tests.pages.conftest import PAGES, bare, practice, press, run
from tests.pages.desk import desk, label, send
from tests.pages.pools import plan_of, pool, records
from tests.pages.troubles import busy, read_only, unreadable
from tests.sampled import sampled


@pytest.fixture(autouse=True)
def no_copies():
    """The database is copied as the app does."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(state, "_PATIENCE", 0.02)


@pytest.fixture(scope="module")
def some():
    rows = [{**row, "answer": "ABCD"[number % 4]} for number, row in enumerate(records(40))]
    return pool(rows, "some")


def copies(home):
    return sorted(path.name for path in (home / "backups").iterdir())


@pytest.mark.parametrize("trouble", [busy, read_only])
def test_a_pool_that_cannot_be_saved_stays_in_the_uploader(open_page, neyman_home, trouble):
    rows = records(30)
    app = open_page("pages/pool.py")
    with trouble(neyman_home):
        (uploader,) = [widget for widget in app.file_uploader if widget.key.startswith("upload")]
        uploader.upload("mine.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode(), "application/jsonl")
        run(app)
        assert ("is busy" if trouble is busy else "is read-only") in bare(app.error)
        assert "Practice pool is still" not in bare(app.caption) and "Practice pool" in bare(app.caption)
    press(app, "Save again")
    assert not app.error and "mine" in bare(app.sidebar.text)
    assert Archive(neyman_home).pools.table()["n_items"].tolist() == [30]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_whose_home_cannot_be_used_says_so_and_keeps_its_pool(open_page, neyman_home, some, page):
    app = open_page(page, some)
    with unreadable():
        run(app)
        said = bare([*app.error, *app.warning])
        assert "is busy" in said and "Another pool" not in said
        assert app.title and app.get("page_link"), "the title and the way to other pages stay"
    elsewhere = neyman_home.rename(neyman_home.with_name(f"{neyman_home.name}-elsewhere"))
    run(app)
    said = bare([*app.error, *app.warning])
    assert "was removed, renamed or replaced" in said and not neyman_home.exists(), "it is not made anew"
    elsewhere.rename(neyman_home)
    run(app)
    assert "some" in bare(app.sidebar.text) and not app.error


def test_a_label_waits_until_the_home_is_back(open_page, neyman_home, some):
    plan, _ = plan_of(some, 8)
    app = open_page("pages/label.py", some, budget=8, annotator="Ann", part="Label here")
    label(app, "A")
    elsewhere = neyman_home.rename(neyman_home.with_name(f"{neyman_home.name}-elsewhere"))
    Archive(neyman_home)
    label(app, "B")
    (reply,) = desk(app)["replies"].values()
    assert "was removed, renamed or replaced" in reply["error"]
    shutil.rmtree(neyman_home)
    elsewhere.rename(neyman_home)
    send(app)
    assert Archive(neyman_home).labels.of(plan.plan_id)["label"].tolist() == ["A", "B"]


@pytest.mark.parametrize("page", sampled(PAGES, ("app.py", "pages/label.py", "pages/estimate.py").__contains__))
def test_a_page_on_the_practice_pool_says_what_cannot_be_read(open_page, page):
    app = open_page(page)
    with unreadable():
        run(app)
    run(app)
    assert not app.error


def test_the_practice_pool_opens_though_its_kept_copy_is_damaged(open_page, neyman_home):
    archive = Archive(neyman_home)
    archive.pools.save(practice(), "2026-01-01T00:00:00+00:00")
    (neyman_home / "pools" / f"{practice().digest}.parquet").write_bytes(b"damaged")
    app = run(open_page("pages/explore.py"))
    assert not app.warning
    assert app.query_params["pool"] == practice().digest[:16]


def test_a_decision_that_cannot_be_saved_is_said(open_page, neyman_home, some):
    plan, _ = plan_of(some, 20)
    archive = Archive(neyman_home)
    archive.pools.save(some, "2026-01-01T00:00:00+00:00")
    app = open_page("pages/label.py", some, budget=20, annotator="Ann", part="Label here")
    label(app, "A")
    app = open_page("pages/label.py", some, budget=20, annotator="Ben", part="Label here")
    label(app, "B")
    app = open_page("pages/estimate.py", some)
    with read_only(neyman_home):
        press(app, "“A” counts")
        assert "is read-only" in bare(app.error)
        assert archive.labels.of(plan.plan_id)["label"].tolist() == ["A", "B"]
    press(app, "“A” counts")
    assert not app.error and archive.labels.of(plan.plan_id)["label"].tolist() == ["A", "B", "A"]


def test_the_database_is_copied_when_the_app_starts(open_page, neyman_home, some):
    open_page("pages/pool.py", some)
    days = {f"neyman-{day}.sqlite" for day in (datetime.now(UTC).date().isoformat(),)}
    assert set(copies(neyman_home)) == days


def test_a_copy_that_fails_is_said_and_nothing_else_is(open_page, neyman_home, some):
    Archive(neyman_home)
    (neyman_home / "backups").write_text("in the way")
    app = open_page("pages/pool.py", some)
    assert "no copy of today" in bare(app.warning) and not app.error
    assert "some" in bare(app.sidebar.text)


def test_a_lost_database_stops_every_page_and_is_restored_by_a_click(open_page, neyman_home, some):
    plan, _ = plan_of(some, 20)
    app = label(open_page("pages/label.py", some, budget=20, annotator="Ann", part="Label here"), "A")
    Archive(neyman_home).tend(datetime(2030, 1, 1, tzinfo=UTC))
    (neyman_home / "neyman.sqlite").write_bytes(b"")
    for page in PAGES:
        app = open_page(page)
        assert "would be lost" in bare(app.error) and app.get("page_link")
    press(app, "Restore the copy of 2030-01-01 (1 label)")
    assert not app.error and Archive(neyman_home).labels.of(plan.plan_id)["label"].tolist() == ["A"]


def set_back(home):
    """A home whose database ends before its copy: one label of two is only in the copy."""
    plan, _ = plan_of(
        pool([{**row, "answer": "ABCD"[number % 4]} for number, row in enumerate(records(40))], "some"), 20
    )
    archive = Archive(home)
    archive.plans.save("another", "{}", "digest", "2026-01-01T00:00:00+00:00")
    archive.tend(datetime(2029, 1, 1, tzinfo=UTC))
    rows = pd.DataFrame({"item_id": plan.ids[:2], "label": "A", "annotator": "Ann"})
    archive.labels.save(plan.plan_id, rows, "2026-01-01T00:00:00+00:00", kind="gold")
    archive.tend(datetime(2030, 1, 1, tzinfo=UTC))
    for path in home.glob("neyman.sqlite*"):
        path.unlink()
    shutil.copyfile(home / "backups" / "neyman-2029-01-01.sqlite", home / "neyman.sqlite")
    return plan


def test_a_database_that_was_set_back_is_said_on_every_page_and_its_labels_are_brought_back(
    open_page, neyman_home, some
):
    plan = set_back(neyman_home)
    for page in PAGES:
        app = open_page(page)
        assert "ends before the copy of 2030-01-01 (2 labels)" in bare(app.warning), page
        assert not app.error and len(app.main.children) > 2, "the page is there as ever"
    press(app, "Bring back 2 labels")
    assert "ends before" not in bare(app.warning) and not app.error
    assert len(Archive(neyman_home).labels.of(plan.plan_id)) == 2
    assert (neyman_home / "set-aside" / "1" / "neyman.sqlite").exists()


def test_a_database_that_was_set_back_on_purpose_can_be_kept(open_page, neyman_home, some):
    plan = set_back(neyman_home)
    app = press(open_page("pages/label.py", some), "Keep this database")
    assert "ends before" not in bare(app.warning)
    assert "ends before" not in bare(open_page("pages/pool.py").warning)
    assert Archive(neyman_home).labels.of(plan.plan_id).empty


def test_a_home_that_may_only_be_read_is_shown(open_page, neyman_home, some):
    archive = Archive(neyman_home)
    archive.pools.save(some, "2026-01-01T00:00:00+00:00")
    label(open_page("pages/label.py", some, budget=20, annotator="Ann", part="Label here"), "A")
    kept.memo().forget("stored pools")
    state.forget_home()
    with may_only_be_read(neyman_home):
        app = open_page("pages/estimate.py", pool=some.digest[:16])
        assert "is read-only: you can read what it holds" in bare(app.warning) and not app.error
        assert "some" in bare(app.sidebar.text)


def test_starting_afresh_is_deliberate_and_removes_nothing(open_page, neyman_home, some):
    label(open_page("pages/label.py", some, budget=20, annotator="Ann", part="Label here"), "A")
    (neyman_home / "neyman.sqlite").unlink()
    app = open_page("pages/pool.py")
    press(app, "Start afresh")
    assert not app.error and Archive(neyman_home).labels.counts().empty
    assert list((neyman_home / "set-aside" / "1" / "backups").iterdir())
