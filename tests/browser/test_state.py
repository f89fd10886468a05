"""What a person has chosen stays theirs: over pages, reloads and links, and in no other tab."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from core.readers import read
from tests.browser.conftest import (
    PAGES,
    TO_LABEL,
    current_pool,
    figure,
    move_slider,
    screenshot,
    settle,
    slider,
    upload,
    visit,
)
from tests.browser.test_walk import DEMO, headline
from tests.pages.pools import records

STEPS = {"Strata H": "strata", "Offset δ": "offset", "Budget M (labels)": "budget"}


@pytest.fixture
def mine(tmp_path):
    """A small pool of one's own, as a file."""
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records(150)), encoding="utf-8")
    return path


def chosen(page):
    """Where the controls of Explore stand, by their labels."""
    return {label: slider(page, label).input_value() for label in STEPS}


@pytest.mark.parametrize("path", PAGES)
def test_a_link_to_any_page_of_a_server_just_started_is_drawn(start_server, page, path):
    fresh = start_server()
    visit(page, f"{fresh.url}/{path}")
    expect(page.get_by_role("heading", name=PAGES[path], exact=True)).to_be_visible()
    expect(current_pool(page)).to_have_text("Demo pool")
    for title in PAGES.values():
        expect(page.locator('[data-testid="stSidebar"]').get_by_role("link", name=title, exact=True)).to_be_visible()
    if path in ("", "pool", "explore"):
        assert figure(page)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)
    screenshot(page, path or "overview")
    page.close()
    fresh.stop()


@pytest.mark.parametrize("label", STEPS)
def test_a_slider_moved_by_keyboard_changes_address_sentence_and_figure(page, server, label):
    visit(page, f"{server.url}/explore")
    sentence = page.get_by_text(headline(read(DEMO), next(iter(read(DEMO).targets))))
    expect(sentence).to_be_visible()
    before = [figure(page, position) for position in range(2)]
    # Far enough to be seen: to no offset at all, to two strata, to the smallest budget.
    slider(page, label).press("Home")
    expect(page).to_have_url(re.compile(rf"[?&]{STEPS[label]}="))
    expect(sentence).to_have_count(0)
    settle(page)
    assert [figure(page, position) for position in range(2)] != before


def test_a_reload_keeps_the_uploaded_pool_and_the_controls(page, server, mine):
    visit(page, f"{server.url}/pool")
    upload(page, mine)
    expect(current_pool(page)).to_have_text("mine.jsonl")
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)
    for label in STEPS:
        move_slider(page, label, -1)
        expect(page).to_have_url(re.compile(rf"[?&]{STEPS[label]}="))
    before, drawn = chosen(page), figure(page)
    page.reload()
    expect(current_pool(page)).to_have_text("mine.jsonl")
    settle(page)
    assert chosen(page) == before
    assert figure(page) == drawn


def test_a_link_shows_the_same_view_to_somebody_else(new_page, server, mine):
    first, second = new_page(), new_page()
    visit(first, f"{server.url}/pool")
    upload(first, mine)
    expect(current_pool(first)).to_have_text("mine.jsonl")
    first.get_by_role("link", name="Explore", exact=True).click()
    expect(first.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(first)
    for label, steps in (("Strata H", 3), ("Offset δ", 7), ("Budget M (labels)", -2)):
        move_slider(first, label, steps)
        expect(first).to_have_url(re.compile(rf"[?&]{STEPS[label]}="))
    visit(second, first.url)
    expect(current_pool(second)).to_have_text("mine.jsonl")
    settle(second)
    assert chosen(second) == chosen(first)
    assert figure(second) == figure(first) and figure(second, 1) == figure(first, 1)
    assert second.url == first.url


def test_controls_are_kept_from_page_to_page(page, server):
    visit(page, f"{server.url}/explore")
    move_slider(page, "Strata H", 2)
    expect(page).to_have_url(re.compile("strata=7"))
    kind = page.locator(".st-key-parser").inner_text()
    page.get_by_role("link", name=TO_LABEL).click()
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    settle(page)
    assert slider(page, "Strata H").input_value() == "7"
    assert page.locator(".st-key-parser").inner_text() == kind


def test_a_broken_upload_is_told_in_full_and_the_pool_before_stays(page, server, mine, tmp_path):
    visit(page, f"{server.url}/pool")
    upload(page, mine)
    expect(current_pool(page)).to_have_text("mine.jsonl")
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "a"}\n{"id": "a"}\nnot json\n{"prompt": "no id"}\n', encoding="utf-8")
    upload(page, broken)
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page.get_by_text("The pool loaded before is still the current one")).to_be_visible()
    expect(current_pool(page)).to_have_text("mine.jsonl")
    screenshot(page, "pool-broken")


def test_two_tabs_do_not_see_each_other_s_pool(page, server, mine):
    other = page.context.new_page()
    visit(page, f"{server.url}/pool")
    visit(other, f"{server.url}/explore")
    upload(page, mine)
    expect(current_pool(page)).to_have_text("mine.jsonl")
    move_slider(other, "Strata H", 1)
    expect(current_pool(other)).to_have_text("Demo pool")
    other.reload()
    settle(other)
    expect(current_pool(other)).to_have_text("Demo pool")
    expect(current_pool(page)).to_have_text("mine.jsonl")


def test_nothing_in_a_pool_s_text_becomes_markup_or_a_request(page, server, tmp_path):
    text = "**b** <img src='http://example.org/x.png'> ![i](http://example.org/y.png) :material/home: :tada: -> $x^2$"
    rows = [
        {
            **row,
            "id": f"{text} {number}",
            "prompt": text,
            "group": text,
            "generations": [text if answer == "A" else answer for answer in row["generations"]],
            "targets": {text: row["targets"]["model"]},
        }
        for number, row in enumerate(records(30))
    ]
    path = tmp_path / "markup.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    visit(page, f"{server.url}/pool")
    upload(page, path)
    expect(current_pool(page)).to_have_text("markup.jsonl")
    for title in ("Overview", "Pool", "Explore", "Label"):
        page.get_by_role("link", name=title, exact=True).first.click()
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        settle(page)
        main = page.locator('[data-testid="stMain"]')
        shown = main.inner_text().replace("\u2060", "")
        assert shown.count("**b**") == shown.count(text)
        assert main.locator("img, .katex, a[href*='example']").count() == 0
        if title == "Pool":
            assert shown.count(text) >= 4
            screenshot(page, "pool-markup")
