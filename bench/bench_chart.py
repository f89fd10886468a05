"""Times of the first chart and of its following a slider, beside Streamlit's own slider and chart.

All take turns, so that the ratios count on a busy machine too: a page of one slider and one chart, Streamlit's own and
ours, and page Explore on the first pool, with the sliders of either design. With BESIDE another checkout's page Explore
takes turns with them, in its own environment if it has one.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import Row
from bench.browser import served, tab
from tests.browser.servers import CHROMIUM
from tests.conftest import ROOT

_ROUNDS, _MOVES = 5, 8
_FLOOR = ("-m", "streamlit", "run", str(Path(__file__).with_name("floor.py")), "--")
_EXPLORE = "explore?design=paper&v=3"
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


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that takes part, and what was measured of it.

    Parameters
    ----------
    name : str
        What people call it.
    address : str
        Of the page, below that of its server.
    program : tuple of str
        What starts the server.
    root : Path
        The checkout.
    """

    name: str
    address: str
    program: tuple[str, ...] = ("serve.py",)
    root: Path = ROOT
    first: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)


def rows() -> list[Row]:
    """(what, median, limit) of each page: the first chart, a move, what the browser loads; and ours by Streamlit's."""
    if CHROMIUM is None:
        return []
    floor = Shown("Streamlit’s slider and chart", "", _FLOOR)
    ours = Shown("our dial and chart", "?own=yes", _FLOOR)
    explore = Shown("Explore", _EXPLORE)
    pages = [floor, ours, explore, Shown("Explore, recommended", "explore?design=recommended&v=3")]
    if beside := os.environ.get("BESIDE"):
        pages.append(Shown("Explore, beside", _EXPLORE, root=Path(beside)))
    for _ in range(_ROUNDS):
        for page in pages:
            _measure(page)
    shares = [
        (f"{what}, our dial and chart by Streamlit’s", _median(of, ours) / _median(of, floor), limit, "×")
        for what, of, limit in (("first chart after a start", "first", 0.9), ("key → painted", "moved", 0.7))
    ]
    move = _median("moved", explore) / _median("moved", floor)
    shares.append(("key → painted, Explore by Streamlit’s slider and chart", move, 1.5, "×"))
    return [row for page in pages for row in _rows(page)] + shares


def _median(of: str, page: Shown) -> float:
    return statistics.median(getattr(page, of))


def _rows(page: Shown) -> Iterator[Row]:
    yield f"first chart after a start, {page.name}", _median("first", page), 3.0
    yield f"key → painted, {page.name}", _median("moved", page), 0.35
    yield f"loaded by the browser, {page.name}", _median("megabytes", page), 8.0, "MB"


def _measure(page: Shown) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), program=page.program, root=page.root) as server,
        tab() as opened,
    ):
        opened.goto(f"{server.url}/{page.address}")
        shown = opened.wait_for_function(f"({SHOWN})() && performance.now()", polling="raf", timeout=120_000)
        page.first.append(shown.json_value() / 1000)
        opened.wait_for_timeout(2500)
        loaded = "performance.getEntriesByType('resource').reduce((sum, one) => sum + one.decodedBodySize, 0)"
        page.megabytes.append(opened.evaluate(loaded) / 1e6)
        opened.evaluate(WATCH)
        for slider in opened.get_by_role("slider").all():
            page.moved.extend(_moves(opened, slider))


def _moves(opened: Any, slider: Any) -> list[float]:
    """Seconds from the press of a key to the frame after the chart shows something else, the first one left out."""
    times = []
    slider.focus()
    for move in range(_MOVES):
        opened.keyboard.press("ArrowRight" if move // 2 % 2 == 0 else "ArrowLeft")
        times.append(opened.wait_for_function("window.painted", timeout=60_000).json_value() / 1000)
        opened.wait_for_timeout(400)
    return times[1:]
