"""The first screen, the guided tour and the race, as somebody with a keyboard meets them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import screenshot, settle, visit
from tests.browser.test_look import tab_to

SHOW = "Show me how it works"
# Notes how many labels have come in, from the beginning on.
COUNTS = """
    window.counts = new Set();
    setInterval(() => document.querySelectorAll('[data-testid="stBidiComponentIsolated"]').forEach(host => {
        const count = host.shadowRoot?.querySelector('.stage output')?.textContent;
        if (count) window.counts.add(count);
    }), 50);
"""


@pytest.fixture(scope="module")
def server(start_server):
    """An app in which nobody has set a price or chosen a pool."""
    return start_server()


def drawn(page):
    """The figure, once it is painted."""
    canvas = page.locator(".stage canvas")
    expect(canvas).to_be_visible()
    page.wait_for_function("() => [...document.querySelectorAll('*')].some(e => e.dataset?.drawn === 'true')")
    return canvas


def inked(canvas):
    """The share of the figure's pixels that are not empty."""
    return canvas.evaluate(
        """e => { const shown = e.getContext('2d').getImageData(0, 0, e.width, e.height).data;
            let inked = 0; for (let i = 3; i < shown.length; i += 4) inked += shown[i] > 0;
            return 4 * inked / shown.length; }"""
    )


def test_the_first_screen_and_the_demo_by_keyboard(new_page, server):
    page = new_page(viewport={"width": 1280, "height": 800})
    visit(page, server.url)
    canvas = drawn(page)
    box = canvas.bounding_box()
    assert box["width"] >= 250 and box["height"] >= 200 and inked(canvas) > 0.1
    ways = [page.get_by_role("button", name=name) for name in (SHOW, "Use my data", "Assumed: 5 €, 5 minutes a label")]
    saved = [page.get_by_text(text, exact=True) for text in ("112 labels", "saved, of 312", "560 €", "9.3 hours")]
    for element in (canvas, page.locator(".stage svg"), *ways, *saved, page.get_by_role("link", name="Try labelling")):
        place = element.bounding_box()
        assert place["y"] >= 0 and place["y"] + place["height"] <= 800
    assert page.get_by_role("heading", level=1).bounding_box()["y"] < 96
    tab_to(page, "button", SHOW)
    page.keyboard.press("Enter")
    for number in (1, 2):
        expect(page.get_by_text(f"Stop {number} of 5")).to_be_visible()
        expect(page).to_have_url(re.compile(rf"[?&]tour={number}"))
        settle(page)
        if number < 2:
            page.keyboard.press("ArrowRight")
    # Whoever wants no motion sees the end of the round; the slider walks back through it.
    visit(page, page.url.replace("tour=2", "tour=4"))
    drawn(page)
    slider, count = page.get_by_role("slider", name="Labels"), page.locator(".stage output")
    expect(count).to_have_text("200 of 200 labels")
    screenshot(page, "tour-labels")
    slider.focus()
    slider.press("ArrowLeft")
    expect(count).to_have_text("199 of 200 labels")
    expect(page.get_by_text("Stop 4 of 5")).to_be_visible()
    slider.press("Home")
    expect(page.locator(".stage svg")).to_contain_text("two labels in every stratum first")
    tab_to(page, "button", "Skip")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=SHOW)).to_be_visible()
    settle(page)
    assert "tour" not in page.url
    # The race on Explore, at its end at once.
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page).to_have_title("Explore · Neyman")
    settle(page)
    page.get_by_role("tab", name="Against Uniform").click()
    expect(page.locator(".figure output")).to_have_text("1,000 of 1,000 rounds")
    assert page.locator(".figure svg rect").count() > 20
    screenshot(page, "race")


def test_the_figure_follows_the_slider_at_once_and_the_server_agrees(new_page, server):
    page = new_page(viewport={"width": 1280, "height": 900})
    visit(page, server.url)
    drawn(page)
    slider, title = page.get_by_role("slider", name="Budget M (labels)"), page.get_by_role("heading", level=1)
    # Nobody waits for the server: the figure is another one in the task of the key.
    moved = slider.evaluate(
        """e => { e.value = Number(e.value) + 3; e.dispatchEvent(new Event('input', { bubbles: true }));
            const hosts = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')];
            const stage = hosts.map(host => host.shadowRoot?.querySelector('.stage')).find(Boolean);
            return [stage.querySelector('svg').getAttribute('aria-label'), stage.querySelector('dl').innerText]; }"""
    )
    budget = slider.get_attribute("aria-valuetext")
    assert budget == "400" and "±3.8 points" in moved[0].replace("\u00a0", " ") and "219" in moved[1]
    expect(title).to_contain_text("from 400 labels instead of 619")
    settle(page)
    assert page.locator(".stage svg").get_attribute("aria-label") == moved[0]
    expect(page).to_have_url(re.compile(r"[?&]budget=400"))


def test_the_tour_ends_with_the_report_of_its_round(new_page, server):
    page = new_page(viewport={"width": 1280, "height": 900})
    visit(page, f"{server.url}/?tour=4")
    drawn(page)
    said = page.locator(".stage svg").get_attribute("aria-label").replace("\u00a0", " ")
    value = re.search(r"Neyman: ([\d.]+) %", said)[1]
    tab_to(page, "button", "Next")
    page.keyboard.press("Enter")
    report = page.frame_locator("iframe")
    expect(report.get_by_text(f"{value} %").first).to_be_visible()
    screenshot(page, "tour-report")


@pytest.mark.trial
def test_a_price_that_is_set_on_the_first_screen_counts_on_plan_and_after_a_reload(page, start_server):
    visit(page, f"{start_server().url}/?v=4")
    tab_to(page, "button", "Assumed")
    page.keyboard.press("Enter")
    price = page.get_by_role("spinbutton", name="Price per label")
    price.fill("2")
    price.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Assumed: 5 minutes a label")).to_be_visible()
    expect(page.get_by_text("450 €")).to_be_visible()
    settle(page)
    page.get_by_role("link", name="Plan", exact=True).click()
    expect(page).to_have_title("Plan · Neyman")
    expect(price).to_have_value("2")
    price.fill("3")
    price.press("Enter")
    settle(page)
    page.get_by_role("link", name="Overview", exact=True).click()
    expect(page.get_by_text("675 €")).to_be_visible()
    settle(page)
    page.reload()
    expect(page.get_by_text("675 €")).to_be_visible()


def test_the_labels_come_in_by_themselves_until_they_are_paused(new_page, server):
    page = new_page(reduced_motion="no-preference")
    page.add_init_script(COUNTS)
    visit(page, f"{server.url}/?tour=4")
    drawn(page)
    button, count = page.locator(".stage button").first, page.locator(".stage output")
    page.wait_for_function("window.counts.size > 2")
    if button.inner_text() != "Pause":
        # On a busy machine all of them have come in by now.
        button.press("Enter")
    button.press("Enter")
    expect(button).to_have_text(re.compile("Play"))
    paused = count.inner_text()
    page.wait_for_timeout(300)
    assert count.inner_text() == paused
