"""What a person has chosen stays theirs: over pages and links, and in no other tab."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import (
    SLIDERS,
    current_pool,
    figure,
    leave,
    move_slider,
    screenshot,
    settle,
    slider,
    steady,
    upload,
    visit,
)
from tests.pages.pools import records

TEXT = "**b** <img src='http://example.org/x.png'> ![i](http://example.org/y.png) :material/home: :tada: -> $x^2$"


@pytest.fixture
def mine(tmp_path):
    """A small pool of one's own, as a file; whatever text there is in it could be taken for markup."""
    rows = [
        {
            **row,
            "id": f"{TEXT} {number}",
            "prompt": TEXT,
            "group": TEXT,
            "generations": [TEXT if answer == "A" else answer for answer in row["generations"]],
            "targets": {TEXT: row["targets"]["model"]},
        }
        for number, row in enumerate(records(150))
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def marked_up(page):
    """What of the pool's text became markup on this page."""
    main = page.locator('[data-testid="stMain"]')
    shown = main.inner_text().replace("\u2060", "")
    plain, bold = shown.count(TEXT), shown.count("**b**")
    elements = main.locator("img, .katex, a[href^='http'][href*='example']").all()
    return [element.evaluate("e => e.outerHTML") for element in elements] + [f"{plain} of {bold}"] * (plain != bold)


def view(page):
    """What Explore shows: where its controls stand, and its figures, but for the ghost of the setting before."""
    lines = [trace for trace in figure(page) if not (trace["name"] or "").startswith("Before: ")]
    return {label: slider(page, label).input_value() for label in SLIDERS}, lines


def test_an_uploaded_pool_and_its_controls_belong_to_their_tab_and_link(new_page, server, mine, tmp_path):
    page, visitor = new_page(), new_page()
    visit(page, f"{server.url}/pool?v=2")
    upload(page, mine)
    expect(current_pool(page)).to_have_text("mine.jsonl")

    # Another tab does not see it.
    tab = page.context.new_page()
    visit(tab, f"{server.url}/pool?v=2")
    expect(current_pool(tab)).to_have_text("Practice pool")
    expect(current_pool(page)).to_have_text("mine.jsonl")
    leave(tab)

    # A broken upload is told in full, and the pool before stays.
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "a"}\n{"id": "a"}\nnot json\n{"prompt": "no id"}\n', encoding="utf-8")
    upload(page, broken)
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page.get_by_text("The pool loaded before is still the current one")).to_be_visible()
    expect(current_pool(page)).to_have_text("mine.jsonl")
    screenshot(page, "pool-broken")

    # Nothing in the pool's text becomes markup, or (see new_page) a request.
    links = {}
    for title in ("Overview", "Label", "Pool", "Explore"):
        page.get_by_role("link", name=title, exact=True).first.click()
        expect(page).to_have_title(f"{title} · Neyman")
        settle(page)
        links[title] = marked_up(page)
        if title == "Pool":
            assert page.locator('[data-testid="stMain"]').inner_text().replace("\u2060", "").count(TEXT) >= 4
            screenshot(page, "pool-markup")
    assert {title: shown for title, shown in links.items() if shown} == {}

    # The link shows somebody else the same view.
    settle(page)
    move_slider(page, "Strata H", 1)
    expect(page).to_have_url(re.compile("[?&]strata="))
    before, address = steady(page, lambda page: (view(page), page.url))
    visit(visitor, address)
    expect(current_pool(visitor)).to_have_text("mine.jsonl")
    assert steady(visitor, lambda page: (view(page), page.url)) == (before, address)
