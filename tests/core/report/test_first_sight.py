"""A report explains a word where it has it first."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import core as neyman
from core.design import Design, Scheme, recommend
from core.judge import Judgement
from core.pool import Pool
from core.prospect import Prospect
from core.report import Sheet, judgement_html, report_html
from tests.core.judge.pools import people_of, records_of
from tests.core.study.examples import PLAN, POOL, result_of
from tests.first_sight import blocks, unexplained


def _judgement() -> Judgement:
    pool = Pool.from_records(records_of(400, risk=True), "answers")
    return neyman.judged(neyman.judge(pool, "judge", 80, seed=5), people_of(400), beside="other")


def test_the_rule_finds_what_is_not_explained() -> None:
    assert unexplained(blocks("<p>The <b>surrogate</b> answers.</p><p>A surrogate is a cheap model.</p>")) == {
        r"\bsurrogates?\b": "The surrogate answers."
    }
    assert unexplained(blocks("<p>A cheap model, the surrogate</p><pre>digest</pre><p>“δ”</p>")) == {}


@pytest.mark.parametrize(
    "plan",
    [PLAN, recommend(POOL, 60).draw(POOL, seed=1), Design(60, Scheme(allocation="uniform"), 1).draw(POOL)],
    ids=["paper", "recommended", "uniform"],
)
def test_a_report_explains_a_word_where_it_has_it_first(plan: neyman.Plan) -> None:
    promise = Prospect(POOL, None).drawn(plan).promise
    for result in (result_of(plan), replace(result_of(plan), promise=promise)):
        assert unexplained(blocks(report_html(result))) == {}


def test_a_judges_report_and_a_plan_do_so_as_well() -> None:
    result = _judgement()
    assert unexplained(blocks(judgement_html(result, result.decide(), "Made today"))) == {}
    for target in ("model", None):
        assert unexplained(blocks(Sheet(Prospect(POOL, target, 60)).html())) == {}


def test_and_the_text_beside_a_report(tmp_path: Path) -> None:
    path = neyman.report(_judgement(), tmp_path / "judge.zip")
    with zipfile.ZipFile(path) as packed:
        text = packed.read("README.txt").decode()
    assert unexplained(text.split("\n\n")) == {}
