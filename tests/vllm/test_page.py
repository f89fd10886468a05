"""Page Surrogate with vLLM on this machine: the bundled tiny model, from Start to Explore."""

from __future__ import annotations

import json
import re
import sys

import psutil
import pytest
from playwright.sync_api import expect

from core.readers import read
from core.surrogate import Store
from tests.browser.conftest import (
    chromium,
    current_pool,
    new_page,
    page,
    screenshot,
    settle,
    start_server,
    upload,
    visit,
)
from tests.conftest import ROOT

__all__ = ["new_page", "page", "start_server"]
ITEMS = 200
PATIENCE = 600_000


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


@pytest.fixture
def questions():
    """The first questions of the demo pool, without generations."""
    table = read(ROOT / "data" / "demo.jsonl.gz").table.slice(0, ITEMS)
    questions_alone = table.select(
        [name for name in ("id", "prompt", "answer", "answer_kind", "targets") if name in table.column_names]
    )
    return "".join(json.dumps(row) + "\n" for row in questions_alone.to_pylist()).encode()


def test_the_tiny_surrogate_runs_from_the_page(monkeypatch, start_server, page, questions):
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", sys.executable)
    server = start_server()
    # A bare address begins with as many labels as there are questions here.
    visit(page, f"{server.url}/pool?v=5&budget=100")
    upload(page, {"name": "questions.jsonl", "mimeType": "application/json", "buffer": questions})
    # A link that is clicked while the page takes the pool in is not followed.
    expect(current_pool(page)).to_have_text("questions.jsonl")
    settle(page)
    page.get_by_role("link", name="Surrogate", exact=True).click()
    page.get_by_role("button", name="Use the bundled tiny surrogate").click()
    settle(page)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("Running.*starting the server"))).to_be_visible()
    worker = psutil.Process(Store(server.home).rows()[0].pid)
    page.wait_for_function("/generating/.test(document.querySelector('.stMarkdown h2').innerText)", timeout=PATIENCE)
    family = [worker, *worker.children(recursive=True)]
    assert any("vllm.entrypoints" in " ".join(process.cmdline()) for process in family)
    expect(page.get_by_role("heading", name=re.compile("^Done"))).to_be_visible(timeout=PATIENCE)
    screenshot(page, "surrogate-vllm")
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == [], "the server is still there"
    settle(page)
    page.get_by_role("button", name="Put the generations into the pool").click()
    expect(page.get_by_text(re.compile(rf"{ITEMS} items · 10 answers each"))).to_be_visible()
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_text(re.compile("% of Uniform’s error with|saves no labels")).first).to_be_visible()
