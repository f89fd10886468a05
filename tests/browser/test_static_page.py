"""The page without a server: a finished picture at once, and then the numbers of the app."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from playwright.sync_api import expect

from core.readers import read
from core.words import first_sentence
from pages.parts.app import state
from pages.parts.app.address import VERSION
from tests.browser.conftest import figure, move, visit
from tools.static_page import build


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build(folder, strata=(3, 5), offsets=(0.25, 0.75))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html", folder
    server.shutdown()
    server.server_close()


def same(ours, theirs, least):
    """Whether each line here, of which there are so many, is a line there, to rounding."""
    lines = {one["name"]: one for one in theirs if one["name"]}
    named = [one for one in ours if one["name"] and "lines" in (one["mode"] or "") and len(one["x"]) > 2]
    assert len(named) >= least
    for one in named:
        # None is a gap.
        here, there = (np.array([line["x"], line["y"]], float) for line in (one, lines[one["name"]]))
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-9)


def test_its_numbers_are_those_of_the_app(site, server, new_page):
    address, folder = site
    page, app = new_page(), new_page()
    # What is there before any script has run.
    assert (folder / "index.html").read_text(encoding="utf-8").count("<svg") == 2
    page.goto(f"{address}#pool=mmlu-pro&strata=5&offset=0.75")
    page.locator("body[data-drawn*='budget=200']").wait_for()
    # The next position down of either slider, and of the labels.
    for slider in ("Strata H", "Offset δ", "Budget M"):
        page.get_by_label(slider).press("ArrowLeft")
    page.locator("body[data-drawn='pool=mmlu-pro&budget=100&strata=3&offset=0.25']").wait_for()
    digest = read(state.PUBLISHED).digest[:16]
    chosen = f"v={VERSION}&pool={digest}&budget=100"
    visit(app, f"{server.url}/explore?{chosen}&strata=3&offset=0.25")
    same(figure(page, 1), figure(app), 3)
    # Its first sentence stands in the app's headline, in fewer words.
    _, rest = first_sentence(page.locator("#explore-says").inner_text())
    expect(app.get_by_text(rest)).to_be_visible()
    move(app, f"{server.url}/plan?{chosen}&plan-for=pool")
    # Uniform and the plan's own line.
    same(figure(page, 0), figure(app), 2)
