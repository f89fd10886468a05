"""Labels that are given while the app is gone: kept in the browser, sent where they belong, or said not to be saved."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from core import labels
from core.archive import Archive
from tests.browser.conftest import FAILED, PATIENCE, answer, choose, emptied, profiles, settle, until, visit
from tests.browser.desks import Mortal, current, standing, waiting
from tests.browser.test_label import CREATED, letters, texts

NOT_SAVED = 10_000
# The labels that wait in the browser.
STORED = "Object.keys(localStorage).filter(name => name.startsWith('neyman-label:'))"
NUMBERS = count()


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mortal]:
    """The app of all tests here: one that a test has started again is warm for the next."""
    mortal = Mortal(tmp_path_factory.mktemp("mortal"))
    yield mortal
    mortal.server.stop()
    assert mortal.server.complaints() == []


@pytest.fixture
def app(mortal: Mortal) -> Iterator[Mortal]:
    """The app with two pools that no other test has: of letters and of texts."""
    if mortal.server.process.poll() is not None:
        mortal.start()
    number = next(NUMBERS)
    mortal.pools = letters(f"exam{number}"), texts(f"text{number}")
    for pool in mortal.pools:
        Archive(mortal.home).pools.save(pool, CREATED)
    others = mortal.kept(elsewhere=True)
    yield mortal
    assert mortal.server.complaints() == []
    # No label went to, or was lost from, the list of another pool.
    assert mortal.kept(elsewhere=True) == others


@pytest.fixture
def profile(app: Mortal, browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A profile whose console may speak of a server that is gone."""
    expect.set_options(timeout=PATIENCE)
    (context,) = profiles(browser, 1)
    yield context
    if request.node.stash.get(FAILED, True) or not context.pages:
        context.close()
    else:
        emptied(context, [app.server.url])


def opened(app: Mortal, profile: BrowserContext, script: str = "", **query: object) -> Page:
    """The list in a tab of its own, in which a script runs before those of the app."""
    page = profile.new_page()
    page.add_init_script(script)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    pool = query.pop("pool", app.pools[0])
    address = "&".join(f"{name}={value}" for name, value in {"budget": 12, "annotator": "Ann", **query}.items())
    visit(page, f"{app.server.url}/label?pool={pool.digest[:16]}&part=Label+here&{address}")
    expect(page.get_by_role("button", name="Skip")).to_be_visible()
    page.errors = errors
    return page


def give(page: Page, number: int, key: str = "a") -> list[str]:
    """Answer so many items without waiting until they are saved, and return them."""
    items = []
    for _ in range(number):
        items.append(current(page))
        page.keyboard.press(key)
        until(page, lambda: current(page) != items[-1])
    return items


def used_again(app: Mortal, profile: BrowserContext) -> Page:
    """A list labelled as right or wrong that is used again for the right answers, as in the report."""
    page = opened(app, profile, target="one", **{"label-kind": "Right+or+wrong"})
    answer(page, "1", "1 of 12 items")
    choose(page, re.compile("Kind of label"), "The right answer")
    expect(page.get_by_text("What is the right answer?")).to_be_visible()
    settle(page)
    return page


def not_saved(page: Page, given: list[str]) -> None:
    """After ten seconds, labels are said not to be saved, in words and in red, with a download that has them."""
    page.wait_for_timeout(NOT_SAVED + 500)
    expect(standing(page)).to_have_text(f"⚠ {len(given)} not saved")
    assert "Saving" not in page.locator(".desk").inner_text()
    red, green, blue = map(int, re.findall(r"\d+", standing(page).evaluate("e => getComputedStyle(e).color"))[:3])
    assert red > 1.5 * max(green, blue)
    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_visible()
    # Streamlit's own dialog on the lost connection lies above the page until it is closed.
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    rows = downloaded(page)
    assert rows[["item_id", "label", "annotator", "kind"]].to_numpy().tolist() == [
        [one, "A", "Ann", "gold"] for one in given
    ]


def test_labels_given_while_the_app_is_gone_are_saved_when_it_is_back(app, profile):
    """At once, after they were said not to be saved; and where the page is loaded again before."""
    page, given = used_again(app, profile), []
    for reload in (False, True):
        app.kill()
        now = give(page, 3)
        expect(standing(page)).to_have_text("Saving …")
        assert sorted(waiting(page)) == sorted(now)
        given += now
        if not reload:
            not_saved(page, now)
        app.start()
        if reload:
            page.reload()
        number = 1 + len(given)
        until(page, lambda number=number: len(app.kept()) == number)
        expect(standing(page)).to_have_text("All saved")
        assert {key: label for key, label in app.kept().items() if key[1] == "gold"} == {
            (item, "gold", "Ann"): "A" for item in given
        }
        settle(page)
    # Nothing is left that a reload would send again.
    assert page.evaluate(STORED) == []
    assert page.errors == []


def test_labels_that_wait_count_where_the_estimate_is_opened_first(app, profile):
    page = opened(app, profile, target="one", **{"label-kind": "Right+or+wrong"})
    answer(page, "1", "1 of 12 items")
    app.kill()
    given = give(page, 11, "1")
    estimate = page.url.replace("/label?", "/estimate?")
    page.goto("about:blank")
    app.start()
    visit(page, estimate)
    until(page, lambda: len(app.kept()) == 12)
    assert {item for item, *_ in app.kept()} > {*given[1:]}
    expect(page.get_by_text(re.compile("^Estimated from 12 labels "))).to_be_visible()
    expect(page.get_by_role("combobox", name="Plan")).to_have_value(re.compile("12 of 12 labels"))


def downloaded(page: Page):
    with page.expect_download() as file:
        page.get_by_role("button", name="Download what is not saved").click()
    return labels.read(Path(file.value.path()).read_bytes(), "neyman-not-saved.csv").rows


def test_what_belongs_to_a_list_that_is_not_here_is_shown_with_its_download(app, profile):
    page, other = opened(app, profile), app.pools[1]
    answer(page, "a", "1 of 12 items")
    app.kill()
    given = give(page, 2, "b")
    page.goto("about:blank")
    app.start()
    with closing(sqlite3.connect(app.home / "neyman.sqlite")) as database, database:
        own = f"SELECT plan_id FROM designs WHERE digest = '{app.pools[0].digest}'"
        for table in ("label_changes", "label_sums", "designs"):
            database.execute(f"DELETE FROM {table} WHERE plan_id IN ({own})")
    page = opened(app, profile, pool=other)
    expect(page.get_by_role("alert").filter(has_text="2 labels of another list")).to_be_visible()
    # At once, not ten seconds later: what follows a label that cannot be saved is not saved either.
    assert standing(page).inner_text() == "⚠ 2 not saved"
    assert downloaded(page)["item_id"].tolist() == given
    # The list that is open is labelled all the same.
    page.get_by_role("textbox", name="The right answer", exact=True).fill("word")
    page.keyboard.press("Enter")
    until(page, lambda: len(app.kept()) == 1)
    expect(page.locator(".desk")).to_have_attribute("data-unsaved", "2")


def test_two_annotators_at_one_machine_do_not_see_each_others_labels_and_all_are_saved(app, profile):
    page = opened(app, profile)
    answer(page, "a", "1 of 12 items")
    app.kill()
    given = give(page, 2, "b")
    page.goto("about:blank")
    app.start()
    ben = opened(app, profile, annotator="Ben")
    until(ben, lambda: len(app.kept()) == 3)
    answer(ben, "d", "1 of 12 items")
    assert waiting(ben) == [] and not any(f"{item}: B" in ben.locator(".desk").inner_text() for item in given)
    assert {(item, "gold", "Ann"): "B" for item in given}.items() <= app.kept().items()
    assert [who for _, _, who in app.kept()].count("Ben") == 1 and len(app.kept()) == 4

    # Labels find their list where another one is opened, and nothing in the address says who labelled.
    app.kill()
    given = give(ben, 3, "c")
    ben.goto("about:blank")
    app.start()
    visit(ben, f"{app.server.url}/label?pool={app.pools[1].digest[:16]}")
    until(ben, lambda: len(app.kept()) == 7)
    assert {(item, "gold", "Ben"): "C" for item in given}.items() <= app.kept().items()
    # The browser hears of it after it is on the disk.
    until(ben, lambda: ben.evaluate(STORED) == [])
    assert ben.errors == []


@pytest.mark.trial
@pytest.mark.parametrize("place", ["label?pool={other}", "", "explore", "label"])
def test_whatever_page_is_opened_after_a_restart_sends_what_waits(app, profile, place):
    """With a desk and another list on it, or without; nothing in the address speaks of the list, or of who labelled."""
    page = opened(app, profile, target="one", **{"label-kind": "Right+or+wrong"})
    answer(page, "1", "1 of 12 items")
    app.kill()
    given = give(page, 3, "0")
    page.goto("about:blank")
    app.start()
    visit(page, f"{app.server.url}/{place.format(other=app.pools[1].digest[:16])}")
    until(page, lambda: len(app.kept()) == 4)
    assert {(item, "right-wrong", "Ann"): "wrong" for item in given}.items() <= app.kept().items()
    # The browser hears of it after it is on the disk.
    until(page, lambda: page.evaluate(STORED) == [])
    assert page.errors == []


def test_every_label_that_another_tab_was_faster_with_is_named(app, profile):
    page, tab = (opened(app, profile, target="one", **{"label-kind": "Right+or+wrong"}) for _ in range(2))
    app.kill()
    tab.bring_to_front()
    given = give(tab, 2, "0")
    url = tab.url
    tab.goto("about:blank")
    page.bring_to_front()
    assert give(page, 2, "1") == given
    app.start()
    until(page, lambda: len(app.kept()) == 2)
    tab.bring_to_front()
    visit(tab, url)
    for item in given:
        expect(tab.locator(".notice")).to_contain_text(f"Item {item} was labelled as “right” in the meantime")
    expect(standing(tab)).to_have_text("All saved")
    assert set(app.kept().values()) == {"right"}


@pytest.mark.parametrize(
    "storage",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })",
        pytest.param(
            "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
            marks=pytest.mark.trial,
        ),
    ],
)
def test_without_storage_the_desk_works_and_says_what_a_reload_would_lose(app, profile, storage):
    page = opened(app, profile, storage)
    expect(page.get_by_text("a reload would lose those that are not saved yet")).to_be_visible()
    answer(page, "a", "1 of 12 items")
    app.kill()
    give(page, 2, "b")
    app.start()
    until(page, lambda: len(app.kept()) == 3)
    expect(standing(page)).to_have_text("All saved")
