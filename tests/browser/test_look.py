"""How the pages look: at two widths, in the dark, and for somebody without a mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PAGES, figure, screenshot, settle, visit

# Text and its background, as they are painted: the colours of those ancestors in whose box the text stands.
CONTRASTS = """() => {
    const parse = colour => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return {rgb: [r, g, b], a};
    };
    const luminance = rgb => {
        const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const over = (front, back) => front.rgb.map((c, i) => front.a * c + (1 - front.a) * back[i]);
    const page = parse(getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor).rgb;
    const behind = element => {
        const layers = [], own = element.getBoundingClientRect(), y = (own.top + own.bottom) / 2;
        for (let e = element; e; e = e.parentElement) {
            const box = e.getBoundingClientRect();
            if (box.top <= y && y <= box.bottom) layers.push(parse(getComputedStyle(e).backgroundColor));
        }
        return layers.reverse().reduce((back, layer) => over(layer, back), page);
    };
    const texts = [...document.querySelectorAll('[data-testid="stApp"] *')].filter(e =>
        !e.closest('[disabled], [aria-disabled="true"], [aria-hidden="true"]')
        && e.getClientRects().length && e.getBoundingClientRect().bottom > 0
        && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()));
    return texts.map(e => {
        const style = getComputedStyle(e), back = behind(e);
        const colour = parse(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
        const [high, low] = [luminance(over(colour, back)), luminance(back)].sort((a, b) => b - a);
        return {text: e.textContent.trim().slice(0, 60), ratio: (high + 0.05) / (low + 0.05), size: style.fontSize};
    });
}"""


# What reaches beyond the window, and cannot be scrolled to, is cut off.
BEYOND = """() => [...document.querySelectorAll('[data-testid="stMain"] :is(h1, h2, h5, p, button, .main-svg)')]
    .filter(e => e.getClientRects().length && e.getBoundingClientRect().right > window.innerWidth + 1)
    .map(e => e.textContent.slice(0, 60))"""


def faint(page):
    """Texts with less contrast than large letters and signs need (WCAG 1.4.3 and 1.4.11)."""
    found = page.evaluate(CONTRASTS)
    assert len(found) > 12
    return [text for text in found if text["ratio"] < 3]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_into_the_window_and_its_text_stands_out(page, server, path):
    visit(page, f"{server.url}/{path}")
    for width in (1280, 768):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page, 500)
        for element in ('[data-testid="stMain"]', "html"):
            inside, room = page.locator(element).evaluate("e => [e.scrollWidth, e.clientWidth]")
            assert inside <= room
        assert page.evaluate(BEYOND) == []
        screenshot(page, f"{path or 'overview'}-{width}")
    assert faint(page) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_dark_and_legible_where_the_system_is_dark(new_page, server, path):
    page = new_page(color_scheme="dark")
    visit(page, f"{server.url}/{path}")
    settle(page, 500)
    screenshot(page, f"{path or 'overview'}-dark")
    assert faint(page) == []
    colour = page.locator('[data-testid="stApp"]').evaluate("e => getComputedStyle(e).backgroundColor")
    assert max(map(int, re.findall(r"\d+", colour)[:3])) < 50


def focused(page):
    """What has the focus: its role or kind, and its accessible name or text."""
    return page.evaluate(
        """() => { const e = document.activeElement;
            const name = e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent || '';
            return `${e.type === 'range' ? 'slider' : e.tagName.toLowerCase()} ${name.trim()}`; }"""
    )


def tab_to(page, kind, name, limit=60):
    """Press Tab until something of this kind and name has the focus, once it is drawn."""
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
    visit(page, server.url)
    tab_to(page, "a", "Explore")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)
    for name, key in (("Strata H", "strata"), ("Offset δ", "offset"), ("Budget M", "budget")):
        tab_to(page, "slider", name)
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile(rf"[?&]{key}="))
        settle(page)
    assert figure(page)
    tab_to(page, "a", "items to label")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    settle(page)
    tab_to(page, "button", "List as CSV")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.path().stat().st_size > 0


def test_every_figure_and_table_says_in_words_what_it_shows(page, server):
    for path in PAGES:
        visit(page, f"{server.url}/{path}")
        for element in ("stPlotlyChart", "stDataFrame"):
            for found in page.locator(f'[data-testid="{element}"]').all():
                described = found.evaluate(
                    "e => !!e.closest('[aria-label], [role=img], figure') || !!e.querySelector('[aria-label]')"
                )
                assert described, (path, element)
