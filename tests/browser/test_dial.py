"""The dial and the chart in the browser: one value, by mouse, keyboard and field, and a figure that can be saved."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import emptied, figure, profiles, settle, slider, until, visit
from tests.browser.servers import launch
from tests.browser.test_look import PHONE

# How often a figure is drawn while it grows narrower in twenty steps, a frame each, as beside a sidebar that opens.
DRAWINGS = """async chart => {
    const widths = Array.from({length: 20}, (_, step) => 700 - 5 * step);
    let drawings = 0;
    chart.querySelector('.js-plotly-plot').on('plotly_afterplot', () => drawings++);
    for (const width of widths) {
        chart.style.width = `${width}px`;
        await new Promise(requestAnimationFrame);
    }
    while (chart.querySelector('.main-svg').clientWidth > 610) await new Promise(requestAnimationFrame);
    return drawings;
}"""


def test_the_keyboard_walks_a_typed_number_stays_and_a_drag_ends_where_it_is_left(page, server):
    visit(page, f"{server.url}/explore?design=paper&v=3")
    assert figure(page)
    strata, field = slider(page, "Strata H"), page.get_by_role("spinbutton", name="Strata H, exactly")
    entries = page.evaluate("history.length")
    strata.focus()
    for key, value in (("ArrowRight", "6"), ("ArrowDown", "5"), ("End", "10"), ("PageDown", "9"), ("Home", "2")):
        strata.press(key)
        expect(field).to_have_value(value)
        assert strata.get_attribute("aria-valuetext") == value
    settle(page)
    assert page.evaluate("history.length") == entries and "strata=2" in page.url
    # Between two steps.
    offset = page.get_by_role("spinbutton", name="Offset δ, exactly")
    offset.fill("0.77")
    offset.press("Enter")
    settle(page)
    assert offset.input_value() == "0.77" and "offset=0.77" in page.url
    slider(page, "Offset δ").press("ArrowLeft")
    expect(offset).to_have_value("0.75")
    mark = page.get_by_role("button", name="Help for Strata H")
    tip = page.get_by_role("tooltip").filter(has_text="Number of strata requested")
    mark.focus()
    expect(tip).to_be_visible()
    mark.press("Escape")
    expect(tip).to_be_hidden()

    handle = slider(page, "Offset δ")
    box = handle.bounding_box()
    across = [box["x"] + box["width"] * share / 20 for share in range(4, 17, 2)]
    page.mouse.move(across[0], box["y"] + box["height"] / 2)
    page.mouse.down()
    for x in across:
        page.mouse.move(x, box["y"] + box["height"] / 2)
    page.mouse.up()
    left = offset.input_value()
    settle(page)
    assert float(left) > 3 and offset.input_value() == left and f"offset={left}" in page.url


def test_a_figure_is_saved_shown_whole_and_follows_the_width(page, server):
    visit(page, f"{server.url}/lab")
    chart = page.locator(".neyman-chart").first
    until(page, lambda: figure(page))
    assert chart.get_attribute("role") == "figure" and chart.get_attribute("aria-label")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("Download plot|Save")).first.click()
    assert waiting.value.path().read_bytes().startswith(b"\x89PNG")
    assert re.fullmatch(r"neyman-.*\.png", waiting.value.suggested_filename)
    drawn = "() => document.querySelector('.neyman-chart .main-svg').clientWidth"
    wide = page.evaluate(drawn)
    page.set_viewport_size({"width": 800, "height": 900})
    until(page, lambda: page.evaluate(drawn) < wide)
    assert chart.evaluate("e => e.clientWidth") == page.evaluate(drawn)
    assert chart.evaluate(DRAWINGS) <= 10
    # On a phone every question of the lab is in the window.
    page.set_viewport_size(PHONE)
    settle(page)
    for tab in page.get_by_role("tab").all():
        box = tab.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"], tab.inner_text()


def test_a_chart_stands_without_our_own_server_and_below_another_address(browser, tmp_path):
    """There Streamlit itself asks for files that are not."""
    at = "behind/a/proxy"
    app = launch(tmp_path, program=("-m", "streamlit", "run", "app.py", f"--server.baseUrlPath={at}", "--"))
    (profile,) = profiles(browser, 1)
    page = profile.new_page()
    try:
        until(page, lambda: app.log.read_text(encoding="utf-8").count("URL:"))
        page.goto(f"{app.url}/{at}/explore?design=paper&v=3")
        assert figure(page)
    finally:
        emptied(profile, [app.url])
        app.stop()
