"""Blank items behind the last labelled one are not labelled yet; those before it are missing."""

from __future__ import annotations

import json
import random

import pandas as pd
import pytest

from core.archive import Archive
from core.design import Design, Plan
from core.labels import GIVEN_UP, read
from core.pool import Pool
from core.report import report_html, sentences
from core.study import Incoming, Labelling, Study, labelled
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
    page, without = report_html(result), result.n_absent + result.n_open
    assert ("Not labelled yet" in page, "Labels still missing" in page) == (later > 0, without > 0)


def test_a_larger_list_with_disputes_is_not_called_missing(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = given(archive, plan, pool, "+" * 50 + "?" * 10)
    more = Study(study.labels.with_budget(200))
    assert len(more.labels.ties) == 10 and len(more.labels.not_yet) == 140
    (first, *_) = [one for one in sentences.remarks(more.result()) if "planned label" in one]
    assert first.startswith("140 of 200 planned labels have not been given yet") and "sound" in first
    assert not any("the others are missing at random" in one for one in sentences.remarks(more.result()))


# Who labelled each item of the beginning of a list, and how many blank items nobody has come to before the last one.
ORDERS = {
    "one person, with gaps": ("AAAA..AAA", 0),
    "two people, one after the other": ("A" * 20 + "B" * 20, 0),
    "two people from two places": ("A" * 20 + "." * 10 + "B" * 20, 10),
    "two people in turn": ("AB" * 20, 0),
    "two people, a gap of each": ("AA.ABB.B", 2),
    "three people": ("A" * 5 + "." + "B" * 5 + "." + "C" * 5, 2),
}


@pytest.mark.parametrize("name", ORDERS)
def test_people_in_other_orders_are_said_beside_the_number(archive: Archive, plan: Plan, pool: Pool, name: str) -> None:
    marks, between = ORDERS[name]
    ids = list(map(str, plan.ids[: len(marks)]))
    said = dict(zip(ids, verdicts(pool, ids, "one"), strict=True))
    parts = []
    for person in sorted({*marks} - {"."}):
        of_person = [item for item, mark in zip(ids, marks, strict=True) if mark == person]
        parts.append(rows(of_person, [said[item] for item in of_person], person))
    labels = Labelling.load(archive, plan, pool, "right-wrong", "one")
    labels.save(archive, pd.concat(parts, ignore_index=True), "here", CREATED)
    study = Study(labels.refreshed(archive))
    assert ("perhaps in other orders" in repr(study)) == (between > 0)
    assert len(study.labels.without_verdict) == marks.count(".")
    assert not between or f"Of {between} items that are blank" in repr(study)


def test_discarded_items_are_said_once(archive: Archive, plan: Plan, pool: Pool) -> None:
    ids = list(map(str, plan.ids))
    given_up, last = ids[5:12], ids[-1]
    parts = [rows(ids[:5], "right"), rows(ids[12:], "right"), rows(given_up, [None] * 7, status="discarded")]
    labels = Labelling.load(archive, plan, pool, "right-wrong", "one")
    labels.save(archive, pd.concat(parts, ignore_index=True), "here", CREATED)
    study = Study(labels.refreshed(archive))
    said = " ".join(sentences.remarks(study.result()))
    assert last in study.labels.reached and "7 items have no verdict" in said and "cannot be labelled" not in said


@pytest.mark.parametrize("odd", [{"label": ["right", "wrong"]}, {"label": "right", "plan_id": "p000000000000"}])
def test_rows_of_a_file_that_are_not_kept_were_come_to(
    archive: Archive, plan: Plan, pool: Pool, odd: dict[str, object]
) -> None:
    ids = list(map(str, plan.ids))
    lines = [{"item_id": item, "label": "right"} for item in ids[:50]] + [{"item_id": item, **odd} for item in ids[50:]]
    file = read("\n".join(map(json.dumps, lines)).encode())
    labels = Labelling.load(archive, plan, pool, "right-wrong", "one")
    incoming = Incoming(labels, file.rows)
    labels.save(archive, incoming.stored, "csv", CREATED, remainders=incoming.remainders("list", ()))
    study = Study(labels.refreshed(archive))
    assert study.labels.without_verdict == tuple(ids[50:]) and not study.labels.not_yet
    assert len(labelled(plan, "\n".join(map(json.dumps, lines)).encode(), "one").labels.without_verdict) == 10


def test_limits_over_joined_strata_hold_whichever_way_their_items_go(pool: Pool) -> None:
    """Once these have labels, no stratum is joined any more."""
    rng, joined = random.Random(2), 0
    for trial in range(24):
        plan = Design(24, seed=trial).draw(pool)
        ids, strata = list(map(str, plan.ids)), plan.stratum[plan.positions].tolist()
        fewest, share = min(set(strata), key=strata.count), rng.random()
        none = {item for item, stratum in zip(ids, strata, strict=True) if stratum == fewest} | {*rng.sample(ids, 2)}
        said = {item: "right" if rng.random() < share else "wrong" for item in ids}

        def study(words: str, plan=plan, ids=ids, none=none, said=said) -> Study:
            labels = [rng.choice(words.split()) if item in none else said[item] for item in ids]
            return labelled(plan, pd.DataFrame({"item_id": ids, "label": labels}), "one", "right-wrong")

        estimate = study("skip").outcomes.joined
        if estimate is None:
            continue
        joined += 1
        for words in ("wrong", "right", "right wrong"):
            one = study(words).estimate()
            assert estimate.low <= one.low + 1e-12 and one.high <= estimate.high + 1e-12
    assert joined > 3
