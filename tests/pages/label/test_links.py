"""Links for annotators: one for this machine, and if the app is shared one for each person."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO

import openpyxl
import pytest

from core.archive import AnnotatorLink, Archive
from pages.parts.app import visitor
from tests.pages.conftest import PAGES, bare, figures, press, run
from tests.pages.desk import desk, desks, label
from tests.pages.label.conftest import LABEL, shown_item
from tests.pages.pools import plan_of

ADDRESS = "http://192.168.1.5:8501"
OPEN = ("annotators",)
BEGIN, END = "2026-01-01T00:00:00+00:00", "2099-01-01T00:00:00+00:00"


@pytest.fixture
def shared(monkeypatch):
    """The app as somebody sees it who gave the access code."""
    monkeypatch.setattr(visitor, "address", lambda: ADDRESS)


@pytest.fixture
def annotator(monkeypatch):
    """A function that makes the visitor an annotator with these links."""

    def become(*numbers):
        monkeypatch.setattr(visitor, "links", lambda: frozenset(numbers))

    return become


def saved_link(home, plan, pool, **more):
    fields = {
        "plan_id": plan.plan_id,
        "digest": pool.digest,
        "kind": "gold",
        "target": "",
        "annotator": "Ann",
        "created": BEGIN,
        "expires": END,
    }
    return Archive(home).links.save(AnnotatorLink(**(fields | more)), str(more))


def test_on_one_machine_the_list_goes_to_others_as_a_workbook(open_page, downloads, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, OPEN, budget=8)
    assert "works on this machine alone" in bare(app.caption) and "make share" in bare(app.caption)
    rows = openpyxl.load_workbook(BytesIO(downloads["Excel"]())).active.iter_rows(values_only=True)
    assert [str(item) for row in rows for item in row if item in set(plan.ids)] == list(plan.ids)


def test_where_the_app_is_shared_each_person_has_a_link(open_page, neyman_home, letters, shared):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, OPEN, budget=8)
    for name in ("Ann", "Ben"):
        app.text_input(key="link-name").set_value(name)
        press(app, "Create the link")
        (link,) = [one.value for one in app.code if one.value.startswith(f"{ADDRESS}/open/")]
        token = link.removeprefix(f"{ADDRESS}/open/")
        opened = Archive(neyman_home).links.opened_by(token, BEGIN)
        assert opened is not None
        assert (opened.plan_id, opened.digest, opened.annotator) == (plan.plan_id, letters.digest, name)
    ann, _ = reversed(Archive(neyman_home).links.of(plan.plan_id))
    app.button(key=f"revoke-{ann.number}").click()
    run(app)
    assert [one.opens(BEGIN) for one in Archive(neyman_home).links.of(plan.plan_id)] == [True, False]
    assert "Ben, until" in bare(app.markdown) and "Ann, until" not in bare(app.markdown)


def test_a_link_works_for_as_long_as_was_chosen(open_page, neyman_home, letters, shared):
    plan, _ = plan_of(letters, 8)
    app, chosen = open_page(LABEL, letters, OPEN, budget=8), {"Ann": 1, "Ben": 7, "Cleo": 30}
    for name, days in chosen.items():
        app.text_input(key="link-name").set_value(name)
        app.selectbox(key="link-days").set_value(days)
        press(app, "Create the link")
    links = Archive(neyman_home).links.of(plan.plan_id)
    lasts = {one.annotator: datetime.fromisoformat(one.expires) - datetime.fromisoformat(one.created) for one in links}
    assert {name: last.days for name, last in lasts.items()} == chosen


def test_a_link_needs_a_name_that_nobody_else_has(open_page, neyman_home, letters, shared):
    plan, _ = plan_of(letters, 8)
    saved_link(neyman_home, plan, letters)
    app = open_page(LABEL, letters, OPEN, budget=8)
    for name in ("", "  ", "(pool)", "Ann"):
        app.text_input(key="link-name").set_value(name)
        press(app, "Create the link")
        assert len(app.error) == 1 and len(Archive(neyman_home).links.of(plan.plan_id)) == 1, name


def test_a_name_is_free_again_once_its_link_was_revoked(open_page, neyman_home, letters, shared):
    plan, _ = plan_of(letters, 8)
    saved_link(neyman_home, plan, letters, revoked=BEGIN)
    app = open_page(LABEL, letters, OPEN, budget=8)
    app.text_input(key="link-name").set_value("Ann")
    press(app, "Create the link")
    assert [one.opens(BEGIN) for one in Archive(neyman_home).links.of(plan.plan_id)] == [True, False]


def keep_plan(open_page, home, letters):
    plan, _ = plan_of(letters, 8)
    open_page(LABEL, letters, OPEN, budget=8)
    assert plan.plan_id in set(Archive(home).plans.table()["plan_id"])
    return plan


def test_labels_of_a_link_are_those_of_its_annotator(open_page, neyman_home, letters, annotator):
    plan = keep_plan(open_page, neyman_home, letters)
    number = saved_link(neyman_home, plan, letters)
    annotator(number)
    app = open_page(LABEL, None, only="label", link=number, annotator="Eve")
    assert shown_item(app) == str(plan.ids[0]) and "annotator" not in [one.key for one in app.text_input]
    assert "waiting" not in desk(app), "the estimate is none of an annotator's business"
    label(app, "A")
    assert Archive(neyman_home).labels.of(plan.plan_id)[["item_id", "annotator"]].to_numpy().tolist() == [
        [plan.ids[0], "Ann"]
    ]


def test_two_annotators_keep_their_own_labels(open_page, neyman_home, letters, annotator):
    plan = keep_plan(open_page, neyman_home, letters)
    for name, answer in (("Ann", "A"), ("Ben", "B")):
        number = saved_link(neyman_home, plan, letters, annotator=name)
        annotator(number)
        label(open_page(LABEL, None, only="label", link=number), answer)
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["item_id", "annotator", "label"]].to_numpy().tolist() == [
        [plan.ids[0], "Ann", "A"],
        [plan.ids[0], "Ben", "B"],
    ]


@pytest.mark.parametrize("change", [{"revoked": BEGIN}, {"expires": BEGIN}, {"digest": "0" * 64}, {"plan_id": "p0"}])
def test_a_link_that_opens_nothing_says_only_that(open_page, neyman_home, letters, annotator, change):
    plan = keep_plan(open_page, neyman_home, letters)
    number = saved_link(neyman_home, plan, letters, **change)
    annotator(number)
    app = open_page(LABEL, None, only="label", link=number)
    assert len(app.error) == 1 and not desks(app) and str(neyman_home) not in bare(app.error)


@pytest.mark.parametrize("number", ["9" * 5000, str(2**64), "\u0663", "-1", "1e3", "1_0", " 1", ""])
@pytest.mark.parametrize("with_link", [False, True])
def test_what_is_no_number_of_a_link_is_a_link_that_has_expired(open_page, annotator, number, with_link):
    if with_link:
        annotator(1)
    (error,) = open_page(LABEL, None, only="label", link=number).error
    assert ("cannot be opened" if with_link else "has expired or was revoked") in error.value


@pytest.mark.parametrize("page", PAGES)
def test_an_annotator_sees_no_other_page(open_page, letters, annotator, page):
    annotator(1)
    app = open_page(page, letters)
    elements = [*app.button, *app.selectbox, *app.dataframe, *figures(app), *app.get("page_link")]
    assert elements == [] and not app.sidebar.children
    assert not any(letters.name in str(one.value) for one in [*app.text, *app.caption, *app.markdown])
