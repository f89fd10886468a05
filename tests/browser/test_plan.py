"""Page Plan in a browser: the first answer is one screen, it is live, and its address restores it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import figure, settle, visit


def answer(page):
    return page.locator('[data-testid="stMain"] [data-testid="stMarkdown"] h2').first


def test_the_first_answer_is_one_screen_and_its_address_restores_it(server, new_page):
    page = new_page(viewport={"width": 1280, "height": 800})
    visit(page, f"{server.url}/plan")
    expect(answer(page)).to_contain_text("150 labels: about ±")
    figure(page)
    verdict = page.get_by_text("of the labels (range")
    expect(verdict).to_be_visible()
    box = verdict.bounding_box()
    assert box["y"] + box["height"] <= 800

    labels = page.get_by_role("spinbutton", name="Labels", exact=True)
    labels.fill("300")
    labels.press("Enter")
    expect(answer(page)).to_contain_text("300 labels: about ±")
    price = page.get_by_role("spinbutton", name="Price per label")
    price.fill("10")
    price.press("Enter")
    expect(answer(page)).to_contain_text("3,000")
    settle(page)
    said, address = answer(page).inner_text(), page.url
    tab = page.context.new_page()
    visit(tab, address)
    expect(answer(tab)).to_have_text(said)
