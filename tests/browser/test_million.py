"""A million items: opened by path and uploaded, explored, in less than 4 GiB; and a tenth of them in its share."""

from __future__ import annotations

import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import expect

from core.readers import read
from tests.browser.conftest import current_pool, figure, leave, move_slider, settle, until, upload, visit
from tests.browser.test_walk import headline

SIZE, K = 1_000_000, 10
# So many items differ, and all of them come equally often: whatever is a mean of them is that of a million.
DIFFERENT = 20_000
LIMIT = 4 * 1024**3
# What the app and its readers take without a pool.
WITHOUT = 1024**3


def table(size):
    """Short items, ten letters each, and a target that errs where they disagree."""
    rng, copies = np.random.default_rng(0), size // DIFFERENT
    ease = rng.beta(1.2, 0.9, DIFFERENT)
    letters = np.where(rng.random((DIFFERENT, K)) < ease[:, None], 0, rng.integers(0, 4, (DIFFERENT, K)))
    texts = pa.array(list("ABCD")).take(pa.array(np.tile(letters.ravel(), copies)))
    names = pa.array([f"q{number:07d}" for number in range(size)])
    losses = np.tile(rng.random(DIFFERENT) > 0.4 + 0.6 * ease, copies).astype(float)
    columns = {
        "id": names,
        "prompt": names,
        "generations": pa.ListArray.from_arrays(pa.array(np.arange(0, size * K + 1, K), pa.int32()), texts),
        "targets": pa.StructArray.from_arrays([pa.StructArray.from_arrays([pa.array(losses)], ["loss"])], ["model"]),
    }
    return pa.table(columns)


@pytest.fixture
def many(tmp_path, size):
    """A Parquet file of so many items."""
    path = tmp_path / "many.parquet"
    pq.write_table(table(size), path)
    return path


def within_limit(server, size):
    if sys.platform != "linux":
        pytest.skip("Peak memory is read from /proc, which this system does not have.")
    return 0 < server.peak_memory() < WITHOUT + (LIMIT - WITHOUT) * size / SIZE


def explore(page, server, size):
    """Move a slider on Explore: address, sentence and figure follow."""
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)
    sentence = page.get_by_text(re.compile("of Uniform’s error with ")).first
    before, drawn = sentence.inner_text(), figure(page)
    move_slider(page, "Strata H", -2)
    expect(page).to_have_url(re.compile("strata=3"))
    expect(sentence).not_to_have_text(before)
    until(page, lambda: figure(page) != drawn)
    assert within_limit(server, size)


@pytest.mark.parametrize("size", [SIZE // 10, pytest.param(SIZE, marks=pytest.mark.trial)])
def test_many_items_named_on_the_command_line(start_server, page, many, size, tmp_path):
    server = start_server("--pool", many, ahead=size == SIZE)
    visit(page, f"{server.url}/?v=2")
    expect(current_pool(page)).to_have_text("many")
    expect(page.get_by_text(f"{size:,} items").first).to_be_visible()
    explore(page, server, size)
    pq.write_table(table(DIFFERENT), tmp_path / "different.parquet")
    expect(page.get_by_text(headline(read(tmp_path / "different.parquet"), "model", n_strata=3))).to_be_visible()
    page.get_by_role("link", name="Label", exact=True).click()
    expect(page.get_by_text(re.compile(f"100 of {size:,} items to label"))).to_be_visible()
    page.get_by_role("link", name="Pool", exact=True).click()
    expect(page.get_by_text(f"{size:,} items, the first 1,000 shown")).to_be_visible()
    settle(page)
    assert within_limit(server, size)
    leave(page)
    server.stop()


@pytest.mark.trial
@pytest.mark.parametrize("size", [SIZE])
def test_a_million_items_uploaded(start_server, page, many, size):
    server = start_server(ahead=True)
    visit(page, f"{server.url}/pool?v=2")
    upload(page, many)
    expect(current_pool(page)).to_have_text("many.parquet")
    settle(page)
    explore(page, server, size)
    leave(page)
    server.stop()
