"""Explore in the browser: nothing jumps while a slider moves, one crosshair names every method, figures are files."""

from __future__ import annotations

import re
from itertools import cycle

from playwright.sync_api import expect

from tests.browser.conftest import figure, settle, slider, until, visit
from tests.browser.test_look import PHONE, chart_first

# How far anything moved since the watch began.
WATCH = """() => {
    window.jumps = [];
    new PerformanceObserver(list => list.getEntries().forEach(entry => entry.sources.forEach(source => {
        const box = source.previousRect, now = source.currentRect;
        const name = source.node?.dataset?.testid || source.node?.parentElement?.dataset?.testid || '';
        if (Math.abs(box.y - now.y) > 1) window.jumps.push([name, box.y, now.y]);
    }))).observe({type: 'layout-shift'});
}"""
# As Streamlit draws it, in the flow of the page.
BAR = """() => {
    const bar = document.createElement('div');
    bar.dataset.testid = 'stElementContainer';
    bar.innerHTML = '<div class="stProgress" style="height: 50px"></div>';
    document.querySelector('[data-testid="stMain"] [data-testid="stVerticalBlock"]').prepend(bar);
}"""
# Holds every frame back, and notes of each figure that is drawn whether it is further down than the window.
HELD = """() => {
    Object.assign(window, { drawn: [], held: [], frame: window.requestAnimationFrame, draw: Plotly.react });
    window.requestAnimationFrame = callback => held.push(callback);
    Plotly.react = (place, ...given) => {
        drawn.push(place.getBoundingClientRect().top > innerHeight);
        return draw(place, ...given);
    };
}"""
FREED = """() => {
    Object.assign(window, { requestAnimationFrame: frame });
    held.forEach(callback => requestAnimationFrame(callback));
}"""
# How long an element takes to become pale, as Streamlit has it do so, while it is redrawn.
FADING = """() => {
    const element = document.querySelector('[data-testid="stMain"] [data-testid="stElementContainer"]');
    Object.assign(element.style, { transition: 'opacity 1s ease-in 0.5s' });
    element.dataset.stale = 'true';
    return getComputedStyle(element).transitionDuration;
}"""
PLACES = """() => [...document.querySelectorAll('.js-plotly-plot, [class*="st-key-dial-"]')]
    .map(e => e.getBoundingClientRect().y)"""


def test_a_slider_moves_nothing_but_the_lines_one_crosshair_names_every_method_and_a_figure_is_a_file(page, server):
    """And no press of the slider is lost, and a progress bar moves nothing either."""
    visit(page, f"{server.url}/explore?design=paper&strata=2&v=3&detail=numbers")
    assert figure(page)
    settle(page)
    handle, before = slider(page, "Budget M (labels)"), page.evaluate(PLACES)
    page.evaluate(WATCH)
    page.evaluate(BAR)
    handle.focus()
    start = int(handle.input_value())
    for _ in range(6):
        handle.press("ArrowRight")
    settle(page, 1000)
    assert int(handle.input_value()) == start + 6
    exactly = page.get_by_role("spinbutton", name="Budget M (labels), exactly")
    expect(exactly).not_to_have_value("100")
    assert len(before) == 5 and page.evaluate(PLACES) == before
    jumps = [jump for jump in page.evaluate("window.jumps") if abs(jump[1] - jump[2]) > 60]
    assert jumps == [], jumps

    budget = exactly.input_value()
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    hover = page.locator(".js-plotly-plot .hoverlayer").first
    nudge = cycle((0, 1))

    def hovered():
        # A figure that is redrawn has forgotten where the mouse stands.
        page.mouse.move(box["x"] + box["width"] / 2 + next(nudge), box["y"] + box["height"] / 2)
        return "M = " in hover.text_content()

    until(page, hovered)
    for name in ("Uniform", "Equal", "Proportional", "Power", "These settings", "Oracle-Neyman"):
        expect(hover).to_contain_text(f"{name}: ")
    page.mouse.move(0, 0)
    page.get_by_role("button", name=re.compile("Download")).first.click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="PDF", exact=True).click()
    assert waiting.value.path().read_bytes().startswith(b"%PDF-")
    assert re.fullmatch(rf"neyman-.*-H2-.0\.75-M{budget}-relative\.pdf", waiting.value.suggested_filename)
    # Whoever wants no motion sees nothing fade.
    assert page.evaluate(FADING) == "0s"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(FADING) == "1s"


def test_a_click_on_the_map_and_a_dragged_slider_make_these_settings_the_headline(page, server):
    visit(page, f"{server.url}/explore?v=7&detail=map")
    title = page.locator('[data-testid="stMain"] h2').first
    expect(title).to_contain_text(re.compile("with the recommended design"))
    assert figure(page, 1)
    settle(page)
    page.evaluate(HELD)
    slider(page, "Budget M (labels)").press("ArrowLeft")
    settle(page)
    assert page.evaluate("drawn") == [False], "only what is in sight is drawn before a frame stands"
    page.evaluate(FREED)
    page.wait_for_function("drawn.includes(true)")
    cells = page.locator(".st-key-chart-map .nsewdrag").first
    cells.scroll_into_view_if_needed()
    box = cells.bounding_box()
    # Of nine columns the second, in the middle.
    page.mouse.click(box["x"] + box["width"] * 1.5 / 9, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"strata=3&.*design=paper|design=paper.*strata=3"))
    expect(title).to_contain_text(re.compile("error with these settings, .* with the recommended one"))
    expect(page.get_by_role("spinbutton", name="Strata H, exactly")).to_have_value("3")
    page.get_by_text("The recommended design", exact=True).click()
    expect(title).to_contain_text("error with the recommended design")
    track = slider(page, "Offset δ").bounding_box()
    page.mouse.move(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] / 4, track["y"] + track["height"] / 2, steps=4)
    expect(title).to_contain_text("with these settings, ")
    page.mouse.up()


def test_on_a_phone_what_is_shown_comes_before_its_controls_and_the_menu_closes(new_page, server):
    """The menu closes when a page is chosen."""
    page = new_page(viewport=PHONE)
    visit(page, f"{server.url}/plan?design=paper")
    chart_first(page)
    menu = page.locator('[data-testid="stSidebar"]')
    for title in ("Explore", "Label"):
        page.get_by_role("button", name="Expand sidebar").click()
        expect(menu).to_have_attribute("data-collapsed", "false")
        menu.get_by_role("link", name=title, exact=True).click()
        expect(menu).to_have_attribute("data-collapsed", "true")
        expect(page).to_have_title(f"{title} · Neyman")
        if title == "Explore":
            expect(slider(page, "Strata H")).to_be_visible()
            chart_first(page)
    listed = page.get_by_role("heading", name=re.compile("items to label,"))
    expect(listed).to_be_visible()
    settle(page)
    assert listed.bounding_box()["y"] < page.locator(".st-key-list-controls").bounding_box()["y"]
