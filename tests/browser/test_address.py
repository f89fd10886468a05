"""One address: what is set on a page is set on all, and Back, Forward, a reload and a link show the same list."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from core.archive import Archive
from core.labels import KINDS
from core.pool import Pool
from tests.browser.conftest import choose, done, settle, visit
from tests.browser.test_look import chart_first

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


def test_a_link_to_the_same_page_is_followed_by_the_address(page, server):
    """The example on page Judge was shown, and a reload showed the pool of before. A phone shows its chart first."""
    visit(page, f"{server.url}/judge")
    story = page.get_by_text("In 419 pairs of outputs")
    page.get_by_role("link", name=re.compile("See it on pairs")).click()
    expect(story).to_be_visible()
    expect(page).to_have_url(re.compile("judge=GPT-4"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("judge=GPT-4"))
    page.go_forward()
    expect(story).to_be_visible()
    settle(page)
    chart_first(page)


# Which entry of the tab's history this is.
PLACE = "navigation.currentEntry.index"
# Each step once the address is that of the one before, with nothing of it drawn: Chromium makes one of two at once.
BACK = "async steps => { for (let step = 0; step < steps; step++) await navigation.back().committed; }"


def test_back_leads_to_the_page_before_with_one_press(page, server):
    """Pages that complete their address by themselves took up to four presses."""
    visit(page, server.url)
    for title in ("Pool", "Explore", "Plan", "Label", "Estimate", "Versions", "Models", "Judge", "Lab"):
        place = page.evaluate(PLACE)
        go(page, title)
        assert page.evaluate(PLACE) == place + 1, title
    page.go_back()
    expect(page).to_have_title("Judge · Neyman")


GIVEN = {"right-wrong": "w", "gold": "2", "score": "0.25"}
LAST = list(GIVEN)[-1]
# That many of each kind.
LABELS = 2


def labelled(page, kind):
    """Label some items as this kind on page Label; what stands in the address of the list, and what the desk says."""
    choose(page, re.compile("Kind of label"), KINDS[kind].title)
    total = int(re.search(r"of (\d+)", page.locator(".progress").inner_text())[1])
    page.evaluate("document.activeElement.blur()")
    for number in range(1, LABELS + 1):
        if len(GIVEN[kind]) == 1:
            page.keyboard.press(GIVEN[kind])
        else:
            page.keyboard.type(GIVEN[kind])
            page.keyboard.press("Enter")
        expect(page.locator(".progress")).to_contain_text(f"{number} of {total}")
    done(page, f"{LABELS} of {total}")
    return shown(page)


def chosen(page):
    return {name: parameters(page).get(name) for name in ("plan", "label-kind", "target", "budget")}


def shown(page):
    expect(page).to_have_title("Label · Neyman")
    settle(page)
    expect(page.locator(".progress")).to_contain_text(f"{LABELS} of ")
    expect(page.locator(".desk .item .name")).to_be_visible()
    at, said = chosen(page), page.locator(".desk").inner_text()
    # Whoever has labelled as another kind since is offered no undo here.
    return at, said if at["label-kind"] == LAST else re.sub(r"Undo.*\n", "", said)


def test_back_forward_a_reload_and_a_link_show_the_same_list(new_page, server):
    """One history with a list of each kind of label, and with pages that only carry it."""
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
    choose(page, re.compile("Target model"), "two")
    # Which of two answers is better needs a second target.
    assert set(GIVEN) | {"preference"} == set(KINDS)
    way, between = [], iter(("Estimate", "Explore"))
    for kind in GIVEN:
        if way:
            title, before = next(between), way[-1][2]
            go(page, title)
            way.append((page.evaluate(PLACE), title, before))
            assert chosen(page) == before[0]
            go(page, "Label")
        before = labelled(page, kind)
        assert all(before[0].values()), before
        way.append((page.evaluate(PLACE), "Label", before))

    def stands(title, before):
        expect(page).to_have_title(f"{title} · Neyman")
        settle(page)
        if title == "Label":
            assert shown(page) == before
        else:
            assert chosen(page) == before[0]

    # A page is one entry of the history, and so is a change of the kind of label.
    assert [place - way[0][0] for place, _, _ in way] == [0, 1, 3, 4, 6]
    assert "Undo" in before[1]
    for place, title, before in way[-2::-1]:
        while page.evaluate(PLACE) > place:
            page.go_back()
            settle(page)
        assert page.evaluate(PLACE) == place
        stands(title, before)
    # A step forward, and several in one go.
    for place, title, before in (way[1], way[-1]):
        page.evaluate("steps => history.go(steps)", place - page.evaluate(PLACE))
        page.wait_for_function(f"place => {PLACE} === place", arg=place)
        stands(title, before)
    # Either opens the same address, without what the tab knew.
    colleague, (place, title, before) = new_page(), way[0]
    visit(colleague, page.url)
    assert shown(colleague) == way[-1][2]
    # Several steps back, one after the other.
    page.evaluate(BACK, page.evaluate(PLACE) - place)
    stands(title, before)
    page.reload()
    stands(title, before)
