"""Times of a chart that follows a slider, in the browser: from the press of a key to the frame after Plotly drew.

Every slider of the paper's design and of the recommended one, on the exams pool (1,000 items, beside this repository)
and on MMLU-Pro (12,032 items); Monte Carlo is on. Positions are revisited, as a hand does that looks for the best one.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from bench import Row
from tests import pools
from tests.browser.servers import CHROMIUM, CHROMIUM_FLAGS, launch
from tests.conftest import ROOT

_MOVES = 12
_EXAMS, _PUBLISHED = pools.path_of("exams-gpt35-k10"), ROOT / "data" / "mmlu-pro.parquet"
# Pool, its file, design, limit in seconds.
_CASES: tuple[tuple[str, Path, str, float], ...] = tuple(
    (pool, path, design, limit)
    for pool, path, limit in (("exams", _EXAMS, 0.250), ("MMLU-Pro", _PUBLISHED, 0.350))
    for design in ("paper", "recommended")
)
# What the main figure shows; null until it is drawn.
SHOWN = """() => {
    const plot = document.querySelector('.js-plotly-plot');
    return plot?.querySelector('.main-svg .trace') ? JSON.stringify([plot.data, plot.layout.shapes]) : null;
}"""
# Notes the time at each press, and that of the frame after the main figure shows something else.
WATCH = f"""() => {{
    const shown = {SHOWN};
    document.addEventListener('keydown', () => {{
        const before = shown(), pressed = performance.now();
        window.painted = null;
        const look = () => {{
            const now = shown();
            if (now === null || now === before) requestAnimationFrame(look);
            else requestAnimationFrame(() => setTimeout(() => {{ window.painted = performance.now() - pressed; }}));
        }};
        requestAnimationFrame(look);
    }}, true);
}}"""


def rows() -> list[Row]:
    """(what, median seconds, limit in seconds) of each slider."""
    if CHROMIUM is None:
        return []
    from playwright.sync_api import sync_playwright

    medians = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        for pool, path, design, limit in _CASES:
            if path.exists():
                (folder := Path(name) / f"{pool} {design}").mkdir()
                moves = _moves(browser, folder, path, design)
                medians += [
                    (f"Explore, {design} design, key on “{slider}” → chart painted, {pool}", median, limit)
                    for slider, median in moves.items()
                ]
        browser.close()
    return medians


def _moves(browser: Any, folder: Path, path: Path, design: str) -> dict[str, float]:
    """Median seconds of a move of each slider, to and fro."""
    server = launch(folder, "--pool", path)
    try:
        server.wait_until_healthy()
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(f"{server.url}/explore?design={design}&v=3")
        page.wait_for_selector(".js-plotly-plot .main-svg .trace", state="attached", timeout=120_000)
        page.wait_for_timeout(3000)
        page.evaluate(WATCH)
        medians = {}
        for slider in page.get_by_role("slider").all():
            slider.focus()
            times = []
            for move in range(_MOVES):
                page.keyboard.press("ArrowRight" if move // 2 % 2 == 0 else "ArrowLeft")
                times.append(page.wait_for_function("window.painted", timeout=60_000).json_value() / 1000)
                page.wait_for_timeout(500)
            medians[str(slider.get_attribute("aria-label"))] = statistics.median(times[1:])
        return medians
    finally:
        server.stop()
