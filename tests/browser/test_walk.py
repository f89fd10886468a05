"""From a pool to the downloaded list, in the browser; and the same list again from its manifest, in core."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

from core import labels
from core.design import manifest, recommend
from core.readers import read, read_results
from core.simulation import exact_mse, findings
from core.stratification import outcome, profile
from tests.browser.conftest import (
    TO_LABEL,
    choose,
    current_pool,
    download,
    move_slider,
    screenshot,
    settle,
    slider,
    upload,
    visit,
)
from tests.conftest import ROOT

DEMO = ROOT / "data" / "demo.jsonl.gz"
COMMITTEE = ("Llama-2-13b-hf", "Mistral-7B-v0.1")
TARGET = "gemma-7b"


def headline(pool, target, budget=100, n_strata=5, offset=0.75):
    simulated = outcome(profile(pool.classes()), pool.losses(target))
    strata = simulated.profile.stratify(n_strata)
    moments = simulated.moments.merge(strata.of_level)
    return findings.comparison(findings.gain(moments, strata.consistency, budget, offset), "")


def recommended_headline(pool, target, budget):
    plan, losses = recommend(pool, budget, target).draw(pool, seed=0), pool.losses(target)
    known = outcome(profile(pool.classes()), losses)
    strata = known.profile.stratify()
    paper = findings.gain(known.moments.merge(strata.of_level), strata.consistency, budget).relative["proxy-neyman"]
    error = exact_mse(losses, plan.stratum, plan.allocation)
    return findings.headline(findings.recommended_gain(known.moments, budget, error, {"proxy-neyman": paper}))


def walk(page, pool):
    """Explore → Label → files, on the pool that the page has loaded; ``pool`` is the same one, read by core."""
    target = next(iter(pool.targets))
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)
    expect(page.get_by_text(headline(pool, target))).to_be_visible()
    move_slider(page, "Strata H", -2)
    expect(page.get_by_text(headline(pool, target, n_strata=3))).to_be_visible()
    kind = page.locator(".st-key-parser").text_content()
    page.get_by_role("button", name=TO_LABEL).click()
    return labelled_list(page, pool, kind, n_strata=3, budget=100)


def labelled_list(page, pool, kind=None, *, n_strata, budget):
    """The manifest of page Label, whose controls and files are those of this many strata and labels.

    Its kind of answer is that of the page before, if given.
    """
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    settle(page)
    page.get_by_role("button", name="How it is drawn").click()
    expect(slider(page, "Strata H")).to_have_attribute("aria-valuetext", str(n_strata))
    assert kind in (None, page.locator(".st-key-parser").text_content())
    page.keyboard.press("Escape")
    # Where the file has the target's answers, people are asked whether these are right: here, for the right answer.
    choose(page, "Kind of label", "The right answer")
    table, plan = (download(page, name).read_bytes() for name in ("CSV", "Manifest"))
    page.get_by_role("button", name="Label Studio …").click()
    lossless = download(page, "JSON Lines").read_bytes()
    page.keyboard.press("Escape")
    content = manifest.read(plan)
    assert content.design.scheme.n_strata == n_strata and content.design.budget == budget
    drawn = manifest.reproduce(content, pool, profile(pool.classes(content.design.scheme.parser)))
    request = labels.request(drawn, pool.items)
    assert table.decode() == labels.to_csv(request)
    assert lossless.decode() == labels.to_jsonl(request)

    rows = list(csv.DictReader(io.StringIO(table.decode())))
    records = [json.loads(line) for line in lossless.decode().splitlines()]
    assert [labels.unescape(row["item_id"]) for row in rows] == [r["item_id"] for r in records] == drawn.ids.tolist()
    assert len(set(drawn.ids)) == budget and set(drawn.ids) <= set(pool.items.index)
    return plan


@pytest.mark.trial
def test_the_recommended_design_from_the_demo_pool_to_a_list(page, server):
    pool = read(DEMO)
    target = next(iter(pool.targets))
    visit(page, f"{server.url}/?v=4")
    expect(page.get_by_text(recommended_headline(pool, target, 100))).to_be_visible()
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)
    move_slider(page, "Budget M (labels)", 1)
    expect(page.get_by_text(recommended_headline(pool, target, 150))).to_be_visible()
    page.get_by_role("button", name=TO_LABEL).click()
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    settle(page)
    content = manifest.read(download(page, "Manifest").read_bytes())
    plan = recommend(pool, 150, target).draw(pool, content.design.seed)
    assert (content.plan_id, content.design) == (plan.plan_id, plan.design), (content, plan, page.url)
    assert f"seed={plan.seed}" in page.url
    page.get_by_role("button", name="Label Studio …").click()
    rows = download(page, "JSON Lines").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["item_id"] for row in rows] == plan.ids.tolist()


@pytest.mark.trial
def test_from_a_log_of_no_known_format_to_a_list(page, server, tmp_path):
    """Three clicks: the file, “Use this file” if no reader knows it, the way to the list."""
    log = tmp_path / "runs.jsonl"
    rows = [
        {
            "nr": number,
            "run": {"question": f"{number} + 1?"},
            "outputs": [{"text": str(number + k % 2)} for k in range(4)],
        }
        for number in range(40)
    ]
    log.write_text("\n".join(map(json.dumps, rows)))
    visit(page, f"{server.url}/pool?v=2")
    upload(page, log)
    # Fields that are chosen stand one below the other, uncut.
    box = page.locator('[class*="st-key-map-columns"]')
    for field in ("run.question", "outputs"):
        box.get_by_role("combobox").click()
        page.get_by_role("option").filter(has_text=field).click()
        settle(page)
    page.keyboard.press("Escape")
    tags = box.get_by_test_id("stMultiSelectTagsContainer").last
    assert tags.evaluate("e => e.querySelectorAll('[data-tag]').length == 2 && e.scrollWidth <= e.clientWidth + 1")
    screenshot(page, "pool-mapper")
    page.get_by_role("button", name="Use this file").click()
    expect(current_pool(page)).to_have_text(log.name)
    page.get_by_role("link", name="Draw the items to label").first.click()
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="CSV", exact=True)).to_be_visible()


def test_from_an_uploaded_pool_to_a_list_and_back_from_its_manifest(page, server, real_pool, tmp_path):
    path = real_pool("exams-gpt35-k10.jsonl")
    visit(page, f"{server.url}/pool?v=2")
    upload(page, path)
    expect(current_pool(page)).to_have_text(path.name)
    screenshot(page, "pool-exams")
    plan = walk(page, read(path))

    kept = tmp_path / "plan.json"
    kept.write_bytes(plan)
    page.get_by_role("tab", name="Reproduce a list").click()
    page.locator('[data-testid="stFileUploader"] input[type="file"]').set_input_files(kept)
    expect(page.get_by_text(re.compile("The same 100 items, in the same order"))).to_be_visible()
    first = download(page, "CSV").read_bytes()
    settle(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="List as CSV", exact=True).click()
    assert waiting.value.path().read_bytes() == first


@pytest.mark.trial
def test_from_result_zips_to_a_list(page, server, real_pool):
    folder = real_pool("mmlu-pro")
    paths = [folder / f"model_outputs_{name}_5shots.zip" for name in (*COMMITTEE, TARGET)]
    visit(page, f"{server.url}/pool?v=2")
    upload(page, *paths)
    committee = page.locator(".st-key-committee")
    expect(committee).to_contain_text(COMMITTEE[0])
    results = read_results({path.name: path for path in paths})
    default = results.default_split()
    for name in (n for n in default.committee if n not in COMMITTEE):
        committee.get_by_label(re.compile(f"{re.escape(name)}, close|Remove {re.escape(name)}")).click()
    settle(page)
    for key, names in (("committee", COMMITTEE), ("target-models", (TARGET,))):
        box = page.locator(f".st-key-{key}")
        for name in names:
            if name not in box.inner_text():
                box.get_by_role("combobox").fill(name)
                box.get_by_role("combobox").press("Enter")
                settle(page)
            expect(box).to_contain_text(name)
    screenshot(page, "pool-committee")
    page.get_by_role("button", name="Build the pool").click()
    expect(current_pool(page)).not_to_have_text("Practice pool")
    settle(page)
    expect(page.locator(".st-key-committee")).to_have_count(0)
    screenshot(page, "pool-mmlu-pro")
    order = default.committee if set(default.committee) == set(COMMITTEE) else COMMITTEE
    page.get_by_test_id("stSidebar").get_by_role("link", name="Label").click()
    labelled_list(page, results.pool(order, [TARGET]), n_strata=5, budget=100)
