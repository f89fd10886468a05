"""The report of a judge: page, JSON and bundle, from which its numbers come again."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import core as neyman
from core.errors import DesignError, ManifestError
from core.judge import Judgement
from core.pool import Pool
from core.report import judgement_html
from tests.core.judge.pools import people_of, records_of

SIZE, NASTY = 200, "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def pool() -> Pool:
    rows = [row | {"other judge": row["other"]} for row in records_of(SIZE, risk=True)]
    rows[0] |= {"group": NASTY}
    return Pool.from_records([row | {"input": f"{NASTY} {row['id']}"} for row in rows], "answers")


@pytest.fixture(scope="module")
def result(pool: Pool) -> Judgement:
    plan = neyman.judge(pool, "judge", 80, seed=5)
    return neyman.judged(plan, people_of(SIZE), beside="other judge")


def test_the_page_says_all_and_escapes_texts(result: Judgement) -> None:
    page = judgement_html(result, result.decide(0.85, 0.6), "Made today")
    assert NASTY not in page and "&lt;script&gt;" in page and "Made today" in page
    assert result.sentence in page and "at least 85\u00a0% asked" in page
    for title in ("All numbers", "Read these", "Compared with another judge", "by group", "Method", "Manifest"):
        assert title in page
    missed = result.disagreements()
    assert page.count("<article") == len(missed) and "because of " in page


def test_without_a_comparison_or_a_failure_it_says_less(result: Judgement) -> None:
    plan = result.study.plan
    page = judgement_html(one := neyman.judged(plan, dict.fromkeys(plan.ids[:20], True)), one.decide())
    assert "not measurable" in page and "Compared with another judge" not in page


@pytest.mark.parametrize("labels", [80, 12])
def test_a_bundle_gives_the_same_numbers(result: Judgement, pool: Pool, labels: int, tmp_path: Path) -> None:
    """Also if a stratum has no label, so that there is no plain estimate."""
    plan, people = result.study.plan, people_of(SIZE)
    one = neyman.judged(plan, {item: people[item] for item in plan.ids[:labels]}, beside="other judge")
    path = neyman.report(one, tmp_path / "judge.zip", tpr=0.8, tnr=0.5)
    again = neyman.judge.reproduce(path, pool)
    assert again.measures_frame().equals(one.measures_frame())
    assert again.comparison == one.comparison
    assert path.read_bytes() == neyman.report(one, tmp_path / "judge.zip", tpr=0.8, tnr=0.5).read_bytes()
    with zipfile.ZipFile(path) as packed:
        assert 'neyman.judge.reproduce("judge.zip", neyman.read(' in packed.read("README.txt").decode()


def test_a_changed_number_or_another_pool_is_refused(result: Judgement, pool: Pool, tmp_path: Path) -> None:
    path = neyman.report(result, tmp_path / "judge.zip")
    with zipfile.ZipFile(path) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    facts = json.loads(files["study.json"])
    value = facts["judge"]["measures"]["tnr"]["value"]
    gap = facts["judge"]["differences"]["tpr"]
    low = gap["low"]
    for said in ("difference in tpr", "other numbers: tnr", "damaged"):
        if said == "damaged":
            facts["judge"]["measures"] = []
        elif said == "other numbers: tnr":
            gap["low"], facts["judge"]["measures"]["tnr"]["value"] = low, value + 1e-12
        else:
            gap["low"] = low - 1e-12
        changed = tmp_path / "changed.zip"
        with zipfile.ZipFile(changed, "w") as packed:
            for name, content in (files | {"study.json": json.dumps(facts).encode()}).items():
                packed.writestr(name, content)
        with pytest.raises(ManifestError, match=said):
            neyman.judge.reproduce(changed, pool)
    with pytest.raises(ManifestError, match="another pool"):
        neyman.judge.reproduce(path, Pool.from_records(records_of(10), "ten"))


def test_a_bundle_from_before_differences_were_kept_is_read(result: Judgement, pool: Pool, tmp_path: Path) -> None:
    path = neyman.report(result, tmp_path / "judge.zip")
    with zipfile.ZipFile(path) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    facts = json.loads(files["study.json"])
    del facts["judge"]["differences"]
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in (files | {"study.json": json.dumps(facts).encode()}).items():
            packed.writestr(name, content)
    assert neyman.judge.reproduce(path, pool).comparison == result.comparison


def test_a_bundle_of_another_rule_for_limits_keeps_its_estimates_and_says_what_it_said(
    result: Judgement, pool: Pool, tmp_path: Path
) -> None:
    """Its estimates are checked to the digit; its limits and its verdict stand beside today's."""
    path = neyman.report(result, tmp_path / "judge.zip")
    with zipfile.ZipFile(path) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    facts = json.loads(files["study.json"])
    del facts["judge"]["rule"]
    measures = facts["judge"]["measures"]
    measures["tnr"] |= {"low": 0.25, "method": "MOVER from Wilson limits of both classes of verdicts"}
    facts["judge"]["verdict"] = "trusted"
    for value, message in ((measures["tnr"]["value"], ""), (measures["tnr"]["value"] + 1e-9, "other numbers: tnr")):
        measures["tnr"]["value"] = value
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in (files | {"study.json": json.dumps(facts).encode()}).items():
                packed.writestr(name, content)
        if message:
            with pytest.raises(ManifestError, match=message):
                neyman.judge.reproduce(path, pool)
        else:
            again = neyman.judge.reproduce(path, pool)
            assert again.tnr == result.tnr
            said = next(one for one in again.remarks if "by the rule of the version" in one).replace("\u00a0", " ")
            assert "Failures caught (TNR): 25.0 % to" in said and "verdict: trusted, today" in said


def test_json_is_that_of_the_command_and_other_endings_are_refused(result: Judgement, tmp_path: Path) -> None:
    document = json.loads(neyman.report(result, tmp_path / "judge.json", tnr=0.3).read_text(encoding="utf-8"))
    assert document["thresholds"]["tnr"] == 0.3 and document["comparison"]["judges"] == ["judge", "other judge"]
    with pytest.raises(DesignError, match=r"\.zip"):
        neyman.report(result, tmp_path / "judge.pdf")
