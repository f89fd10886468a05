"""Label → download → fill → upload → Estimate → report, in the browser."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from playwright.sync_api import expect

from core import labels
from core.archive import Archive
from core.design import Design, Scheme, manifest
from core.pool import Pool
from core.readers import read
from core.stratification import profile
from tests.browser.conftest import choose, download, figure, screenshot, settle, visit
from tests.conftest import ROOT
from tests.pages.pools import records

CREATED = "2026-01-01T00:00:00+00:00"
RIGHT_WRONG = "label-kind=Right+or+wrong"


def filled(content):
    """The downloaded list with the outcomes that the demo's target really has."""
    pool = read(ROOT / "data" / "demo.jsonl.gz")
    losses = dict(zip(pool.items.index, pool.losses(next(iter(pool.targets))), strict=True))
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    for row in rows:
        row["label"] = "wrong" if losses[labels.unescape(row["item_id"])] else "right"
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def opened_offline(page, new_page, tmp_path):
    """The report, downloaded and opened without a network, and every address it asks for."""
    report = tmp_path / "report.html"
    report.write_bytes(download(page, "Report (HTML)").read_bytes())
    offline = new_page()
    requests = []
    offline.on("request", lambda sent: requests.append(sent.url))
    offline.context.set_offline(True)
    offline.goto(report.as_uri())
    assert offline.url == report.as_uri()
    return offline, requests


def unfold(page, title):
    """Open a section of the report."""
    page.get_by_role("heading", name=title, exact=True).click()


def test_from_the_list_to_the_report(server, page, new_page, tmp_path):
    visit(page, f"{server.url}/label?{RIGHT_WRONG}")
    links = []
    page.once("download", lambda file: links.append(file.url))
    content = filled(download(page, "CSV").read_bytes())
    # The click has the plan kept, and so the page redrawn, on a busy machine before the browser asks for the file.
    page.get_by_role("tab", name="Import labels").click()
    settle(page)
    assert page.request.get(links[0]).ok
    page.locator('[data-testid="stFileUploader"] input[type="file"]').set_input_files(
        {"name": "filled.csv", "mimeType": "text/csv", "buffer": content}
    )
    expect(page.get_by_text("100 of 100 items have a label")).to_be_visible()
    page.get_by_role("button", name="Keep these labels").click()
    expect(page.get_by_text("100 new or changed labels kept")).to_be_visible()
    page.get_by_role("link", name="Estimate", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("gets .* right"))).to_be_visible()
    expect(page.get_by_text("from 100 labels (right or wrong) of 3,000 items")).to_be_visible()
    settle(page)
    screenshot(page, "estimate")
    # The figure says in words what the report says.
    headline = page.get_by_role("figure", name=re.compile("gets an estimated")).get_attribute("aria-label")

    page.get_by_role("tab", name="Groups (10)").click()
    settle(page)
    # The box of the second row, once the table is drawn.
    expect(page.locator(".st-key-group-rows canvas").first).to_be_visible()
    settle(page)
    page.locator(".st-key-group-rows").click(position={"x": 16, "y": 90})
    expect(page.get_by_text("Group Counting letters")).to_be_visible()
    expect(page.get_by_text("23 labelled items, 19 wrong ones first. Choose a row to read it.")).to_be_visible()

    offline, requests = opened_offline(page, new_page, tmp_path)
    expect(offline.get_by_role("heading", name=re.compile("answers .* correctly"))).to_be_visible()
    assert offline.evaluate("document.querySelector('.first').getBoundingClientRect().bottom") < 800
    unfold(offline, "Method")
    expect(offline.get_by_text(headline)).to_be_visible()
    offline.get_by_role("link", name="See the 100 questions behind it").click()
    expect(offline.get_by_text("The items behind the number, wrong ones first.")).to_be_visible()
    assert requests == [offline.url.removesuffix("#items")]
    offline.reload()
    offline.emulate_media(media="print")
    expect(offline.get_by_text(headline)).to_be_visible()

    page.get_by_role("tab", name="More precision").click()
    total = re.search(r"([\d,]+) in all", page.get_by_text(re.compile("in all")).inner_text())[1]
    page.get_by_role("button", name=re.compile("List the .* new items")).click()
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile(rf"^{total} of 3,000 items to label"))).to_be_visible()
    expect(page.get_by_text(f"Only items without a label ({int(total.replace(',', '')) - 100:,})")).to_be_visible()


@pytest.mark.trial
def test_two_targets_and_metrics_reach_the_report(server, page, new_page, tmp_path, real_pool):
    """A real pool with right answers: choose another target and an answer; the report opened offline shows both."""
    pool = read(real_pool("exams-gpt35-k10.jsonl"))
    kept, seen = Archive(server.home), profile(pool.classes())
    plan = Design(150, seed=0).draw(pool, profile=seen)
    kept.pools.save(pool, CREATED)
    kept.plans.save(plan.plan_id, manifest.write(plan, pool.name), pool.digest, CREATED)
    rows = pd.DataFrame({"item_id": plan.ids, "label": pool.items["answer"].loc[list(plan.ids)].to_list()})
    kept.labels.save(plan.plan_id, rows, CREATED, "csv", "gold")
    visit(page, f"{server.url}/estimate?pool={pool.digest[:16]}")
    page.get_by_role("tab", name="Other numbers").click()
    choices = (("Other target", "gpt-3.5-turbo T=1.0", 3), ("Answer that counts as positive", "A", 4))
    for box, option, charts in choices:
        choose(page, box, option)
        expect(page.locator(".js-plotly-plot")).to_have_count(charts)
        settle(page)
    verdict = re.search(r"“[^”]+” is right (more|less) often than “[^”]+” by [\d.]+", page.inner_text("body"))
    assert verdict is not None
    metrics = page.get_by_role("heading", name=re.compile("When .* says “A”, it is right")).inner_text()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    screenshot(page, "estimate-sections")
    offline, requests = opened_offline(page, new_page, tmp_path)
    for title, words in (("Comparison with another target", verdict[0]), ("Precision, recall, F1", metrics)):
        unfold(offline, title)
        expect(offline.get_by_text(words).last).to_be_visible()
    assert offline.locator("svg").count() == 6
    assert requests == [offline.url]


@pytest.mark.trial
def test_a_list_of_new_items_survives_a_reload(server, page):
    """No control of the design stands at its default; the target is found by what was labelled."""
    rows = [{**row, "answer_kind": "choice"} for row in records(200, target=None)]
    for row in rows:
        row["targets"] = {"one": {"answer": "A"}, "two": {"answer": row["generations"][0]}}
    pool = Pool.from_records(rows, "reloaded")
    design = Design(40, Scheme("semantic-entropy", "quantile", 4, "power", 0.3, parser="text"), seed=7)
    kept, seen = Archive(server.home), profile(pool.classes("text"))
    plan = design.draw(pool, profile=seen)
    kept.pools.save(pool, CREATED)
    kept.plans.save(plan.plan_id, manifest.write(plan, pool.name), pool.digest, CREATED)
    kept.labels.save(plan.plan_id, labels.of_target(pool, "two", plan.ids).rows, CREATED, "csv", "right-wrong", "two")
    visit(page, f"{server.url}/estimate?pool={pool.digest[:16]}")
    page.get_by_role("tab", name="More precision").click()
    total = re.search(r"([\d,]+) in all", page.get_by_text(re.compile("in all")).inner_text())[1]
    page.get_by_role("button", name=re.compile("List the .* new items")).click()
    heading = re.compile(rf"^{total} of 200 items to label")
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    settle(page)
    address = parse_qs(urlsplit(page.url).query)
    grown = replace(design, budget=int(total.replace(",", ""))).draw(pool, profile=seen)
    wanted = {"plan": grown.plan_id, "budget": str(grown.design.budget), "target": "two"}
    assert {name: address[name][0] for name in wanted} == wanted
    names = ("Kind of label", "Target model")
    before = [page.get_by_role("combobox", name=name).get_attribute("aria-label") for name in names]
    listed = download(page, "CSV").read_bytes()
    page.reload()
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    settle(page)
    assert parse_qs(urlsplit(page.url).query) == address
    assert [page.get_by_role("combobox", name=name).get_attribute("aria-label") for name in names] == before
    again = download(page, "CSV").read_bytes()
    assert set(listed.splitlines()) <= set(again.splitlines()) and len(again) >= len(listed)


def test_while_disputes_are_open_the_range_is_the_number_and_no_figure_of_it_is_cut(server, page):
    """On a wide screen and on a phone."""
    pool = Pool.from_records(records(200, target="one"), "disputed")
    kept, plan = Archive(server.home), Design(40, seed=2).draw(pool)
    kept.pools.save(pool, CREATED)
    kept.plans.save(plan.plan_id, manifest.write(plan, pool.name), pool.digest, CREATED)
    for person, ids, label in (("Ann", plan.ids, "right"), ("Ben", plan.ids[:8], "wrong")):
        rows = pd.DataFrame({"item_id": ids, "label": label, "annotator": person})
        kept.labels.save(plan.plan_id, rows, CREATED, "csv", "right-wrong", "one")
    visit(page, f"{server.url}/estimate?pool={pool.digest[:16]}")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        settle(page)
        range_in_words_and_in_place(page, phone=width == 390)


def range_in_words_and_in_place(page, phone):
    number = page.get_by_role("heading", level=2).first
    expect(number).to_have_text(re.compile(r"\d\s% to 100\.0\s% right"))
    cut = "e => [e, ...e.querySelectorAll('*')].some(one => one.scrollWidth > one.clientWidth + 1)"
    assert not number.evaluate(cut), number.inner_text()
    first, *_ = figure(page)
    assert first["x"][0] < first["x"][1] == pytest.approx(100)
    # Nothing waits to be saved, so nothing of it is there: right below the title the controls begin, on a phone the
    # number, with its figure above them.
    names = ("h1", '[data-testid="stSelectbox"] >> nth=0', "h2 >> nth=0", ".js-plotly-plot >> nth=0")
    title, controls, metric, chart = (page.locator(one).bounding_box() for one in names)
    first = metric if phone else controls
    assert first["y"] - title["y"] - title["height"] < 60
    assert (chart["y"] < controls["y"]) == phone
    below = page.get_by_role("tablist").bounding_box()
    assert controls["y"] < below["y"]
