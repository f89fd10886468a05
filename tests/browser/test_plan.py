"""Page Plan in a browser: the first answer is one screen, and what is typed stays."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from pages.parts.app.address import VERSION
from tests.browser.conftest import figure, settle, visit


def test_the_first_answer_is_one_screen_and_what_is_typed_stays(server, new_page):
    page = new_page(viewport={"width": 1280, "height": 800})
    visit(page, f"{server.url}/plan?plan-for=none&budget=200&v={VERSION}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("points: 200 labels, 1,000 €")
    figure(page)
    table = page.locator('[data-testid="stDataFrame"]').first
    for shown in (table, page.locator('[class*="st-key-chart-forecast"]')):
        box = shown.bounding_box()
        assert box["y"] + box["height"] <= 800
    # A row is chosen, and becomes the headline.
    box = table.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + box["height"] - 18)
    expect(page).to_have_url(re.compile("known=past"))
    settle(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("instead of")

    # The range of the accuracy is typed by keyboard, and nothing moves.
    ends = [page.get_by_role("spinbutton", name=f"Expected accuracy, {end}") for end in ("from", "to")]
    places = [end.bounding_box() for end in ends]
    ends[0].focus()
    page.keyboard.press("ControlOrMeta+a")
    # The second number is typed while the page still answers to the first.
    page.keyboard.type("55")
    page.keyboard.press("Tab")
    page.keyboard.type("77")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("believed=55&believed=77"))
    settle(page)
    handles = page.get_by_role("slider", name="Expected accuracy")
    assert [handles.nth(end).input_value() for end in (0, 1)] == ["55", "77"]
    handles.nth(1).press("ArrowRight")
    expect(ends[1]).to_have_value("78")
    assert [end.bounding_box() for end in ends] == places

    # A number that is typed stays, whatever is done a moment later.
    ends[0].fill("60")
    ends[1].fill("72")
    # At once to another control, which sends both with its own.
    page.get_by_role("button", name="More inputs").click()
    settle(page)
    assert [end.input_value() for end in ends] == ["60", "72"]
    assert "believed=60&believed=72" in page.url
    page.keyboard.press("Escape")
    # An end that passes the other one takes it along.
    ends[0].fill("90")
    ends[0].press("Enter")
    expect(ends[1]).to_have_value("90")
    ends[1].fill("101")
    ends[1].press("Enter")
    expect(page.get_by_text("At most 100.")).to_be_visible()
    settle(page)
    assert ends[1].input_value() == "100"
