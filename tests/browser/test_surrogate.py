"""A run on page Surrogate in the browser: it moves, survives a reload, stops, goes on, and ends in the pool."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from core.archive import Archive
from core.pool import Pool
from core.surrogate import Store
from tests.browser.conftest import choose, current_pool, screenshot, settle, until, visit
from tests.browser.test_address import CREATED
from tests.core.surrogate.conftest import faking


@pytest.fixture
def holding_server():
    with faking(answers=3, hold_after=[20, 40]) as server:
        yield server


def done(page):
    words = re.compile(r"has answered ([\d,]+) of")
    match = words.search(page.get_by_role("heading", level=2, name=words).first.inner_text())
    return int(match[1].replace(",", ""))


def test_start_reload_stop_resume_finish_explore(page, server, holding_server):
    items = 60
    rows = [
        {"id": f"q{i}", "prompt": f"What is {i} + 0?", "answer": str(i), "answer_kind": "number"} for i in range(items)
    ]
    pool = Pool.from_records(rows, "questions")
    Archive(server.home).pools.save(pool, CREATED)
    visit(page, f"{server.url}/surrogate?pool={pool.digest[:16]}")
    expect(current_pool(page)).to_have_text("questions")
    expect(page.get_by_role("heading", name=re.compile("A cheap model’s answers (should )?save"))).to_be_visible()
    settle(page)

    page.get_by_role("textbox", name="Model").fill("m")
    page.get_by_role("textbox", name="Model").press("Enter")
    settle(page)
    if page.get_by_role("textbox", name="Address").count() == 0:
        choose(page, re.compile("Where"), "A server’s address")
    page.get_by_role("textbox", name="Address").fill(holding_server.url)
    page.get_by_role("textbox", name="Address").press("Control+Enter")
    settle(page)
    page.get_by_text("Server", exact=True).click()
    page.get_by_role("spinbutton", name="Requests at a time").fill("4")
    page.get_by_role("spinbutton", name="Requests at a time").press("Enter")
    settle(page)
    page.get_by_role("button", name="Start", exact=True).click()

    expect(page.get_by_role("heading", name=re.compile("Running.*has answered"))).to_be_visible()
    page.wait_for_function("/answered ([1-9])/.test(document.querySelector('.stMarkdown h2')?.innerText)")
    assert done(page) <= 20
    screenshot(page, "surrogate-running")
    page.reload()
    expect(page.get_by_role("heading", name=re.compile("has answered"))).to_be_visible()
    holding_server.release()
    page.wait_for_function(
        "Number(document.querySelector('.stMarkdown h2')?.innerText.match(/answered (\\d+)/)?.[1]) > 20"
    )

    page.get_by_role("button", name="Stop", exact=True).click()
    store = Store(server.home)
    until(page, lambda: store.rows()[0].stop)
    # What is under way still arrives: it is held back until the worker has noticed, when it writes a heartbeat.
    stopping = time.time()
    until(page, lambda: store.rows()[0].heartbeat > stopping)
    holding_server.release()
    expect(page.get_by_role("heading", name=re.compile("^Stopped:"))).to_be_visible()
    assert 20 < done(page) < items
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("^Done"))).to_be_visible(timeout=120_000)
    assert done(page) == items
    screenshot(page, "surrogate-done")
    stats = holding_server.stats()
    assert len(stats["asked"]) == items

    page.get_by_role("button", name="Put the generations into the pool").click()
    expect(page.get_by_text(f"{items} items · 10 answers each")).to_be_visible()
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("strat(a|um)[ :]")).first).to_be_visible()
