"""Blank items behind the last labelled one are not labelled yet; those before it are missing."""

from __future__ import annotations

import pandas as pd
import pytest

from core.archive import Archive
from core.design import Plan
from core.labels import GIVEN_UP
from core.pool import Pool
from core.report import report_html, sentences
from core.study import Labelling, Study
from tests.core.study.conftest import CREATED, rows, verdicts

# What became of the beginning of a list of 60 (+ labelled, . blank, s skipped, ? disputed, x given up; the rest is
# blank), with how many items nobody has come to, and how many were passed over.
LISTS = {
    "as planned": ("+" * 60, 0, 0),
    "cut short": ("+" * 40, 20, 0),
    "all but the last": ("+" * 59, 1, 0),
    "one passed over": ("+" * 10 + "." + "+" * 29, 20, 1),
    "the first passed over": ("..." + "+" * 37, 20, 3),
    "every sixth passed over": (("+" * 5 + ".") * 6 + "+", 23, 6),
    "the last alone is labelled too": ("+" * 30 + "." * 29 + "+", 0, 29),
    "disputes in it": ("+" * 20 + "??" + "+" * 18, 20, 0),
    "disputes at its end": ("+" * 37 + "???", 20, 0),
    "a dispute behind one passed over": ("+" * 37 + ".?", 21, 1),
    "skipped in it": ("+" * 20 + "s" + "+" * 19, 20, 1),
    "skipped at its end": ("+" * 38 + "ss", 20, 2),
    "given up in it": ("+" * 20 + "x" + "+" * 19, 20, 0),
    "given up behind it": ("+" * 40 + "." * 10 + "x", 19, 0),
}


def given(archive: Archive, plan: Plan, pool: Pool, marks: str) -> Study:
    labels = Labelling.load(archive, plan, pool, "right-wrong", "one")
    ids = list(map(str, plan.ids[: len(marks)]))
    said = dict(zip(ids, verdicts(pool, ids, "one"), strict=True))
    of = {mark: [item for item, one in zip(ids, marks, strict=True) if one == mark] for mark in "+?sx"}
    both = [*of["+"], *of["?"]]
    other = ["wrong" if said[item] == "right" else "right" for item in of["?"]]
    parts = [
        rows(both, [said[item] for item in both]),
        rows(of["?"], other, "Ben"),
        rows(of["s"], [None] * len(of["s"]), status="skipped"),
        rows(of["x"], [None] * len(of["x"]), status=GIVEN_UP),
    ]
    labels.save(archive, pd.concat(parts, ignore_index=True), "here", CREATED)
    return Study(labels.refreshed(archive))


@pytest.mark.parametrize("name", LISTS)
def test_what_nobody_has_come_to_is_not_missing(archive: Archive, plan: Plan, pool: Pool, name: str) -> None:
    marks, later, passed = LISTS[name]
    study = given(archive, plan, pool, marks)
    result, said = study.result(), " ".join(sentences.remarks(study.result()))
    assert len(study.labels.not_yet) == len(result.not_yet) == later
    assert result.not_yet == study.labels.missing[len(study.labels.missing) - later :]
    # Of a given-up item a replacement is still due.
    assert result.n_open == passed and result.n_absent == marks.count("x")
    for shown in (said, repr(study)):
        assert ("has not been given yet" in shown or "have not been given yet" in shown) == (later > 0)
    ids = list(map(str, plan.ids))
    blank = [item for item, mark in zip(ids, marks, strict=False) if mark in ".s"]
    beyond = {"given up behind it": ids[40:50]}.get(name, [])
    assert list(study.labels.passed_over) == [item for item in blank if item not in beyond]
    assert ("the others are missing at random" in said) == (result.n_absent > 0)
    page, without = report_html(result), result.n_absent + result.n_open + marks.count("?")
    assert ("Not labelled yet" in page, "Labels still missing" in page) == (later > 0, without > 0)


def test_a_larger_list_with_disputes_is_not_called_missing(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = given(archive, plan, pool, "+" * 50 + "?" * 10)
    more = Study(study.labels.with_budget(200))
    assert len(more.labels.ties) == 10 and len(more.labels.not_yet) == 140
    (first, *_) = [one for one in sentences.remarks(more.result()) if "planned label" in one]
    assert first.startswith("140 of 200 planned labels have not been given yet") and "sound" in first
    assert not any("the others are missing at random" in one for one in sentences.remarks(more.result()))
