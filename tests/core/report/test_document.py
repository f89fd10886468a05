"""The report is one safe file with all the numbers; the JSON is whole."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd

from core.design import manifest, recommend
from core.estimation import Interval, stratified
from core.figures.style import METHOD_STYLES
from core.report import report_html, report_json, sections
from core.report.sentences import beside_uniform, headline
from core.study import Result, compare
from core.study.comparison import Judged
from core.study.metrics import answered, metrics
from core.words import SPACE, half
from tests.core.study.examples import GROUPS, LOSSES, NASTY, PLAN, POOL, result_of


class Read(HTMLParser):
    """Every tag with its attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_report_is_one_file_that_asks_nobody_and_runs_nothing() -> None:
    page = report_html(result_of())
    read = Read()
    read.feed(page)
    assert not {"script", "link", "img", "iframe", "object", "b"} & set(read.tags)
    names = {name for name, _ in read.attributes}
    assert not {"src", "href", "srcset", "action"} & names
    assert not any(name.startswith("on") for name in names)
    assert "http" not in page.replace("http-equiv", "") and "url(" not in page and "@import" not in page
    assert read.tags.count("svg") == 3
    assert "default-src 'none'" in page
    assert "@media print" in page and "prefers-color-scheme: dark" in page


def test_texts_of_the_pool_are_shown_as_they_are() -> None:
    page = report_html(result_of(made=NASTY, target=NASTY))
    read = Read()
    read.feed(page)
    assert "<script" not in page
    assert NASTY in "".join(read.text)
    assert unescape(page).count(NASTY) >= 5


def test_numbers_lead_to_their_items_inside_the_file() -> None:
    result = result_of()
    table = result.table.assign(group=[GROUPS[place] or "" for place in result.positions], prompt=NASTY, choices=None)
    table["choices"] = pd.Series([[NASTY, "two"]] * 60, dtype=object)
    items = table.assign(surrogate="A ×3", target=NASTY, label="A", disputed=False).sort_values("value", kind="stable")
    page, read = report_html(result, items=items.reset_index(drop=True)), Read()
    read.feed(page)
    links = {value for name, value in read.attributes if name == "href"}
    ids = [value for name, value in read.attributes if name == "id"]
    assert all(link.startswith("#") for link in links) and {link[1:] for link in links} <= set(ids)
    assert len(ids) == len(set(ids)) and {"#items", "#stratum-0", "#group-0", "#item-59"} <= links
    assert "<script" not in page and "".join(read.text).count(NASTY) >= 180
    wrong = page.split('<article id="item-')[1:]
    verdicts = ["wrong</span>" in one.split("</h3>")[0] for one in wrong]
    assert (
        len(wrong) == 60 and verdicts == sorted(verdicts, reverse=True) and sum(verdicts) == (result.values == 0).sum()
    )


def test_huge_texts_are_shown_in_part() -> None:
    result = result_of(groups=None)
    items = result.table.assign(
        group="", prompt="x" * 9000, choices=None, surrogate="", target="", label="", disputed=True
    )
    page = report_html(result, items=items)
    assert "5,000 more characters" in page and page.count("annotators disagree") == 60 and "x" * 4001 not in page


def test_everything_but_the_first_page_is_folded() -> None:
    page, read = report_html(extended()), Read()
    read.feed(page)
    first, folds = page.split('<div class="folds">')
    assert (
        first.count("<svg") == 1 and "<details" not in first and "<h1>" in first and "open" not in dict(read.attributes)
    )
    titles = re.findall(r"<summary><h2>(.*?)</h2>", folds)
    assert {"Groups of the pool", "Compared with Uniform", "More precision", "Method"} <= set(titles)
    assert {"Strata (groups of items)", "Manifest (reproduces the plan)"} <= set(titles)
    assert folds.count("<h2>") == len(titles) and "details::details-content" in page


def test_the_report_shows_the_numbers() -> None:
    result = result_of()
    read = Read()
    read.feed(report_html(result))
    text = "".join(read.text).replace(SPACE, " ")
    estimate = result.estimate
    assert f"{100 * estimate.value:.1f} %" in text
    assert f"95 % interval: {100 * estimate.low:.1f} % to {100 * estimate.high:.1f} %" in text
    assert all(words.replace(SPACE, " ") in text for words in (headline(result), beside_uniform(result)))
    assert f"{result.precision.uniform_needed:,}" in text
    assert f"{result.top_up(half(result.half_width / 2, result.bounded)).further:,}" in text
    assert '"sample"' in text and result.plan.plan_id in text


def test_the_json_holds_everything() -> None:
    result = result_of()
    document = json.loads(report_json(result))
    assert document["format"] == "neyman-result/2"
    assert document["estimate"]["value"] == result.estimate.value
    assert document["manifest"] == json.loads(manifest.write(PLAN, NASTY))
    assert len(document["labels"]) == 60 and len(document["strata"]) == PLAN.strata.n_strata
    rows = document["labels"]
    again = stratified([r["value"] for r in rows], [r["stratum"] for r in rows], PLAN.strata.sizes)
    assert again == replace(result.estimate, measure="mean loss")
    assert document["groups"][0]["group"] in (NASTY, "law")


def test_the_json_says_where_labels_stand_in_pool_and_list() -> None:
    rows = json.loads(report_json(result_of()))["labels"]
    assert [row["pool_position"] for row in rows] == PLAN.positions.tolist()
    assert [row["list_position"] for row in rows] == list(range(1, 61))
    result = result_of()
    strata, places = PLAN.stratum, PLAN.positions
    other = next(i for i in range(500) if i not in places and strata[i] == strata[places[7]])
    result.table.loc[7, ["item_id", "position"]] = [str(POOL.items.index[other]), other]
    replaced = json.loads(report_json(result))["labels"][7]
    assert (replaced["pool_position"], replaced["list_position"]) == (other, None)


def test_the_json_holds_labels_as_given_and_the_top_up() -> None:
    result = result_of()
    given = pd.DataFrame(
        {"item_id": ["a", "b"], "annotator": ["Ann", ""], "label": ["right", None], "note": [None, NASTY]}
    )
    document = json.loads(report_json(replace(result, more=result.top_up(0.05)), rows=given))
    first, second = document["labels_as_given"]
    assert (first["item_id"], first["annotator"], first["label"], first["note"]) == ("a", "Ann", "right", None)
    assert (second["label"], second["note"], second["created"]) == (None, NASTY, None)
    assert document["top_up"]["total"] == result.top_up(0.05).total and document["top_up"]["wanted"] == 0.05
    bare = json.loads(report_json(result))
    assert bare["labels_as_given"] is bare["top_up"] is bare["people"] is None
    assert bare["findings"]["strata"].startswith("Stratum ")


def test_the_json_names_the_interval_that_was_used() -> None:
    scores = 5 + LOSSES[PLAN.positions]
    result = result_of(values=scores, measure="score", interval=Interval(bounded=False))
    document = json.loads(report_json(result))
    assert document["interval"] == document["intervals"][0]["interval"] == "t"
    assert json.loads(report_json(result_of()))["interval"] == "tilted"


def extended() -> Result:
    """With another target, metrics of one answer, and answers left out; names that would run as a script."""
    result = result_of()
    member, sizes = PLAN.stratum[PLAN.positions], PLAN.strata.sizes
    loss, other = (POOL.losses(name)[PLAN.positions] for name in ("model", "other"))
    both = compare(Judged("model", 1 - loss, "labels"), Judged(NASTY, 1 - other, "the pool’s outcomes"), member, sizes)
    said = [NASTY if x else "no" for x in loss]
    some = metrics(said, [NASTY if x else "no" for x in other], NASTY, member, sizes, target="model")
    gave = np.arange(60) % 7 > 0
    part = answered((1 - loss) * gave, gave, member, sizes, target=NASTY)
    return replace(result, comparison=both, metrics=some, answered=part)


def test_the_further_sections_stand_in_the_report_and_in_the_json() -> None:
    result = extended()
    page, read = report_html(result), Read()
    read.feed(page)
    text = "".join(read.text)
    for title in ("Comparison with another target", "Precision, recall, F1", "Where the model answered"):
        assert title in text and title not in report_html(result_of())
    assert sections.comparison_headline(result.comparison) in text and "<script" not in page
    assert read.tags.count("svg") == 7 and "percentage points" in page
    document = json.loads(report_json(result))
    assert document["comparison"]["gap"]["value"] == result.comparison.gap.value
    assert document["comparison"]["separate_standard_error"] == result.comparison.separate_error
    assert [row["value"] for row in document["metrics"]["rows"]] == [e.value for e in result.metrics.estimates]
    assert document["answered"]["right"]["value"] == result.answered.right.value
    plain = json.loads(report_json(result_of()))
    assert plain["comparison"] is plain["metrics"] is plain["answered"] is None
    assert len(document["method"]) == len(plain["method"]) + 2


def test_a_comparison_that_has_to_wait_is_told_in_the_report() -> None:
    member = PLAN.stratum[PLAN.positions]
    loss = LOSSES[PLAN.positions]
    waiting = np.where(member == 0, np.nan, loss)
    both = compare(
        Judged("model", 1 - loss, "labels"), Judged("other", 1 - waiting, "labels"), member, PLAN.strata.sizes
    )
    page = report_html(replace(result_of(), comparison=both))
    assert "cannot be compared yet" in page and page.count("<svg") == 3


def test_unknown_numbers_are_null() -> None:
    """The first label of each stratum alone shows no spread."""
    result = result_of(keep=slice(PLAN.strata.n_strata))
    assert math.isnan(result.estimate.standard_error)
    document = json.loads(report_json(result))
    assert document["estimate"]["standard_error"] is None and document["design_effect"] is None
    assert result.beside_uniform[["low", "high"]].isna().all(axis=None)
    assert not any("pooled" in sentence for sentence in document["sentences"])
    page = report_html(result)
    assert "there is no interval yet" in page and "nan" not in page.replace("finance", "")
    assert "More precision" not in page


def test_the_report_has_the_colour_that_its_design_has_on_every_page() -> None:
    recommended = recommend(POOL, 60).draw(POOL, 5)
    colour = METHOD_STYLES["recommended"].colour.lower()
    assert f"--accent: {colour}" in report_html(result_of(recommended))
    paper = report_html(result_of(PLAN))
    assert f"--accent: {METHOD_STYLES['proxy-neyman'].colour.lower()}" in paper and colour not in paper
