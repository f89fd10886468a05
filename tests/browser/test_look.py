"""How the pages look: what does not fit, says nothing or has the wrong colours; and the way without a mouse."""

from __future__ import annotations

import csv
import re

from playwright.sync_api import ViewportSize, expect

from core.readers import read
from tests.browser.conftest import PAGES, SLIDERS, TO_LABEL, figure, settle, slider, until, visit
from tests.browser.test_walk import DEMO, headline

# What reaches beyond the window, and cannot be scrolled to, is cut off.
BEYOND = """() => [...document.querySelectorAll('[data-testid="stMain"] :is(h1, h2, p, button, .main-svg)')]
    .filter(e => e.getClientRects().length && e.getBoundingClientRect().right > window.innerWidth + 1)
    .map(e => e.textContent.slice(0, 60))"""
UNDESCRIBED = """elements => elements
    .filter(e => !e.closest('[aria-label], [role=img], figure') && !e.querySelector('[aria-label]'))
    .map(e => e.textContent.slice(0, 60))"""
BACKGROUND = "e => getComputedStyle(e).backgroundColor"
PHONE: ViewportSize = {"width": 390, "height": 844}


def undrawn(page):
    """What the page does not show: its links, its pool, or what it shows instead of a page."""
    sidebar = page.locator('[data-testid="stSidebar"]')
    missing = [
        title for title in PAGES.values() if not sidebar.get_by_role("link", name=title, exact=True).is_visible()
    ]
    exceptions = page.locator('[data-testid="stException"]').all_inner_texts()
    return [f"no link to {title}" for title in missing] + [f"exception: {text}" for text in exceptions]


def undescribed(page):
    """Figures and tables that do not say in words what they show."""
    kinds = (".neyman-chart", '[data-testid="stDataFrame"]')
    texts_of = {kind: page.locator(kind).evaluate_all(UNDESCRIBED) for kind in kinds}
    return [f"{kind} without words: {text}" for kind, texts in texts_of.items() for text in texts]


def beyond(page):
    """What does not fit into the width of the window."""
    width = page.viewport_size["width"]
    faults = [f"beyond {width}: {text}" for text in page.evaluate(BEYOND)]
    for element in ('[data-testid="stMain"]', "html"):
        inside, room = page.locator(element).evaluate("e => [e.scrollWidth, e.clientWidth]")
        if inside > room:
            faults.append(f"{element} is {inside} wide in {room}")
    return faults


def chart_first(page):
    """Make the window as narrow as a phone's; there the chart comes before its controls."""
    page.set_viewport_size(PHONE)
    settle(page)
    assert figure(page)
    chart, controls = page.locator(".js-plotly-plot").first, page.locator(".st-key-controls-column").first
    assert chart.bounding_box()["y"] < controls.bounding_box()["y"]


def brightness(page):
    """The largest share of a colour in the background, up to 255."""
    colour = page.locator('[data-testid="stApp"]').evaluate(BACKGROUND)
    return max(map(int, re.findall(r"\d+", colour)[:3]))


def not_dark(page):
    return [f"background {brightness(page)} in the dark"] if brightness(page) >= 50 else []


def not_light(page):
    return [f"background {brightness(page)} in the light"] if brightness(page) < 200 else []


def focused(page):
    """What has the focus: its role or kind, and its accessible name or text."""
    return page.evaluate(
        """() => { let e = document.activeElement;
            while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
            const name = e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent || '';
            return `${e.type === 'range' ? 'slider' : e.tagName.toLowerCase()} ${name.trim()}`; }"""
    )


def tab_to(page, kind, name, limit=240):
    """Press Tab until something of this kind and name has the focus, once it is drawn; a redraw may begin it again."""
    role = {"a": "link"}.get(kind, kind)
    expect(page.get_by_role(role, name=name).first).to_be_visible()
    settle(page)
    passed = []
    for _ in range(limit):
        page.keyboard.press("Tab")
        passed.append(focused(page)[:80])
        if passed[-1].startswith(kind) and name in passed[-1]:
            return
    raise AssertionError(f"Tab does not reach the {kind} {name!r}; it passes {passed}")


def test_the_whole_way_can_be_gone_by_keyboard(page, server):
    """From the demo pool to its list; each slider changes address, sentence and figure."""
    visit(page, f"{server.url}/?v=2")
    expect(page).to_have_title("Overview · Neyman")
    tab_to(page, "a", "Explore")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)
    pool = read(DEMO)
    sentence = page.get_by_text(re.compile("of Uniform’s error with ")).first
    expect(sentence).to_contain_text(headline(pool, next(iter(pool.targets))))
    for label, name in SLIDERS.items():
        before, drawn = sentence.inner_text(), figure(page)
        tab_to(page, "slider", label)
        # Far enough to be seen: to two strata, to no offset at all, to the smallest budget.
        page.keyboard.press("Home")
        expect(page).to_have_url(re.compile(rf"[?&]{name}="))
        expect(sentence).not_to_have_text(before)
        until(page, lambda drawn=drawn: figure(page) != drawn)
        if name == "strata":
            expect(sentence).to_contain_text(headline(pool, next(iter(pool.targets)), n_strata=2))
    settle(page)
    budget = slider(page, "Budget M (labels)").get_attribute("aria-valuetext")
    expect(sentence).to_contain_text(headline(pool, next(iter(pool.targets)), int(budget), n_strata=2, offset=0))
    tab_to(page, "button", TO_LABEL)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    # From the way before it on: tables further down have buttons for CSV of their own.
    tab_to(page, "button", "Label here")
    tab_to(page, "button", "CSV")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    with waiting.value.path().open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == int(budget)
