"""One address: what is set on a page is set on all, and Back, Forward, a reload and a link show the same list."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from core.archive import Archive
from core.labels import KINDS
from core.pool import Pool
from tests.browser.conftest import PAGES, choose, done, settle, visit

CREATED = "2026-01-01T00:00:00+00:00"


def go(page, title):
    """Follow a link of the sidebar."""
    page.locator('[data-testid="stSidebar"]').get_by_role("link", name=title, exact=True).click()
    expect(page).to_have_title(f"{title} · Neyman")
    settle(page)


def parameters(page):
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def budget(page):
    """The field for the number of labels."""
    return page.get_by_role("spinbutton", name=re.compile("^(Budget M|Labels)"))


def test_a_budget_set_on_one_page_is_that_of_all(page, server):
    visit(page, f"{server.url}/explore")
    budget(page).fill("300")
    budget(page).press("Enter")
    settle(page)
    for title in PAGES.values():
        go(page, title)
        assert parameters(page)["budget"] == "300", title
        if title in ("Plan", "Explore", "Label"):
            expect(budget(page)).to_have_value("300")
        if title == "Overview":
            expect(page.locator('[data-testid="stMain"]')).to_contain_text("300 labels")


def test_a_link_to_the_same_page_is_followed_by_the_address(page, server):
    """The example on page Judge was shown, and a reload showed the pool of before."""
    visit(page, f"{server.url}/judge")
    story = page.get_by_text("Two models say of 419 pairs")
    page.get_by_role("link", name=re.compile("See it on pairs")).click()
    expect(story).to_be_visible()
    expect(page).to_have_url(re.compile("judge=GPT-4"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("judge=GPT-4"))
    page.go_forward()
    expect(story).to_be_visible()


GIVEN = {"right-wrong": "w", "gold": "2", "score": "0.25"}


@pytest.mark.parametrize("kind", KINDS)
def test_back_forward_a_reload_and_a_link_show_the_same_list(new_page, server, kind):
    rows = [
        {
            "id": f"q{n}",
            "prompt": f"Question {n}?",
            "answer": "ABCD"[n % 4],
            "generations": [*"ABCD", "ABCD"[n % 3]],
            "targets": {"one": {"answer": "A"}, "two": {"answer": "B"}},
        }
        for n in range(60)
    ]
    pool = Pool.from_records(rows, "Sixty")
    Archive(server.home).pools.save(pool, CREATED)
    page = new_page()
    visit(page, f"{server.url}/label?pool={pool.digest[:16]}&part=Label+here&v=4&budget=40")
    choose(page, re.compile("Kind of label"), KINDS[kind].title)
    choose(page, re.compile("Target model"), "two")
    total = int(re.search(r"of (\d+)", page.locator(".progress").inner_text())[1])
    page.evaluate("document.activeElement.blur()")
    for number in range(1, 21):
        if len(GIVEN[kind]) == 1:
            page.keyboard.press(GIVEN[kind])
        else:
            page.keyboard.type(GIVEN[kind])
            page.keyboard.press("Enter")
        expect(page.locator(".progress")).to_contain_text(f"{number} of {total}")
    done(page, f"20 of {total}")

    def shown(one):
        settle(one)
        chosen = {name: parameters(one).get(name) for name in ("plan", "label-kind", "target", "budget")}
        expect(one.locator(".progress")).to_contain_text(f"20 of {total}")
        return chosen, one.locator(".desk").inner_text()

    before = shown(page)
    assert all(before[0].values()), before
    go(page, "Explore")
    go(page, "Estimate")
    seen = {name: parameters(page)[name] for name in before[0]}
    assert seen == before[0]
    page.go_back()
    expect(page).to_have_title("Explore · Neyman")
    settle(page)
    page.go_back()
    expect(page).to_have_title("Label · Neyman")
    assert shown(page) == before
    for title in ("Explore", "Estimate"):
        page.go_forward()
        expect(page).to_have_title(f"{title} · Neyman")
        settle(page)
        assert {name: parameters(page)[name] for name in before[0]} == before[0]
    for title in ("Explore", "Label"):
        page.go_back()
        expect(page).to_have_title(f"{title} · Neyman")
        settle(page)
    assert shown(page) == before
    # Two steps back at once.
    go(page, "Explore")
    go(page, "Plan")
    page.evaluate("history.back(); setTimeout(() => history.back(), 50)")
    expect(page).to_have_title("Label · Neyman")
    assert shown(page) == before
    page.reload()
    assert shown(page) == before
    colleague = new_page()
    visit(colleague, page.url)
    assert shown(colleague) == before
